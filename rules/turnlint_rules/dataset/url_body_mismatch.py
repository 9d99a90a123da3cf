"""A body that does not fit the address that it was sent to.

What it finds
-------------
In batch files and recordings: `messages` sent to the Responses address, or `input` to that of Chat Completions.  In
batch files also an address that no batch may call, and one that differs from the other lines'.

Why it hurts
------------
The request is refused, or the whole batch is.

Fix
---
None: which of the two is right is not in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Place
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Line


def check(context: Context) -> Iterator[Finding]:
    candidate = context.transcript.candidate
    line = candidate.line
    body = candidate.body or {}
    if candidate.url and candidate.url.endswith("/responses") and "messages" in body and "input" not in body:
        yield Finding(
            candidate.body_at / "messages",
            "messages were sent to the address of Responses, which takes input",
            variant="messages-at-responses",
            cause="the address was changed, and the body was not",
            help="send input to this address, or the messages to that of Chat Completions",
        )
    elif candidate.url and candidate.url.endswith("/chat/completions") and "input" in body and "messages" not in body:
        yield Finding(
            candidate.body_at / "input",
            "input was sent to the address of Chat Completions, which takes messages",
            variant="input-at-chat",
            cause="the address was changed, and the body was not",
            help="send messages to this address, or the input to that of Responses",
        )
    if line is not None and line.kind == "request" and isinstance(line.raw, dict):
        yield from _address(line, context)


def _address(line: Line, context: Context) -> Iterator[Finding]:
    url = line.raw.get("url")
    if not isinstance(url, str) or not url:
        return
    verdict = context.minds("url-body-mismatch", "unknown-endpoint")
    allowed = verdict.limits.get("allowed") if verdict is not None else None
    if isinstance(allowed, tuple) and url not in allowed and not url.startswith("http"):
        yield Finding(
            line.at / "url",
            f"a batch cannot call {brief(url)}",
            variant="unknown-endpoint",
            help=f"use one of {', '.join(allowed[:3])}, …",
        )
    elif line.first_url is not None and url != line.first_url:
        earlier = line.first != line.at.document
        yield Finding(
            line.at / "url",
            f"the line calls {brief(url)}, and the first one {brief(line.first_url)}",
            variant="other-url",
            related=((Place(("url",), line.first), "the address of the first line"),) if earlier else (),
            help="split the file: a batch has one address",
        )


_ASK = [{"role": "user", "content": "Hi"}]


def _line(number: int, url: str, **body: Any) -> dict[str, Any]:
    return {"custom_id": f"r{number}", "method": "POST", "url": url, "body": {"model": "gpt-5", **body}}


_CHAT, _RESPONSES = "/v1/chat/completions", "/v1/responses"

RULE = Rule(
    check,
    valid=(
        Example([_line(1, _CHAT, messages=_ASK)], target="openai"),
        Example([_line(1, _RESPONSES, input=_ASK)], target="openai"),
    ),
    invalid=(
        Example(
            [_line(1, _RESPONSES, messages=_ASK)],
            target="openai",
            at="/0/body/messages",
            says="In the Responses API, this parameter has moved to 'input'",
        ),
        Example([_line(1, "/v1/chat", messages=_ASK)], target="openai", at="/0/url"),
        Example(
            [_line(1, _CHAT, messages=_ASK), _line(2, _RESPONSES, input=_ASK)],
            target="openai",
            at="/1/url",
            title="two addresses in one file",
        ),
    ),
)
