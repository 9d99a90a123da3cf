"""Text or other parts in front of the results of a turn.

What it finds
-------------
The user turn that answers calls begins with something else than results.  For a target that merges neighbouring
messages of one side, a message in front of the results counts as well.

Why it hurts
------------
The provider wants the results first.  Its documentation and live tests say that it answers as if the results were
missing, other reports call the order a recommendation; so this is a warning.  It happens when a reminder or a note is
put in front of the results, or when the user spoke while the tool was running.

Fix
---
safe: the results are put in front.  Nothing is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Kind, Media, Result, State
from turnlint.pairing import ResultState
from turnlint.repair import MoveMessage, MoveResult, ReorderParts, Verb
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import fill_for, printed_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message, Part
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    for exchange in context.pairing.exchanges:
        found = _behind(exchange, context) if exchange.results else None
        if found is not None:
            yield found


def _behind(exchange: Exchange, context: Context) -> Finding | None:
    pairing = context.pairing
    front: Part | None = None
    late: list[tuple[Call, Result]] = []
    for message in exchange.window:
        for part in message.parts:
            if isinstance(part, Result) and not part.hosted:
                call = pairing.partner_of_result[part.number]
                if front is not None and call is not None and pairing.result_states[part.number] is ResultState.ANSWERS:
                    late.append((call, part))
            elif part.kind is not Kind.CONTROL:
                front = front or part
    if not late or front is None:
        return None
    call, result = late[0]
    variant = "media" if isinstance(front, Media) else "text"
    verdict = context.minds("content-before-results", variant)
    return Finding(
        result.at,
        "something stands in front of the results of the turn",
        variant=variant,
        subject=call if verdict is not None and verdict.index == "call-message" else result,
        cause="a note was put in front of the results"
        if front.message is result.message
        else "the user spoke while the tool was running",
        related=((front.at, "this stands in front"), (call.at, "the call")),
        fill={**fill_for(call, result), "ids": printed_ids([c for c, _ in late])},
        help="put the results first, and everything else behind them",
        fix=Fix("put the results first", verbs=_verbs(late, front.message)),
    )


def _verbs(late: list[tuple[Call, Result]], front: Message) -> tuple[Verb, ...]:
    own = [p for p in front.parts if isinstance(p, Result) and not p.hosted]
    rest = [p for p in front.parts if not (isinstance(p, Result) and not p.hosted)]
    verbs: list[Verb] = [ReorderParts(front, (*own, *rest))] if own else []
    moved: set[int] = set()
    for call, result in late:
        message = result.message
        if message is front or message.index in moved:
            continue
        if message.only_results and not own:
            verbs.append(MoveMessage(message, front))
            moved.add(message.index)
        else:
            verbs.append(MoveResult(result, call))
    return tuple(verbs)


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
_NOTE = {"type": "text", "text": "Be brief."}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": [_USE]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, {"role": "user", "content": [_RESULT]}], target="anthropic"),
        Example([_ASK, _TURN, {"role": "user", "content": [_RESULT, _NOTE]}], target="anthropic"),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, {"role": "user", "content": [_NOTE, _RESULT]}],
            target="anthropic",
            at="/2/content/1",
            severity=Severity.WARNING,
            says="`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
            fixed=[_ASK, _TURN, {"role": "user", "content": [_RESULT, _NOTE]}],
        ),
        Example(
            [_ASK, _TURN, {"role": "user", "content": "Be brief."}, {"role": "user", "content": [_RESULT]}],
            target="anthropic",
            at="/3/content/0",
            severity=Severity.WARNING,
            says="`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
            fixed=[_ASK, _TURN, {"role": "user", "content": [_RESULT]}, {"role": "user", "content": "Be brief."}],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
