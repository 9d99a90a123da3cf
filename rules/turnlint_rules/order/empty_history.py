"""No messages.

What it finds
-------------
A history, or a request body, whose list of messages is empty.  Where the request goes on from a conversation that the
provider keeps, an empty list is fine.

Why it hurts
------------
There is nothing to answer.  Most providers refuse the request; a local server loads the model and answers with nothing.
It happens when a history is trimmed to its last turns and the window holds none, or when the key is misspelt.

Fix
---
None: what should have been there is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    if transcript.messages or transcript.stray:
        return
    yield Finding(
        transcript.at,
        "there are no messages",
        cause="the history was trimmed to nothing, or stored under another key",
        help="send at least one message of the user",
    )


RULE = Rule(
    check,
    valid=(
        Example([{"role": "user", "content": "Weather in Oslo?"}], target="openai"),
        Example({"contents": [{"role": "user", "parts": [{"text": "Weather in Oslo?"}]}]}, target="gemini"),
    ),
    invalid=(
        Example({"messages": []}, target="openai", dialect="openai-chat", at="/messages", says="empty array"),
        Example({"contents": []}, target="gemini", dialect="gemini", at="/contents", says="contents are required"),
        Example(
            {"messages": []},
            target="groq",
            dialect="openai-chat",
            at="/messages",
            severity=Severity.WARNING,
        ),
    ),
)
