"""No user turn at all.

What it finds
-------------
A history in which no message of the user is left, results aside, for a target that needs one.

Why it hurts
------------
The request is refused, or the template of an open model raises.  It happens when trimming keeps the system prompt and
the latest tool traffic alone.

Fix
---
unsafe: a user message that says that the beginning is missing is put in front of what is there.  None where nothing but
system messages is left: there is nothing to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.model import Speaker
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import begin_with_user

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    sent = transcript.sent
    if not sent or transcript.stray:
        return
    if any(m.speaker is Speaker.UNKNOWN or (m.speaker is Speaker.USER and not m.only_results) for m in sent):
        return
    talk = [m for m in sent if m.speaker is not Speaker.SYSTEM]
    variant = "any" if talk else "with-tools" if transcript.tools else "system-only"
    yield Finding(
        transcript.at,
        "there is no user message",
        variant=variant,
        subject=talk[0] if talk else None,
        cause="the history was trimmed to its latest messages",
        help="keep at least one user message when a history is trimmed",
        fix=begin_with_user(context) if talk else None,
    )


RULE = Rule(
    check,
    consequence_of=("first-not-user", "misplaced-call-turn", "orphan-result"),
    valid=(
        Example([{"role": "system", "content": "Be brief."}], target="openai"),
        Example(
            [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
            target="chat-template:qwen3.5-27b",
        ),
    ),
    invalid=(
        Example(
            [{"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "Hello"}],
            target="chat-template:qwen3.5-27b",
            at="",
            says="No user query found in messages.",
        ),
        Example(
            [{"role": "system", "content": "Be brief."}],
            target="gemini",
            dialect="openai-chat",
            at="",
            says="contents are required.",
        ),
    ),
)
