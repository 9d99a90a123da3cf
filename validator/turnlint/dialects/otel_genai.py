"""OpenTelemetry GenAI messages: `parts` of type `text` with `content`, `tool_call`, `tool_call_response`.

Results come as role tool, one a message, or as several parts of a user message.  One widespread writer takes the ID of
a call from the item (`fc_...`) and that of the result from the call: such a history is paired by order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
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
)
from turnlint.model import Call, Candidate, Kind, Media, Message, Part, Reasoning, Result, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
}
CALLS = frozenset({"tool_call", "server_tool_call"})
RESULTS = frozenset({"tool_call_response", "server_tool_call_response"})
MEDIA = frozenset({"blob", "uri", "file", "image"})
ITEM_ID = "fc_"


def recognise(marks: Marks) -> int:
    """Sure of its calls and results; a claim on typed parts that hold `content`."""
    if "parts" not in marks.keys or "role" not in marks.keys or "kind" in marks.keys:
        return 0
    if marks.part_types & (CALLS | RESULTS):
        return 95
    plain = marks.part_types and marks.part_types <= {"text", "reasoning", *MEDIA}
    return 88 if plain and "content" in marks.part_members and "text" not in marks.part_members else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = read_list("otel-genai", candidate, read_message)
    forget_item_ids(transcript)
    return transcript


def forget_item_ids(transcript: Transcript) -> None:
    """Takes away IDs that cannot match by their making, so that calls and results pair by order."""
    calls = [c for m in transcript.messages for c in m.calls]
    results = [r for m in transcript.messages for r in m.results]
    if not calls or not results:
        return
    if all(_is_item_id(c.id) for c in calls) and not any(_is_item_id(r.id) for r in results):
        for call in calls:
            call.id = None
        for result in results:
            result.id = None
        candidate = transcript.candidate
        candidate.notice = candidate.notice or "calls are named by item and results by call: paired by order"


def _is_item_id(value: object) -> bool:
    return isinstance(value, str) and value.startswith(ITEM_ID)


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    set_content(message, raw, "parts")
    message.stop_reason = raw.get("finish_reason")
    if isinstance(message.content, list):
        message.parts = [read_part(part, at / "parts" / n, message) for n, part in enumerate(message.content)]
    return message


def read_part(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind in CALLS:
        call = new_call(raw, at, message, kind, hosted=kind != "tool_call")
        fill_call(call, raw, at, id_key="id", name_key="name", arguments_key="arguments")
        return call
    if kind in RESULTS:
        result = new_result(raw, at, message, kind, hosted=kind != "tool_call_response")
        key = "response" if "response" in raw or "result" not in raw else "result"
        fill_result(result, raw, at, id_key="id", content_key=key)
        return result
    words, place = text_of(raw.get("content")), spot(raw, "content", at)
    if kind == "text":
        return Part(Kind.TEXT, at, raw, message, kind, words, place)
    if kind == "reasoning":
        return Reasoning(Kind.REASONING, at, raw, message, kind, words, place)
    if kind in MEDIA:
        return Media(Kind.MEDIA, at, raw, message, kind, media=text_of(raw.get("modality")) or "file")
    return Part(Kind.CONTROL, at, raw, message, kind)


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    """A response under the ID that is saved, which may be one that the reader forgets."""
    return {"type": "tool_call_response", "id": call.raw.get("id"), "response": text}


SHAPE = Shape(
    own_message=False,
    parts_key="parts",
    result=_placeholder,
    text_part=lambda text: {"type": "text", "content": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "parts": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "parts": [{"type": "text", "content": text}]},
    content=lambda target, text: text if isinstance(target, Result) else [{"type": "text", "content": text}],
    carriers=(Speaker.TOOL,),
    result_key="response",
    result_id_key="id",
)

DIALECT = Dialect(
    name="otel-genai",
    title="OpenTelemetry GenAI messages",
    how="`parts` of type `text` with `content`, `tool_call`, `tool_call_response`",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
