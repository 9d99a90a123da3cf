"""One HTML page that stands alone: no script, nothing from the network, everything escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.report.concise import place
from turnlint.report.full import excerpt_of, remarks
from turnlint.report.junit import escape
from turnlint.report.wording import judges, notices, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic, Report
    from turnlint.report import Context

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
article { border-left: 0.3rem solid #888; margin: 1.5rem 0; padding-left: 1rem; }
.error { border-color: #c62828; } .warning { border-color: #ef8f00; } .info { border-color: #1976d2; }
h2, p { margin: 0.2rem 0; } h2 { font-size: 1rem; }
pre { background: #8882; overflow-x: auto; padding: 0.5rem; } mark { background: #ffd54f; }
:root { color-scheme: light dark; }
"""


def render(report: Report, context: Context) -> Iterator[str]:
    # The policy forbids what the page does not use, should an escape ever be missed.
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>turnlint report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>turnlint report</h1>\n"
    )
    yield f"<p>{escape(summary(report))}</p>\n"
    for line in (*notices(report), *judges(report)):
        yield f"<p><small>{escape(line)}</small></p>\n"
    for diagnostic in report.diagnostics:
        yield _article(diagnostic, context)
    yield "</body>\n</html>\n"


def _article(diagnostic: Diagnostic, context: Context) -> str:
    severity = diagnostic.severity.value
    title = f"{severity} {diagnostic.rule} ({diagnostic.code}): {diagnostic.message}"
    lines = [
        f'<article class="{severity}">',
        f"<h2>{escape(title)}</h2>",
        f"<p><code>{escape(place(diagnostic))}</code></p>",
    ]
    shown = excerpt_of(diagnostic, context)
    if shown is not None:
        head, marked, tail = shown
        lines.append(f"<pre>{escape(head)}<mark>{escape(marked)}</mark>{escape(tail)}</pre>")
    lines += [f"<p>{escape(f'{label} {text}'.strip())}</p>" for label, text in remarks(diagnostic)]
    return "\n".join([*lines, "</article>\n"])
