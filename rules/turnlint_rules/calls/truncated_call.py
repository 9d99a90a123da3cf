"""A call that the output limit cut off.

What it finds
-------------
A message that stopped at the output limit and whose last part is a call: with text arguments that do not parse, or
with an object, which then is what the stream's reader made of the fragments.

Why it hurts
------------
The call is not the one that the model meant.  Run, it does the wrong thing; sent back, many servers refuse it for its
arguments.

Fix
---
unsafe: the call is taken out, with its result if it has one.  The model then asks again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Call, Kind, Stop, stop_of
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.arguments import broken
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        if stop_of(message.stop_reason) is Stop.LENGTH:
            call = _last_call(message)
            if call is not None:
                yield _finding(call, context)


def _last_call(message: Message) -> Call | None:
    """The client call on which a message ends, where it looks cut."""
    speech = [p for p in message.parts if p.kind is not Kind.REASONING]
    last = speech[-1] if speech else None
    if not isinstance(last, Call) or last.hosted or last.custom:
        return None
    if last.arguments_form == "text":
        fault = broken(last.arguments)
        return last if fault is not None and (fault.cut or fault.kind == "empty") else None
    return last


def _finding(call: Call, context: Context) -> Finding:
    result = context.pairing.result_of(call)
    verbs = (Remove(call),) if result is None else (Remove(result), Remove(call))
    return Finding(
        call.at,
        f"the call of {brief(call.name)} was cut off by the output limit",
        subject=call,
        cause="the message stopped at the output limit in the middle of this call",
        related=((call.message.at, f"stopped with {brief(call.message.stop_reason)}"),),
        fill={"id": printed(call.id), "tool": printed(call.name)},
        help="ask again with a higher output limit, and do not store a call that was cut off",
        fix=Fix("take the call out", Safety.UNSAFE, "what the model meant is not known", verbs),
    )


_ASK = {"role": "user", "content": "Write the file"}


def _chat(arguments: str, reason: str) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "write", "arguments": arguments}}
    return [_ASK, {"role": "assistant", "content": None, "tool_calls": [call], "finish_reason": reason}]


def _anthropic(reason: str) -> list[object]:
    use = {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {"path": "a.txt"}}
    return [_ASK, {"role": "assistant", "content": [use], "stop_reason": reason}]


RULE = Rule(
    check,
    valid=(
        Example(_chat('{"path": "a.txt"}', "tool_calls"), target="openai", mode="saved"),
        Example(_chat('{"path": "a.txt"}', "length"), target="openai", mode="saved", title="the arguments are whole"),
    ),
    invalid=(
        Example(
            _chat('{"path": "a.t', "length"),
            target="openai",
            mode="saved",
            at="/1/tool_calls/0",
            severity=Severity.WARNING,
        ),
        Example(
            _anthropic("max_tokens"),
            target="anthropic",
            mode="saved",
            at="/1/content/0",
            severity=Severity.WARNING,
        ),
    ),
)
