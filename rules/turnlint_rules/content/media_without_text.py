"""A document or image without the text part that must go with it.

What it finds
-------------
A user message with a document (for some models with any media) and no text that says something.

Why it hurts
------------
The request is refused.  It happens when a file is attached without a question, or when the question went into a turn
before.

Fix
---
unsafe: a text that says that nothing was said about it is put behind it.  What the user wants to know is not in the
message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Media, Speaker
from turnlint.repair import AddText
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import NO_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        if message.speaker is not Speaker.USER:
            continue
        media = [p for p in message.parts if isinstance(p, Media)]
        if not media or any(p.kind is Kind.TEXT and p.text and p.text.strip() for p in message.parts):
            continue
        document = next((m for m in media if m.media == "document"), None)
        variant = "document" if document is not None else "other"
        yield Finding(
            (document or media[0]).at,
            f"the {'document' if document is not None else 'media'} comes without a text",
            variant=variant,
            subject=message,
            cause="a file was attached without a question",
            help="add a text to the message",
            fix=Fix(
                "say that nothing was said about it",
                Safety.UNSAFE,
                "the user did not write it",
                (AddText(message, NO_WORDS),),
            ),
        )


_DOCUMENT = {"document": {"format": "txt", "name": "doc", "source": {"text": "a"}}}
_IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}

RULE = Rule(
    check,
    valid=(
        Example(
            [{"role": "user", "content": [_DOCUMENT, {"text": "Read it."}]}],
            target="bedrock",
            dialect="bedrock-converse",
        ),
        Example([{"role": "user", "parts": [_IMAGE]}], target="gemini"),
    ),
    invalid=(
        Example(
            [{"role": "user", "content": [_DOCUMENT]}],
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/0/document",
            says="A text block must be included when using documents.",
            fixed=[{"role": "user", "content": [_DOCUMENT, {"text": NO_WORDS}]}],
        ),
        Example(
            {"model": "gemini-2.0-flash", "contents": [{"role": "user", "parts": [_IMAGE]}]},
            target="vertex",
            dialect="gemini",
            at="/contents/0/parts/0",
            says="it must have a text parameter",
        ),
    ),
)
