"""JSON mode asked for, and no message says "json".

What it finds
-------------
A request that asks for any JSON object as the answer, while the word `json` stands in none of its messages, in
capitals or not.

Why it hurts
------------
The request is refused.  It happens when the instructions are trimmed or moved, and the setting stays.

Fix
---
None: an instruction would have to be made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    if transcript.json_mode_at is None or not transcript.sent:
        return
    if any(_says_json(message.raw) for message in transcript.sent):
        return
    yield Finding(
        transcript.json_mode_at,
        'the answer is to be JSON, and no message says "json"',
        cause="the instructions were trimmed or moved, and the setting stayed",
        help="ask for JSON in a message",
    )


def _says_json(value: Any) -> bool:
    """Whether any text in a value holds the word."""
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            if "json" in one.lower():
                return True
        elif isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list):
            rest.extend(one)
    return False


def _asks(text: str) -> dict[str, object]:
    return {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": text}],
        "response_format": {"type": "json_object"},
    }


RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example(_asks("What time is it in Oslo? Answer in JSON."), target="openai"),
        Example({**_asks("What time is it in Oslo?"), "response_format": {"type": "text"}}, target="openai"),
    ),
    invalid=(
        Example(
            _asks("What time is it in Oslo?"),
            target="openai",
            at="/response_format",
            says="'messages' must contain the word 'json' in some form",
        ),
        Example(
            _asks("What time is it in Oslo?"), target="qwen:qwen-plus", dialect="openai-chat", at="/response_format"
        ),
    ),
)
