"""OpenInference messages: what `llm.input_messages.N.message...` attributes are once they are put together again.

Each object may be nested (``{"message": {"role": ...}}``) or keep dotted names (``{"message.role": ...}``), as data
frames do.  Calls stand in `tool_calls`; some writers repeat them among the `contents`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.reading import arguments_form, new_call, new_result, read_list, speaker_of, text_part
from turnlint.model import Call, Candidate, Kind, Message, Part, Reasoning, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}


def recognise(marks: Marks) -> int:
    """Sure of dotted names, and of a message inside `message` that has nothing beside it."""
    if marks.keys & {"message.role", "message.content", "message.tool_calls", "message.contents"}:
        return 95
    inner = marks.first.get("message")
    if marks.keys == {"message"} and isinstance(inner, dict) and "role" in inner:
        return 80
    return 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return read_list("openinference", candidate, read_message)


def find(raw: Any, at: Place, *steps: str) -> tuple[Any, Place | None]:
    """A member by its path, whether nested or under a dotted name; (None, None) where it is not there."""
    if not steps:
        return raw, at
    if not isinstance(raw, dict):
        return None, None
    for count in range(len(steps), 0, -1):
        key = ".".join(steps[:count])
        if key in raw:
            value, place = find(raw[key], at / key, *steps[count:])
            if place is not None:
                return value, place
    return None, None


def entries(raw: Any, at: Place, *steps: str) -> list[tuple[Any, Place]]:
    """The elements of a list by its path."""
    value, place = find(raw, at, *steps)
    return [(item, place / n) for n, item in enumerate(value)] if isinstance(value, list) and place else []


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role, role_at = find(raw, at, "message", "role")
    message = Message(index, at, raw, role, speaker_of(role, SPEAKERS), role_at=role_at)
    content, content_at = find(raw, at, "message", "content")
    message.content, message.content_at = content, content_at or at
    message.content_form = "text" if isinstance(content, str) else "absent" if content_at is None else "other"
    if message.speaker is Speaker.TOOL:
        message.parts = [read_result(raw, at, message)]
        return message
    if isinstance(content, str) and content_at is not None:
        message.parts.append(text_part(content, content_at, message))
    calls = [read_call(one, place, message) for one, place in entries(raw, at, "message", "tool_calls")]
    shown = {c.id for c in calls if isinstance(c.id, str)}
    for one, place in entries(raw, at, "message", "contents"):
        message.parts.append(read_content(one, place, message, shown))
    message.parts.extend(calls)
    return message


def read_call(raw: Any, at: Place, message: Message) -> Call:
    call = new_call(raw, at, message, "tool_call")
    call.id, id_at = find(raw, at, "tool_call", "id")
    call.name, name_at = find(raw, at, "tool_call", "function", "name")
    call.arguments, arguments_at = find(raw, at, "tool_call", "function", "arguments")
    call.arguments_form = arguments_form(call.arguments)
    call.id_at, call.name_at, call.arguments_at = id_at or at, name_at or at, arguments_at or at
    return call


def read_content(raw: Any, at: Place, message: Message, shown: set[str]) -> Part:
    kind, _ = find(raw, at, "message_content", "type")
    kind = kind if isinstance(kind, str) else ""
    text, text_at = find(raw, at, "message_content", "text")
    if kind == "tool_use":
        call_id, id_at = find(raw, at, "message_content", "id")
        if not isinstance(call_id, str) or call_id in shown:
            return Part(Kind.CONTROL, at, raw, message, kind)  # the same call as the one in the list
        call = new_call(raw, at, message, kind)
        call.id, call.id_at = call_id, id_at
        call.name, name_at = find(raw, at, "message_content", "name")
        call.arguments, arguments_at = find(raw, at, "message_content", "input")
        call.arguments_form = arguments_form(call.arguments)
        call.name_at, call.arguments_at = name_at or at, arguments_at or at
        return call
    if kind in ("reasoning", "thinking"):
        return Reasoning(Kind.REASONING, at, raw, message, kind, text if isinstance(text, str) else None, text_at)
    if isinstance(text, str):
        return Part(Kind.TEXT, at, raw, message, kind, text, text_at)
    return Part(Kind.MEDIA if kind in ("image", "audio") else Kind.CONTROL, at, raw, message, kind)


def read_result(raw: dict[str, Any], at: Place, message: Message) -> Part:
    result = new_result(raw, at, message, "tool")
    result.id, id_at = find(raw, at, "message", "tool_call_id")
    result.name, name_at = find(raw, at, "message", "name")
    result.id_at, result.name_at = id_at or at, name_at or at
    result.content, result.content_at = message.content, message.content_at
    if isinstance(result.content, str):
        result.text, result.text_at = result.content, result.content_at
    result.parts = [read_content(one, place, message, set()) for one, place in entries(raw, at, "message", "contents")]
    return result


def _written(members: dict[str, Any], like: Any) -> dict[str, Any]:
    """A message in the form in which another one is saved: nested, or with dotted names."""
    if "message" in like:
        return {"message": members}
    return {f"message.{key}": value for key, value in members.items()}


def _result(call: Call, text: str) -> dict[str, Any]:
    return _written({"role": "tool", "content": text, "tool_call_id": call.id}, call.message.raw)


def _texts(parts: list[Any]) -> str:
    return "\n".join(part for part in parts if isinstance(part, str))


SHAPE = Shape(
    own_message=True,
    parts_key="contents",
    result=_result,
    text_part=lambda text: text,
    message=lambda speaker, parts, like: _written({"role": speaker.value, "content": _texts(parts)}, like),
    text_message=lambda speaker, text, like: _written({"role": speaker.value, "content": text}, like),
    arguments_key=None,
)

DIALECT = Dialect(
    name="openinference",
    title="OpenInference messages",
    how="`message.role`, `message.tool_calls` and `message.contents`, with dotted names or nested",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
