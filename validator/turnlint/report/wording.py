"""The sentences that more than one format prints: counts, and what the provider would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Safety, Severity
from turnlint.report.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from turnlint.diagnostic import Diagnostic, Judgement, Report


def plural(count: int, noun: str) -> str:
    """``"1 file"``, ``"3 files"``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def provider_answer(judgement: Judgement) -> str | None:
    """``openai answers 400: "…"``, or None where no words of the provider are known."""
    if judgement.provider_error is None:
        return None
    status = f" {judgement.status}" if judgement.status is not None else ""
    words = " or ".join(f'"{clean(text)}"' for text in judgement.provider_error.split(" | "))
    return f"{clean(judgement.target)} answers{status}: {words}"


def fixable(report: Report) -> tuple[int, int]:
    """How many diagnostics have a safe fix, and how many an unsafe one."""
    safe = unsafe = 0
    for diagnostic in report.diagnostics:
        if diagnostic.fix is not None:
            safe += diagnostic.fix.safety is Safety.SAFE
            unsafe += diagnostic.fix.safety is Safety.UNSAFE
    return safe, unsafe


def _scope(report: Report) -> tuple[str, str]:
    inner = [plural(report.transcripts, "transcript"), plural(report.messages, "message")]
    return plural(len(report.files), "file"), ", ".join(inner)


def summary(report: Report) -> str:
    """One sentence: what was found in how much, and how much of it can be fixed."""
    files, inner = _scope(report)
    counts = [
        plural(report.count(Severity.ERROR), "error"),
        plural(report.count(Severity.WARNING), "warning"),
        f"{report.count(Severity.INFO)} info",
    ]
    found = [text for text in counts if not text.startswith("0 ")]
    if not found:
        line = f"{files}, {inner}: no problems" if report.files else "no files to check"
    else:
        line = f"Found {', '.join(found)} in {files} ({inner})"
        safe, unsafe = fixable(report)
        if safe:
            line += f"; {safe} fixable with --fix"
        if unsafe:
            line += f"{',' if safe else ';'} {unsafe} {'more' if safe else 'fixable'} with --unsafe-fixes"
    unknown = sum(file.status == "unrecognised" for file in report.files)
    if unknown:
        line += f"; {plural(unknown, 'file')} not recognised"
    return line


def judges(report: Report) -> list[str]:
    """Who judged, and why, one line for each answer, the most frequent first."""
    seen: dict[str, int] = {}
    for file in report.files:
        for transcript in file.transcripts:
            if transcript.targets:
                why = f": {clean(transcript.judged_because)}" if transcript.judged_because else ""
                text = f"judged as {', '.join(clean(name) for name in transcript.targets)}{why}"
                seen[text] = seen.get(text, 0) + 1
    return _counted(seen, "transcript")


_NAMED = 12  # files in no known format that are named in one line


def notices(report: Report) -> list[str]:
    """What was left out or only partly looked at, one line for each remark, the most frequent first."""
    seen: dict[str, int] = {}
    for file in report.files:
        remarks = [file.note, *(transcript.notice for transcript in file.transcripts)]
        for remark in remarks:
            if remark:
                seen[f"note: {clean(remark)}"] = seen.get(f"note: {clean(remark)}", 0) + 1
    unknown = [clean(file.path) for file in report.files if file.status == "unrecognised" and file.path]
    named = {d.path for d in report.diagnostics if d.rule == "unrecognised-format"}
    silent = [path for path in unknown if path not in named]
    lines = _counted(seen, "time")
    if silent:
        more = f" and {len(silent) - _NAMED} more" if len(silent) > _NAMED else ""
        lines.insert(0, f"not recognised: {', '.join(silent[:_NAMED])}{more}")
    return lines


def _counted(seen: dict[str, int], noun: str) -> list[str]:
    ordered = sorted(seen.items(), key=lambda item: -item[1])
    several = len(ordered) > 1
    return [f"{text} ({plural(count, noun)})" if several and count > 1 else text for text, count in ordered]


def at_most(lines: list[str], limit: int) -> list[str]:
    """The first `limit` lines, and how many more there are."""
    return lines if len(lines) <= limit else [*lines[:limit], f"… and {len(lines) - limit} more of these"]


def gravest_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors before warnings before the rest, each in their old order; for readers that stop after so many."""
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.severity.rank)
