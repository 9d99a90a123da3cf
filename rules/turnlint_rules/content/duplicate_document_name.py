"""Two documents of one name.

What it finds
-------------
A document whose name another document has already, anywhere in the conversation, results included.

Why it hurts
------------
The request is refused.  It happens when every upload is named `document`, and when the same file is attached in two
turns.

Fix
---
safe: the later one gets a number behind its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.content.mismatched_media import media_of
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Media


def check(context: Context) -> Iterator[Finding]:
    documents = [m for m in media_of(context) if m.media == "document" and isinstance(m.name, str)]
    taken = {m.name for m in documents}
    first: dict[str, Media] = {}
    copies: dict[str, int] = {}
    for document in documents:
        name = document.name
        if first.setdefault(name, document) is document:
            continue
        number = copies.get(name, 1) + 1
        while f"{name} {number}" in taken:
            number += 1
        copies[name] = number
        taken.add(f"{name} {number}")
        at = document.name_at
        yield Finding(
            at or document.at,
            f"another document is named {brief(name)!r} too",
            subject=document,
            cause="documents get a fixed name, or one was attached twice",
            related=((first[name].name_at or first[name].at, "the document with that name"),),
            fill={"n": brief(name)},
            fix=Fix("number the name", verbs=(SetValue(at, f"{name} {number}"),)) if at is not None else None,
        )


def _documents(*names: str) -> list[object]:
    documents = [{"document": {"format": "txt", "name": name, "source": {"text": "a"}}} for name in names]
    return [{"role": "user", "content": [*documents, {"text": "Read them."}]}]


RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example(_documents("report", "letter"), target="bedrock", dialect="bedrock-converse"),
        Example(_documents("report", "Report"), target="bedrock", dialect="bedrock-converse"),
    ),
    invalid=(
        Example(
            _documents("report", "report"),
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/1/document/name",
            says="Messages can't contain duplicate document names.",
            fixed=_documents("report", "report 2"),
        ),
        Example(
            _documents("report", "report", "report 2"),
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/1/document/name",
            fixed=_documents("report", "report 3", "report 2"),
        ),
    ),
)
