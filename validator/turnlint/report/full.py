"""The default format: each diagnostic with its line of the source, the provider's words, the cause and the fix.

Transcripts keep whole messages on one line, and one line may be 100 KB long: what is shown is a window of the line
around the place, with … where it was cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Safety
from turnlint.report.concise import place, place_inside
from turnlint.report.terminal import Paint, clean, clean_path, width
from turnlint.report.wording import at_most, judges, notices, provider_answer, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Fix, Report
    from turnlint.report import Context

_MOST_RELATED = 6  # places named under one diagnostic; a repeated call may have hundreds
_MOST_REMARKS = 5
_MOST_LINES_BELOW = 4


def render(report: Report, context: Context) -> Iterator[str]:
    paint = Paint(color=context.color, links=context.links)
    for diagnostic in report.diagnostics:
        yield "".join(f"{line}\n" for line in describe(diagnostic, context, paint))
        yield "\n"
    for line in (*at_most(notices(report), _MOST_REMARKS), *at_most(judges(report), _MOST_REMARKS)):
        yield f"{paint('dim', line)}\n"
    text = summary(report)
    yield f"{paint('bold' if report.diagnostics else 'good', text)}\n"


def describe(diagnostic: Diagnostic, context: Context, paint: Paint) -> Iterator[str]:
    """One diagnostic, line by line, without line ends."""
    severity = paint(diagnostic.severity.value, diagnostic.severity.value)
    rule = f"{paint('bold', clean(diagnostic.rule))} ({paint.link(diagnostic.url, clean(diagnostic.code))})"
    yield f"{paint('bold', place(diagnostic))}: {severity} {rule}: {clean(diagnostic.message)}"
    below = list(_lines_below(diagnostic, context))
    gutter = len(str(below[-1][0] if below else diagnostic.line or ""))
    yield from _snippet(diagnostic, below, context, paint, gutter)
    for label, text in remarks(diagnostic):
        start = f"{' ' * gutter} {paint('dim', '=')}"
        yield f"{start} {paint('bold', label)} {text}" if label else f"{start} {text}"


def _snippet(
    diagnostic: Diagnostic, below: list[tuple[int, str]], context: Context, paint: Paint, gutter: int
) -> Iterator[str]:
    shown = excerpt_of(diagnostic, context)
    if shown is None:
        return
    head, marked, tail = shown
    bar = paint("dim", "|")
    caret = "^" * max(1, width(marked))
    yield f"{' ' * gutter} {bar}"
    yield f"{paint('dim', f'{diagnostic.line:>{gutter}}')} {bar} {head}{marked}{tail}".rstrip()
    yield f"{' ' * gutter} {bar} {' ' * width(head)}{paint(diagnostic.severity.value, caret)}"
    for number, text in below:
        yield f"{paint('dim', f'{number:>{gutter}}')} {bar} {text}".rstrip()


def _lines_below(diagnostic: Diagnostic, context: Context) -> Iterator[tuple[int, str]]:
    """The next few lines of a place over several lines, with their numbers, moved left as far as the first one is."""
    line, end = diagnostic.line, diagnostic.end_line
    if diagnostic.path is None or line is None or end is None or end <= line or not context.quotes:
        return
    first = context.source_line(diagnostic.path, line) or ""
    indent = len(first) - len(first.lstrip()) if len(first) <= context.width else 0
    for number in range(line + 1, min(end, line + _MOST_LINES_BELOW) + 1):
        text = context.source_line(diagnostic.path, number)
        if text is None:
            return
        text = text[indent:] if text[:indent].isspace() else text
        room = context.width - len(str(number)) - 4
        yield number, clean(text[:room].rstrip()) + ("…" if len(text) > room else "")


def excerpt_of(diagnostic: Diagnostic, context: Context) -> tuple[str, str, str] | None:
    """The `excerpt` of the source at a diagnostic's place, or None where there is nothing to show."""
    if diagnostic.path is None or diagnostic.line is None or not context.quotes:
        return None
    line = context.source_line(diagnostic.path, diagnostic.line)
    if not line or line.isspace():
        return None
    start = (diagnostic.column or 1) - 1
    if diagnostic.end_line == diagnostic.line and diagnostic.end_column is not None:
        end = diagnostic.end_column - 1
    else:
        end = start + 1 if diagnostic.end_line is None else len(line)
    return excerpt(line, start, end, context.width - len(str(diagnostic.line)) - 4)


def excerpt(line: str, start: int, end: int, room: int) -> tuple[str, str, str]:
    """A window of `line`, at most `room` code points of it, around the place from `start` to `end`.

    Returns clean text in three pieces, of which the second is the place (as far as it is in the window, and empty
    for one at the end of the line); … stands where the line was cut.
    """
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    first = 0 if len(line) <= room else max(0, start - room // 3)
    last = min(len(line), first + room)
    first = max(0, min(first, last - room))  # use what is left of the room at the end of a line
    cut = "…" if first else ""
    while first < start and line[first].isspace():
        first += 1
    head = cut + clean(line[first:start])
    marked = clean(line[start : min(end, last)])
    tail = clean(line[max(min(end, last), start) : last]) + ("…" if last < len(line) else "")
    return head, marked, tail


def remarks(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    """Label and text of every line under the snippet: the provider's words, the cause, places, the fix."""
    inside = place_inside(diagnostic)
    if inside:
        yield "at:", inside
    if diagnostic.verdicts:
        for judgement in diagnostic.verdicts:
            answer = provider_answer(judgement)
            if answer is not None:
                yield "", answer
            elif len(diagnostic.verdicts) > 1:
                yield "", f"{clean(judgement.target)}: {judgement.severity.value}"
    elif diagnostic.provider_error is not None:
        status = f" {diagnostic.status}" if diagnostic.status is not None else ""
        yield "", f'{clean(diagnostic.target or "the provider")} answers{status}: "{clean(diagnostic.provider_error)}"'
    if diagnostic.cause:
        yield "cause:", clean(diagnostic.cause)
    if diagnostic.help:
        yield "help:", clean(diagnostic.help)
    yield from _related(diagnostic)
    if diagnostic.also:
        yield "also:", ", ".join(clean(rule) for rule in diagnostic.also)
    for note in diagnostic.notes:
        yield "note:", clean(note)
    if diagnostic.fix is not None:
        yield "fix:", _fix(diagnostic.fix)


def _related(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    for related in diagnostic.related[:_MOST_RELATED]:
        if diagnostic.path is not None and related.line is not None:
            where = f"{clean_path(diagnostic.path)}:{related.line}:{related.column or 1}"
        else:
            where = clean(related.pointer) or "(document)"
        yield "see:", f"{where}: {clean(related.message)}"
    if len(diagnostic.related) > _MOST_RELATED:
        yield "see:", f"… and {len(diagnostic.related) - _MOST_RELATED} more places"


def _fix(fix: Fix) -> str:
    if fix.safety is Safety.SAFE:
        return f"{clean(fix.title)} (safe)"
    reason = f": {clean(fix.reason)}" if fix.reason else ""
    return f"{clean(fix.title)} (unsafe{reason})"
