"""A batch line without its custom ID.

What it finds
-------------
A line of a batch file without `custom_id`, or with one that is no text or an empty one.

Why it hurts
------------
The batch fails, or its answer cannot be told from others: answers come in any order.

Fix
---
None: the program that reads the answers must know the ID.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.kind != "request" or not isinstance(line.raw, dict):
        return
    custom = line.raw.get("custom_id")
    if isinstance(custom, str) and custom:
        return
    there = "custom_id" in line.raw
    yield Finding(
        line.at / "custom_id" if there else line.at,
        "the custom_id of the line is no text" if there and custom != "" else "the line of the batch has no custom_id",
        help="give each line an ID of its own, such as its number",
    )


_BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
_FIRST = {"custom_id": "r1", "method": "POST", "url": "/v1/chat/completions", "body": _BODY}


def _batch(**second: Any) -> list[dict[str, Any]]:
    return [_FIRST, {"method": "POST", "url": "/v1/chat/completions", "body": _BODY, **second}]


RULE = Rule(
    check,
    valid=(Example(_batch(custom_id="r2"), target="openai"), Example([_FIRST], target="openai")),
    invalid=(
        Example(_batch(), target="openai", at="/1"),
        Example(_batch(custom_id=2), target="openai", at="/1/custom_id"),
    ),
    consequence_of=("schema-violation",),
)
