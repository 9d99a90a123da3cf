"""A training example that ends in another role than the assistant's.

What it finds
-------------
A line of a supervised training file whose last message is not the assistant's.  An example without any is
`no-assistant-message`.

Why it hurts
------------
What follows the last answer is not learnt from.  That services refuse such lines is widely assumed, and no text of it
is known.

Fix
---
unsafe: what stands behind the last answer is taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Speaker
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line, messages = context.transcript.candidate.line, context.transcript.messages
    if line is None or line.kind != "supervised" or not messages or messages[-1].speaker is Speaker.ASSISTANT:
        return
    answers = [number for number, m in enumerate(messages) if m.speaker is Speaker.ASSISTANT]
    if not answers:
        return
    behind = messages[answers[-1] + 1 :]
    yield Finding(
        messages[-1].at,
        f"the training example ends in a message of role {brief(messages[-1].role)}",
        subject=messages[-1],
        cause="a conversation was saved before its last answer",
        related=((messages[answers[-1]].at, "the last answer"),),
        help="end each example with the answer that the model is to learn",
        fix=Fix(
            "end the example with its last answer",
            Safety.UNSAFE,
            "what stands behind the answer is lost",
            tuple(Remove(m) for m in behind),
        ),
    )


_ASK = {"role": "user", "content": "What time is it?"}
_ANSWER = {"role": "assistant", "content": "14:02"}

RULE = Rule(
    check,
    valid=(
        Example({"messages": [_ASK, _ANSWER]}, target="openai", dialect="fine-tuning", mode="saved"),
        Example({"messages": [_ASK, _ANSWER, _ASK]}, target="openai", mode="saved"),
    ),
    invalid=(
        Example(
            {"messages": [_ASK, _ANSWER, _ASK]},
            target="openai",
            dialect="fine-tuning",
            mode="saved",
            at="/messages/2",
            severity=Severity.WARNING,
        ),
        Example(
            {"messages": [_ASK, {**_ANSWER, "weight": 1}, _ASK, _ASK]},
            target="openai",
            mode="saved",
            at="/messages/3",
            severity=Severity.WARNING,
            title="a weight says that this is training data",
        ),
    ),
)
