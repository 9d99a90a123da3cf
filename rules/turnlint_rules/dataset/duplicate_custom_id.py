"""One custom ID on two lines of a batch.

What it finds
-------------
A line of a batch file whose `custom_id` an earlier line has.  Only hashes are remembered, so that files of any length
are checked.

Why it hurts
------------
The batch fails as a whole.  Where it does not, two answers cannot be told apart.

Fix
---
None: the program that reads the answers must know the IDs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Place
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.repeats is None or not isinstance(line.raw, dict):
        return
    earlier = line.repeats != line.at.document
    yield Finding(
        line.at / "custom_id",
        f"an earlier line has the custom_id {brief(line.raw.get('custom_id'))} too",
        cause="a line was written twice, or IDs are counted anew in each part of the file",
        related=((Place(("custom_id",), line.repeats), "the first line with this ID"),) if earlier else (),
        fill={"id": str(line.raw.get("custom_id"))},
        help="give each line an ID of its own, such as its number",
    )


def _batch(*ids: str) -> list[dict[str, Any]]:
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
    return [{"custom_id": i, "method": "POST", "url": "/v1/chat/completions", "body": body} for i in ids]


RULE = Rule(
    check,
    valid=(Example(_batch("r1", "r2"), target="openai"), Example(_batch("r1"), target="openai")),
    invalid=(
        Example(
            _batch("r1", "r2", "r1"),
            target="openai",
            at="/2/custom_id",
            says="The custom_id for this request is a duplicate of another request.",
        ),
        Example(_batch("r1", "r1"), target="anthropic", at="/1/custom_id"),
    ),
)
