"""A result that stands before the assistant turn that asked for it.

What it finds
-------------
A tool result whose call comes later in the history.  The pair is whole, only its order is wrong.

Why it hurts
------------
A provider reads from the front: at the result it knows of no such call and refuses the request, and it would refuse
the call for want of a result next.  It happens when results are stored as they arrive and the assistant message is
stored when it is finished, or when rows with equal times are sorted.

Fix
---
safe: the result is moved behind its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.pairing import ResultState
from turnlint.repair import MoveResult
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import wants_results_alone
from turnlint_rules.wording import fill_for, label

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for result in pairing.results:
        if pairing.result_states[result.number] is not ResultState.BEFORE_CALL:
            continue
        call = pairing.partner_of_result[result.number]
        assert call is not None
        yield Finding(
            result.at,
            f"the result for {label(call)} stands before the assistant turn that makes the call",
            variant="before-call",
            subject=result,
            cause="the result was stored before the assistant message, or the messages were sorted by a key that ties",
            related=((call.at, "the call stands here"),),
            fill=fill_for(call, result),
            help="move the result behind its call",
            fix=Fix(
                "move the result behind its call", verbs=(MoveResult(result, call, alone=wants_results_alone(context)),)
            ),
        )


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_GOOD_CHAT = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
]
_GOOD_CLAUDE = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": [_USE]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
]

RULE = Rule(
    check,
    valid=(Example(_GOOD_CHAT, target="openai"), Example(_GOOD_CLAUDE, target="anthropic")),
    invalid=(
        Example(
            [_GOOD_CHAT[0], _GOOD_CHAT[2], _GOOD_CHAT[1]],
            target="openai",
            at="/1",
            says="must be a response to a preceeding message with 'tool_calls'",
            fixed=_GOOD_CHAT,
        ),
        Example(
            [
                _GOOD_CLAUDE[0],
                {"role": "assistant", "content": "One moment."},
                _GOOD_CLAUDE[2],
                _GOOD_CLAUDE[1],
                {"role": "user", "content": "And?"},
            ],
            target="anthropic",
            at="/2/content/0",
            says="unexpected `tool_use_id` found in `tool_result` blocks",
        ),
    ),
)
