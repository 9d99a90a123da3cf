"""A call of a tool that the request does not declare.

What it finds
-------------
The request declares tools, and the history holds a call (or its result) of another one.  One diagnostic a tool.
Where the request declares none at all this is `missing-tool-definitions`; tools without a readable name silence the
rule.

Why it hurts
------------
Most providers answer all the same.  The model sees a tool in its past that it does not have now, and calls it again;
Gemini was reported to refuse the result of a function that is not declared.

Fix
---
None: declare the tool again, or leave the exchange as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.errors import near_misses
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief, listed, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    tools = context.transcript.tools
    if not tools or any(not isinstance(t.name, str) or not t.name for t in tools):
        return
    declared = {t.name for t in tools if isinstance(t.name, str)}
    if all(t.hosted for t in tools):
        return
    missing: dict[str, list[Call]] = {}
    for call in context.pairing.calls:
        if isinstance(call.name, str) and call.name and call.name not in declared and not call.hidden:
            missing.setdefault(call.name, []).append(call)
    for name, calls in missing.items():
        yield _finding(name, calls, sorted(declared), context)


def _finding(name: str, calls: list[Call], declared: list[str], context: Context) -> Finding:
    first = calls[0]
    near = near_misses(name[:100], declared, limit=1)
    assert first.name_at is not None
    at = context.transcript.tools_at
    related = ((at, f"the request declares {listed(declared)}"),) if at is not None else ()
    return Finding(
        first.name_at,
        f"the tool {brief(name)} is called and not declared",
        subject=first,
        cause="the tool was renamed" + near
        if near
        else "the tool was switched off, or the history comes from another agent",
        related=(*related, *also_at([c.at for c in calls[1:]], "called here too")),
        fill={"id": printed(first.id), "tool": name},
        help="declare every tool that the history calls",
    )


def _body(declared: str) -> dict[str, object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    return {
        "model": "gpt-4o",
        "tools": [{"type": "function", "function": {"name": declared, "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "user", "content": "Weather in Oslo?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
        ],
    }


def _contents(declared: str) -> dict[str, object]:
    return {
        "tools": [{"functionDeclarations": [{"name": declared}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "Weather in Oslo?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}]},
        ],
    }


RULE = Rule(
    check,
    valid=(
        Example(_body("get_weather"), target="openai"),
        Example(_contents("get_weather"), target="gemini"),
    ),
    invalid=(
        Example(
            _body("weather_of"), target="openai", at="/messages/1/tool_calls/0/function/name", severity=Severity.INFO
        ),
        Example(
            _contents("weather_of"),
            target="gemini",
            at="/contents/1/parts/0/functionCall/name",
            severity=Severity.WARNING,
        ),
    ),
)
