"""One diagnostic a line, with the fields of the JSON report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.report.json_report import diagnostic_object, dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Report
    from turnlint.report import Context


def render(report: Report, _context: Context) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield dump(diagnostic_object(diagnostic)) + "\n"
