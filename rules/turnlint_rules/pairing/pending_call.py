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

from turnlint.model import State
from turnlint.pairing import CallState
from turnlint.rule import Context, Example, Finding, Rule, Severity
from turnlint_rules.pairing.unanswered_call import label

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        waiting = [c for c in exchange.calls if pairing.call_states[c.number] is CallState.PENDING]
        if waiting:
            names = ", ".join(label(c) for c in waiting[:4]) + (" …" if len(waiting) > 4 else "")
            yield Finding(
                waiting[0].at,
                f"the transcript ends before {names} {'is' if len(waiting) == 1 else 'are'} answered",
                subject=waiting[0],
                related=tuple((c.at, "this call is open too") for c in waiting[1:]),
                help="add the results before this history is sent on",
            )


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
    modes=("saved",),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
