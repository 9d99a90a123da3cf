"""A final assistant text that ends in white space.

What it finds
-------------
A request whose last message is the assistant's and ends in a text with white space behind it.

Why it hurts
------------
The request is refused.  It happens when a prefill is cut from a longer text or ends in a line break.

Fix
---
safe: the white space at the end of that text is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Kind, Speaker
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    sent = context.transcript.sent
    if not sent or sent[-1].speaker is not Speaker.ASSISTANT or not sent[-1].parts:
        return
    refused = context.minds("trailing-assistant", "plain")
    if refused is not None and refused.level == "rejects" and refused.certain:
        return  # the message may not stand here at all
    part = sent[-1].parts[-1]
    text = part.text
    if part.kind is not Kind.TEXT or not text or not text[-1].isspace():
        return
    bare = text.rstrip()
    at = part.text_at or part.at
    yield Finding(
        at,
        "the last message ends in white space",
        subject=part,
        cause="a prefill was cut from a longer text",
        fix=Fix("remove the white space at the end", verbs=(SetValue(at, bare),)) if bare else None,
    )


_ASK = {"role": "user", "content": "Write JSON."}


def _with(text: str, model: str = "claude-sonnet-4-5") -> dict[str, object]:
    return {"model": model, "messages": [_ASK, {"role": "assistant", "content": text}]}


RULE = Rule(
    check,
    valid=(
        Example(_with("Sure:"), target="anthropic", dialect="anthropic"),
        Example([_ASK, {"role": "assistant", "content": "Sure: "}, _ASK], target="anthropic", dialect="anthropic"),
    ),
    invalid=(
        Example(
            _with("Sure: "),
            target="anthropic",
            dialect="anthropic",
            at="/messages/1/content",
            says="messages: final assistant content cannot end with trailing whitespace",
            fixed=_with("Sure:"),
        ),
        Example(
            {
                "model": "claude-3-5-haiku-latest",
                "messages": [_ASK, {"role": "assistant", "content": [{"type": "text", "text": "{\n"}]}],
            },
            target="anthropic",
            dialect="anthropic",
            at="/messages/1/content/0/text",
        ),
    ),
)
