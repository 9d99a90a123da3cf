"""The results of one turn spread over several messages.

What it finds
-------------
An assistant turn with several calls, and results that stand in more than one message where this target wants them in
one.  Between them stands nothing else; where something does, it is `interrupted-results`.  Dialects whose results are
messages of their own (role `tool`) are meant to spread them.

Why it hurts
------------
A target that looks only at the next message finds results missing there and refuses the request.  One that merges the
messages accepts it, and the model learns from such a history to call one tool at a time.

Fix
---
safe: the messages become one, or a result that stands one message too far moves up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Speaker, State
from turnlint.pairing import ResultState
from turnlint.repair import MergeMessages, MoveResult
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import wants_results_alone
from turnlint_rules.wording import RELATED, printed_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    late: dict[int, list[Call]] = {}
    for result in pairing.results:
        call = pairing.partner_of_result[result.number]
        if pairing.result_states[result.number] is ResultState.SPLIT and call is not None:
            exchange = pairing.exchange_of_call[call.number]
            if exchange is not None:
                late.setdefault(id(exchange), []).append(call)
    for exchange in pairing.exchanges:
        calls = late.get(id(exchange))
        if calls is not None:
            yield _finding(exchange, _split_off(exchange, calls, context), calls, context)
        elif context.native and pairing.policy.merge and len(exchange.window) > 1:
            carriers = [m for m in exchange.window if m.results and m.speaker is not Speaker.TOOL]
            if len(carriers) > 1:
                calls = [c for r in carriers[1].results if (c := pairing.partner_of_result[r.number]) is not None]
                yield _finding(exchange, carriers, calls, context)


def _moves(calls: list[Call], context: Context) -> tuple[MoveResult, ...]:
    alone = wants_results_alone(context)
    pairs = ((context.pairing.partner_of_call[c.number], c) for c in calls)
    return tuple(MoveResult(result, call, alone=alone) for result, call in pairs if result is not None)


def _split_off(exchange: Exchange, calls: list[Call], context: Context) -> list[Message]:
    """The messages that hold the results of one turn, in their order."""
    found = {m.index: m for m in exchange.window if m.results}
    for call in calls:
        result = context.pairing.partner_of_call[call.number]
        if result is not None:
            found[result.message.index] = result.message
    return [found[index] for index in sorted(found)]


def _finding(exchange: Exchange, carriers: list[Message], calls: list[Call], context: Context) -> Finding:
    place = carriers[1] if len(carriers) > 1 else carriers[0]
    verdict = context.minds("split-results")
    fill: dict[str, object] = {"ids": printed_ids(calls), "id": printed_ids(calls[:1]), "n": len(calls)}
    if verdict is not None and verdict.index == "result-message":
        fill["message"] = context.view.behind(exchange.messages)
    related = [(exchange.calls[0].at, "the turn that makes the calls")]
    related += [(m.at, "further results of the same turn") for m in carriers if m is not place][:RELATED]
    return Finding(
        place.at,
        f"the results of one turn stand in {len(carriers)} messages"
        if len(carriers) > 1
        else "the results stand one message too far behind their calls",
        subject=place,
        cause="each result was stored as a message of its own",
        related=tuple(related),
        fill=fill,
        help="put all results of a turn into one message",
        fix=Fix("put the results into one message", verbs=(MergeMessages(tuple(carriers)),))
        if len(carriers) > 1
        else Fix("move the results up", verbs=_moves(calls, context)),
    )


def _use(number: int, city: str) -> dict[str, object]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "get_weather", "input": {"city": city}}


def _fc(city: str) -> dict[str, object]:
    return {"functionCall": {"name": "get_weather", "args": {"city": city}}}


def _fr(text: str) -> dict[str, object]:
    return {"functionResponse": {"name": "get_weather", "response": {"output": text}}}


def _result(number: int, text: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}


_ASK = {"role": "user", "content": "Weather in Oslo and Rome?"}
_BOTH = {"role": "assistant", "content": [_use(1, "Oslo"), _use(2, "Rome")]}
_TOGETHER = {"role": "user", "content": [_result(1, "4 C"), _result(2, "21 C")]}
_ASK_GEMINI = {"role": "user", "parts": [{"text": "Weather in Oslo and Rome?"}]}
_BOTH_GEMINI = {"role": "model", "parts": [_fc("Oslo"), _fc("Rome")]}
_TOGETHER_GEMINI = {"role": "user", "parts": [_fr("4 C"), _fr("21 C")]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _BOTH, _TOGETHER], target="anthropic"),
        Example([_ASK_GEMINI, _BOTH_GEMINI, _TOGETHER_GEMINI], target="gemini"),
    ),
    invalid=(
        Example(
            [
                _ASK_GEMINI,
                _BOTH_GEMINI,
                {"role": "user", "parts": [_fr("4 C")]},
                {"role": "user", "parts": [_fr("21 C")]},
            ],
            target="gemini",
            at="/3",
            says="the number of function response parts is equal to the number of function call parts",
            fixed=[_ASK_GEMINI, _BOTH_GEMINI, _TOGETHER_GEMINI],
        ),
        Example(
            [
                _ASK,
                _BOTH,
                {"role": "user", "content": [_result(1, "4 C")]},
                {"role": "user", "content": [_result(2, "21 C")]},
            ],
            target="anthropic",
            at="/3",
            severity=Severity.INFO,
            fixed=[_ASK, _BOTH, _TOGETHER],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
