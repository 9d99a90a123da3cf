"""Messages of Inspect logs: the shape of OpenAI Chat, with the name of the tool as text in `function`.

Arguments are objects, results repeat the function and may carry an `error`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.openai_chat import SPEAKERS
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    new_call,
    new_message,
    new_result,
    read_list,
    set_content,
    spot,
    text_of,
    text_part,
)
from turnlint.model import Call, Candidate, Kind, Media, Message, Part, Reasoning, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

MEDIA = frozenset({"image", "audio", "video", "document"})


def recognise(marks: Marks) -> int:
    """Sure of calls whose `function` is text, and of results that name one."""
    if "role" not in marks.keys or "content" not in marks.keys:
        return 0
    if marks.function_forms == {"str"} and "arguments" in marks.call_keys:
        return 95
    return 85 if {"function", "tool_call_id"} <= marks.keys else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return read_list("inspect", candidate, read_message)


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    message.id = raw.get("id")
    set_content(message, raw)
    content = message.content
    if message.speaker is Speaker.TOOL:
        result = new_result(raw, at, message, "tool")
        fill_result(result, raw, at, id_key="tool_call_id", name_key="function", content_key="content")
        result.is_error = isinstance(raw.get("error"), dict)
        if isinstance(content, list):
            result.parts = [read_part(part, at / "content" / n, message) for n, part in enumerate(content)]
        message.parts = [result]
        return message
    if isinstance(content, str):
        message.parts = [text_part(content, at / "content", message)]
    elif isinstance(content, list):
        message.parts = [read_part(part, at / "content" / n, message) for n, part in enumerate(content)]
    calls = raw.get("tool_calls")
    for number, one in enumerate(calls if isinstance(calls, list) else ()):
        place = at / "tool_calls" / number
        call = new_call(one, place, message, "function")
        if isinstance(one, dict):
            fill_call(call, one, place, id_key="id", name_key="function", arguments_key="arguments")
        message.parts.append(call)
    return message


def read_part(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind == "text":
        return Part(Kind.TEXT, at, raw, message, kind, text_of(raw.get("text")), spot(raw, "text", at))
    if kind == "reasoning":
        return Reasoning(
            Kind.REASONING,
            at,
            raw,
            message,
            kind,
            text_of(raw.get("reasoning")),
            spot(raw, "reasoning", at),
            signature=raw.get("signature"),
        )
    if kind == "tool_use":  # a tool that the provider ran: call and result in one part
        call = new_call(raw, at, message, kind, hosted=True)
        fill_call(call, raw, at, name_key="name", arguments_key="arguments")
        return call
    if kind in MEDIA:
        return Media(Kind.MEDIA, at, raw, message, kind, media=kind)
    return Part(Kind.CONTROL, at, raw, message, kind)


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": call.id, "function": call.name}


SHAPE = Shape(
    own_message=True,
    parts_key="content",
    result=_placeholder,
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": text},
    result_id_key="tool_call_id",
    result_name_key="function",
    call_name_key="function",
    calls_key="tool_calls",
)

DIALECT = Dialect(
    name="inspect",
    title="Inspect chat messages",
    how="as openai-chat, with `function` in a call as text and `arguments` as an object",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
