"""A reinforcement line of the wrong shape.

What it finds
-------------
A line with a reference answer to grade by, without messages, or with a message of a role that this training refuses
(`system` instead of `developer` at OpenAI).

Why it hurts
------------
The file is refused when the job starts.

Fix
---
safe for role `system`: it becomes `developer`, which means the same there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Speaker
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.kind != "reinforcement":
        return
    if not context.transcript.messages:
        yield Finding(context.transcript.at, "the line has no messages", help="give each line the messages to answer")
    verdict = context.minds("malformed-reinforcement")
    allowed = verdict.limits.get("allowed") if verdict is not None else None
    if isinstance(allowed, tuple):
        for message in context.transcript.messages:
            if isinstance(message.role, str) and message.role not in allowed:
                yield _role(message, allowed)


def _role(message: Message, allowed: tuple[str, ...]) -> Finding:
    fix = None
    if message.speaker is Speaker.SYSTEM and message.role_at is not None:
        fix = Fix("make it a developer message", Safety.SAFE, None, (SetValue(message.role_at, "developer"),))
    return Finding(
        message.role_at or message.at,
        f"a line for reinforcement has no role {brief(message.role)}, but {listed(allowed, 6)}",
        subject=message,
        help="use the roles that the training takes",
        fix=fix,
    )


def _line(role: str) -> dict[str, Any]:
    messages = [{"role": role, "content": "Be brief."}, {"role": "user", "content": "What time is it?"}]
    return {"messages": messages, "reference_answer": "14:02"}


RULE = Rule(
    check,
    valid=(
        Example(_line("developer"), target="openai", mode="saved"),
        Example({"messages": _line("system")["messages"]}, target="openai", title="no training data"),
    ),
    invalid=(
        Example(_line("system"), target="openai", mode="saved", at="/messages/0/role", fixed=_line("developer")),
        Example({"messages": [], "reference_answer": "14:02"}, target="openai", mode="saved", at="/messages"),
    ),
)
