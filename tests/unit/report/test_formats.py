"""Every format, compared with the text that it printed when somebody last looked at it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from turnlint.diagnostic import FileInfo, Report
from turnlint.errors import UsageError
from turnlint.report import FORMATS, Context, render

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_report(name: str, report: Report, context: Context, snapshot: Callable[[str, str], None]) -> None:
    snapshot(f"{name}.txt", "".join(render(name, report, context)))


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_without_findings(name: str, context: Context, snapshot: Callable[[str, str], None]) -> None:
    clean = Report(files=[FileInfo("a.json", "checked")], transcripts=1, messages=4)
    snapshot(f"{name}-clean.txt", "".join(render(name, clean, context)))


@pytest.mark.parametrize("name", FORMATS)
def test_without_any_context(name: str, report: Report) -> None:
    text = io.StringIO()
    text.writelines(render(name, report, Context()))
    assert text.getvalue().endswith("\n")


def test_an_unknown_format_names_what_is_near() -> None:
    with pytest.raises(UsageError, match="did you mean 'concise'"):
        render("concisee", Report(), Context())
