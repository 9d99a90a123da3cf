"""A tool result without the ID of its call.

What it finds
-------------
A result whose link is missing, null, empty or no text, for a target whose wire has IDs.  Where its call lacks an ID
too, `missing-call-id` tells both.

Why it hurts
------------
The provider refuses the message.  It happens when a converter from a shape without links writes the message, or when
the field is lost in a store.

Fix
---
safe where one call alone is open there: the result gets its ID.  unsafe where several are and only place tells which
one it answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import State
from turnlint.pairing import usable
from turnlint.repair import Relink
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import lacks, wants_ids
from turnlint_rules.wording import fill_for, label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Result
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    if not wants_ids("missing-result-id", context):
        return
    rivals: dict[int, _Rivals] = {}
    for result in pairing.results:
        if usable(result.id) or result.legacy:
            continue
        call = pairing.partner_of_result[result.number]
        if call is not None and not usable(call.id) and context.minds("missing-call-id", lacks(call.id, there=True)):
            continue
        sure = False
        exchange = pairing.exchange_of_call[call.number] if call is not None else None
        if exchange is not None:
            first = exchange.calls[0].number
            if first not in rivals:
                rivals[first] = _Rivals(exchange, context)
            sure = rivals[first].of(result) == 1
        yield _finding(result, call, sure=sure)


def _finding(result: Result, call: Call | None, *, sure: bool) -> Finding:
    there = result.id_at is not None and result.id_at != result.at
    variant = lacks(result.id, there=there)
    how = {"empty": "is empty", "null": "is null"}.get(variant[0], "is no text" if there else "is missing")
    linkable = call is not None and usable(call.id)
    return Finding(
        result.id_at or result.at,
        f"the ID that links this result to its call {how}",
        variant=variant,
        subject=result,
        cause="a converter from a shape without links wrote the message, or the field was lost in a store",
        related=((call.at, "the call that it answers by its place"),) if call is not None else (),
        fill={**fill_for(call, result), "n": "…"},
        help=f"give the result the ID of the call {label(call)}"
        if call is not None
        else "give the result its call's ID",
        fix=Fix(
            "give the result the ID of its call",
            Safety.SAFE if sure else Safety.UNSAFE,
            None if sure else "several calls are open, and only place tells which one it answers",
            (Relink(result, call),),
        )
        if call is not None and linkable
        else None,
    )


class _Rivals:
    """How many calls of a turn no ID answers, in all and by name."""

    __slots__ = ("by_name", "named", "unnamed")

    def __init__(self, exchange: Exchange, context: Context) -> None:
        self.by_name: dict[str, int] = {}
        self.named = self.unnamed = 0
        for call in exchange.calls:
            partner = context.pairing.partner_of_call[call.number]
            if partner is not None and partner.number not in context.pairing.by_place:
                continue
            if usable(call.name):
                self.by_name[call.name] = self.by_name.get(call.name, 0) + 1
                self.named += 1
            else:
                self.unnamed += 1

    def of(self, result: Result) -> int:
        """How many calls could be meant by a result without an ID."""
        named = self.by_name.get(result.name, 0) if usable(result.name) else self.named
        return named + self.unnamed


_CALL = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_GOOD = {"role": "tool", "tool_call_id": "c1", "content": "4 C"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, _GOOD], target="openai"),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
            target="anthropic",
        ),
    ),
    invalid=(
        Example(
            [
                _ASK,
                {"role": "assistant", "content": None, "tool_calls": [_CALL, {**_CALL, "id": "c2"}]},
                {"role": "tool", "content": "4 C"},
                {"role": "tool", "content": "7 C"},
            ],
            target="openai",
            at="/2",
            fixed=[
                _ASK,
                {"role": "assistant", "content": None, "tool_calls": [_CALL, {**_CALL, "id": "c2"}]},
                {"role": "tool", "content": "4 C", "tool_call_id": "c1"},
                {"role": "tool", "content": "7 C", "tool_call_id": "c2"},
            ],
            title="only their order tells which result is whose",
        ),
        Example(
            [_ASK, _TURN, {"role": "tool", "content": "4 C"}],
            target="openai",
            at="/2",
            says="Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'",
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "", "content": "4 C"}]},
            ],
            target="anthropic",
            at="/2/content/0/tool_use_id",
            says="String should match pattern '^[a-zA-Z0-9_-]+$'",
            fixed=[
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_TAIL}),
)
