"""A message name with characters the target refuses.

What it finds
-------------
The `name` of a message (who of several users or agents speaks) that has spaces, dots or other characters outside the
target's pattern, or is too long.  The name on a tool result is the tool's, and no business of this rule.

Why it hurts
------------
The request is refused.  It happens when an agent's display name, or a person's, is used as the name.

Fix
---
safe: every character that is not taken becomes `_`, and what is too long is cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Speaker
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.targets import Verdict

_LONGEST = 64


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("malformed-name")
    if verdict is None:
        return
    for message in context.transcript.messages:
        name = message.name
        if message.speaker is Speaker.TOOL or message.name_at is None or not isinstance(name, str):
            continue
        if not _fits(name, verdict):
            cleaned = _cleaned(name, verdict)
            yield Finding(
                message.name_at,
                f"the name {brief(name)!r} has characters that are not taken, or is too long",
                subject=message,
                cause="a display name was used",
                fill={"n": brief(name)},
                fix=Fix(f"write {brief(cleaned)!r}", verbs=(SetValue(message.name_at, cleaned),)) if cleaned else None,
            )


def _fits(name: str, verdict: Verdict) -> bool:
    pattern, most = verdict.limits.get("pattern"), verdict.limits.get("maximum")
    if isinstance(most, int) and len(name) > most:
        return False
    return not isinstance(pattern, str) or re.fullmatch(pattern, name) is not None


def _cleaned(name: str, verdict: Verdict) -> str | None:
    """The name with what is not taken replaced, or None where that does not help."""
    most = verdict.limits.get("maximum")
    cut = name[: most if isinstance(most, int) else _LONGEST]
    cleaned = "".join(c if _fits(c, verdict) else "_" for c in cut)
    return cleaned if _fits(cleaned, verdict) else None


_TEAM = {"role": "system", "content": "You work in a team."}

RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example([_TEAM, {"role": "user", "name": "Data_Analyst-2", "content": "Numbers are in."}], target="openai"),
        Example([_TEAM, {"role": "user", "name": None, "content": "Numbers are in."}], target="openai"),
    ),
    invalid=(
        Example(
            [_TEAM, {"role": "user", "name": "Data Analyst", "content": "Numbers are in."}],
            target="openai",
            at="/1/name",
            says="Invalid 'messages[1].name': string does not match pattern.",
            fixed=[_TEAM, {"role": "user", "name": "Data_Analyst", "content": "Numbers are in."}],
        ),
        Example(
            [{"role": "user", "name": "ann@example.com", "content": "Numbers are in."}],
            target="openai",
            at="/0/name",
            fixed=[{"role": "user", "name": "ann_example_com", "content": "Numbers are in."}],
        ),
    ),
)
