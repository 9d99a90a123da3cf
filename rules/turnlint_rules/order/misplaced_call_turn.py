"""A call turn that does not follow a user or result turn.

What it finds
-------------
A turn of the assistant with calls that opens the history, or that follows another turn of the assistant, for a target
that wants a call to answer the user or a result.

Why it hurts
------------
The request is refused with a text about the order of turns.  It happens when the head of a history is cut off, when a
summary takes its place, and when one turn is stored as several.

Fix
---
safe: a call turn behind a turn of the assistant without calls is merged with it.
unsafe: a user message that says that the beginning is missing is put in front of a call turn that opens the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Speaker
from turnlint.repair import MergeMessages
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import begin_with_user

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    messages: Sequence[Message] = context.transcript.messages
    if context.hoists_system:
        messages = [m for m in messages if m.speaker is not Speaker.SYSTEM]
    before: Message | None = None
    for message in messages:
        if message.speaker is Speaker.ASSISTANT and message.calls:
            if before is None:
                yield _first(message, context)
            elif before.speaker is Speaker.ASSISTANT and not (message.item or before.item):
                yield _after_model(message, before)
        before = message


def _first(message: Message, context: Context) -> Finding:
    return Finding(
        message.at,
        "the history begins with a call",
        variant="first",
        subject=message,
        cause="the head of the history was cut off",
        help="begin with a user message",
        fix=begin_with_user(context),
    )


def _after_model(message: Message, before: Message) -> Finding:
    fix = None
    if not before.calls:
        fix = Fix("merge the two turns of the assistant", verbs=(MergeMessages((before, message)),))
    return Finding(
        message.at,
        "a call follows another message of the assistant",
        variant="after-model",
        subject=message,
        cause="one turn was stored as several messages",
        related=((before.at, "the message before it"),),
        fix=fix,
    )


_ASK = {"role": "user", "parts": [{"text": "Weather in Oslo?"}]}
_CALL = {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]}
_RESULT = {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}]}
_SAYS = {"role": "model", "parts": [{"text": "Let me see."}]}

RULE = Rule(
    check,
    valid=(
        Example({"contents": [_ASK, _CALL, _RESULT]}, target="gemini"),
        Example({"contents": [_ASK, _CALL, _RESULT, _CALL, _RESULT]}, target="gemini"),
    ),
    invalid=(
        Example(
            {"contents": [_CALL, _RESULT, {"role": "user", "parts": [{"text": "And in Rome?"}]}]},
            target="gemini",
            at="/contents/0",
            says="function call turn comes immediately after a user turn",
        ),
        Example(
            {"contents": [_ASK, _SAYS, _CALL, _RESULT]},
            target="gemini",
            at="/contents/2",
            says="function call turn comes immediately after a user turn",
            fixed={"contents": [_ASK, {"role": "model", "parts": [*_SAYS["parts"], *_CALL["parts"]]}, _RESULT]},
        ),
    ),
)
