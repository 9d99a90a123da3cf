"""An estimate of the tokens of a history above the window given.

What it finds
-------------
With `context-tokens` set (or a context size in the request itself, as Ollama has it): a history whose texts,
arguments and results come to more tokens than that, counted as four bytes a token.  Images and files are not counted.
Off until a size is known.

Why it hurts
------------
Beyond the window a request is refused, or the server drops the oldest messages one by one, which parts calls from
their results.

Fix
---
None: shorten the history at a turn's boundary (`turnlint.cut_points` names them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from turnlint.diagnostic import Severity
from turnlint.model import Call, Result
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part

BYTES_A_TOKEN = 4


def check(context: Context) -> Iterator[Finding]:
    limit = context.settings.get("context-tokens")
    if not isinstance(limit, int) or isinstance(limit, bool):
        limit = request_of(context.transcript).context_tokens
    if limit is None or limit < 1:
        return
    total = sum(_bytes(p) for p in context.transcript.system)
    first_over: Message | None = None
    for message in context.transcript.messages:
        total += sum(_bytes(part) for part in message.parts)
        if first_over is None and total > limit * BYTES_A_TOKEN:
            first_over = message
    if first_over is not None:
        tokens = total // BYTES_A_TOKEN
        yield Finding(
            first_over.at,
            f"the history comes to about {tokens} tokens, and the window holds {limit}",
            subject=first_over,
            fill={"n": tokens},
            help="trim whole exchanges from the head of the history, or summarise them",
        )


def _bytes(part: Part) -> int:
    if isinstance(part, Call):
        return _size(part.arguments)
    if isinstance(part, Result):
        return sum(_size(p.text) for p in part.parts) if part.parts else _size(part.content)
    return _size(part.text)


def _size(value: Any) -> int:
    """UTF-8 bytes of a text, or of the JSON of another value."""
    if value is None:
        return 0
    try:
        return len(value.encode("utf-8", "replace")) if isinstance(value, str) else len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError):
        return 0


_LONG = [{"role": "user", "content": "word " * 100}, {"role": "assistant", "content": "Noted."}]

RULE = Rule(
    check,
    valid=(
        Example(_LONG, target="openai", mode="saved", settings={"context-tokens": 1000}),
        Example(_LONG, target="openai", mode="saved", title="no window is given"),
    ),
    invalid=(
        Example(
            _LONG,
            target="openai",
            mode="saved",
            settings={"context-tokens": 100},
            at="/0",
            severity=Severity.WARNING,
        ),
        Example(
            [{"role": "user", "content": "short"}, *_LONG],
            target="openai",
            mode="saved",
            settings={"context-tokens": 20},
            at="/1",
            severity=Severity.WARNING,
        ),
    ),
)
