"""A message without any part.

What it finds
-------------
A message of the user, the assistant or the system whose content is an empty text or an empty list, or that has no
content, and no calls either; for some targets also one that holds nothing but reasoning.  An empty assistant message
at the very end is a prefill, which some targets take.

Why it hurts
------------
The request is refused, for ever, as the history is sent again with each turn.  It happens when a model answers with
nothing and the empty answer is stored, and when calls are dropped on the way and their empty text is kept.

Fix
---
safe: an empty message of the assistant or the system is removed.
unsafe: that of a user is removed too, but then a turn of the user is gone; and so is one that holds only reasoning.
None for the only message, without which no conversation is left, nor for an empty text beside calls: what the target
wants in its place it does not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Speaker
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.speech import has_calls, is_all_there_is, null_speaks, substance
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message

_WHAT = {
    "last-assistant": "the last message is empty",
    "beside-calls": "the text beside the calls is empty",
    "reasoning-only": "the message holds nothing but reasoning",
    "empty-list": "the message has no parts",
    "empty-string": "the message is empty",
    "no-parts": "the message has no content",
}


def check(context: Context) -> Iterator[Finding]:
    sent = context.transcript.sent
    last = sent[-1] if sent else None
    for message in context.transcript.messages:
        variant = _variant(message, last=message is last)
        if variant is None or null_speaks(message, context):
            continue
        verdict = context.minds("empty-content", variant)
        roles = verdict.limits.get("roles") if verdict is not None else None
        if verdict is None or (isinstance(roles, tuple) and message.speaker.value not in roles):
            continue
        yield Finding(
            message.content_at or message.at,
            _WHAT[variant],
            variant=variant,
            subject=message,
            cause=_cause(message),
            fill={"n": brief(message.role)},
            fix=None if variant == "beside-calls" or is_all_there_is(message, context) else _fix(message, variant),
        )


def _variant(message: Message, *, last: bool) -> str | None:
    """What kind of nothing a message is; None where it says something."""
    if message.speaker not in (Speaker.USER, Speaker.ASSISTANT, Speaker.SYSTEM) or message.directive:
        return None
    if message.item and message.item != "message":
        return None
    rest = substance(message)
    if has_calls(message):
        return "beside-calls" if message.content == "" else None
    if rest:
        only = message.speaker is Speaker.ASSISTANT and all(p.kind is Kind.REASONING for p in rest)
        return "reasoning-only" if only and not last else None
    if message.content == "":
        kind = "empty-string"
    elif message.content == []:
        kind = "empty-list"
    elif message.content_form in ("null", "absent"):
        kind = "no-parts"
    else:
        return None
    return "last-assistant" if last and message.speaker is Speaker.ASSISTANT else kind


def _cause(message: Message) -> str:
    if message.speaker is Speaker.ASSISTANT:
        return "the model answered with nothing, or the calls of this turn were dropped"
    return "what was to be said was dropped on the way"


def _fix(message: Message, variant: str) -> Fix:
    if variant == "reasoning-only":
        return Fix("remove the message", Safety.UNSAFE, "the reasoning is gone then", (Remove(message),))
    if message.speaker is Speaker.USER:
        return Fix("remove the message", Safety.UNSAFE, "a turn of the user is gone then", (Remove(message),))
    return Fix("remove the message", verbs=(Remove(message),))


_HELLO = {"role": "user", "content": "Hello"}
_NEXT = {"role": "user", "content": "Still there?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}

RULE = Rule(
    check,
    consequence_of=("empty-result", "blank-text", "unknown-role"),
    valid=(
        Example(
            [
                _HELLO,
                {"role": "assistant", "content": "", "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
            ],
            target="xai",
        ),
        Example(
            {"model": "claude-sonnet-4-5", "messages": [_HELLO, {"role": "assistant", "content": ""}]},
            target="anthropic",
            dialect="anthropic",
            title="the last message may be empty",
        ),
    ),
    invalid=(
        Example(
            [_HELLO, {"role": "user", "content": ""}],
            target="anthropic",
            dialect="anthropic",
            at="/1/content",
            fixed=[_HELLO],
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": []}, _NEXT],
            target="anthropic",
            dialect="anthropic",
            at="/1/content",
            says="messages.1: all messages must have non-empty content except for the optional final assistant message",
            fixed=[_HELLO, _NEXT],
        ),
        Example(
            [{"role": "user", "parts": [{"text": "Hello"}]}, {"role": "model", "parts": []}],
            target="gemini",
            mode="saved",
            at="/1/parts",
            says="contents[1].parts: contents.parts must not be empty",
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": ""}, _NEXT],
            target="moonshot",
            at="/1/content",
            says="the message at position 1 with role 'assistant' must not be empty",
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": None}, _NEXT],
            target="xai",
            at="/1/content",
            says="Each message must have at least one content element.",
        ),
    ),
)
