"""Text in a message with calls, for a target that refuses or drops it.

What it finds
-------------
An assistant message that says something and calls tools as well.  Most providers take it and write it themselves.

Why it hurts
------------
Some refuse the request; templates of some open models leave out the text, or the call, or refuse a text where there
is reasoning as well.

Fix
---
safe for Cohere: the text goes where its wire keeps what is said in front of calls.  Otherwise none: where else it may
stand differs from target to target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Kind, Speaker
from turnlint.repair import MoveText
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        if message.speaker is not Speaker.ASSISTANT or not message.calls:
            continue
        text = next((p for p in message.parts if p.kind is Kind.TEXT and p.text and p.text.strip()), None)
        if text is not None:
            yield Finding(
                text.at,
                "the message has text beside its calls",
                variant="with-reasoning" if message.has(Kind.REASONING) else None,
                subject=text,
                cause="the history was made with a model that speaks while it calls",
                related=((message.calls[0].at, "the call"),),
                fix=Fix("move it to the plan of the calls", verbs=(MoveText(message),))
                if context.native and context.judge.api == "cohere"
                else None,
            )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_CALL = {"id": "aB3dE5fG7", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_RESULT = {"role": "tool", "tool_call_id": "aB3dE5fG7", "content": "4 C"}


def _says(text: object) -> list[object]:
    return [_ASK, {"role": "assistant", "content": text, "tool_calls": [_CALL]}, _RESULT]


RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example(_says("Let me see."), target="openai"),
        Example(_says(""), target="cohere", dialect="cohere"),
    ),
    invalid=(
        Example(
            _says([{"type": "text", "text": "Let me see."}]),
            target="cohere",
            dialect="cohere",
            at="/1/content/0",
            says="text content is not allowed when tool_calls are provided.",
        ),
        Example(
            {"model": "mistral-nemo", "messages": _says("Let me see.")},
            target="chat-template:mistral-nemo",
            at="/messages/1/content",
            severity=Severity.WARNING,
        ),
        Example(
            {
                "model": "gpt-oss-20b",
                "messages": [
                    _ASK,
                    {"role": "assistant", "content": "Let me see.", "reasoning": "A tool.", "tool_calls": [_CALL]},
                    _RESULT,
                ],
            },
            target="llama-cpp:gpt-oss-20b",
            at="/messages/1/content",
            says="Cannot pass both content and thinking in an assistant message with tool calls!",
        ),
    ),
)
