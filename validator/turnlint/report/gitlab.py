"""GitLab's code quality report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.baseline import numbered_fingerprints
from turnlint.diagnostic import Severity
from turnlint.report.json_report import dump
from turnlint.report.places import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.report import Context

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, context: Context) -> Iterator[str]:
    yield "["
    separator = "\n  "
    marks = numbered_fingerprints(report.diagnostics, context.base)
    for diagnostic, mark in zip(report.diagnostics, marks, strict=True):
        yield separator + dump(_issue(diagnostic, mark, context))
        separator = ",\n  "
    yield "\n]\n"


def _issue(diagnostic: Diagnostic, mark: str, context: Context) -> dict[str, Any]:
    begin = {"line": diagnostic.line or 1, "column": diagnostic.column or 1}
    end = {
        "line": diagnostic.end_line or begin["line"],
        "column": diagnostic.end_column or begin["column"],
    }
    return {
        "check_name": diagnostic.rule,
        "description": f"{diagnostic.rule}: {diagnostic.message}",
        "severity": _SEVERITIES[diagnostic.severity],
        "fingerprint": mark,
        "location": {
            "path": file_name(diagnostic.path, context.base),
            "positions": {"begin": begin, "end": end},
        },
    }
