"""A document name with characters the target refuses.

What it finds
-------------
The name of a document that has dots, underscores in a row, two spaces together or other characters outside the
target's pattern, or is too long.

Why it hurts
------------
The request is refused.  It happens when the name of a file is used, with its extension.

Fix
---
safe: what is not taken becomes a hyphen, white space becomes one space, and what is too long is cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.content.mismatched_media import media_of
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.targets import Verdict


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("malformed-document-name")
    if verdict is None:
        return
    for document in media_of(context):
        name = document.name
        if document.media != "document" or not isinstance(name, str) or _fits(name, verdict):
            continue
        at, cleaned = document.name_at, _cleaned(name, verdict)
        yield Finding(
            at or document.at,
            f"the document name {brief(name)!r} has characters that are not taken, or is too long",
            subject=document,
            cause="the name of a file was used",
            fill={"n": brief(name)},
            fix=Fix(f"write {brief(cleaned)!r}", verbs=(SetValue(at, cleaned),))
            if cleaned and at is not None
            else None,
        )


def _fits(name: str, verdict: Verdict) -> bool:
    pattern, most = verdict.limits.get("pattern"), verdict.limits.get("maximum")
    if isinstance(most, int) and len(name) > most:
        return False
    return not isinstance(pattern, str) or re.fullmatch(pattern, name) is not None


def _cleaned(name: str, verdict: Verdict) -> str | None:
    """The name with what is not taken replaced, or None where that does not help."""
    most = verdict.limits.get("maximum")
    one_space = " ".join(name[:1000].split())
    cut = one_space[: most if isinstance(most, int) else None]
    cleaned = "".join(c if _fits(c, verdict) else "-" for c in cut).strip()
    return cleaned if cleaned and _fits(cleaned, verdict) else None


def _named(name: str) -> list[object]:
    document = {"document": {"format": "pdf", "name": name, "source": {"bytes": "JVBERi0xLjQK"}}}
    return [{"role": "user", "content": [document, {"text": "Read it."}]}]


RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example(_named("Annual report (2026)"), target="bedrock", dialect="bedrock-converse"),
        Example(_named("cv-final [2]"), target="bedrock", dialect="bedrock-converse"),
    ),
    invalid=(
        Example(
            _named("cv.pdf"),
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/0/document/name",
            says="The document file name can only contain alphanumeric characters",
            fixed=_named("cv-pdf"),
        ),
        Example(
            _named("Annual  report"),
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/0/document/name",
            fixed=_named("Annual report"),
        ),
    ),
)
