"""Findings that are known already: a file of fingerprints, and a report without what it lists.

A fingerprint says which rule fired on what, without a line or an index, so that it survives messages that are added,
removed or moved around it.  Findings that are alike in all of this share a fingerprint and are counted.  Nothing in the
file is text of a transcript.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from turnlint.diagnostic import Diagnostic, Report, Severity, path_of
from turnlint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 1
DEFAULT_NAME = "turnlint-baseline.json"
UNUSED = ("TL014", "unused-baseline")

# An ID or the name of a tool in a message: a word with an underscore, or with both letters and digits.
_NAMED = re.compile(r"(?<![\w-])(?=[\w-]*(?:_|[A-Za-z]-?[0-9]|[0-9]-?[A-Za-z]))[\w-]+")


def relative(path: str, base: Path) -> str:
    """`path` from the folder `base`, with slashes; a path outside of it stays absolute."""
    full = Path(path) if path.startswith("<") else Path(base, path)
    return full.relative_to(base).as_posix() if full.is_relative_to(base) else full.as_posix()


def fingerprint(diagnostic: Diagnostic, base: Path) -> str:
    """64 bits in hex that tell a finding from others, whatever line or index it stands at.

    Made of the rule, the file, the transcript's ID, the keys of the pointer, and the IDs and names in the message.
    An ID that is a mere number is the transcript's place, and does not count.
    """
    transcript = diagnostic.transcript or ""
    parts = [
        f"turnlint/{VERSION}",
        diagnostic.rule,
        relative(diagnostic.path or "", base),
        "" if transcript.isdecimal() else transcript,
        "/".join(step for step in path_of(diagnostic.pointer) if not step.isdecimal()),
        *sorted(set(_NAMED.findall(diagnostic.message))),
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def numbered_fingerprints(diagnostics: Iterable[Diagnostic], base: Path) -> list[str]:
    """A fingerprint of each diagnostic that no other one has: those that are alike are numbered."""
    seen: Counter[str] = Counter()
    numbered = []
    for diagnostic in diagnostics:
        mark = fingerprint(diagnostic, base)
        seen[mark] += 1
        numbered.append(mark if seen[mark] == 1 else f"{mark}-{seen[mark]}")
    return numbered


class Entry(Struct, frozen=True):
    """So many findings of one rule in one file that are known.  `line` is where the baseline says so."""

    path: str
    rule: str
    fingerprint: str
    count: int
    line: int = 0


class Baseline(Struct, frozen=True):
    """The entries of a baseline file; paths in it start from the file's folder."""

    file: Path
    entries: tuple[Entry, ...] = ()

    @property
    def base(self) -> Path:
        return self.file.absolute().parent


def load(file: Path) -> Baseline:
    """Read a baseline.  Raises UsageError if it is not there, or is none."""
    try:
        text = file.read_text(encoding="utf-8")
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise UsageError(f"{file}: no baseline of version {VERSION}")
        entries = [_entry(item) for item in data["entries"]]
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{file}: no baseline: {type(error).__name__}: {error}") from None
    lines = {mark: number for number, line in enumerate(text.splitlines(), start=1) for mark in _MARK.findall(line)}
    return Baseline(file, tuple(replace(entry, line=lines.get(entry.fingerprint, 1)) for entry in entries))


_MARK = re.compile(r'"fingerprint": "([0-9a-f]{16})"')


def _entry(item: Any) -> Entry:
    entry = Entry(item["path"], item["rule"], item["fingerprint"], item["count"])
    if not all(isinstance(text, str) for text in (entry.path, entry.rule, entry.fingerprint)):
        raise TypeError("path, rule and fingerprint must be texts")
    if type(entry.count) is not int or entry.count < 1:
        raise TypeError("count must be a whole number from 1")
    return entry


def write(baseline: Baseline) -> None:
    """Write a baseline, one entry a line, sorted.  Raises UsageError if it cannot be written."""
    entries = sorted(baseline.entries, key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    rows = [
        json.dumps({"path": e.path, "rule": e.rule, "fingerprint": e.fingerprint, "count": e.count}) for e in entries
    ]
    body = ",\n  ".join(rows)
    text = (
        f'{{"version": {VERSION}, "entries": [\n  {body}\n]}}\n'
        if rows
        else f'{{"version": {VERSION}, "entries": []}}\n'
    )
    try:
        baseline.file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{baseline.file}: cannot be written: {error.strerror}") from None


def create(report: Report, file: Path) -> Baseline:
    """A baseline of every finding in `report`."""
    base = file.absolute().parent
    counts: Counter[tuple[str, str, str]] = Counter()
    for diagnostic in report.diagnostics:
        counts[relative(diagnostic.path or "", base), diagnostic.rule, fingerprint(diagnostic, base)] += 1
    return Baseline(file, tuple(Entry(*key, count) for key, count in counts.items()))


def prune(report: Report, baseline: Baseline) -> Baseline:
    """The baseline without what did not occur in `report`.  Entries of files that were not looked at stay."""
    _, unused = _matched(report, baseline)
    left = [replace(entry, count=entry.count - unused.get(entry, 0)) for entry in baseline.entries]
    return replace(baseline, entries=tuple(entry for entry in left if entry.count > 0))


def apply(report: Report, baseline: Baseline, unused_severity: Severity | None) -> Report:
    """`report` without the known findings, and with one for each entry that no longer occurs.

    `unused_severity` is that of an unused entry; None says nothing of them.
    """
    kept, unused = _matched(report, baseline)
    if unused_severity is not None:
        kept += [_unused(baseline, entry, missing, unused_severity) for entry, missing in unused.items()]
    return replace(report, diagnostics=kept)


def _matched(report: Report, baseline: Baseline) -> tuple[list[Diagnostic], dict[Entry, int]]:
    """The diagnostics that are new, and of each entry how many findings did not occur."""
    left = {entry.fingerprint: entry.count for entry in baseline.entries}
    kept: list[Diagnostic] = []
    for diagnostic in report.diagnostics:
        mark = fingerprint(diagnostic, baseline.base)
        if left.get(mark, 0) > 0:
            left[mark] -= 1
        else:
            kept.append(diagnostic)
    looked_at = {relative(file.path, baseline.base) for file in report.files}
    unused = {
        entry: left[entry.fingerprint]
        for entry in baseline.entries
        if left[entry.fingerprint] > 0 and (entry.path in looked_at or not Path(baseline.base, entry.path).exists())
    }
    return kept, unused


def _unused(baseline: Baseline, entry: Entry, missing: int, severity: Severity) -> Diagnostic:
    code, rule = UNUSED
    listed = "listed" if missing == 1 else f"listed {missing} times too often"
    return Diagnostic(
        rule=rule,
        code=code,
        severity=severity,
        message=f"{entry.rule} in {entry.path} is {listed}: it does not occur any more",
        path=str(baseline.file),
        line=entry.line,
        column=1,
        help="turnlint baseline prune removes what does not occur",
    )
