"""``path:line:column: severity rule message``, one diagnostic a line, and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.report.terminal import Paint, clean, clean_path
from turnlint.report.wording import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.report import Context


def render(report: Report, context: Context) -> Iterator[str]:
    paint = Paint(color=context.color, links=context.links)
    for diagnostic in report.diagnostics:
        inside = place_inside(diagnostic)
        yield f"{header(diagnostic, paint)} {clean(diagnostic.message)}{f' ({inside})' if inside else ''}\n"
    yield f"{summary(report)}\n"


def place(diagnostic: Diagnostic) -> str:
    """``path:line:column``, as far as they are known; a history that was no file is named by its pointer."""
    if diagnostic.path is None:
        return clean(diagnostic.pointer) or "(document)"
    parts = [clean_path(diagnostic.path)]
    if diagnostic.line is not None:
        parts.append(str(diagnostic.line))
        if diagnostic.column is not None:
            parts.append(str(diagnostic.column))
    return ":".join(parts)


def place_inside(diagnostic: Diagnostic) -> str:
    """``conversation pointer`` of what stands in a file without lines (a table, archive or database); else empty."""
    if diagnostic.path is None or diagnostic.line is not None or not diagnostic.pointer:
        return ""
    return " ".join(filter(None, (clean(diagnostic.transcript or ""), clean(diagnostic.pointer))))


def header(diagnostic: Diagnostic, paint: Paint) -> str:
    """``path:line:column: severity rule``."""
    severity = paint(diagnostic.severity.value, diagnostic.severity.value)
    return f"{paint('bold', place(diagnostic))}: {severity} {paint.link(diagnostic.url, clean(diagnostic.rule))}"
