"""A user message right after a tool result.

What it finds
-------------
A user message that directly follows a result, without an answer of the assistant in between, for a target that
refuses it.  Most providers take it.

Why it hurts
------------
The request is refused, for ever, as the history is sent again with each turn.  It happens when the user goes on
before the model has spoken about the result, and when an agent ends its run with a tool.

Fix
---
unsafe: a message of the assistant that says that no answer was recorded is put between the two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Speaker
from turnlint.repair import InsertMessage
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for before, message in pairwise(context.transcript.messages):
        if message.speaker is not Speaker.USER or message.results:
            continue
        if before.speaker is Speaker.TOOL or (before.only_results and before.speaker is Speaker.USER):
            yield Finding(
                message.at,
                "a user message follows a tool result without an answer in between",
                subject=message,
                cause="the user went on before the model had answered",
                related=((before.at, "the result"),),
                help="put an assistant message between the two",
                fix=Fix(
                    "put a message between them that says that no answer was recorded",
                    Safety.UNSAFE,
                    "the assistant did not write it",
                    (InsertMessage(Speaker.ASSISTANT, NO_ANSWER, before),),
                ),
            )


_CALL = {"id": "aB3dE5fG7", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_TURNS = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": "", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "aB3dE5fG7", "name": "get_weather", "content": "4 C"},
]
_NEXT = {"role": "user", "content": "And in Rome?"}

RULE = Rule(
    check,
    consequence_of=("interrupted-results",),
    valid=(
        Example([*_TURNS, _NEXT], target="openai"),
        Example([*_TURNS, {"role": "assistant", "content": "4 C."}, _NEXT], target="mistral", dialect="openai-chat"),
    ),
    invalid=(
        Example(
            [*_TURNS, _NEXT],
            target="mistral",
            dialect="openai-chat",
            at="/3",
            says="Unexpected role 'user' after role 'tool'",
        ),
        Example(
            [*_TURNS, _NEXT],
            target="chat-template:mistral-nemo",
            at="/3",
            says="conversation roles must alternate",
        ),
    ),
)
