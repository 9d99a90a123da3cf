"""LangChain messages, as `messages_to_dict`, `dumpd` or `model_dump` write them.

A message is ``{"type": "ai", "data": {...}}``, a constructor whose class is the last element of `id`, or a flat object
with `type`.  Calls stand in `tool_calls` and `invalid_tool_calls` (which want a result too); the provider's own blocks
often ride along in `content`.  A block that neither list shows is a hidden call.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape, openai_chat
from turnlint.dialects.reading import fill_call, fill_result, new_call, new_result, read_list, set_content, text_part
from turnlint.model import Call, Candidate, Kind, Message, Part, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

SPEAKERS = {
    "human": Speaker.USER,
    "user": Speaker.USER,
    "ai": Speaker.ASSISTANT,
    "assistant": Speaker.ASSISTANT,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove"})
CHUNKS = {
    f"{name}MessageChunk": kind
    for name, kind in {
        "Human": "human",
        "AI": "ai",
        "System": "system",
        "Tool": "tool",
        "Function": "function",
        "Chat": "chat",
    }.items()
}
#: Blocks in content that are calls of a client, with the key of their ID.
CALL_BLOCKS = {"tool_use": "id", "function_call": "call_id", "tool_call": "id", "invalid_tool_call": "id"}
ARGUMENT_KEYS = {"tool_use": "input", "function_call": "arguments", "tool_call": "args", "invalid_tool_call": "args"}


def recognise(marks: Marks) -> int:
    """Sure of constructors, of `data` beside a message type, and of flat messages of type human or ai."""
    if {"lc", "kwargs"} <= marks.keys and "constructor" in marks.types:
        return 95
    kinds = {CHUNKS.get(kind, kind) for kind in marks.types}
    if not kinds & TYPES or kinds - TYPES or "kind" in marks.keys:
        return 0
    if "data" in marks.keys and "content" not in marks.keys:
        return 95
    if "content" not in marks.keys:
        return 0
    if kinds & {"human", "ai"}:
        return 90
    return 75 if "tool_call_id" in marks.keys or marks.keys & {"response_metadata", "additional_kwargs"} else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return read_list("langchain", candidate, read_message)


def unwrap(raw: dict[str, Any], at: Place) -> tuple[Any, dict[str, Any], Place]:
    """The type of a message, the object that holds its members, and its place."""
    if isinstance(raw.get("kwargs"), dict):
        path = raw.get("id")
        name = path[-1] if isinstance(path, list) and path else None
        kind = name.removesuffix("Chunk").removesuffix("Message").lower() if isinstance(name, str) else None
        return kind or raw["kwargs"].get("type"), raw["kwargs"], at / "kwargs"
    if isinstance(raw.get("data"), dict):
        return raw.get("type"), raw["data"], at / "data"
    return raw.get("type"), raw, at


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    kind, inner, inside = unwrap(raw, at)
    kind = CHUNKS.get(kind, kind) if isinstance(kind, str) else None
    role = inner.get("role") if kind == "chat" or (kind is None and inner is raw) else kind
    speaker = SPEAKERS.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    message = Message(index, inside, inner, role, speaker, name=inner.get("name"), id=inner.get("id"))
    set_content(message, inner)
    message.at, message.raw = at, raw
    if speaker is Speaker.TOOL:
        message.parts = [read_result(inner, inside, message)]
        return message
    calls = read_calls(inner, inside, message)
    shown = {call.id for call in calls if isinstance(call.id, str)}
    content = message.content
    if isinstance(content, str):
        message.parts = [text_part(content, inside / "content", message)]
    elif isinstance(content, list):
        message.parts = [read_block(block, inside / "content" / n, message, shown) for n, block in enumerate(content)]
    message.parts.extend(calls)
    return message


def read_calls(inner: dict[str, Any], at: Place, message: Message) -> list[Call]:
    """The calls of a message; the provider's raw ones count only where LangChain's own lists are empty."""
    calls: list[Call] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        entries = inner.get(key)
        for number, raw in enumerate(entries if isinstance(entries, list) else ()):
            place = at / key / number
            call = new_call(raw, place, message, "tool_call" if key == "tool_calls" else "invalid_tool_call")
            if isinstance(raw, dict):
                fill_call(call, raw, place, id_key="id", name_key="name", arguments_key="args")
            calls.append(call)
    extra = inner.get("additional_kwargs")
    if calls or not isinstance(extra, dict):
        return calls
    entries, base = extra.get("tool_calls"), at / "additional_kwargs"
    for number, raw in enumerate(entries if isinstance(entries, list) else ()):
        part = openai_chat.read_call(raw, base / "tool_calls" / number, message)
        if isinstance(part, Call):
            calls.append(part)
    if not calls and isinstance(extra.get("function_call"), dict):
        calls.append(openai_chat.read_function(extra["function_call"], base / "function_call", message))
    return calls


def read_block(raw: Any, at: Place, message: Message, shown: set[str]) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if isinstance(kind, str) and kind in CALL_BLOCKS and message.speaker is Speaker.ASSISTANT:
        call = new_call(raw, at, message, kind)
        fill_call(call, raw, at, id_key=CALL_BLOCKS[kind], name_key="name", arguments_key=ARGUMENT_KEYS[kind])
        if isinstance(call.id, str) and call.id in shown:
            return Part(Kind.CONTROL, at, raw, message, kind)  # the same call as the one in the list
        call.hidden = True
        return call
    part = openai_chat.read_part(raw, at, message)
    if part.kind is Kind.UNKNOWN and isinstance(kind, str):
        part.kind = Kind.CONTROL  # a provider's own block, which is none of ours to judge
    return part


def read_result(inner: dict[str, Any], at: Place, message: Message) -> Part:
    result = new_result(inner, at, message, "tool")
    fill_result(result, inner, at, id_key="tool_call_id", name_key="name", content_key="content")
    result.is_error = inner.get("status") == "error"
    result.legacy = message.role == "function"
    if isinstance(result.content, list):
        result.parts = [openai_chat.read_part(p, at / "content" / n, message) for n, p in enumerate(result.content)]
    return result


_KINDS = {Speaker.USER: "human", Speaker.ASSISTANT: "ai"}


def _written(speaker: Speaker, members: dict[str, Any], like: Any) -> dict[str, Any]:
    """A message in the form in which another one is saved: a constructor, with its members in `data`, or flat."""
    kind = _KINDS.get(speaker, speaker.value)
    path = like.get("id")
    if isinstance(like.get("kwargs"), dict) and isinstance(path, list) and path:
        name = f"{'AI' if kind == 'ai' else kind.capitalize()}Message"
        members = {**members, "type": kind}
        return {"lc": like.get("lc", 1), "type": "constructor", "id": [*path[:-1], name], "kwargs": members}
    if isinstance(like.get("data"), dict):
        return {"type": kind, "data": {**members, "type": kind} if "type" in like["data"] else members}
    return {"type": kind, **members}


def _result(call: Call, text: str) -> dict[str, Any]:
    named = {"name": call.name} if isinstance(call.name, str) else {}
    return _written(Speaker.TOOL, {"content": text, **named, "tool_call_id": call.id}, call.message.raw)


def _listed_call(call: Call, call_id: str) -> dict[str, Any] | None:
    """A call as the list of calls has it; None where its arguments are no object."""
    arguments = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    if not isinstance(arguments, dict):
        return None
    return {"name": call.name, "args": arguments, "id": call_id, "type": "tool_call"}


SHAPE = Shape(
    own_message=True,
    parts_key="content",
    result=_result,
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, like: _written(speaker, {"content": parts}, like),
    text_message=lambda speaker, text, like: _written(speaker, {"content": text}, like),
    role=lambda speaker: _KINDS.get(speaker, speaker.value),
    result_id_key="tool_call_id",
    result_name_key="name",
    calls_key="tool_calls",
    call=_listed_call,
    members=lambda message: unwrap(message.raw, message.at)[2],
    arguments_key="args",
)

DIALECT = Dialect(
    name="langchain",
    title="LangChain messages",
    how="`type` human or ai with `data`, a constructor (`lc`, `kwargs`), or flat with `tool_calls` of name and args",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
