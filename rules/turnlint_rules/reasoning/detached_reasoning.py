"""A reasoning item without the item that must follow.

What it finds
-------------
In Responses: a reasoning item named by its ID that is not followed by what it was made with (a call, a message, a
tool of the provider's), but by a message of the user, by a result, or by nothing.  Items that carry their own
encrypted content are passed over, and so is the end of a saved record.

Why it hurts
------------
The request is refused: the provider looks the item up and wants its successor with it.  It happens when a session is
trimmed by the number of items, and when a message or call is stored without its ID or dropped.

Fix
---
unsafe: the reasoning item is taken out, as what it was made with is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Reasoning, Speaker
from turnlint.pairing import usable
from turnlint.repair import Remove
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    if request_of(context.transcript).store is False:
        return
    messages = context.transcript.sent
    for number, message in enumerate(messages):
        part = message.parts[0] if message.item and len(message.parts) == 1 else None
        if not isinstance(part, Reasoning) or not usable(part.id) or part.encrypted:
            continue
        follower = next((m for m in messages[number + 1 :] if not m.has(Kind.REASONING)), None)
        if follower is None and context.mode == "saved":
            continue
        if follower is None or follower.speaker is not Speaker.ASSISTANT:
            yield _finding(part, follower)


def _finding(part: Reasoning, follower: Message | None) -> Finding:
    return Finding(
        part.at,
        f"the reasoning item {brief(part.id)} is not followed by what it was made with",
        subject=part,
        cause="what the model said after it was trimmed away, or stored without its ID",
        related=((follower.at, "what follows instead"),) if follower is not None else (),
        fill={"id": printed(part.id)},
        help="keep a reasoning item together with the item behind it, or leave both out",
        fix=Fix("take the reasoning item out", Safety.UNSAFE, "its reasoning is gone then", (Remove(part),)),
    )


_ASK = {"role": "user", "content": "Build a page"}
_NEXT = {"role": "user", "content": "Make it blue"}
_THOUGHT = {"type": "reasoning", "id": "rs_21", "summary": []}
_CALL = {"type": "function_call", "id": "fc_21", "call_id": "call_1", "name": "write", "arguments": "{}"}
_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "done"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _THOUGHT, _CALL, _OUTPUT], target="openai"),
        Example([_ASK, {**_THOUGHT, "encrypted_content": "gAAAAABo"}, _NEXT], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, _THOUGHT, _NEXT],
            target="openai",
            at="/1",
            says="Item 'rs_21' of type 'reasoning' was provided without its required following item.",
        ),
        Example(
            [_ASK, _CALL, _OUTPUT, _THOUGHT],
            target="openai",
            at="/3",
            says="Item 'rs_21' of type 'reasoning' was provided without its required following item.",
        ),
    ),
)
