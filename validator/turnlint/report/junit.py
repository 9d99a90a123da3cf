"""JUnit XML: a test suite for each file, a failure for each finding that fails the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.report.concise import place
from turnlint.report.places import file_name
from turnlint.report.terminal import clean
from turnlint.report.wording import provider_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.report import Context


def render(report: Report, context: Context) -> Iterator[str]:
    by_path: dict[str | None, list[Diagnostic]] = {file.path: [] for file in report.files}
    for diagnostic in report.diagnostics:
        by_path.setdefault(diagnostic.path, []).append(diagnostic)
    failures = sum(diagnostic.severity.reaches(context.fail_on) for diagnostic in report.diagnostics)
    tests = sum(len(found) or 1 for found in by_path.values())
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="turnlint" tests="{tests}" failures="{failures}">\n'
    for path, found in by_path.items():
        yield from _suite(file_name(path, context.base), found, context)
    yield "</testsuites>\n"


def _suite(name: str, found: list[Diagnostic], context: Context) -> Iterator[str]:
    failures = sum(diagnostic.severity.reaches(context.fail_on) for diagnostic in found)
    yield f'  <testsuite name="{escape(name)}" tests="{len(found) or 1}" failures="{failures}" errors="0">\n'
    if not found:
        yield f'    <testcase name="turnlint" classname="{escape(name)}"/>\n'
    for diagnostic in found:
        yield f'    <testcase name="{escape(diagnostic.rule)}" classname="{escape(name)}">\n'
        yield _outcome(diagnostic, context)
        yield "    </testcase>\n"
    yield "  </testsuite>\n"


def _outcome(diagnostic: Diagnostic, context: Context) -> str:
    """A failure, or plain output for what does not fail the run."""
    text = [f"{place(diagnostic)}: {diagnostic.severity.value} {diagnostic.rule}: {diagnostic.message}"]
    answers = [provider_answer(judgement) for judgement in diagnostic.verdicts]
    text += [answer for answer in answers if answer is not None]
    if diagnostic.cause:
        text.append(f"cause: {diagnostic.cause}")
    body = "\n".join(escape(line) for line in text)
    if not diagnostic.severity.reaches(context.fail_on):
        return f"      <system-out>{body}</system-out>\n"
    message, kind = escape(diagnostic.message), diagnostic.severity.value
    return f'      <failure message="{message}" type="{kind}">{body}</failure>\n'


def escape(text: str) -> str:
    """`text` for XML and HTML, in an element or an attribute.  What XML cannot hold at all is written as an escape."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")
