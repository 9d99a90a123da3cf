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
from turnlint.pairing import ResultState
from turnlint.repair import MoveResult
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for result in pairing.results:
        if pairing.result_states[result.number] is not ResultState.INTERRUPTED:
            continue
        call = pairing.partner_of_result[result.number]
        assert call is not None
        between = _first_between(call, result, context)
        verdict = context.minds("interrupted-results", "any-role")
        if between is not None and between.speaker is Speaker.ASSISTANT and between.calls:
            cause = "parallel calls were stored as several assistant messages"
        elif between is not None and between.speaker is Speaker.USER:
            cause = "the user spoke while the tool was running"
        else:
            cause = "the result was stored late"
        related = [(call.at, "the call")]
        if between is not None:
            related.append((between.at, "what stands between"))
        yield Finding(
            result.at,
            f"other messages stand between the call {call.id} and its result",
            variant="any-role",
            subject=call if verdict is not None and verdict.index == "call-message" else result,
            cause=cause,
            related=tuple(related),
            fill={"id": str(call.id), "ids": str(call.id), "tool": str(call.name), "n": 1},
            help="move the result directly behind its call",
            fix=Fix("move the result to its call", verbs=(MoveResult(result, call),)),
        )


def _first_between(call: Call, result: Result, context: Context) -> Message | None:
    messages = context.transcript.messages
    start = next((n for n in range(min(call.message.index, len(messages) - 1), -1, -1) if messages[n] is call.message), 0)
    for message in messages[start + 1 : start + 50]:
        if message is result.message:
            return None
        if not message.only_results:
            return message
    return None


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
