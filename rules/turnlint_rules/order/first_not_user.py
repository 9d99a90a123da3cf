"""The history begins with something other than a user message.

What it finds
-------------
The first message behind the system messages is the assistant's, or a tool result, for a target that wants the user to
begin.  A call or result that has lost its other half is reported as that, and this with it.

Why it hurts
------------
Some providers refuse the request.  It happens when the head of a long history is cut off, when a stored greeting of the
assistant is sent along, or when a summary takes the place of the first turns.

Fix
---
unsafe: a user message that says that the beginning is missing is put in front.  None in front of a result: its call is
missing as well, and `orphan-result` tells what becomes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.model import Speaker
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import begin_with_user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message, Result


def check(context: Context) -> Iterator[Finding]:
    messages = [m for m in context.transcript.sent if m.speaker is not Speaker.SYSTEM]
    kind = _kind(messages[0]) if messages else None
    if kind is None:
        return
    first = messages[0]
    variant = "lone" if len(messages) == 1 and context.minds("first-not-user", "lone") else kind
    what = {"assistant": "an assistant message", "call": "a call of the assistant", "result": "a tool result"}[kind]
    yield Finding(
        first.at,
        f"the history begins with {what}",
        variant=variant,
        subject=first.results[0] if kind == "result" and first.results else first,
        cause="the head of the history was cut off"
        if kind != "assistant"
        else "a greeting was stored, or the head cut off",
        fill=_ids(first),
        help="begin with a user message",
        fix=begin_with_user(context) if kind != "result" else None,
    )


def _kind(message: Message) -> str | None:
    """What the first message is; None where a user may be said to begin."""
    if message.item == "" and message.speaker is Speaker.ASSISTANT:
        return "call" if message.calls else "assistant"
    if message.speaker is Speaker.TOOL or (message.speaker is Speaker.USER and message.only_results):
        return "result"
    return None


def _ids(message: Message) -> dict[str, object]:
    parts: list[Call | Result] = [*message.results, *message.calls]
    found = [p.id for p in parts if isinstance(p.id, str)]
    return {"id": found[0], "ids": ", ".join(found)} if found else {}


_HELLO = {"role": "user", "content": [{"text": "Hello"}]}
_GREETING = {"role": "assistant", "content": [{"text": "How can I help?"}]}

RULE = Rule(
    check,
    consequence_of=("misplaced-call-turn", "orphan-result", "result-before-call", "misplaced-result", "unknown-role"),
    valid=(
        Example(
            [{"role": "assistant", "content": "How can I help?"}, {"role": "user", "content": "Hello"}], target="openai"
        ),
        Example([{"role": "user", "parts": [{"text": "Hello"}]}], target="gemini"),
    ),
    invalid=(
        Example(
            [{"role": "assistant", "content": "How can I help?"}, {"role": "user", "content": "Hello"}],
            target="bedrock",
            dialect="openai-chat",
            at="/0",
            says="A conversation must start with a user message.",
        ),
        Example(
            [{"role": "assistant", "content": "How can I help?"}],
            target="mistral",
            dialect="openai-chat",
            mode="saved",
            at="/0",
            says="Conversation must start with a user message or system message",
        ),
    ),
)
