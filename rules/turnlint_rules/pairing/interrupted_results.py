"""Another message between calls and their results.

What it finds
-------------
A result that comes later than this target looks for it, with messages of other kinds in between.  The pair is whole,
only its place is wrong.  Some APIs allow it (OpenAI Responses pairs over the whole input): they stay silent.

Why it hurts
------------
The provider checks the turn at the first other message, and refuses the call as unanswered or the result as
unexpected.  It happens when the user speaks while a tool runs, when parallel calls are stored as several assistant
messages, or when a result arrives late.

Fix
---
safe: the result is moved to its call; what stood between follows behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Speaker
from turnlint.pairing import ResultState, usable
from turnlint.repair import MoveResult
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import tells_missing
from turnlint_rules.neutral import wants_results_alone
from turnlint_rules.wording import fill_for, label, printed_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.model import Call, Message, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    no_ids = tells_missing("missing-result-id", context)
    after: list[Message | None] | None = None
    missed: dict[int, dict[str, object]] = {}  # what the provider says of a turn, by its first call
    for result in pairing.results:
        if pairing.result_states[result.number] is not ResultState.INTERRUPTED:
            continue
        if no_ids and not usable(result.id) and pairing.policy.match == "id" and not result.legacy:
            continue  # the missing ID is told first
        call = pairing.partner_of_result[result.number]
        assert call is not None
        if after is None:
            after = _speech_after(context)
        exchange = pairing.exchange_of_call[call.number]
        first = exchange.calls[0].number if exchange is not None else call.number
        if first not in missed:
            calls = pairing.missed(exchange) if exchange is not None else [call]
            missed[first] = {"ids": printed_ids(calls), "n": len(calls)}
        between = after[pairing.position_of[call.message.index]]
        yield _finding(call, result, between, missed[first], context)


def _finding(
    call: Call, result: Result, between: Message | None, missed: Mapping[str, object], context: Context
) -> Finding:
    cause = _WHO.get(between.speaker if between is not None else Speaker.UNKNOWN, "the result was stored late")
    if between is not None and between.speaker is Speaker.ASSISTANT and between.calls:
        cause = "parallel calls were stored as several assistant messages"
    verdict = context.minds("interrupted-results", "any-role")
    related = [(call.at, "the call")]
    if between is not None:
        related.append((between.at, "what stands between"))
    fill = {**fill_for(call), **missed}
    exchange = context.pairing.exchange_of_call[call.number]
    if exchange is not None:
        fill["turn"] = context.view.behind(exchange.messages)
        if verdict is not None and verdict.index == "result-message":
            fill["message"] = fill["turn"]
    return Finding(
        result.at,
        f"other messages stand between the call {label(call)} and its result",
        variant="any-role",
        subject=call if verdict is not None and verdict.index == "call-message" else result,
        cause=cause,
        related=tuple(related),
        fill=fill,
        help="move the result directly behind its call",
        fix=Fix("move the result to its call", verbs=(MoveResult(result, call, alone=wants_results_alone(context)),)),
    )


#: The likely cause, by who speaks between.
_WHO = {
    Speaker.USER: "the user spoke while the tool was running",
    Speaker.SYSTEM: "a system message was added while the tool was running",
}


def _speech_after(context: Context) -> list[Message | None]:
    """For each message the first one behind it that is no result, or None; what is left out when the history is
    converted does not count."""
    found: list[Message | None] = []
    after: Message | None = None
    for message in reversed(context.transcript.messages):
        found.append(after)
        if not message.only_results and message.index in context.pairing.turn_of:
            after = message
    found.reverse()
    return found


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_OTHER = {"id": "call_2", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}
_ASK = {"role": "user", "content": "Weather in Oslo and Rome?"}
_NOTE = {"role": "user", "content": "Hurry, please."}
_FIRST = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}
_SECOND = {"role": "tool", "tool_call_id": "call_2", "content": "21 C"}
_TURN = {"role": "assistant", "content": None, "tool_calls": [_CALL, _OTHER]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, _SECOND, _FIRST], target="openai", title="results in another order than the calls"),
        Example([_ASK, _TURN, _FIRST, _SECOND, _NOTE], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, _FIRST, _NOTE, _SECOND],
            target="openai",
            at="/4",
            says="did not have response messages: call_2",
            fixed=[_ASK, _TURN, _FIRST, _SECOND, _NOTE],
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "assistant", "content": None, "tool_calls": [_OTHER]},
                _FIRST,
                _SECOND,
            ],
            target="openai",
            at="/3",
            title="parallel calls stored as two messages",
        ),
    ),
)
