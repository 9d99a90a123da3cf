"""Output formats.  Each is one module with one pure function, ``render(report, context) -> Iterator[str]``.

Nothing here reads a file, knows a rule or looks at the environment: what a format may want besides the report is
handed over in a `Context`.  Everything that a report holds came out of somebody's transcript or a file's name, so
each format escapes what it prints; `turnlint.report.terminal.clean` does it for those that people read.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from turnlint.diagnostic import Severity
from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnlint.diagnostic import Report

FORMATS = {
    "full": "turnlint.report.full",
    "concise": "turnlint.report.concise",
    "json": "turnlint.report.json_report",
    "jsonl": "turnlint.report.jsonl",
    "sarif": "turnlint.report.sarif",
    "github": "turnlint.report.github",
    "gitlab": "turnlint.report.gitlab",
    "junit": "turnlint.report.junit",
    "rdjson": "turnlint.report.rdjson",
    "html": "turnlint.report.html",
}

WITH_EDITS = frozenset({"json", "jsonl", "sarif", "rdjson"})
"""The formats that tell other programs what a fix would change."""


class RulePage(Struct, frozen=True):
    """What a format may say of a rule: one line, and the whole page in Markdown."""

    summary: str
    page: str = ""


def _no_source(_path: str, _line: int) -> str | None:
    """Stands in where the text of the sources is not at hand."""
    return None


def _no_page(_code: str) -> RulePage | None:
    """Stands in where the rules are not at hand."""
    return None


class Context(Struct, frozen=True):
    """What a format may use besides the report.

    `source_line` gives one line of a source, without its line end, or None; `rule_page` what is known of a rule,
    by code.  `base` is the folder that machine formats name files from.  `links` makes rules lead to their pages.
    `width` is in columns.  `quotes` is False where no text of a transcript may be printed (the report has been
    stripped by `turnlint.report.privacy` before).
    """

    source_line: Callable[[str, int], str | None] = _no_source
    rule_page: Callable[[str], RulePage | None] = _no_page
    color: bool = False
    links: bool = False
    quotes: bool = True
    fail_on: Severity = Severity.ERROR
    base: Path = Path()
    width: int = 110
    version: str = ""
    data: str | None = None


def check_format(name: str) -> None:
    """Raises UsageError, naming what is near, if there is no format `name`."""
    if name not in FORMATS:
        raise UsageError(f"unknown output format {name!r}{near_misses(name, FORMATS)} (known: {', '.join(FORMATS)})")


def render(name: str, report: Report, context: Context) -> Iterator[str]:
    """The report in the format `name`, piece by piece.  Raises UsageError if there is no such format."""
    check_format(name)
    module = importlib.import_module(FORMATS[name])
    return cast("Iterator[str]", module.render(report, context))
