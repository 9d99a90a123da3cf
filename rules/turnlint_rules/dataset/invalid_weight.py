"""A weight that is not 0 or 1, or that stands on a message of another role than the assistant's.

What it finds
-------------
In a training file: a message with a `weight` of another value than 0 or 1, and one on a message that is not the
assistant's.

Why it hurts
------------
The file is refused when the job starts, after it was uploaded.

Fix
---
safe on another role, where a weight has no meaning: it is taken out.  A wrong value is only reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Speaker
from turnlint.repair import RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or not line.weights:
        return
    by_index = {m.index: m for m in context.transcript.messages}
    for index, at, value in line.weights:
        message = by_index.get(index)
        if message is None:
            continue
        if message.speaker is not Speaker.ASSISTANT:
            yield Finding(
                at,
                f"a weight stands on a message of role {brief(message.role)}",
                subject=message,
                cause="weights were put on every message alike",
                help="weigh the messages of the assistant only",
                fix=Fix("take the weight off", Safety.SAFE, None, (RemoveKey(at),)),
            )
        elif not _is_weight(value):
            yield Finding(
                at,
                f"the weight is {brief(value)}, and may be 0 or 1",
                subject=message,
                help="use 1 for what the model is to learn, and 0 for what it is not",
            )


def _is_weight(value: Any) -> bool:
    return type(value) in (int, float) and value in (0, 1)


def _line(user: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    messages = [
        {"role": "user", "content": "What time is it?", **user},
        {"role": "assistant", "content": "14:02", **answer},
    ]
    return {"messages": messages}


RULE = Rule(
    check,
    valid=(
        Example(_line({}, {"weight": 1}), target="openai", mode="saved"),
        Example(_line({}, {"weight": 0}), target="openai", mode="saved"),
    ),
    invalid=(
        Example(_line({}, {"weight": 0.5}), target="openai", mode="saved", at="/messages/1/weight"),
        Example(
            _line({"weight": 1}, {"weight": 1}),
            target="openai",
            mode="saved",
            at="/messages/0/weight",
            fixed=_line({}, {"weight": 1}),
        ),
    ),
)
