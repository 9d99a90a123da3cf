"""More tool rounds than the limit without an answer.

What it finds
-------------
With `max-tool-rounds` set: a request of the user after which the assistant calls tools in more turns than that,
without a turn of plain text in between.  The message lists the sequence of calls.  Off until the limit is set.

Why it hurts
------------
Agents that do not stop cost money, and a test fixture with such a history usually shows a bug in the agent.

Fix
---
None: the loop is in the program that made the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.model import Kind, Speaker
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    limit = context.settings.get("max-tool-rounds")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        return
    rounds: list[list[Call]] = []
    for message in context.transcript.messages:
        if message.speaker is Speaker.ASSISTANT:
            if message.calls:
                rounds.append(message.calls)
                continue
            if not message.has(Kind.TEXT):
                continue
        elif message.results or message.speaker is not Speaker.USER:
            continue
        yield from _found(rounds, limit)
        rounds = []
    yield from _found(rounds, limit)


def _found(rounds: list[list[Call]], limit: int) -> Iterator[Finding]:
    if len(rounds) <= limit:
        return
    over = rounds[limit][0]
    yield Finding(
        over.at,
        f"{len(rounds)} rounds of tools without an answer, more than {limit}: {_sequence(rounds)}",
        subject=over,
        related=((rounds[0][0].at, "the first round"),),
        fill={"n": len(rounds), "tool": printed(over.name)},
        help="limit the rounds in the program, or raise max-tool-rounds",
    )


def _sequence(rounds: list[list[Call]]) -> str:
    """The names of the calls in order, equal neighbours as a count."""
    steps: list[tuple[str, int]] = []
    for call in (c for calls in rounds for c in calls):
        name = brief(call.name, 30)
        if steps and steps[-1][0] == name:
            steps[-1] = (name, steps[-1][1] + 1)
        elif len(steps) == 8:
            return _joined(steps) + " → …"
        else:
            steps.append((name, 1))
    return _joined(steps)


def _joined(steps: list[tuple[str, int]]) -> str:
    return " → ".join(name if count == 1 else f"{name} ×{count}" for name, count in steps)


def _turns(*names: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix the test"}]
    for number, name in enumerate(names):
        function = {"name": name, "arguments": f'{{"n": {number}}}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "done"})
    return messages


RULE = Rule(
    check,
    valid=(
        Example(_turns("read", "edit", "run"), target="openai", settings={"max-tool-rounds": 3}),
        Example(_turns("read", "edit", "run", "run"), target="openai", title="no limit is set"),
    ),
    invalid=(
        Example(
            _turns("read", "edit", "run", "run"),
            target="openai",
            settings={"max-tool-rounds": 3},
            at="/7/tool_calls/0",
            severity=Severity.WARNING,
        ),
        Example(
            _turns("read", "read"),
            target="openai",
            settings={"max-tool-rounds": 1},
            at="/3/tool_calls/0",
            severity=Severity.WARNING,
        ),
    ),
)
