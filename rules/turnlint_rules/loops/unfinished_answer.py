"""A finished record that ends on a result, without an answer.

What it finds
-------------
A record that says that its run has ended, and whose last message is a tool result.  A record that does not say so may
simply have been saved in the middle.

Why it hurts
------------
Nobody refuses it.  The run was stopped before the model could answer: by a limit on rounds, an error, or somebody who
waited no longer.

Fix
---
None: nothing is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.model import State
from turnlint.pairing import ResultState
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    if not transcript.candidate.finished or not transcript.messages:
        return
    last = transcript.messages[-1]
    if last.results and last.only_results:
        result = last.results[-1]
        call = context.pairing.call_of(result)
        answered = context.pairing.result_states[result.number] is ResultState.ANSWERS
        yield Finding(
            last.at,
            "the run has ended, and its last message is a tool result without an answer to it",
            subject=last,
            cause="the run was stopped by a limit on rounds, an error or a person",
            related=((call.at, "the call that it answers"),) if answered and call is not None else (),
        )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
_TOOL = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}
_TURN: list[Any] = [_ASK, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, _TOOL]

_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}}
_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}


def _recording(*extra: dict[str, Any]) -> dict[str, Any]:
    """A recorded stream of an agent, whose last line says that the run has ended."""
    lines = [
        {"type": "user", "message": _ASK, "session_id": "s"},
        {"type": "assistant", "message": {"role": "assistant", "content": [_USE]}, "session_id": "s"},
        {"type": "user", "message": {"role": "user", "content": [_RESULT]}, "session_id": "s"},
        *extra,
        {"type": "result", "subtype": "error_max_turns", "session_id": "s"},
    ]
    return {"messages": [{"direction": "received", "message": line} for line in lines]}


RULE = Rule(
    check,
    valid=(
        Example([*_TURN, {"role": "assistant", "content": "4 C."}], target="openai", mode="saved"),
        Example(_TURN, target="openai", mode="saved", title="nothing says that the run has ended"),
    ),
    invalid=(
        Example(
            _recording(),
            target="anthropic",
            mode="saved",
            at="/messages/2/message/message",
            severity=Severity.INFO,
        ),
        Example(
            _recording({"type": "system", "subtype": "compact", "session_id": "s"}),
            target="anthropic",
            mode="saved",
            at="/messages/2/message/message",
            severity=Severity.INFO,
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
