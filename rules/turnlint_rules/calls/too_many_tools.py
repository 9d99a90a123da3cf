"""More declared tools than the target takes.

What it finds
-------------
A request that declares more tools than the target's limit.

Why it hurts
------------
The request is refused.  It happens when several servers of tools are joined.

Fix
---
None: which tools can go is not in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("too-many-tools")
    tools = context.transcript.tools
    maximum = verdict.limits.get("maximum") if verdict is not None else None
    if not tools or not isinstance(maximum, int) or len(tools) <= maximum:
        return
    at = context.transcript.tools_at or tools[maximum].at
    yield Finding(
        at,
        f"{len(tools)} tools are declared, and {maximum} are taken",
        related=((tools[maximum].at, "the first one too many"),),
        fill={"n": len(tools)},
        help="declare only the tools that this step can need",
    )


def _body(count: int) -> dict[str, object]:
    names = [f"tool_{number}" for number in range(count)]
    return {
        "model": "gpt-4o",
        "tools": [{"type": "function", "function": {"name": n, "parameters": {"type": "object"}}} for n in names],
        "messages": [{"role": "user", "content": "What time is it?"}],
    }


RULE = Rule(
    check,
    valid=(Example(_body(128), target="openai"), Example(_body(2), target="openai")),
    invalid=(
        Example(
            _body(129),
            target="openai",
            at="/tools",
            says="Expected an array with maximum length 128, but got an array with length 129 instead",
        ),
        Example(_body(200), target="openai", at="/tools", says="got an array with length 200 instead"),
    ),
)
