"""``turnlint init``: looks at a tree and writes a first configuration for it, never over another one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnlint.cli import FAILURE, FINDINGS, OK, checking
from turnlint.cli.options import Choices, Option
from turnlint.cli.output import write
from turnlint.cli.run import say
from turnlint.config import FILE_NAMES, Configs, table_of
from turnlint.diagnostic import Report
from turnlint.errors import UsageError
from turnlint.initial import survey, toml
from turnlint.report.terminal import clean
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.initial import First

OPTIONS = (
    Option("--diff", "flag", "Print the configuration that would be written, and write nothing."),
    Option("--exclude", "names", "Leave these files and folders out.", "GLOB"),
)
PATHS = "[FOLDER]"
_MOST_SHOWN = 3  # folders of one kind of file


def run(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Write a first turnlint.toml after looking at what is below FOLDER, by default the current one.

    An existing configuration is never changed. Exit status 1 if no conversation was found.
    """
    if len(paths) > 1:
        raise UsageError("init takes one folder")
    root = Path(paths[0] if paths else ".")
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder")
    there = _existing(root)
    if there is not None:
        raise UsageError(f"{there}: there is a configuration already; it is left as it is")
    looked = _look(root, tuple(options["exclude"]))
    if looked is None:
        return FAILURE
    report, failed = looked
    first = survey(report)
    if not first.seen:
        say(f"turnlint: no conversation found in {plural(len(report.files), 'file')}, so nothing was written")
        return FINDINGS
    outer = _outer(root)
    target = root / FILE_NAMES[0]
    text = toml(first)
    if options["diff"]:
        write(
            (f"--- /dev/null\n+++ {clean(str(target))}\n", *(f"+{line}\n" for line in text.splitlines())), "full", None
        )
    else:
        try:
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise UsageError(f"{target}: cannot be written: {error.strerror}") from None
    for line in _told(first, report, None if options["diff"] else target, outer):
        (sys.stderr if options["diff"] else sys.stdout).write(f"{line}\n")
    return FAILURE if failed else OK


def _existing(root: Path) -> Path | None:
    """The configuration that stands in a folder itself."""
    for name in FILE_NAMES:
        file = root / name
        if file.is_file() and table_of(file) is not None:
            return file
    return None


def _outer(root: Path) -> Path | None:
    """The configuration that held here until now."""
    return Configs().of_file(str(root.absolute() / "any")).file if root.absolute().parent != root.absolute() else None


def _look(root: Path, exclude: tuple[str, ...]) -> tuple[Report, bool] | None:
    """The report on all that is below a folder, files named from there; None where it was interrupted."""
    choices = Choices(paths=(str(root),), exclude=exclude, unrecognised="count")
    try:
        outcome = checking.check(choices, Configs(isolated=True))
    except checking.Interrupted as stop:
        say(f"turnlint: {stop}")
        return None
    from msgspec.structs import replace

    def name(path: str | None) -> str:
        return Path(path or "").absolute().relative_to(root.absolute()).as_posix()

    files = [replace(file, path=name(file.path)) for file in outcome.files]
    return Report([replace(d, path=name(d.path)) for d in outcome.diagnostics], files), outcome.failed


def _told(first: First, report: Report, written: Path | None, outer: Path | None) -> Iterator[str]:
    """What was found, what was written, and what to do next."""
    conversations = sum(seen.conversations for seen in first.seen)
    files = sum(seen.files for seen in first.seen)
    yield f"Found {plural(conversations, 'conversation')} in {plural(files, 'file')} of {len(report.files)}:"
    names = [f"{seen.dialect} ({seen.container})" if seen.container != "plain" else seen.dialect for seen in first.seen]
    widest = max(map(len, names))
    for name, seen in zip(names, first.seen, strict=True):
        shown = ", ".join(map(clean, seen.folders[:_MOST_SHOWN]))
        more = f" and {len(seen.folders) - _MOST_SHOWN} more" if len(seen.folders) > _MOST_SHOWN else ""
        yield f"  {name:<{widest}}  {plural(seen.files, 'file'):>9}  {shown}{more}"
    if first.unknown:
        yield f"{plural(first.unknown, 'file')} in no known format."
    if first.expect:
        yield f"{plural(len(first.expect), 'file')} with errors, broken on purpose by their names: see [expect]."
    if written is not None:
        yield f"Wrote {clean(str(written))}."
    if outer is not None:
        yield f"It holds here instead of {clean(str(outer))}, unless it says extend = {clean(str(outer))!r}."
    if first.left:
        where = " elsewhere" if first.expect else ""
        yield f"{plural(first.left, 'error')}{where}: `turnlint check` shows them;"
        yield "`turnlint baseline create` keeps them for later, so that only new ones are reported."
    else:
        yield "Next: turnlint check"
