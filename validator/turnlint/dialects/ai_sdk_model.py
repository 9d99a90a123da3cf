"""Model messages of the AI SDK: content parts `tool-call` and `tool-result` with `toolCallId`.

Version 4 has `args` and `result`, later ones `input` and a typed `output`.  A result in an assistant message belongs to
a tool that the provider ran.
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
    text_part,
)
from turnlint.model import Call, Candidate, Kind, Media, Message, Part, Reasoning, Result, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
}
CONTROL = frozenset({"tool-approval-request", "tool-approval-response", "custom", "source"})
MEDIA = frozenset({"image", "file", "reasoning-file"})


def recognise(marks: Marks) -> int:
    """Sure of its calls and results."""
    if "role" not in marks.keys or "content" not in marks.keys or "parts" in marks.keys:
        return 0
    return 95 if marks.part_types & {"tool-call", "tool-result"} else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return read_list("ai-sdk-model", candidate, read_message)


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    set_content(message, raw)
    content = message.content
    if isinstance(content, str):
        message.parts = [text_part(content, at / "content", message)]
    elif isinstance(content, list):
        message.parts = [read_part(part, at / "content" / n, message) for n, part in enumerate(content)]
    if message.speaker is Speaker.ASSISTANT:
        ran = {p.id for p in message.parts if isinstance(p, Result) and isinstance(p.id, str)}
        for part in message.parts:
            if isinstance(part, Call) and isinstance(part.id, str) and part.id in ran:
                part.hosted, part.kind = True, Kind.HOSTED_CALL
    return message


def read_part(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind == "tool-call":
        call = new_call(raw, at, message, kind, hosted=raw.get("providerExecuted") is True)
        arguments = "input" if "input" in raw else "args"
        fill_call(call, raw, at, id_key="toolCallId", name_key="toolName", arguments_key=arguments)
        return call
    if kind == "tool-result":
        return read_result(raw, at, message)
    if kind == "text":
        return Part(Kind.TEXT, at, raw, message, kind, text_of(raw.get("text")), spot(raw, "text", at))
    if kind == "reasoning":
        return Reasoning(Kind.REASONING, at, raw, message, kind, text_of(raw.get("text")), spot(raw, "text", at))
    if kind in MEDIA:
        return Media(Kind.MEDIA, at, raw, message, kind, media=kind, media_type=raw.get("mediaType"))
    return Part(Kind.CONTROL if kind in CONTROL else Kind.UNKNOWN, at, raw, message, kind)


def read_result(raw: dict[str, Any], at: Place, message: Message) -> Result:
    hosted = message.speaker is Speaker.ASSISTANT
    result = new_result(raw, at, message, "tool-result", hosted=hosted)
    content = "output" if "output" in raw else "result"
    fill_result(result, raw, at, id_key="toolCallId", name_key="toolName", content_key=content)
    output = result.content
    if content == "output" and isinstance(output, dict) and isinstance(output.get("type"), str):
        result.is_error = output["type"].startswith("error") or output["type"] == "execution-denied"
        if "value" in output:
            fill_result(result, output, at / "output", content_key="value")
    else:
        result.is_error = raw.get("isError") is True
    return result


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    """A result of the version that the call is in."""
    older = isinstance(call.raw, dict) and "args" in call.raw
    said: dict[str, Any] = {"result": text} if older else {"output": {"type": "text", "value": text}}
    return {"type": "tool-result", "toolCallId": call.id, "toolName": call.name, **said}


def _content(target: Message | Result, text: str) -> Any:
    output = target.raw.get("output") if isinstance(target, Result) else None
    listed = isinstance(output, dict) and output.get("type") == "content"
    return [{"type": "text", "text": text}] if listed else text


SHAPE = Shape(
    own_message=False,
    parts_key="content",
    result=_placeholder,
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": text},
    content=_content,
    carriers=(Speaker.TOOL,),
    result_key="result",
    result_id_key="toolCallId",
    result_name_key="toolName",
    call_id_key="toolCallId",
    call_name_key="toolName",
    arguments_key="input",
)

DIALECT = Dialect(
    name="ai-sdk-model",
    title="AI SDK model messages",
    how="content parts of type `tool-call` and `tool-result` with `toolCallId`",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
