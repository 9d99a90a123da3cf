"""A prefill mark that is not on the last message.

What it finds
-------------
An assistant message marked as a prefix (the model is to go on with it) that other messages follow.

Why it hurts
------------
The request is refused.  The mark stays on the message when the answer is stored, and the history is sent again.

Fix
---
safe: the mark is removed.  The message itself stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.repair import RemoveKey
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages[:-1]:
        if message.prefix_at is not None:
            yield Finding(
                message.prefix_at,
                "a message that others follow is marked as a prefix",
                subject=message,
                cause="the mark was stored together with the answer",
                fix=Fix("remove the mark", verbs=(RemoveKey(message.prefix_at),)),
            )


_ASK = {"role": "user", "content": "Write JSON."}
_MARKED = {"role": "assistant", "content": "Sure:", "prefix": True}
_NEXT = {"role": "user", "content": "Go on."}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _MARKED], target="mistral", dialect="openai-chat"),
        Example([_ASK, {**_MARKED, "prefix": False}, _NEXT], target="mistral", dialect="openai-chat"),
    ),
    invalid=(
        Example(
            [_ASK, _MARKED, _NEXT],
            target="mistral",
            dialect="openai-chat",
            at="/1/prefix",
            says="Assistant message with prefix True must be last message",
            fixed=[_ASK, {"role": "assistant", "content": "Sure:"}, _NEXT],
        ),
        Example(
            {"model": "mistral-large-latest", "messages": [_ASK, _MARKED, _NEXT]},
            target="mistral",
            dialect="openai-chat",
            at="/messages/1/prefix",
        ),
    ),
)
