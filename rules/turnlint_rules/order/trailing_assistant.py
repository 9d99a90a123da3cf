"""A request that ends in an assistant turn the target will not continue.

What it finds
-------------
The last message to be sent is the assistant's.  Some models go on with it (a prefill), others refuse it, others begin
a new message.  A message marked as a prefix is meant so, a turn that the provider paused goes on, and a saved history
simply ends with its answer: none of these is reported.

Why it hurts
------------
Newer models refuse a prefill that older ones took.  It happens when a finished conversation is sent once more, when a
session moves to another model, and when trimming drops the results at the end.

Fix
---
unsafe: a user message that asks to go on is put behind it.  None where it ends in open calls: they want results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Speaker
from turnlint.pairing import CallState
from turnlint.repair import InsertMessage
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import GO_ON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    sent = context.transcript.sent
    if not sent or sent[-1].speaker is not Speaker.ASSISTANT:
        return
    last = sent[-1]
    if last.item or last.prefix_at is not None or _is_paused(last):
        return
    if last.calls and all(context.pairing.call_states[c.number] is CallState.EARLY for c in last.calls):
        return  # the results are there, in front of their calls
    if _thinks_unasked(last, context):
        return
    variant = next((v for v in _variants(sent, native=context.native) if context.minds("trailing-assistant", v)), None)
    if variant is None:
        return
    yield Finding(
        last.at,
        "the request ends in an assistant message" + (" with open calls" if last.calls else ""),
        variant=variant,
        subject=last,
        cause=_cause(variant),
        help="end with a user message, or with the results of the calls",
        fix=None if variant == "calls" else _fix(last),
    )


def _fix(last: Message) -> Fix:
    return Fix(
        "put a user message behind it that asks to go on",
        Safety.UNSAFE,
        "the user did not write it",
        (InsertMessage(Speaker.USER, GO_ON, last),),
    )


def _is_paused(message: Message) -> bool:
    """Whether the provider itself stopped in the middle of the turn, and goes on when it gets it back."""
    hosted = bool(message.parts) and message.parts[-1].kind in (Kind.HOSTED_CALL, Kind.HOSTED_RESULT)
    return hosted or message.stop_reason == "pause_turn"


def _thinks_unasked(message: Message, context: Context) -> bool:
    """Whether it is thinking that the request does not turn on: `unsupported-reasoning` says so."""
    if not context.transcript.is_body or all(p.type != "thinking" for p in message.parts):
        return False
    if context.minds("unsupported-reasoning", "trailing-thinking") is None:
        return False
    return request_of(context.transcript).thinking not in ("on", "adaptive")


def _variants(sent: Sequence[Message], *, native: bool) -> Iterator[str]:
    """What the end is, the narrowest first."""
    last = sent[-1]
    if last.calls:
        yield "calls"
        return
    if len(sent) > 1 and sent[-2].speaker is Speaker.ASSISTANT:
        yield "doubled"
    if native and last.parts and last.parts[-1].kind is Kind.REASONING:
        yield "reasoning-last"
    if last.parts and all(p.kind is Kind.REASONING for p in last.parts):
        yield "reasoning-only"
    yield "plain"


def _cause(variant: str) -> str:
    if variant == "calls":
        return "the results at the end were lost, or not yet stored"
    return "a finished conversation was sent once more, or a prefill is meant for another model"


_HELLO = {"role": "user", "content": "Write JSON."}

RULE = Rule(
    check,
    consequence_of=("unanswered-call",),
    valid=(
        Example(
            {"model": "claude-sonnet-4-5", "messages": [_HELLO, {"role": "assistant", "content": "{"}]},
            target="anthropic",
            dialect="anthropic",
            title="a model that takes a prefill",
        ),
        Example(
            {"model": "claude-sonnet-4-6", "messages": [_HELLO, {"role": "assistant", "content": "{}"}]},
            target="anthropic",
            dialect="anthropic",
            mode="saved",
            title="a finished conversation at rest",
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": "{", "prefix": True}],
            target="mistral",
            dialect="openai-chat",
            title="marked as a prefix",
        ),
    ),
    invalid=(
        Example(
            {
                "model": "claude-sonnet-4-5",
                "thinking": {"type": "enabled", "budget_tokens": 2048},
                "messages": [
                    _HELLO,
                    {
                        "role": "assistant",
                        "content": [{"type": "thinking", "thinking": "An object", "signature": "EqQB"}],
                    },
                ],
            },
            target="anthropic",
            at="/messages/1",
            says="The final block in an assistant message cannot be `thinking`.",
        ),
        Example(
            {"model": "claude-sonnet-4-6", "messages": [_HELLO, {"role": "assistant", "content": "{"}]},
            target="anthropic",
            dialect="anthropic",
            at="/messages/1",
            says="This model does not support assistant message prefill.",
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": "Thought: I should look."}],
            target="mistral",
            dialect="openai-chat",
            at="/1",
            says="Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        ),
        Example(
            {
                "model": "gemini-3.6-flash",
                "contents": [
                    {"role": "user", "parts": [{"text": "Hello"}]},
                    {"role": "model", "parts": [{"text": "Hello."}]},
                ],
            },
            target="gemini",
            at="/contents/1",
            says="Requests ending with a model turn are not supported.",
        ),
    ),
)
