"""A message or part in the shape of another provider.

What it finds
-------------
In a history of one dialect, a part that only another one has (a `tool_use` block among Chat Completions messages, an
`image_url` among Anthropic's blocks), or a Chat Completions message among Responses items.

Why it hurts
------------
The provider refuses what it does not know, or drops it, and with it a call or a result.  It happens when an agent
changes the provider in the middle of a conversation and keeps the history as it is.

Fix
---
safe for a Chat Completions message with calls or a result among Responses items: it becomes items.  Otherwise none:
convert the message as a whole with the code that converts the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.dialects.flaws import flaws_of
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for flaw in flaws_of(context.transcript):
        if flaw.kind == "foreign":
            yield Finding(
                flaw.at,
                f"{flaw.message} in a history of {context.transcript.dialect}",
                variant=flaw.variants,
                subject=flaw.subject,
                cause="the provider was changed in the middle of the conversation",
                fill={"n": flaw.word},
                help="convert every message to the shape of the provider that it is sent to",
                fix=Fix("write it as items", Safety.SAFE, None, flaw.verbs) if flaw.verbs else None,
            )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
_TEXT = {"type": "text", "text": "And here?"}

RULE = Rule(
    check,
    valid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_TEXT]}], target="anthropic", dialect="anthropic", mode="saved"
        ),
        Example([{"role": "user", "content": [_TEXT, _IMAGE]}], target="openai"),
    ),
    invalid=(
        Example(
            [{"role": "user", "parts": [{"text": "And here?"}, _IMAGE]}],
            target="gemini",
            dialect="gemini",
            at="/0/parts/1",
            severity=Severity.WARNING,
        ),
        Example(
            {"model": "gpt-5", "input": [_ASK, {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}]},
            target="openai",
            dialect="openai-responses",
            at="/input/1",
            says="Invalid value: 'tool'. Supported values are",
            fixed={
                "model": "gpt-5",
                "input": [_ASK, {"type": "function_call_output", "call_id": "call_1", "output": "4 C"}],
            },
        ),
        Example(
            [{"role": "user", "content": [_TEXT]}],
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/0",
            says='Unknown parameter in messages[0].content[0]: "type", must be one of',
        ),
    ),
    native_only=True,
    consequence_of=("unsupported-content",),
)
