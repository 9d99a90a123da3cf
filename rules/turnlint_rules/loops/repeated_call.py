"""The same call with the same arguments again and again.

What it finds
-------------
Three or more calls in a row, in the exchanges of one request, that name the same tool with exactly the same
arguments.  The message lists the sequence.  Where their results differ the model may simply be waiting for something:
that is an info.

Why it hurts
------------
The model is stuck: it does not see the result, or the result does not tell it anything.  A history like that makes it
go on.

Fix
---
None: nothing is broken in the history; the loop is in the program that made it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.model import Call, Kind, Speaker
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

FEWEST = 3  # two equal calls in a row are a retry


def check(context: Context) -> Iterator[Finding]:
    run: list[Call] = []
    for message in context.transcript.messages:
        if message.speaker is Speaker.USER and message.has(Kind.TEXT, Kind.MEDIA):
            yield from _found(run, context)
            run = []
        for call in message.calls:
            if run and not _same(run[-1], call):
                yield from _found(run, context)
                run = []
            run.append(call)
    yield from _found(run, context)


def _same(one: Call, other: Call) -> bool:
    return isinstance(one.name, str) and one.name == other.name and one.arguments == other.arguments


def _found(run: list[Call], context: Context) -> Iterator[Finding]:
    if len(run) < FEWEST:
        return
    results = [context.pairing.result_of(call) for call in run]
    contents = [r.content for r in results if r is not None]
    waiting = len(contents) > 1 and all(a != b for a, b in itertools.pairwise(contents))
    first = run[0]
    yield Finding(
        first.at,
        f"{brief(first.name)} is called {len(run)} times in a row with the same arguments: {_sequence(run)}",
        subject=first,
        cause="the model waits for something to change"
        if waiting
        else "the result does not tell the model what it needs",
        related=also_at([c.at for c in run[1:]], "the same call again"),
        fill={"tool": printed(first.name), "n": len(run)},
        severity=Severity.INFO if waiting else None,
        help="stop the loop in the program, or say in the result why the same call cannot help",
    )


def _sequence(run: list[Call]) -> str:
    """The calls in order, with the messages that they stand in."""
    steps = [f"{brief(c.name, 30)} (message {c.message.index})" for c in run[:5]]
    return " → ".join(steps) + (f" → … {len(run) - 5} more" if len(run) > 5 else "")


def _turn(number: int, arguments: str, answer: str) -> list[dict[str, Any]]:
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "search", "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": answer},
    ]


_ASK = {"role": "user", "content": "Find it"}
_SAME = '{"q": "it"}'

RULE = Rule(
    check,
    valid=(
        Example([_ASK, *_turn(1, _SAME, "nothing"), *_turn(2, _SAME, "nothing")], target="openai", title="a retry"),
        Example(
            [_ASK, *_turn(1, _SAME, "nothing"), *_turn(2, '{"q": "that"}', "nothing"), *_turn(3, _SAME, "nothing")],
            target="openai",
            title="another call stands between",
        ),
    ),
    invalid=(
        Example(
            [_ASK, *(m for n in range(4) for m in _turn(n, _SAME, "nothing"))],
            target="openai",
            at="/1/tool_calls/0",
            severity=Severity.WARNING,
        ),
        Example(
            [_ASK, *(m for n in range(3) for m in _turn(n, _SAME, f"{n * 30} % done"))],
            target="openai",
            at="/1/tool_calls/0",
            severity=Severity.INFO,
            title="the results differ",
        ),
    ),
)
