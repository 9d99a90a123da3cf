"""Ollama's own chat: the shape of OpenAI Chat with arguments as objects, results with `tool_name`, and `images`.

Calls and results have no IDs (newer servers give calls one); they pair by order.
"""

from __future__ import annotations

from typing import Any

from turnlint.dialects import Dialect, Marks, Shape, openai_chat
from turnlint.model import Candidate, Kind, Media, Message, Result, Transcript

ROLES = frozenset({"system", "user", "assistant", "tool"})
OWN_BODY = frozenset({"keep_alive", "options"})


def recognise(marks: Marks) -> int:
    """Sure of calls without IDs whose arguments are objects, of `tool_name`, and of its own request members."""
    if "role" not in marks.keys or not marks.roles & ROLES or "content" not in marks.keys or "parts" in marks.keys:
        return 0
    if "tool_call_id" in marks.keys and "id" not in marks.call_keys:
        return 0
    if marks.function_forms == {"dict"} and "dict" in marks.argument_forms and "id" not in marks.call_keys:
        return 90
    if "tool_name" in marks.keys and "tool_call_id" not in marks.keys:
        return 85
    if "keep_alive" in marks.body or {"options", "format"} <= marks.body:
        return 85
    return 60 if "images" in marks.keys and "tool_call_id" not in marks.keys and not marks.part_types else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = openai_chat.read_as("ollama", candidate)
    for message in transcript.messages:
        images = message.raw.get("images")
        if isinstance(images, list):
            message.parts.extend(read_image(image, number, message) for number, image in enumerate(images))
        for part in message.parts:
            if isinstance(part, Result) and "tool_name" in message.raw:
                part.name, part.name_at = message.raw["tool_name"], message.at / "tool_name"
    return transcript


def read_image(raw: Any, number: int, message: Message) -> Media:
    at = message.at / "images" / number
    media = Media(Kind.MEDIA, at, raw, message, "images", media="image")
    if isinstance(raw, str):
        media.data, media.data_at = raw, at
    return media


SHAPE = Shape(
    own_message=True,
    parts_key="content",
    result=lambda call, text: {"role": "tool", "tool_name": call.name, "content": text},
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": "\n".join(p["text"] for p in parts)},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": text},
    result_id_key="tool_call_id",
    result_name_key="tool_name",
    calls_key="tool_calls",
)

DIALECT = Dialect(
    name="ollama",
    title="Ollama chat",
    how="as openai-chat, with arguments as objects, no IDs, results with `tool_name`, `images` beside the content",
    recognise=recognise,
    read=read,
    shape=SHAPE,
)
