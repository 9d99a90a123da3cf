"""What a message says: which rule about missing words has the word, where several could.

``""`` and ``[]`` as a whole content are empty-content, null and a missing key null-content, a text part or a whole
content of white space blank-text; results without content are empty-result (or empty-error-result).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.model import Kind, Speaker

if TYPE_CHECKING:
    from turnlint.model import Message, Part, Result
    from turnlint.rule import Context


def substance(message: Message) -> list[Part]:
    """The parts of a message that are more than an empty text."""
    return [p for p in message.parts if p.kind is not Kind.TEXT or p.text]


def has_calls(message: Message) -> bool:
    """Whether it has calls of any kind, the provider's own included."""
    return message.has(Kind.CALL, Kind.HOSTED_CALL)


def null_variant(message: Message) -> str | None:
    """The variant of null-content that fits a message; None where null says nothing."""
    if message.content_form not in ("null", "absent") or message.item:
        return None
    if message.speaker is Speaker.TOOL:
        who = "result"
    elif message.speaker in (Speaker.USER, Speaker.SYSTEM):
        who = message.speaker.value
    elif message.speaker is not Speaker.ASSISTANT or message.has(Kind.REFUSAL, Kind.CONTROL):
        return None
    else:
        who = "with-calls" if has_calls(message) else "without-calls"
        if message.content_form == "null":
            return f"assistant-{who}"
    return f"missing-{who}" if message.content_form == "absent" else who


def null_speaks(message: Message, context: Context) -> bool:
    """Whether null-content has the word about a message."""
    variant = null_variant(message) if context.native else None
    return variant is not None and context.minds("null-content", variant) is not None


def is_bare(result: Result) -> bool:
    """Whether a result has no content at all: none, null, an empty text or an empty list."""
    return result.content is None or result.content in ("", [])


def is_all_there_is(message: Message, context: Context) -> bool:
    """Whether a history would be without any conversation if this message were taken out."""
    return all(m is message or m.speaker is Speaker.SYSTEM for m in context.transcript.messages)
