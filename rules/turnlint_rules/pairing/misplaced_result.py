"""A tool result in an assistant message.

What it finds
-------------
A result of a client's tool that stands in an assistant message, alone or behind the call that it answers.

Why it hurts
------------
Results come from the client's side.  The provider refuses the message, or finds the call unanswered.  It happens when
a whole step, call and result, is stored as one message, or when results are kept with the role of what came before.

Fix
---
safe: the result is moved into a message of its own behind the call; what followed it in the message stays behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Call, State
from turnlint.pairing import ResultState
from turnlint.repair import MoveResult, SplitMessage
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import beside, fill_for, label, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Result
    from turnlint.repair import Verb


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    by_message: dict[int, list[Result]] = {}
    for result in pairing.results:
        if pairing.result_states[result.number] is ResultState.MISPLACED:
            by_message.setdefault(result.message.index, []).append(result)
    for results in by_message.values():
        yield _finding(results, context)


def _rest(last: Result) -> tuple[Verb, ...]:
    """What follows the results in the message of their calls is said only once these are there."""
    parts = last.message.parts
    place = parts.index(last)
    behind = tuple(parts[place + 1 :])
    if not behind or not any(isinstance(p, Call) for p in parts[:place]):
        return ()
    return (SplitMessage(last.message, behind),)


def _finding(results: list[Result], context: Context) -> Finding:
    first = results[0]
    partners = [context.pairing.partner_of_result[r.number] for r in results]
    call = partners[0]
    name = label(call) if call is not None else short(first.id)
    calls = first.message.calls
    moves = [MoveResult(r, c) for r, c in zip(results, partners, strict=True) if c is not None]
    verbs: tuple[Verb, ...] = (*moves, *_rest(results[-1]))
    return Finding(
        first.at,
        f"the result for {name} stands in an assistant message"
        + (f", and {len(results) - 1} more" if len(results) > 1 else ""),
        variant="beside-calls" if calls else "in-assistant",
        subject=first,
        cause="call and result were stored as one message"
        if calls
        else "the result was stored with the role of the message before it",
        related=(
            *beside(results[1:], "this result stands there too"),
            *([(call.at, "the call")] if call is not None else []),
        ),
        fill=fill_for(call, first, n=len(results)),
        help="move the result into a message of its own, behind the call",
        fix=Fix("move the result behind the message with its call", verbs=verbs)
        if len(moves) == len(results)
        else None,
    )


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_FC = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}
_FR = {"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}
_ASK_GEMINI = {"role": "user", "parts": [{"text": "Weather in Oslo?"}]}

RULE = Rule(
    check,
    valid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_USE]}, {"role": "user", "content": [_RESULT]}], target="anthropic"
        ),
        Example([_ASK_GEMINI, {"role": "model", "parts": [_FC]}, {"role": "user", "parts": [_FR]}], target="gemini"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_USE, _RESULT]}],
            target="anthropic",
            at="/1/content/1",
            says="`tool_result` blocks can only be in `user` messages",
            fixed=[_ASK, {"role": "assistant", "content": [_USE]}, {"role": "user", "content": [_RESULT]}],
        ),
        Example(
            [_ASK_GEMINI, {"role": "model", "parts": [_FC, _FR]}],
            target="gemini",
            at="/1/parts/1/functionResponse",
            says="function call turn contains at least one function_call part which can not be mixed with",
            fixed=[_ASK_GEMINI, {"role": "model", "parts": [_FC]}, {"role": "user", "parts": [_FR]}],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL, State.TRUNCATED_VALUES}),
)
