"""Results in another order than their calls, for a target that pairs by place.

What it finds
-------------
The results of one turn are all there, and their IDs say that they stand in another order than the calls.  It speaks
only for targets that pair by place, or that compare the ID at each place.  Where neither calls nor results have IDs,
nothing in a history tells their order, and it is silent.

Why it hurts
------------
A chat template that prints results without their ID, or an API without IDs, hands the second city's weather to the
first.  Nothing fails; the model is simply told something false.  It happens when parallel tools are stored as they
finish.

Fix
---
safe: the results are put into the order of their calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import State
from turnlint.pairing import ResultState, usable
from turnlint.repair import ReorderMessages, ReorderParts, Verb
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import fill_for, label, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Part, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        if len(exchange.results) < 2:
            continue
        pairs = [
            (call, result)
            for result in exchange.results
            if pairing.result_states[result.number] is ResultState.ANSWERS
            and (call := pairing.partner_of_result[result.number]) is not None
        ]
        linked = [(c, r) for c, r in pairs if r.number not in pairing.by_place]
        ordered = sorted(linked, key=lambda pair: pair[0].number)
        moved = [(c, r) for (c, r), (other, _) in zip(linked, ordered, strict=True) if c is not other]
        if moved:
            yield _out_of_order(moved, ordered)


def _out_of_order(moved: list[tuple[Call, Result]], ordered: list[tuple[Call, Result]]) -> Finding:
    call, result = moved[0]
    names = [c.name for c, _ in moved if usable(c.name)]
    same_name = len(set(names)) < len(names)
    verbs = _verbs([r for _, r in ordered])
    return Finding(
        result.at,
        f"the results stand in another order than their calls: here is that of {label(call)}",
        variant=("same-name", "by-id", "by-place") if same_name else ("by-id", "by-place"),
        subject=result,
        cause="parallel tools were stored in the order in which they finished",
        related=((call.at, "the call that it answers"), (moved[1][1].at, f"and here that of {short(moved[1][0].id)}")),
        fill=fill_for(call, result),
        help="put the results into the order of their calls",
        fix=Fix("put the results into the order of their calls", verbs=verbs) if verbs else None,
    )


def _verbs(wanted: list[Result]) -> tuple[Verb, ...]:
    """What puts results into this order: a reordering of one message's parts, or moves of messages that are results."""
    first = wanted[0].message
    if all(r.message is first for r in wanted):
        order = iter(wanted)
        moving: set[Part] = set(wanted)
        return (ReorderParts(first, tuple(next(order) if p in moving else p for p in first.parts)),)
    messages = [r.message for r in wanted]
    if len({m.index for m in messages}) < len(messages) or not all(m.only_results for m in messages):
        return ()
    return (ReorderMessages(tuple(messages)),)


def _call(number: int, arguments: object) -> dict[str, object]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}


def _fc(number: int, city: str) -> dict[str, object]:
    return {"functionCall": {"id": f"call_{number}", "name": "get_weather", "args": {"city": city}}}


def _fr(number: int, text: str) -> dict[str, object]:
    return {"functionResponse": {"id": f"call_{number}", "name": "get_weather", "response": {"output": text}}}


_ASK = {"role": "user", "content": "Weather in Oslo and Rome?"}
_TURN = {"role": "assistant", "content": "", "tool_calls": [_call(1, {"city": "Oslo"}), _call(2, {"city": "Rome"})]}
_TEXTS = {"role": "assistant", "content": "", "tool_calls": [_call(1, "{}"), _call(2, "{}")]}
_FIRST = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}
_SECOND = {"role": "tool", "tool_call_id": "call_2", "content": "21 C"}
_ASK_GEMINI = {"role": "user", "parts": [{"text": "Weather in Oslo and Rome?"}]}
_TURN_GEMINI = {"role": "model", "parts": [_fc(1, "Oslo"), _fc(2, "Rome")]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, _FIRST, _SECOND], target="chat-template"),
        Example([_ASK, _TEXTS, _SECOND, _FIRST], target="openai", title="a target that pairs by ID"),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, _SECOND, _FIRST],
            target="chat-template",
            at="/2",
            severity=Severity.WARNING,
            fixed=[_ASK, _TURN, _FIRST, _SECOND],
        ),
        Example(
            [_ASK_GEMINI, _TURN_GEMINI, {"role": "user", "parts": [_fr(2, "21 C"), _fr(1, "4 C")]}],
            target="gemini",
            at="/2/parts/0/functionResponse",
            severity=Severity.WARNING,
            fixed=[_ASK_GEMINI, _TURN_GEMINI, {"role": "user", "parts": [_fr(1, "4 C"), _fr(2, "21 C")]}],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES}),
)
