"""More calls in one turn than the target takes.

What it finds
-------------
An assistant message with more calls than the target's limit: a fixed number, or one for templates that write a single
call.

Why it hurts
------------
The request is refused, or the template stops.

Fix
---
None: split the calls over several exchanges, each with its results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import printed, several

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("too-many-calls")
    maximum = verdict.limits.get("maximum") if verdict is not None else None
    if not isinstance(maximum, int):
        return
    for message in context.transcript.messages:
        calls = message.calls
        if len(calls) > maximum:
            yield Finding(
                message.calls_at or calls[maximum].at,
                f"the message makes {len(calls)} calls, and the target takes {several(maximum, 'call')}",
                subject=calls[maximum],
                related=((calls[maximum].at, "the first one too many"),),
                fill={"n": len(calls), "tool": printed(calls[maximum].name), "id": printed(calls[maximum].id)},
                help="give each call, or each group of them, a turn of its own with its results",
            )


def _turn(count: int) -> list[object]:
    ids = [f"call_{number}" for number in range(count)]
    calls = [{"id": i, "type": "function", "function": {"name": "get_time", "arguments": "{}"}} for i in ids]
    return [
        {"role": "user", "content": "What time is it everywhere?"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        *({"role": "tool", "tool_call_id": i, "content": "14:02"} for i in ids),
    ]


RULE = Rule(
    check,
    valid=(Example(_turn(2), target="openai"), Example(_turn(1), target="chat-template:llama-3.1-8b-instruct")),
    invalid=(
        Example(
            _turn(129),
            target="openai",
            at="/1/tool_calls",
            says="Invalid 'messages[1].tool_calls': array too long. Expected an array with maximum length 128",
        ),
        Example(
            _turn(2),
            target="chat-template:llama-3.1-8b-instruct",
            at="/1/tool_calls",
            says="This model only supports single tool-calls at once!",
        ),
    ),
)
