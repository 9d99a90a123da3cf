"""A thinking block not where it must stand.

What it finds
-------------
An assistant turn whose thinking does not stand first: text or a call comes before the first thinking block.  Turns in
which the provider ran a tool of its own are passed over, because the model thinks again after it.

Why it hurts
------------
Anthropic refused it for a time and relaxed it with interleaved thinking; what other servers make of it is not known.
It happens when the blocks of a turn are sorted by type.

Fix
---
None: a signed block must not be moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.model import Kind, Reasoning, Speaker
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for turn in context.pairing.turns:
        if turn.speaker is not Speaker.ASSISTANT:
            continue
        parts = [p for m in turn.messages for p in m.parts]
        thought = next((p for p in parts if isinstance(p, Reasoning)), None)
        if thought is None or parts[0] is thought or any(p.kind is Kind.HOSTED_CALL for p in parts):
            continue
        yield Finding(
            thought.at,
            "the thinking of the turn does not stand first",
            subject=thought,
            cause="the blocks of the turn were put into another order when it was stored",
            related=((parts[0].at, "what stands before it"),),
            help="send the blocks of a turn back in the order in which they came",
        )


_ASK = {"role": "user", "content": "Hi"}
_THOUGHT = {"type": "thinking", "thinking": "A greeting.", "signature": "EqKSAg=="}
_TEXT = {"type": "text", "text": "Hello"}
_MORE = {"type": "text", "text": "there"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": [_THOUGHT, _TEXT]}, _ASK], target="anthropic"),
        Example([_ASK, {"role": "assistant", "content": [_TEXT]}, _ASK], target="anthropic", dialect="anthropic"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_TEXT, _THOUGHT]}, _ASK],
            target="anthropic",
            at="/1/content/1",
            severity=Severity.INFO,
            says="the first block must be `thinking` or `redacted_thinking`",
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [_TEXT, _THOUGHT, _MORE]}, _ASK],
            target="anthropic",
            at="/1/content/1",
            severity=Severity.INFO,
        ),
    ),
    native_only=True,
)
