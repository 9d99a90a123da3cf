"""Two results for one call.

What it finds
-------------
A tool result for a call that has been answered already, in the same turn or later.

Why it hurts
------------
Providers that pair by ID refuse the second one.  It happens when a submission is retried after a dropped connection,
when a session is resumed and its last message stored again, or when both the provider's and the client's own error
result are kept.

Fix
---
safe where both results say the same: the second one is removed.  unsafe where they differ, as one of them is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.pairing import ResultState
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import fill_for, label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    windows: dict[int, frozenset[int]] = {}
    for result in pairing.results:
        if pairing.result_states[result.number] is not ResultState.DUPLICATE:
            continue
        call = pairing.partner_of_result[result.number]
        assert call is not None
        first = pairing.partner_of_call[call.number]
        same = first is not None and _same(first, result)
        exchange = pairing.exchange_of_call[call.number]
        if exchange is not None and id(exchange) not in windows:
            windows[id(exchange)] = frozenset(m.index for m in exchange.window)
        inside = exchange is not None and result.message.index in windows.get(id(exchange), ())
        related = [(first.at, "the first result")] if first is not None else []
        related.append((call.at, "the call"))
        yield Finding(
            result.at,
            f"a second result for {label(call)}" + (", the same as the first" if same else ""),
            variant="same-group" if inside else "later",
            subject=result,
            cause="the message was stored twice, on a retry or on resume"
            if same
            else "the tool was answered twice: by a retry, or by the provider and the client both",
            related=tuple(related),
            fill=fill_for(call, result, n=context.view.message(first.message) if first is not None else 0),
            help="keep one result for each call",
            fix=Fix("remove the second result", verbs=(Remove(result),))
            if same
            else Fix("remove the second result", Safety.UNSAFE, "the two results differ", (Remove(result),)),
        )


def _same(one: Result, other: Result) -> bool:
    return bool(one.content == other.content and one.is_error == other.is_error)


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
_ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, _ANSWER, {"role": "assistant", "content": "4 C."}, _ASK], target="openai"),
        Example([_ASK, _TURN, _ANSWER, _TURN, _ANSWER], target="openai", title="the ID restarts in the next turn"),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, _ANSWER, _ANSWER],
            target="openai",
            at="/3",
            says="Duplicate value for 'tool_call_id' of 'call_1'",
            fixed=[_ASK, _TURN, _ANSWER],
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"},
                        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "tool failed", "is_error": True},
                    ],
                },
            ],
            target="anthropic",
            at="/2/content/1",
            says="each tool_use must have a single result",
        ),
    ),
)
