"""A call list without calls.

What it finds
-------------
An assistant message with `tool_calls: []`.  Null in its place is taken everywhere and not reported.

Why it hurts
------------
OpenAI and some others refuse the request; templates of open models take the list for a call and drop the answer.  It
happens when every message is written from one class with a list in it.

Fix
---
safe: the key is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.repair import RemoveKey
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        if message.empty_calls and message.calls_at is not None:
            yield Finding(
                message.calls_at,
                "the list of calls is empty",
                subject=message,
                cause="the list was written although there was no call",
                fix=Fix("remove the empty list", verbs=(RemoveKey(message.calls_at),)),
            )


_HELLO = {"role": "user", "content": "Hello"}

RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example([_HELLO, {"role": "assistant", "content": "Hello.", "tool_calls": None}, _HELLO], target="openai"),
        Example(
            [_HELLO, {"role": "assistant", "content": "Hello.", "tool_calls": []}, _HELLO],
            target="mistral",
            dialect="openai-chat",
        ),
    ),
    invalid=(
        Example(
            [_HELLO, {"role": "assistant", "content": "Hello.", "tool_calls": []}, _HELLO],
            target="openai",
            at="/1/tool_calls",
            says="Invalid 'messages[1].tool_calls': empty array.",
            fixed=[_HELLO, {"role": "assistant", "content": "Hello."}, _HELLO],
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": "Hello.", "tool_calls": []}, _HELLO],
            target="qwen",
            at="/1/tool_calls",
            says="Empty tool_calls is not supported in message",
        ),
    ),
)
