"""The saved stop reason and the calls disagree.

What it finds
-------------
A message saved with a stop reason that says "waiting for tools" and holds no call, or with one that says "done" and
holds calls.  Only where a stop reason was saved.  Gemini's say nothing of calls, and are never asked.

Why it hurts
------------
Nobody refuses it.  But code that goes by the stop reason runs no tool although there are calls, or waits for results
that cannot come; where calls are announced and missing, they were lost when the message was saved.

Fix
---
None: which of the two is right is not in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.model import Kind, Speaker, Stop, stop_of
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, several

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    chosen = request_of(context.transcript).tool_choice_at is not None  # a forced call stops with "done" at OpenAI
    for message in context.transcript.messages:
        stop = stop_of(message.stop_reason)
        if message.speaker is not Speaker.ASSISTANT or stop not in (Stop.CALLS, Stop.END):
            continue
        word = brief(message.stop_reason)
        if stop is Stop.CALLS and not message.has(Kind.CALL, Kind.HOSTED_CALL, Kind.UNKNOWN):
            yield Finding(
                message.at,
                f"the message stopped with {word}, and holds no call",
                subject=message,
                cause="the calls were lost when the message was saved",
            )
        elif stop is Stop.END and message.calls and not chosen:
            count = several(len(message.calls), "call")
            yield Finding(
                message.at,
                f"the message stopped with {word}, and holds {count}",
                subject=message,
                cause="the provider reports forced calls so, or the stop reason of another message was saved",
                related=((message.calls[0].at, "a call"),),
            )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}


def _turn(reason: str, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    answer: dict[str, Any] = {"role": "assistant", "content": "Let me see.", "finish_reason": reason}
    return [_ASK, {**answer, "tool_calls": list(calls)} if calls else answer]


RULE = Rule(
    check,
    valid=(
        Example(_turn("tool_calls", _CALL), target="openai", mode="saved"),
        Example(_turn("stop"), target="openai", mode="saved"),
    ),
    invalid=(
        Example(_turn("tool_calls"), target="openai", mode="saved", at="/1", severity=Severity.INFO),
        Example(_turn("stop", _CALL), target="openai", mode="saved", at="/1", severity=Severity.INFO),
    ),
)
