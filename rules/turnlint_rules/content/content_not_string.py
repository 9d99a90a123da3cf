"""A list of text parts where the target takes only a string.

What it finds
-------------
A message, or a result, whose content is a list of parts, for a target (or one of its models) that takes a string there.

Why it hurts
------------
The request is refused, or the list is written into the prompt as it is printed.  It happens when a history is written
for an API with parts and sent to a server without.

Fix
---
safe: texts are joined into one, line by line.  A list with other parts stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Kind, Speaker
from turnlint.repair import SetContent
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message

_WHO = {Speaker.USER: "user", Speaker.ASSISTANT: "assistant", Speaker.SYSTEM: "system", Speaker.TOOL: "result"}


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        who = _WHO.get(message.speaker)
        if message.content_form != "list" or message.item or who is None:
            continue
        yield Finding(
            message.content_at or message.at,
            "the content is a list of parts, and a string is wanted",
            variant=who,
            subject=message,
            cause="the history was written for an API with parts",
            fill={"n": brief(message.role)},
            fix=_fix(message),
        )


def _fix(message: Message) -> Fix | None:
    result = message.results[0] if message.speaker is Speaker.TOOL and message.results else None
    parts = result.parts if result is not None else [p for p in message.parts if isinstance(p.at.step, int)]
    texts = [p.text for p in parts if p.kind is Kind.TEXT and p.text is not None]
    if len(texts) != len(message.content):
        return None
    return Fix("join the texts", verbs=(SetContent(result or message, "\n".join(texts)),))


_LIST = {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]}

RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example([{"role": "user", "content": "Hello"}], target="ollama", dialect="ollama"),
        Example([_LIST], target="openai"),
    ),
    invalid=(
        Example(
            [_LIST],
            target="ollama",
            dialect="ollama",
            at="/0/content",
            says="json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
            fixed=[{"role": "user", "content": "Hello\nthere"}],
        ),
        Example([_LIST], target="chat-template", at="/0/content", severity=Severity.WARNING),
    ),
)
