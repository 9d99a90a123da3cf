"""A tool result without content.

What it finds
-------------
A result that is an empty text or an empty list, is null, or has no content at all, for a target that does not pass
that on as it is.  Most providers take it; a result marked as an error is `empty-error-result`.

Why it hurts
------------
Some write a stand-in such as `{}` into the prompt, which the model reads as the tool's answer.  It happens with tools
that do something and have nothing to say.

Fix
---
unsafe: `(no output)`, or what `empty-placeholder` says, becomes the content.  It says no more than is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.repair import SetContent
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import NO_OUTPUT
from turnlint_rules.speech import is_bare, null_speaks
from turnlint_rules.wording import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Result


def check(context: Context) -> Iterator[Finding]:
    errors_apart = context.minds("empty-error-result") is not None
    for result in context.transcript.results():
        if result.hosted or not is_bare(result) or (result.is_error and errors_apart):
            continue
        if null_speaks(result.message, context):
            continue
        yield Finding(
            result.content_at or result.at,
            "the result has no content",
            variant=_variant(result),
            subject=result,
            cause="the tool had nothing to say, or its output was dropped",
            fill={"id": printed(result.id), "tool": printed(result.name)},
            fix=Fix(
                "say that there was no output",
                Safety.UNSAFE,
                "the model reads the words as the tool's",
                (SetContent(result, str(context.settings.get("empty-placeholder") or NO_OUTPUT)),),
            ),
        )


def _variant(result: Result) -> str:
    if result.content is None:
        return "missing"
    return "empty-string" if result.content == "" else "empty-list"


_CALL = {"id": "aB3dE5fG7", "type": "function", "function": {"name": "save", "arguments": "{}"}}
_TURNS = [{"role": "user", "content": "Save it."}, {"role": "assistant", "content": "", "tool_calls": [_CALL]}]
_EMPTY = {"role": "tool", "tool_call_id": "aB3dE5fG7", "name": "save", "content": ""}

RULE = Rule(
    check,
    valid=(
        Example([*_TURNS, _EMPTY], target="openai"),
        Example([*_TURNS, {**_EMPTY, "content": "saved"}], target="mistral", dialect="openai-chat"),
    ),
    invalid=(
        Example(
            [*_TURNS, _EMPTY],
            target="mistral",
            dialect="openai-chat",
            at="/2/content",
            severity=Severity.WARNING,
            fixed=[*_TURNS, {**_EMPTY, "content": "(no output)"}],
        ),
        Example(
            {"model": "mistral-large-latest", "messages": [*_TURNS, _EMPTY]},
            target="mistral",
            dialect="openai-chat",
            at="/messages/2/content",
            severity=Severity.WARNING,
        ),
    ),
)
