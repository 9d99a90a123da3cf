"""A tool result longer than the limit.

What it finds
-------------
A result with more characters than `max-result-chars`, or than the target takes at all.  The texts of a result are
counted, objects as the JSON that they are.

Why it hurts
------------
One large result fills the context window and is paid for with every turn that follows.  Above the target's own limit
the request is refused.

Fix
---
None: what can be left out is for the tool to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from turnlint.diagnostic import Severity
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Result


def check(context: Context) -> Iterator[Finding]:
    limits = [context.settings.get("max-result-chars")]
    verdict = context.minds("oversized-result")
    if verdict is not None:
        limits.append(verdict.limits.get("maximum"))
    known = [limit for limit in limits if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0]
    if not known:
        return
    for result in context.pairing.results:
        count = _length(result)
        if count > min(known):
            refused = verdict is not None and count > max(known[-1:])
            call = context.pairing.call_of(result)
            name = call.name if call is not None and isinstance(call.name, str) else result.name
            yield Finding(
                result.content_at or result.at,
                f"the result of {brief(name) if isinstance(name, str) else 'a tool'} has {count} characters, "
                f"more than {min(known)}",
                subject=result,
                fill={"n": count, "id": printed(result.id), "tool": str(name)},
                severity=None if refused or verdict is None else Severity.WARNING,
                help="let the tool shorten its answer, or store it elsewhere and hand the model a reference",
            )


def _length(result: Result) -> int:
    content: Any = result.content
    if isinstance(content, str):
        return len(content)
    if isinstance(content, list) and result.parts:
        return sum(len(p.text or "") for p in result.parts)
    if content is None:
        return 0
    try:
        return len(msgspec.json.encode(content))
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError):
        return 0


def _turn(text: str) -> list[dict[str, Any]]:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Read it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]


RULE = Rule(
    check,
    valid=(
        Example(_turn("x" * 50), target="openai", settings={"max-result-chars": 50}),
        Example(_turn("x" * 500), target="openai", title="no limit is set"),
    ),
    invalid=(
        Example(
            _turn("x" * 51),
            target="openai",
            settings={"max-result-chars": 50},
            at="/2/content",
            severity=Severity.WARNING,
        ),
        Example(
            _turn("x" * 500),
            target="anthropic",
            settings={"max-result-chars": 50},
            at="/2/content",
            severity=Severity.WARNING,
        ),
    ),
)
