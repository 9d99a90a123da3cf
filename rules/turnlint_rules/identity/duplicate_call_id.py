"""One ID on two calls of one turn.

What it finds
-------------
A call that carries the ID of an earlier call of the same turn.  The same ID in a later turn is `reused-call-id`.

Why it hurts
------------
Results are linked by that ID: two calls and one result look answered, two results look doubled.  Some providers refuse
the turn, others hand one result to both.  It happens when a block is stored twice, when a stream's pieces are joined
under a wrong index, or when a server numbers its calls anew in each message.

Fix
---
safe where the second call is the very same and has no result of its own: it is removed.  Otherwise it gets a new ID,
and its result with it: safe where the results' names tell them apart, unsafe where only their order does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import State
from turnlint.pairing import usable
from turnlint.repair import Remove, RenameId
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import fresh_id, stands_for_removed, taken_ids
from turnlint_rules.wording import fill_for, label, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    taken: set[str] | None = None
    for exchange in context.pairing.exchanges:
        first: dict[str, Call] = {}
        for call in exchange.calls:
            if not usable(call.id) or call.hidden:
                continue
            earlier = first.setdefault(call.id, call)
            if earlier is call:
                continue
            if taken is None:
                taken = taken_ids(context)
            if stands_for_removed(call.id):
                yield _one_text_for_all(call, earlier)
                return
            yield _finding(call, earlier, taken, context)


def _finding(call: Call, earlier: Call, taken: set[str], context: Context) -> Finding:
    result = context.pairing.partner_of_call[call.number]
    same = call.name == earlier.name and call.arguments == earlier.arguments
    related = [(earlier.id_at or earlier.at, f"the first call with this ID, {label(earlier)}")]
    if result is not None:
        related.append((result.at, "the result that answers it by its place"))
    if same and result is None:
        fix: Fix | None = Fix("remove the doubled call", verbs=(Remove(call),))
    else:
        new = fresh_id(call, taken, context)
        sure = result is None or (usable(result.name) and call.name != earlier.name)
        fix = (
            Fix(
                "give the second call, and its result, a new ID",
                Safety.SAFE if sure else Safety.UNSAFE,
                None if sure else "only the order of the results tells which of them answers which call",
                (RenameId(call, (result,) if result is not None else (), new),),
            )
            if new is not None
            else None
        )
    return Finding(
        call.id_at or call.at,
        f"the ID {short(call.id)} stands on two calls of one turn" + (", which are the same" if same else ""),
        subject=call,
        cause="the call was stored twice"
        if same
        else "calls were numbered anew, or the pieces of a stream were mixed up",
        related=tuple(related),
        fill=fill_for(call),
        help="give each call of a turn an ID of its own, on its result too",
        fix=fix,
    )


def _one_text_for_all(call: Call, earlier: Call) -> Finding:
    return Finding(
        call.id_at or call.at,
        f"several calls of the history carry the one ID {short(call.id)}",
        subject=call,
        cause="the IDs were replaced by one text when the history was redacted",
        related=((earlier.id_at or earlier.at, "the first call with this ID"),),
        fill=fill_for(call),
        severity=Severity.INFO,
        help="replace each ID by one of its own when redacting",
    )


def _use(number: int, city: str) -> dict[str, object]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "get_weather", "input": {"city": city}}


def _result(number: int, text: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}


_ASK = {"role": "user", "content": "Weather in Oslo and Rome?"}
_ANSWER = {"role": "user", "content": [_result(1, "4 C")]}

RULE = Rule(
    check,
    valid=(
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_use(1, "Oslo"), _use(2, "Rome")]},
                {"role": "user", "content": [_result(1, "4 C"), _result(2, "21 C")]},
            ],
            target="anthropic",
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_use(1, "Oslo")]},
                _ANSWER,
                {"role": "assistant", "content": [_use(1, "Rome")]},
                _ANSWER,
            ],
            target="anthropic",
            title="IDs that start anew in each turn",
        ),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_use(1, "Oslo"), _use(1, "Oslo")]}, _ANSWER],
            target="anthropic",
            at="/1/content/1/id",
            says="messages.1.content.1: `tool_use` ids must be unique",
            fixed=[_ASK, {"role": "assistant", "content": [_use(1, "Oslo")]}, _ANSWER],
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_use(1, "Oslo"), _use(1, "Rome")]},
                {"role": "user", "content": [_result(1, "4 C"), _result(1, "21 C")]},
            ],
            target="anthropic",
            at="/1/content/1/id",
            says="`tool_use` ids must be unique",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL}),
)
