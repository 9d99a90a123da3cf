"""A result that names another tool than the call it answers.

What it finds
-------------
A call and its result are linked, both name a tool, and the two names differ.

Why it hurts
------------
Targets that pair by name or place take the name at its word: some refuse the request, others show the model a result
of a tool that it never called.  Those that pair by ID do not look at the name.  It happens when a tool was renamed,
when a converter fills in a fixed name, or when it puts the call's ID where the name belongs.

Fix
---
safe: the result gets the name of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import State
from turnlint.pairing import ResultState, usable
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, fill_for, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for result in pairing.results:
        call = pairing.partner_of_result[result.number]
        if call is None or pairing.result_states[result.number] is not ResultState.ANSWERS:
            continue
        if usable(call.name) and usable(result.name) and call.name != result.name and result.name_at is not None:
            yield Finding(
                result.name_at,
                f"the result names {brief(result.name)}, and its call {tool_name(call)}",
                subject=result,
                cause=_cause(call, result),
                related=((call.name_at or call.at, "the call"),),
                fill=fill_for(call, result),
                help="give the result the name of its call",
                fix=Fix("give the result the name of its call", verbs=(SetValue(result.name_at, call.name),)),
            )


def _cause(call: Call, result: Result) -> str:
    if result.name in (call.id, result.id):
        return "the call's ID was written where the tool's name belongs"
    return "the tool was renamed, or a converter wrote a name of its own"


def _fc(name: str) -> dict[str, object]:
    return {"functionCall": {"name": name, "args": {"city": "Oslo"}}}


def _fr(name: str) -> dict[str, object]:
    return {"functionResponse": {"name": name, "response": {"output": "4 C"}}}


_ASK = {"role": "user", "parts": [{"text": "Weather in Oslo?"}]}
_ASK_CHAT = {"role": "user", "content": "Weather in Oslo?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_TURN_CHAT = {"role": "assistant", "content": None, "tool_calls": [_CALL]}

RULE = Rule(
    check,
    valid=(
        Example(
            [_ASK, {"role": "model", "parts": [_fc("get_weather")]}, {"role": "user", "parts": [_fr("get_weather")]}],
            target="gemini",
        ),
        Example(
            [
                _ASK_CHAT,
                _TURN_CHAT,
                {"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": "4 C"},
            ],
            target="groq",
        ),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "model", "parts": [_fc("get_weather")]}, {"role": "user", "parts": [_fr("tool_result")]}],
            target="vertex:gemini-3.7-flash",
            at="/2/parts/0/functionResponse/name",
            says="Request contains an invalid argument",
            fixed=[
                _ASK,
                {"role": "model", "parts": [_fc("get_weather")]},
                {"role": "user", "parts": [_fr("get_weather")]},
            ],
        ),
        Example(
            [_ASK_CHAT, _TURN_CHAT, {"role": "tool", "tool_call_id": "call_1", "name": "weather", "content": "4 C"}],
            target="groq",
            at="/2/name",
            severity=Severity.INFO,
            fixed=[
                _ASK_CHAT,
                _TURN_CHAT,
                {"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": "4 C"},
            ],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL}),
)
