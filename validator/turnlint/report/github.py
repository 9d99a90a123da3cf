"""Workflow commands, which GitHub shows beside the lines of a change.

GitHub shows only the first few of a step, so errors come first.  The place stands in the message once more, because
the log does not show the properties of a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.report.concise import place
from turnlint.report.places import file_name
from turnlint.report.terminal import clean
from turnlint.report.wording import gravest_first, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.report import Context

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, context: Context) -> Iterator[str]:
    for diagnostic in gravest_first(report.diagnostics):
        yield _command(diagnostic, context)
    yield f"{summary(report)}\n"


def _command(diagnostic: Diagnostic, context: Context) -> str:
    properties = {"title": f"turnlint ({diagnostic.rule})"}
    if diagnostic.path is not None:
        properties["file"] = file_name(diagnostic.path, context.base)
    if diagnostic.line is not None:
        properties["line"] = str(diagnostic.line)
        properties["endLine"] = str(diagnostic.end_line or diagnostic.line)
        # Columns are only allowed where the place is on one line.
        if diagnostic.column is not None and diagnostic.end_line in (None, diagnostic.line):
            properties["col"] = str(diagnostic.column)
            properties["endColumn"] = str(diagnostic.end_column or diagnostic.column)
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    said = f"{place(diagnostic)}: {diagnostic.rule}: {diagnostic.message}"
    if diagnostic.provider_error is not None:
        status = "" if diagnostic.status is None else f" {diagnostic.status}"
        said += f' ({diagnostic.target} answers{status}: "{diagnostic.provider_error}")'
    return f"::{_COMMANDS[diagnostic.severity]} {given}::{_data(said)}\n"


def _data(text: str) -> str:
    """`text` behind the command; a line end in it would begin a new command."""
    return clean(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
