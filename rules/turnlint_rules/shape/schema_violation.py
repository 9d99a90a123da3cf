"""A key, type or value that the dialect's own schema does not allow.

What it finds
-------------
What is wrong with the shape alone: an element of the list that is no message, a message without its role, content
that is one object, a part without its type, a call without its function, a member that the type requires and that is
missing, a number or an object where the type has a text.  Each target says which of these it refuses.  Keys that
should not be there are `unknown-key`.

Why it hurts
------------
The request is refused before anybody looks at the conversation.  It happens when objects of an SDK are dumped with
its own names, when one message is stored where a list belongs, and when a converter leaves out what is constant.

Fix
---
safe where only one value is possible: `"type": "function"` on a call, `{}` for arguments that were left out, a member
that is null and goes, a list around content that is one part, a part around content that is a text, the object around
the address of an image, the type of a text, the role of a content without one.  Otherwise none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.dialects.flaws import flaws_of
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for flaw in flaws_of(context.transcript):
        if flaw.kind != "schema" or not context.minds("schema-violation", flaw.variants):
            continue
        yield Finding(
            flaw.at,
            flaw.message,
            variant=flaw.variants,
            subject=flaw.subject,
            fill={"n": flaw.word} if flaw.word else {},
            help="store messages in the shape in which they are sent",
            fix=Fix("complete the shape", Safety.SAFE, None, flaw.verbs) if flaw.verbs else None,
        )


def _turn(call: object) -> list[object]:
    return [
        {"role": "user", "content": "What time is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "14:02"},
    ]


_FUNCTION = {"name": "get_time", "arguments": "{}"}

RULE = Rule(
    check,
    valid=(
        Example(_turn({"id": "call_1", "type": "function", "function": _FUNCTION}), target="llama-cpp"),
        Example(
            {"contents": [{"parts": [{"text": "Hi"}]}]},
            target="gemini",
            dialect="gemini",
            title="a role may be left out",
        ),
    ),
    invalid=(
        Example(
            [{"role": "user", "content": {"type": "text", "text": "hi"}}],
            target="openai",
            dialect="openai-chat",
            at="/0/content",
            says="expected one of a string or array of objects, but got an object instead",
            fixed=[{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        ),
        Example(
            [{"role": "user", "content": [{"type": "image_url", "image_url": "https://example.org/cat.png"}]}],
            target="openai",
            at="/0/content/0/image_url",
            fixed=[
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}],
                }
            ],
            title="an address where an object with it is taken",
        ),
        Example(
            _turn({"id": "call_1", "function": _FUNCTION}),
            target="llama-cpp",
            at="/1/tool_calls/0",
            says="Missing tool call type",
            fixed=_turn({"id": "call_1", "function": _FUNCTION, "type": "function"}),
        ),
        Example(
            {"contents": [{"role": "user", "parts": [{"text": "Hi"}, {}]}]},
            target="gemini",
            at="/contents/0/parts/1",
            says="contents[0].parts[1].data: required oneof field 'data' must have one initialized field",
            fixed={"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
        ),
        Example(
            [
                {"role": "user", "content": [{"text": "Hi"}]},
                {
                    "role": "assistant",
                    "content": [{"reasoningContent": {"reasoningText": {"text": None}}}, {"text": "Hello"}],
                },
                {"role": "user", "content": [{"text": "What time is it?"}]},
            ],
            target="bedrock",
            at="/1/content/0/reasoningContent/reasoningText",
            says="reasoningContent.reasoningText.text' failed to satisfy constraint: Member must not be null",
        ),
        Example(
            {
                "model": "gpt-5",
                "input": [
                    {"type": "compaction_trigger"},
                    {"role": "user", "content": [{"type": "input_text", "text": "What time is it?"}]},
                ],
            },
            target="openai",
            at="/input/0",
        ),
    ),
    native_only=True,
    consequence_of=("mixed-dialects", "unsupported-content"),
)
