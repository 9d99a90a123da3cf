"""A result that must be an object.

What it finds
-------------
The JSON of a tool result that is a list, a text, a number or a boolean, where the wire has room for an object alone.

Why it hurts
------------
The request is refused with a text about the payload.  It happens when a tool's answer is stored as it comes.

Fix
---
safe: the value is wrapped into an object, under `output`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place
from turnlint.model import Data
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Result


def check(context: Context) -> Iterator[Finding]:
    for result in context.transcript.results():
        if result.hosted:
            continue
        if context.judge.api == "gemini":
            if result.content is not None and not isinstance(result.content, dict):
                yield _finding(result, result.content_at or result.at, result.content, 0)
            continue
        for number, part in enumerate(result.parts):
            if isinstance(part, Data) and not isinstance(part.value, dict):
                yield _finding(result, part.value_at or part.at, part.value, number)


def _finding(result: Result, at: Place, value: object, number: int) -> Finding:
    return Finding(
        at,
        f"the result is {_KINDS.get(type(value), 'no object')}, and an object is wanted",
        subject=result,
        cause="the tool's answer was stored as it came",
        fill={"n": number, "id": printed(result.id), "tool": printed(result.name)},
        fix=Fix("wrap the value into an object", verbs=(SetValue(at, {"output": value}),)),
    )


_KINDS = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a boolean", type(None): "null"}


def _gemini(response: object) -> list[object]:
    return [
        {"role": "user", "parts": [{"text": "Weather in Oslo?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": response}}]},
    ]


def _converse(value: object) -> list[object]:
    return [
        {"role": "user", "content": [{"text": "List them."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "tooluse_1", "name": "list", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"json": value}]}}]},
    ]


RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example(_gemini({"output": "4 C"}), target="gemini"),
        Example(_converse({"items": [1, 2]}), target="bedrock", dialect="bedrock-converse"),
    ),
    invalid=(
        Example(
            _gemini(["4 C"]),
            target="gemini",
            at="/2/parts/0/functionResponse/response",
            says="at 'contents[2].parts[0].function_response': Proto field is not repeating, cannot start list.",
            fixed=_gemini({"output": ["4 C"]}),
        ),
        Example(
            _converse([1, 2]),
            target="bedrock",
            dialect="bedrock-converse",
            at="/2/content/0/toolResult/content/0/json",
            says="The format of the value at messages.2.content.0.toolResult.content.0.json is invalid.",
            fixed=_converse({"output": [1, 2]}),
        ),
    ),
)
