"""The transcript ends in open calls.

What it finds
-------------
A saved history whose last turn asks for tools and has no result yet.  That is how a record at rest may end: the tool
was still running, a person had to approve it, or the tool ends the run and never answers.  As a request the same
history is an `unanswered-call`.

Why it hurts
------------
It does not, until somebody sends it on without the results.

Fix
---
None: nothing is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.model import State
from turnlint.pairing import CallState
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import beside, labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call

#: Tools of known agents and frameworks that end the run or hand over to the user: nothing ever answers them.
TERMINAL = frozenset(
    {
        "finish", "submit", "final_result", "final_answer", "final_response", "attempt_completion", "task_complete",
        "complete_task", "exit", "terminate", "done", "end_conversation", "structured_output", "structuredoutput",
        "ask_followup_question", "plan_mode_respond", "exitplanmode", "askuserquestion", "return_direct", "stop",
    }
)  # fmt: skip


def ends_run(call: Call) -> bool:
    """Whether the tool is known to end the run, or to hand over to the user, without an answer."""
    return isinstance(call.name, str) and call.name.rpartition(".")[2].lower() in TERMINAL


def holds_out(call: Call) -> bool:
    """Whether the call may stay open beside answered ones: it waits for approval, or its tool never answers."""
    return ends_run(call) or (call.state is not None and call.state.startswith("approval"))


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        waiting = [c for c in exchange.calls if _waits(c, pairing.call_states[c.number])]
        if waiting:
            names = labels(waiting)
            yield Finding(
                waiting[0].at,
                f"the transcript ends before {names} {'is' if len(waiting) == 1 else 'are'} answered",
                subject=waiting[0],
                cause=_cause(waiting),
                related=beside(waiting[1:], "this call is open too"),
                help="add the results before this history is sent on",
            )


def _waits(call: Call, state: CallState) -> bool:
    return state is CallState.PENDING or (state is CallState.PARTIAL and holds_out(call))


def _cause(calls: list[Call]) -> str:
    if all(ends_run(c) for c in calls):
        return "the tool ends the run and is never answered"
    if any(c.state is not None and c.state.startswith("approval") for c in calls):
        return "the call waits for approval, or was approved and has not run yet"
    return "the tool was still running, or the run stopped there"


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_ASK = {"role": "user", "content": "Weather in Oslo?"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": "4 C."}], target="openai", mode="saved"),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
            target="anthropic",
            mode="saved",
        ),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": None, "tool_calls": [_CALL]}],
            target="openai",
            mode="saved",
            at="/1/tool_calls/0",
            severity=Severity.INFO,
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [_USE]}],
            target="anthropic",
            mode="saved",
            at="/1/content/0",
            severity=Severity.INFO,
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
