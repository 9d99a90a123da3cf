"""Fixing from the command line: files are rewritten, or a diff is shown, before what is left is reported."""

from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint.cli import checking
from turnlint.cli.run import internal_error, say
from turnlint.diagnostic import Report
from turnlint.errors import UsageError
from turnlint.report.terminal import clean
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.cli.checking import Source
    from turnlint.cli.options import Choices
    from turnlint.config import Configs
    from turnlint.diagnostic import Diagnostic, Severity
    from turnlint.fixing import FileFix

_SHOWN = 200  # characters of a line in a diff; a line of JSONL may be the whole conversation
_LISTED = 100  # fixes told one by one


class Fixing(Struct):
    """What was done: fixes by file, diffs where only those were wanted, and what could not be fixed."""

    fixed: list[tuple[str, Any]] = field(default_factory=list)  # file, and what was applied there
    diffs: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    changed: int = 0
    failed: bool = False
    left: list[Severity] = field(default_factory=list)  # how grave each finding is that is left
    output: bytes | None = None  # the repaired text of standard input


def fix(sources: list[Source], choices: Choices, configs: Configs, *, unsafe: bool, diff: bool, backup: bool) -> Fixing:
    """Fix every source; writes files unless `diff` is true.  An error in one file is told, the others still fixed."""
    done = Fixing()
    for number, source in enumerate(sources):
        settings = checking.settings(source, choices, configs.of_file(source.name))
        try:
            made = _fix_one(source, settings, unsafe=unsafe)
            if made is None:
                continue
            _heed(made, source, done, diff=diff, backup=backup)
        except UsageError:
            raise
        except Exception as error:
            say(f"turnlint: {internal_error(error, f' while fixing {source.name}')}")
            done.failed = True
        if source.data is not None and not diff and done.output is not None:
            sources[number] = checking.Source(source.name, source.named, done.output)
    return done


def _fix_one(source: Source, settings: Any, *, unsafe: bool) -> FileFix | None:
    from turnlint.fixing import fix_source

    stream = None if source.data is None else BytesIO(source.data)
    path = None if source.data is not None else Path(source.name)
    return fix_source(path, stream, name=source.name, settings=settings, unsafe=unsafe)


def _heed(made: FileFix, source: Source, done: Fixing, *, diff: bool, backup: bool) -> None:
    outcome = made.outcome
    done.left.extend(d.severity for d in outcome.remaining)
    done.refused.extend(f"{source.name}: {reason}" for reason in outcome.refused)
    if source.data is not None and not diff:
        done.output = made.encoded if made.encoded is not None else source.data
    if made.after is None or made.encoded is None:
        return
    done.changed += 1
    done.fixed.extend((source.name, applied) for applied in outcome.applied)
    if diff:
        done.diffs.append(unified(source.name, made.before, made.after))
    elif source.data is None:
        _write(Path(source.name), made, done, backup=backup)


def _write(path: Path, made: FileFix, done: Fixing, *, backup: bool) -> None:
    from turnlint.source.patch import PatchError, write_atomic

    assert made.encoded is not None
    try:
        if backup:
            _back_up(path)
        write_atomic(path, made.encoded, expected=made.signature or b"")
    except (PatchError, OSError) as reason:
        say(f"turnlint: {path} was not fixed: {reason}")
        done.failed = True
        done.changed -= 1
        done.fixed = [item for item in done.fixed if item[0] != str(path)]


def _back_up(path: Path) -> None:
    """Copy a file, its mode included, to FILE.bak, or to FILE.bak.2 and so on: what was kept earlier stays."""
    import shutil

    copy, number = path.with_name(f"{path.name}.bak"), 1
    while os.path.lexists(copy):
        number += 1
        copy = path.with_name(f"{path.name}.bak.{number}")
    shutil.copy2(path, copy)


def unified(name: str, before: bytes, after: bytes) -> str:
    """A unified diff of two texts, made safe to print; very long lines are shown around what changed."""
    import difflib

    old = before.decode("utf-8", "replace").split("\n")
    new = after.decode("utf-8", "replace").split("\n")
    lines = difflib.unified_diff(old, new, f"{name} (as it is)", f"{name} (fixed)", lineterm="", n=2)
    return "".join(f"{_cut(line)}\n" for line in lines)


def _cut(line: str) -> str:
    shown = clean(line)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


def with_edits(report: Report, sources: list[Source], choices: Choices, configs: Configs) -> Report:
    """The report with the edits that each fix would make.  Where turnlint fails at it, a fix stays without them."""
    from turnlint.suggesting import with_edits

    by_path: dict[str | None, list[Diagnostic]] = {}
    for diagnostic in report.diagnostics:
        by_path.setdefault(diagnostic.path, []).append(diagnostic)
    for source in sources:
        found = by_path.get(source.name, [])
        settings = checking.settings(source, choices, configs.of_file(source.name))
        stream = None if source.data is None else BytesIO(source.data)
        path = None if source.data is not None else Path(source.name)
        try:
            made = with_edits(Report(found), path, stream, settings=settings)
        except Exception as error:
            say(f"turnlint: {internal_error(error, f' while working out the fixes of {source.name}')}")
            continue
        by_path[source.name] = list(made.diagnostics)
    rest = {path: iter(found) for path, found in by_path.items()}
    return replace(report, diagnostics=[next(rest[diagnostic.path]) for diagnostic in report.diagnostics])


def told(done: Fixing, *, diff: bool) -> Iterator[str]:
    """What was done, one line a fix, for standard error."""
    for name, applied in done.fixed[:_LISTED]:
        place = f"{name}:{applied.line}" if applied.line else name
        unsafe = " (unsafe)" if applied.safety == "unsafe" else ""
        verb = "would fix" if diff else "fixed"
        yield f"{verb} {clean(place)}: {applied.rule}: {applied.title}{unsafe}\n"
    if len(done.fixed) > _LISTED:
        yield f"… and {len(done.fixed) - _LISTED} more\n"
    for reason in dict.fromkeys(done.refused):
        yield f"not fixed: {clean(reason)}\n"
    if done.fixed:
        what = "Would fix" if diff else "Fixed"
        yield f"{what} {plural(len(done.fixed), 'finding')} in {plural(done.changed, 'file')}\n"


def show(done: Fixing, *, diff: bool) -> None:
    """Diffs on standard output, the rest on standard error."""
    for text in done.diffs:
        sys.stdout.write(text)
    if done.output is not None and not diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(done.output)
        sys.stdout.buffer.flush()
    for line in told(done, diff=diff):
        sys.stderr.write(line)
