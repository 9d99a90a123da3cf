"""A role that this kind of training refuses.

What it finds
-------------
In a supervised training file: a message of a role that the target does not train with, such as `developer` at OpenAI.
Lines for reinforcement have roles of their own (`malformed-reinforcement`).

Why it hurts
------------
The file is refused when the job starts.

Fix
---
None: rename the role by hand where it means the same (`developer` and `system`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, listed

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.kind == "request" or line.kind == "reinforcement":
        return
    verdict = context.minds("unsupported-training-role", "role")
    allowed = verdict.limits.get("allowed") if verdict is not None else None
    if not isinstance(allowed, tuple):
        return
    for message in context.transcript.messages:
        if isinstance(message.role, str) and message.role not in allowed:
            yield Finding(
                message.role_at or message.at,
                f"examples to train on have no role {brief(message.role)}, but {listed(allowed, 6)}",
                variant="role",
                subject=message,
                help="use the roles that the training takes",
            )


def _line(role: str) -> dict[str, Any]:
    messages = [
        {"role": role, "content": "Be brief."},
        {"role": "user", "content": "What time is it?"},
        {"role": "assistant", "content": "14:02", "weight": 1},
    ]
    return {"messages": messages}


RULE = Rule(
    check,
    valid=(
        Example(_line("system"), target="openai", mode="saved"),
        Example({"messages": _line("developer")["messages"][:2]}, target="openai", title="no training data"),
    ),
    invalid=(
        Example(_line("developer"), target="openai", mode="saved", at="/messages/0/role"),
        Example(
            {
                "input": {"messages": [{"role": "developer", "content": "Be brief."}]},
                "preferred_output": [{"role": "assistant", "content": "14:02"}],
                "non_preferred_output": [{"role": "assistant", "content": "Late."}],
            },
            target="openai",
            mode="saved",
            at="/input/messages/0/role",
        ),
    ),
    consequence_of=("unknown-role", "unsupported-role"),
)
