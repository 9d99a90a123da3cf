"""Cohere chat, version 2: the shape of OpenAI Chat with a `tool_plan` beside calls and documents as results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnlint.dialects import Dialect, Marks, openai_chat
from turnlint.dialects.reading import spot, text_of
from turnlint.model import Candidate, Data, Kind, Media, Message, Part, Reasoning, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

#: Models under the names that only Cohere's own service has.
OWN_MODELS = re.compile(r"command-[a-z0-9-]{1,24}-\d{2}-\d{4}", re.ASCII)
OWN_BODY = frozenset({"safety_mode", "citation_options", "strict_tools"})


def recognise(marks: Marks) -> int:
    """Sure of `tool_plan`, of documents in a history with call IDs, and of its own request members and models."""
    if "role" not in marks.keys or "content" not in marks.keys or "parts" in marks.keys:
        return 0
    if marks.function_forms - {"dict", "NoneType"}:
        return 0
    if "tool_plan" in marks.keys:
        return 90
    if marks.body & OWN_BODY or OWN_MODELS.fullmatch(marks.model):
        return 85
    return 85 if "document" in marks.part_types and "tool_call_id" in marks.keys else 0


def narrow(candidate: Candidate) -> str:
    """Version 1 where the first message has its text in `message`."""
    messages = candidate.messages if isinstance(candidate.messages, list) else []
    first = next((m for m in messages if isinstance(m, dict)), {})
    return "cohere-v1" if "message" in first and "content" not in first else "cohere"


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = openai_chat.read_as("cohere", candidate, read_part)
    for message in transcript.messages:
        plan = message.raw.get("tool_plan")
        if isinstance(plan, str):
            at = message.at / "tool_plan"
            message.parts.insert(0, Reasoning(Kind.REASONING, at, plan, message, "tool_plan", plan, at))
    return transcript


def read_part(raw: Any, at: Place, message: Message) -> Part:
    if isinstance(raw, dict) and raw.get("type") == "document":
        inner = raw.get("document")
        inside = spot(raw, "document", at)
        data = inner.get("data") if isinstance(inner, dict) else None
        if isinstance(data, str):
            return Part(Kind.TEXT, at, raw, message, "document", data, inside / "data")
        if data is not None:
            return Data(Kind.DATA, at, raw, message, "document", value=data, value_at=inside / "data")
        return Media(Kind.MEDIA, at, raw, message, "document", text_of(inner), inside, media="document")
    return openai_chat.read_part(raw, at, message)


DIALECT = Dialect(
    name="cohere",
    title="Cohere chat (v2)",
    how="as openai-chat, with `tool_plan` beside calls, or results that are lists of `document`",
    recognise=recognise,
    read=read,
    shape=replace(openai_chat.SHAPE, aside_key="tool_plan"),
    narrow=narrow,
)
