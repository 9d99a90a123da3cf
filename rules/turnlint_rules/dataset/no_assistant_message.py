"""A training example without an assistant message.

What it finds
-------------
A line of a supervised training file in which nobody answers.  Lines of preferences hold their answers apart, and
lines for reinforcement end before the answer: neither is meant.

Why it hurts
------------
There is nothing to learn from, and the file is refused.

Fix
---
None: the answer is not in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.model import Speaker
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    line = transcript.candidate.line
    if line is None or line.kind != "supervised" or not transcript.messages:
        return
    if not any(m.speaker is Speaker.ASSISTANT for m in transcript.messages):
        yield Finding(
            transcript.at,
            "the training example has no assistant message",
            cause="a prompt was saved without its answer",
            help="add the answer that the model is to learn, or drop the line",
        )


_ASK = {"role": "user", "content": "What time is it?"}
_ANSWER = {"role": "assistant", "content": "14:02"}

RULE = Rule(
    check,
    valid=(
        Example({"messages": [_ASK, _ANSWER]}, target="openai", dialect="fine-tuning", mode="saved"),
        Example({"messages": [_ASK]}, target="openai", mode="saved", title="nothing says that this is training data"),
    ),
    invalid=(
        Example({"messages": [_ASK]}, target="openai", dialect="fine-tuning", mode="saved", at="/messages"),
        Example(
            {"messages": [{"role": "system", "content": "Be brief."}, _ASK]},
            target="openai",
            dialect="fine-tuning",
            mode="saved",
            at="/messages",
        ),
    ),
)
