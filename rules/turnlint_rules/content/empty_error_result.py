"""An error result that says nothing.

What it finds
-------------
A tool result marked as an error whose content is empty, null or missing.

Why it hurts
------------
The request is refused, although the same result without the mark is taken.  It happens when a command fails without
output.

Fix
---
unsafe: a text that says that the tool failed and gave no output becomes the content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.repair import SetContent
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import FAILED
from turnlint_rules.speech import is_bare
from turnlint_rules.wording import printed

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    for result in context.transcript.results():
        if result.is_error and not result.hosted and is_bare(result):
            yield Finding(
                result.content_at or result.at,
                "a result is marked as an error and says nothing",
                subject=result,
                cause="the tool failed without output",
                fill={"id": printed(result.id)},
                fix=Fix(
                    "say that the tool failed without output",
                    Safety.UNSAFE,
                    "the model reads the words as the tool's",
                    (SetContent(result, FAILED),),
                ),
            )


_TURNS = [
    {"role": "user", "content": "Run it."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"c": "false"}}]},
]


def _with(**result: object) -> list[object]:
    return [*_TURNS, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", **result}]}]


RULE = Rule(
    check,
    valid=(
        Example(_with(content="exit 1", is_error=True), target="anthropic"),
        Example(_with(content=""), target="anthropic", title="without the mark it may be empty"),
    ),
    invalid=(
        Example(
            _with(content="", is_error=True),
            target="anthropic",
            at="/2/content/0/content",
            says="messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
            fixed=_with(content="The tool failed without output.", is_error=True),
        ),
        Example(_with(is_error=True), target="anthropic", at="/2/content/0", title="no content at all"),
        Example(
            [
                {"role": "user", "content": [{"text": "Run it."}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "bash", "input": {}}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [], "status": "error"}}]},
            ],
            target="bedrock",
            dialect="bedrock-converse",
            at="/2/content/0/toolResult/content",
            says="The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
        ),
    ),
)
