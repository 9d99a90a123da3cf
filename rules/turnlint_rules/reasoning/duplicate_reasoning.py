"""The same reasoning block or item twice.

What it finds
-------------
Two reasoning blocks with the same signature and text in one assistant turn, and two reasoning items with the same
sealed content.

Why it hurts
------------
The provider sees that the turn is not as it made it, and refuses the request.  It happens when a block is stored once
as it streams and once more with the call behind it, and when a session is doubled on resume.

Fix
---
safe: the second one is taken out.  It is an exact copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Reasoning, Speaker
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import printed

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for turn in context.pairing.turns:
        if turn.speaker is Speaker.ASSISTANT:
            parts = [p for m in turn.messages for p in m.parts if isinstance(p, Reasoning) and not m.item]
            yield from _twice(parts, "block")
    items = [p for m in context.transcript.messages if m.item for p in m.parts if isinstance(p, Reasoning)]
    yield from _twice(items, "item")


def _twice(parts: list[Reasoning], variant: str) -> Iterator[Finding]:
    first: dict[tuple[Any, ...], Reasoning] = {}
    for part in parts:
        seal = part.encrypted if variant == "item" or part.redacted else part.signature
        if not isinstance(seal, str) or not seal:
            continue
        key = (seal, part.text)
        if key in first:
            yield _finding(part, first[key], variant)
        else:
            first[key] = part


def _finding(part: Reasoning, original: Reasoning, variant: str) -> Finding:
    return Finding(
        part.at,
        f"the reasoning {variant} stands here a second time",
        variant=variant,
        subject=part,
        cause="it was stored once as it came and once with what follows it, or the session was doubled on resume",
        related=((original.at, "the same here"),),
        fill={"id": printed(part.id)},
        help="store each block once",
        fix=Fix("take the copy out", Safety.SAFE, None, (Remove(part),)),
    )


_ASK = {"role": "user", "content": "Fix it"}
_THOUGHT = {"type": "thinking", "thinking": "Look at the file.", "signature": "SIGA=="}
_OTHER = {"type": "thinking", "thinking": "Now the test.", "signature": "SIGB=="}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "code"}]}


def _turn(*blocks: dict[str, Any]) -> list[Any]:
    return [_ASK, {"role": "assistant", "content": list(blocks)}, _RESULT]


RULE = Rule(
    check,
    valid=(
        Example(_turn(_THOUGHT, _USE), target="anthropic"),
        Example(_turn(_THOUGHT, _OTHER, _USE), target="anthropic"),
    ),
    invalid=(
        Example(
            _turn(_THOUGHT, _THOUGHT, _USE),
            target="anthropic",
            at="/1/content/1",
            says="messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message",
            fixed=_turn(_THOUGHT, _USE),
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_THOUGHT]},
                {"role": "assistant", "content": [_THOUGHT, _USE]},
                _RESULT,
            ],
            target="anthropic",
            at="/2/content/0",
            title="in two messages of one turn",
        ),
    ),
    consequence_of=("duplicate-item-id",),
)
