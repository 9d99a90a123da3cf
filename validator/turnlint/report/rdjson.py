"""The Reviewdog Diagnostic Format.  Its columns count bytes of UTF-8, not code points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Safety, Severity
from turnlint.report.json_report import dump
from turnlint.report.places import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Edit, Report
    from turnlint.report import Context

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, context: Context) -> Iterator[str]:
    yield '{"source": {"name": "turnlint", "url": "https://turnlint.readthedocs.io/"}, "diagnostics": ['
    separator = "\n  "
    for diagnostic in report.diagnostics:
        yield separator + dump(_diagnostic(diagnostic, context))
        separator = ",\n  "
    yield "\n]}\n"


def _diagnostic(diagnostic: Diagnostic, context: Context) -> dict[str, Any]:
    location: dict[str, Any] = {"path": file_name(diagnostic.path, context.base)}
    if diagnostic.line is not None:
        location["range"] = _range(diagnostic, diagnostic.path, context)
    found: dict[str, Any] = {
        "message": diagnostic.message,
        "location": location,
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.rule, "url": diagnostic.url},
    }
    # A suggestion is applied alone and by a click: a fix of several edits would be applied by halves.
    fix = diagnostic.fix
    if fix is not None and fix.safety is Safety.SAFE and len(fix.edits) == 1:
        edit = fix.edits[0]
        if edit.line is not None:
            found["suggestions"] = [{"range": _range(edit, diagnostic.path, context), "text": edit.text}]
    return found


def _range(span: Diagnostic | Edit, path: str | None, context: Context) -> dict[str, Any]:
    start = _position(span.line or 1, span.column, path, context)
    if span.end_line is None:
        return {"start": start}
    return {"start": start, "end": _position(span.end_line, span.end_column, path, context)}


def _position(line: int, column: int | None, path: str | None, context: Context) -> dict[str, int]:
    if column is None:
        return {"line": line}
    if column == 1 or path is None:
        return {"line": line, "column": column}
    text = context.source_line(path, line)
    if text is None or text.isascii():
        return {"line": line, "column": column}
    return {"line": line, "column": len(text[: column - 1].encode("utf-8", "replace")) + 1}
