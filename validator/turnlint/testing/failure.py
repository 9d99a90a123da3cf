"""What a failed assertion says: the same as the command line, with the messages around each fault."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.report.full import remarks
from turnlint.report.terminal import clean
from turnlint.report.wording import plural
from turnlint.testing.excerpt import around, indexes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.engine import Settings
    from turnlint.model import Transcript

_MOST = 5  # findings told in full
_MOST_COMPARED = 20_000  # lines of a history that are compared with its repair: more takes too long
_MOST_CHANGED = 30  # lines of a diff that are shown
_WIDTH = 116  # code points of a line of a diff


def failure(report: Report, document: Any, settings: Settings, threshold: Severity) -> str:
    """The text for all diagnostics of `report` that reach `threshold`.  `document` is plain data."""
    from turnlint.loading import examine_value, reader

    found = [d for d in report.diagnostics if d.severity.reaches(threshold)]
    transcripts = [
        e.transcript
        for e in examine_value(document, reader(settings.targets, settings.dialect))
        if e.transcript is not None
    ]
    lines = [f"the history is not valid{_for_whom(report)}: {_counts(found)}"]
    for diagnostic in found[:_MOST]:
        lines += ["", *describe(diagnostic, transcripts)]
    if len(found) > _MOST:
        lines += ["", f"… and {plural(len(found) - _MOST, 'more finding')}"]
    lines += _repair(document, settings)
    return "\n".join(lines)


def _repair(document: Any, settings: Settings) -> list[str]:
    """What `turnlint.fix` would change, as a diff; nothing where it would not, or could not, change anything."""
    if len(settings.targets) > 1:
        return []
    from turnlint.fixing import fix_value

    for unsafe in (False, True):
        try:
            fixed = fix_value(document, settings, unsafe=unsafe)
        except Exception:  # the failure of the test is what counts: an error here must not take its place
            return []
        changes = _diff(document, fixed.document) if fixed.applied else []
        if changes:
            call = "turnlint.fix(history, unsafe=True)" if unsafe else "turnlint.fix(history)"
            return ["", f"{call} would change:", *changes]
    return []


def _diff(before: Any, after: Any) -> list[str]:
    """The lines of indented JSON that differ, with one line around each."""
    old, new = (json.dumps(value, indent=1, ensure_ascii=False, default=repr).splitlines() for value in (before, after))
    if max(len(old), len(new)) > _MOST_COMPARED:
        return []
    lines = [line for line in difflib.unified_diff(old, new, n=1, lineterm="") if not line.startswith(("---", "+++"))]
    shown = [f"  {clean(line if len(line) <= _WIDTH else line[: _WIDTH - 1] + '…')}" for line in lines[:_MOST_CHANGED]]
    return shown if len(lines) <= _MOST_CHANGED else [*shown, f"  … and {len(lines) - _MOST_CHANGED} more lines"]


def describe(diagnostic: Diagnostic, transcripts: Sequence[Transcript]) -> Iterator[str]:
    """One diagnostic: place, rule and sentence, the messages around it, then the provider's words, cause and fix."""
    place = clean(diagnostic.pointer) or "(document)"
    if diagnostic.path and diagnostic.line is not None:
        place = f"{clean(diagnostic.path)}:{diagnostic.line}:{diagnostic.column or 1}"
    severity, rule = diagnostic.severity.value, f"{clean(diagnostic.rule)} ({clean(diagnostic.code)})"
    yield f"{place}: {severity} {rule}: {clean(diagnostic.message)}"
    transcript = _holder(diagnostic.pointer, diagnostic.document, transcripts)
    if transcript is not None and diagnostic.message_index is not None:
        others = indexes((r.pointer for r in diagnostic.related), transcript)
        yield from around(transcript, diagnostic.message_index, others)
    for label, text in remarks(diagnostic):
        yield f"  = {label} {text}" if label else f"  = {text}"


def _holder(pointer: str, document: int, transcripts: Sequence[Transcript]) -> Transcript | None:
    """The transcript that a pointer points into."""
    holding = [
        t
        for t in transcripts
        if t.at.document == document and (pointer == t.at.pointer or pointer.startswith(f"{t.at.pointer}/"))
    ]
    return max(holding, key=lambda t: len(t.at.path), default=None)


def _for_whom(report: Report) -> str:
    infos = [t for file in report.files for t in file.transcripts]
    if not infos:
        return ""
    first = infos[0]
    why = f"; {clean(first.judged_because)}" if first.judged_because and first.judged_because != "as asked" else ""
    return f" for {clean(', '.join(first.targets))} (mode {first.mode}{why})"


def _counts(found: Sequence[Diagnostic]) -> str:
    parts = []
    for severity in Severity:
        count = sum(d.severity is severity for d in found)
        if count:
            parts.append(f"{count} info" if severity is Severity.INFO else plural(count, severity.value))
    return ", ".join(parts)
