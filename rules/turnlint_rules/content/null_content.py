"""Null, or no content key, where the role needs text.

What it finds
-------------
A message whose content is null or not there, for a target that wants text from that role.  Beside calls null is what
most providers write themselves, and few refuse it.

Why it hurts
------------
The request is refused.  It happens when a message is rebuilt from a part of its keys: the calls are lost, and the
null that stood beside them stays; or when a serialiser leaves out, or writes, what is not set.

Fix
---
safe: an empty text becomes the content of a result, or of an assistant message.
unsafe: that of a user or system message becomes an empty text.  Where the target minds an empty text, the message is
removed, unless it is the only one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Speaker
from turnlint.repair import Remove, SetContent
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.speech import has_calls, is_all_there_is, null_variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    for message in context.transcript.messages:
        variant = null_variant(message)
        if variant is not None:
            yield Finding(
                message.content_at or message.at,
                _says(message),
                variant=variant,
                subject=message,
                cause=_cause(message),
                fix=_fix(message, context),
            )


def _says(message: Message) -> str:
    what = "has content null" if message.content_form == "null" else "has no content"
    return f"{'the result' if message.speaker is Speaker.TOOL else 'the message'} {what}"


def _cause(message: Message) -> str | None:
    if message.speaker is Speaker.ASSISTANT and not has_calls(message):
        return "the calls of this turn were dropped, or the model answered with nothing"
    return None


def _fix(message: Message, context: Context) -> Fix | None:
    if message.speaker is Speaker.TOOL:
        return Fix("write an empty text", verbs=(SetContent(message.results[0], ""),)) if message.results else None
    gone = message.speaker is not Speaker.ASSISTANT
    safety, reason = (Safety.UNSAFE, "what was meant to be said is not known") if gone else (Safety.SAFE, None)
    verdict = context.minds("empty-content", "empty-string")
    if verdict is not None and not has_calls(message):
        if is_all_there_is(message, context):
            return None
        return Fix("remove the message", safety, reason, (Remove(message),))
    return Fix("write an empty text", safety, reason, (SetContent(message, ""),))


_HELLO = {"role": "user", "content": "Hello"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
_CALLS = {"role": "assistant", "content": None, "tool_calls": [_CALL]}

RULE = Rule(
    check,
    native_only=True,
    valid=(
        Example([_HELLO, _CALLS, {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}], target="openai"),
        Example(
            [_HELLO, {"role": "assistant", "content": None, "refusal": "I cannot help with that."}, _HELLO],
            target="openai",
        ),
    ),
    invalid=(
        Example(
            [_HELLO, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": None}],
            target="openai",
            at="/2/content",
            fixed=[_HELLO, {"role": "assistant", "content": "Hi."}],
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": None}, {"role": "user", "content": "Glasgow"}],
            target="openai",
            at="/1/content",
            says="Invalid value for 'content': expected a string, got null.",
            fixed=[_HELLO, {"role": "user", "content": "Glasgow"}],
        ),
        Example(
            [_HELLO, _CALLS, {"role": "tool", "tool_call_id": "call_1", "content": None}],
            target="openai",
            at="/2/content",
            says="Invalid value for 'content': expected a string, got null.",
            fixed=[_HELLO, _CALLS, {"role": "tool", "tool_call_id": "call_1", "content": ""}],
        ),
        Example(
            [_HELLO, {"role": "assistant"}],
            target="deepseek",
            mode="saved",
            dialect="openai-chat",
            at="/1",
            says="messages[1]: missing field `content`",
        ),
        Example(
            [_HELLO, _CALLS, {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}],
            target="cloudflare",
            at="/1/content",
            says="required properties at '/messages/1' are 'role,content'",
        ),
    ),
)
