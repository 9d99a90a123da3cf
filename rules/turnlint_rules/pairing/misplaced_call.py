"""A tool call in a message that is not the assistant's.

What it finds
-------------
A call of the client's tools in a user, system or tool message.

Why it hurts
------------
Only the assistant makes calls.  The provider refuses the message, or drops the call and then finds a result without
one.  It happens when the role is lost on the way, when roles are swapped, or when code builds examples by hand.

Fix
---
safe where the message holds nothing but calls: it gets the assistant's role.  Otherwise none: who said the rest of the
message cannot be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Speaker, State
from turnlint.pairing import CallState
from turnlint.repair import SetSpeaker
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import beside, fill_for, labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    by_message: dict[int, list[Call]] = {}
    for call in pairing.calls:
        if pairing.call_states[call.number] is CallState.MISPLACED:
            by_message.setdefault(call.message.index, []).append(call)
    for calls in by_message.values():
        first = calls[0]
        result = pairing.partner_of_call[first.number]
        alone = len(first.message.parts) == len(calls)
        yield Finding(
            first.at,
            f"{labels(calls)} {'stands' if len(calls) == 1 else 'stand'} in a message of role "
            f"{first.message.speaker.value}",
            subject=first,
            cause="the assistant's message was stored with another role"
            if alone
            else "messages of two speakers were joined into one",
            related=(
                *beside(calls[1:], "this call stands there too"),
                *([(result.at, "its result")] if result is not None else []),
            ),
            fill=fill_for(first, n=len(calls)),
            help="give the message the assistant's role, or move the call to an assistant message in front of it",
            fix=Fix("give the message the assistant's role", verbs=(SetSpeaker(first.message, Speaker.ASSISTANT),))
            if alone
            else None,
        )


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": [_USE]}, _RESULT], target="anthropic"),
        Example([_ASK, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, _ANSWER], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": "One moment."}, {"role": "user", "content": [_USE]}, _RESULT],
            target="anthropic",
            at="/2/content/0",
            says="`tool_use` blocks can only be in `assistant` messages",
        ),
        Example(
            [_ASK, {"role": "user", "content": "", "tool_calls": [_CALL]}, _ANSWER],
            target="generic",
            dialect="openai-chat",
            at="/1/tool_calls/0",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL, State.TRUNCATED_VALUES}),
)
