"""Two declared tools of one name.

What it finds
-------------
A request that declares a tool twice, or two different tools under one name.

Why it hurts
------------
Anthropic refuses the request.  Others take it, and a call does not say which of the two is meant.

Fix
---
safe where both definitions are the same: the later one is taken out.  Different ones are only reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Tool


def check(context: Context) -> Iterator[Finding]:
    first: dict[str, Tool] = {}
    for number, tool in enumerate(context.transcript.tools or ()):
        if not isinstance(tool.name, str) or not tool.name or tool.name_at is None:
            continue
        if tool.name in first:
            yield _finding(tool, first[tool.name], number)
        else:
            first[tool.name] = tool


def _finding(tool: Tool, first: Tool, number: int) -> Finding:
    same = tool.raw == first.raw
    assert tool.name_at is not None
    return Finding(
        tool.at if same else tool.name_at,
        f"the tool {brief(tool.name)} is declared twice{'' if same else ', and differently'}",
        cause="two lists of tools were joined" if same else "two servers of tools use one name",
        related=((first.at, "declared here first"),),
        fill={"tool": printed(tool.name), "n": number},
        fix=Fix("declare it once", Safety.SAFE, None, (Remove(tool),)) if same else None,
        help="put the server's name in front of the tool's, or drop one of them",
    )


def _body(*tools: tuple[str, str]) -> dict[str, object]:
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "system": "Be brief.",
        "tools": [{"name": n, "description": d, "input_schema": {"type": "object"}} for n, d in tools],
        "messages": [{"role": "user", "content": "Weather in Oslo?"}],
    }


def _chat(*tools: tuple[str, str]) -> dict[str, object]:
    functions = [{"name": n, "description": d, "parameters": {"type": "object"}} for n, d in tools]
    return {
        "model": "gpt-4o",
        "tools": [{"type": "function", "function": f} for f in functions],
        "messages": [{"role": "user", "content": "Weather in Oslo?"}],
    }


RULE = Rule(
    check,
    valid=(
        Example(_body(("get_weather", "now"), ("get_forecast", "later")), target="anthropic"),
        Example(_chat(("get_weather", "now"), ("get_forecast", "later")), target="openai"),
    ),
    invalid=(
        Example(
            _body(("get_weather", "now"), ("get_weather", "now")),
            target="anthropic",
            at="/tools/1",
            says="tools: Tool names must be unique.",
            fixed=_body(("get_weather", "now")),
        ),
        Example(
            _chat(("get_weather", "now"), ("get_weather", "later")),
            target="openai",
            at="/tools/1/function/name",
            severity=Severity.WARNING,
        ),
    ),
)
