"""``--statistics``: how often each rule fired, the most frequent first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from turnlint.diagnostic import Safety
from turnlint.report.terminal import Paint, clean
from turnlint.report.wording import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Report
    from turnlint.report import Context


def render(report: Report, context: Context) -> Iterator[str]:
    paint = Paint(color=context.color)
    counts = Counter((d.code, d.rule, d.severity) for d in report.diagnostics)
    safe = {d.code for d in report.diagnostics if d.fix is not None and d.fix.safety is Safety.SAFE}
    digits = len(str(max(counts.values(), default=0)))
    for (code, rule, severity), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        shown = paint(severity.value, f"{severity.value:<7}")
        mark = "  fixable with --fix" if code in safe else ""
        yield f"{count:>{digits}}  {clean(code)}  {shown}  {clean(rule)}{mark}\n"
    yield f"{summary(report)}\n"
