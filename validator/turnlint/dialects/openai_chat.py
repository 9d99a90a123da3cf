"""OpenAI Chat Completions messages, and what the many compatible providers make of them.

A message is an object with `role` and `content` (text, a list of typed parts, or null beside calls); calls stand in
`tool_calls` of an assistant message with their arguments as JSON text, a result is a message of role `tool` with the
`tool_call_id`.  The older form has `function_call` and role `function`, without IDs.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.quick import LONG, TOO_MANY, decode_object, everyday_ids, everyday_names, may_hide_call, repeats
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    member,
    new_call,
    new_message,
    new_result,
    read_list,
    set_content,
    spot,
    text_of,
    text_part,
)
from turnlint.model import (
    Call,
    Candidate,
    Kind,
    Media,
    Message,
    Part,
    Reasoning,
    Result,
    Signal,
    Speaker,
    Tool,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from turnlint.diagnostic import Place

    ReadPart = Callable[[Any, Place, Message], Part]

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
MEDIA_TYPES = {"image_url": "image", "input_audio": "audio", "file": "file", "video_url": "video", "image": "image"}
EVERYDAY_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id"})
RESULT_KEYS = frozenset({"role", "content", "tool_call_id", "name"})
OWN_CALL_KEYS = frozenset({"id", "type", "function", "index"})


def recognise(marks: Marks) -> int:
    """Sure of `tool_calls` with a function object, `tool_call_id` or role tool; ready to take plain text messages."""
    if not marks.count or marks.strange == marks.count or "role" not in marks.keys:
        return 0
    if marks.part_types & {"tool_use", "tool_result", "thinking", "server_tool_use", "tool-call", "tool-result"}:
        return 55 if marks.keys & {"tool_calls", "tool_call_id"} and not marks.function_forms - {"dict"} else 0
    if "parts" in marks.keys and "content" not in marks.keys:
        return 0
    if not marks.roles & SPEAKERS.keys():
        return 0
    if "tool_calls" in marks.keys or "tool_call_id" in marks.keys or "function_call" in marks.keys:
        if marks.function_forms - {"dict", "NoneType"}:
            return 0
        return 80
    if marks.part_types & {"image_url", "input_audio", "refusal"} or marks.roles & {"tool", "function"}:
        return 70
    if "content" in marks.keys:
        return 40
    return 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return read_as("openai-chat", candidate)


def read_as(dialect: str, candidate: Candidate, part: ReadPart | None = None) -> Transcript:
    """The same under the name of another dialect that shares the shape, with parts read by `part`."""
    transcript = read_list(dialect, candidate, partial(read_message, part=part or read_part))
    if candidate.body is not None:
        transcript.tools, transcript.tools_at = read_tools(candidate.body, candidate.body_at)
        wanted = candidate.body.get("response_format")
        if isinstance(wanted, dict) and wanted.get("type") == "json_object":
            transcript.json_mode_at = candidate.body_at / "response_format"
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place, part: ReadPart) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    set_content(message, raw)
    everyday = raw.keys() <= EVERYDAY_KEYS
    if not everyday:
        _read_beside(raw, message)
    content = message.content
    if message.speaker is Speaker.TOOL:
        if "tool_call_ids" in raw:
            message.parts.extend(read_results(raw, message, part))
        else:
            message.parts.append(read_result(raw, message, part))
        return message
    if isinstance(content, str):
        message.parts.append(text_part(content, message.content_at or at, message))
    elif isinstance(content, list):
        message.parts.extend([part(p, at / "content" / n, message) for n, p in enumerate(content)])
    if not everyday and isinstance(raw.get("refusal"), str):
        message.parts.append(Part(Kind.REFUSAL, at / "refusal", raw["refusal"], message, "refusal", raw["refusal"]))
    if not everyday and isinstance(raw.get("audio"), dict):
        message.parts.append(Part(Kind.CONTROL, at / "audio", raw["audio"], message, "audio"))
    calls = raw.get("tool_calls")
    if isinstance(calls, list):
        message.empty_calls, message.calls_at = not calls, at / "tool_calls"
        message.parts.extend([read_call(call, message.calls_at / n, message) for n, call in enumerate(calls)])
    if not everyday and isinstance(raw.get("function_call"), dict):
        message.parts.append(read_function(raw["function_call"], at / "function_call", message))
    return message


def _read_beside(raw: dict[str, Any], message: Message) -> None:
    """What stands beside role, content and calls: a name, an ID, marks, reasoning."""
    at = message.at
    message.name, message.id = raw.get("name"), raw.get("id")
    message.name_at = at / "name" if "name" in raw else None
    message.prefix_at = at / "prefix" if raw.get("prefix") is True else None
    message.stop_reason = raw.get("finish_reason") or raw.get("stop_reason")
    for key in REASONING_KEYS:
        value = raw.get(key)
        if value or value == "":
            text = value if isinstance(value, str) else None
            message.parts.append(Reasoning(Kind.REASONING, at / key, value, message, key, text))


def read_part(raw: Any, at: Place, message: Message) -> Part:
    part = read_typed(raw, at, message)
    if part.type:
        part.type_at = at / "type"
    return part


def read_typed(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if isinstance(raw, str):
        return Part(Kind.TEXT, at, raw, message, "", raw, at)
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind in ("text", "input_text", "output_text"):
        text = raw.get("text")
        return Part(Kind.TEXT, at, raw, message, kind, text_of(text), spot(raw, "text", at))
    if kind == "refusal":
        return Part(Kind.REFUSAL, at, raw, message, kind, raw.get("refusal"))
    if kind in ("thinking", "reasoning", "redacted_thinking"):
        return read_thinking(raw, kind, at, message)
    if kind in MEDIA_TYPES:
        return read_media(raw, kind, at, message)
    return Part(Kind.UNKNOWN, at, raw, message, kind)


def read_thinking(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Reasoning:
    """A thinking part; its words are text, or a list of text chunks."""
    part = Reasoning(Kind.REASONING, at, raw, message, kind, signature=raw.get("signature"))
    words = raw.get("thinking", raw.get("text"))
    if isinstance(words, str):
        part.text, part.text_at = words, at / ("thinking" if "thinking" in raw else "text")
    elif isinstance(words, list):
        pieces = [chunk.get("text") for chunk in words if isinstance(chunk, dict)]
        part.text, part.text_at = "".join(p for p in pieces if isinstance(p, str)), at / "thinking"
    return part


DATA_URL = re.compile(r"data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,", re.ASCII)


def read_media(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Media:
    media = Media(Kind.MEDIA, at, raw, message, kind, media=MEDIA_TYPES[kind])
    inner = raw.get(kind)
    url = inner.get("url") if isinstance(inner, dict) else inner
    if isinstance(url, str):
        match = DATA_URL.match(url[:200])
        if match:
            media.media_type, media.data = match[1], url[match.end() :]
            media.data_at = at / kind / "url" if isinstance(inner, dict) else at / kind
        else:
            media.remote = True
    elif isinstance(inner, dict) and isinstance(inner.get("data"), str):
        media.data, media.data_at = inner["data"], at / kind / "data"
    return media


def read_call(raw: Any, at: Place, message: Message) -> Part:
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "tool_call")
    call = new_call(raw, at, message, text_of(raw.get("type", "function")) or "")
    call.id, call.id_at = member(raw, "id", at)
    if isinstance(raw.get("custom"), dict):
        fill_call(call, raw["custom"], at / "custom", name_key="name", arguments_key="input")
        call.custom = True
    elif isinstance(raw.get("function"), dict):
        fill_call(call, raw["function"], at / "function", name_key="name", arguments_key="arguments")
    elif "function" not in raw and "custom" not in raw:
        fill_call(call, raw, at, name_key="name", arguments_key="arguments")  # some logs leave out the level between
    extra = raw.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    if isinstance(google, dict) and google.get("thought_signature") is not None:
        call.signature = google["thought_signature"]
        call.signature_at = at / "extra_content" / "google" / "thought_signature"
    return call


def read_function(raw: dict[str, Any], at: Place, message: Message) -> Call:
    call = new_call(raw, at, message, "function_call")
    fill_call(call, raw, at, name_key="name", arguments_key="arguments")
    call.legacy = True
    return call


def read_results(raw: dict[str, Any], message: Message, part: ReadPart) -> list[Part]:
    """The result that a message of role tool is; several where it lists the IDs of the calls that it answers."""
    ids = raw.get("tool_call_ids")
    if "tool_call_id" in raw or not isinstance(ids, list) or not ids:
        return [read_result(raw, message, part)]
    results: list[Part] = []
    for number, call_id in enumerate(ids):
        result = read_result(raw, message, part)
        result.id, result.id_at = call_id, message.at / "tool_call_ids" / number
        results.append(result)
    return results


def read_result(raw: dict[str, Any], message: Message, part: ReadPart) -> Result:
    at = message.at
    result = new_result(raw, at, message, "tool")
    fill_result(result, raw, at, id_key="tool_call_id", name_key="name", content_key="content")
    result.legacy = message.role == "function"
    if isinstance(result.content, list):
        result.parts = [part(p, at / "content" / n, message) for n, p in enumerate(result.content)]
    return result


def read_tools(body: Mapping[str, Any], at: Place) -> tuple[list[Tool] | None, Place | None]:
    """The declared tools of a request body; None where it has no `tools` (or `functions`) key."""
    key = "tools" if "tools" in body else "functions"
    declared = body.get(key)
    if not isinstance(declared, list):
        return None, None
    return [read_tool(raw, at / key / number) for number, raw in enumerate(declared)], at / key


def read_tool(raw: Any, place: Place) -> Tool:
    """One declared tool; its name and schema stand inside `function` (Chat) or beside the type (Responses)."""
    if not isinstance(raw, dict):
        return Tool(None, place, raw, type="unknown")
    kind = raw.get("type", "function")
    nested = raw.get(kind) if isinstance(kind, str) else None
    inner = nested if isinstance(nested, dict) else raw
    inside = place / kind if inner is not raw else place
    hosted = kind not in ("function", "custom") and "function" not in raw
    return Tool(
        inner.get("name"),
        place,
        raw,
        inner.get("parameters"),
        inside / "name" if "name" in inner else inside,
        inside / "parameters" if "parameters" in inner else inside,
        text_of(kind) or "",
        hosted,
    )


# ---------------------------------------------------------------------------------------------------------------
# The quick pass.  It proves nothing but what it says: every bit that it leaves unset is a fact about the whole list,
# and tests hold it against the rules.

_BODY_KEYS = frozenset(
    {
        "response_format", "tool_choice", "functions", "function_call", "store", "thinking", "reasoning",
        "reasoning_effort", "parallel_tool_calls", "custom_id", "input", "preferred_output", "non_preferred_output",
    }
)  # fmt: skip


def calls_of(candidate: Candidate) -> Iterator[tuple[Any, Any]]:
    """Name and arguments of each call of an everyday history."""
    for message in candidate.messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield function["name"], function["arguments"]


def signals(candidate: Candidate) -> int:
    """What is not everyday about this history, as a `Signal` mask.

    IDs and names are only collected, and looked at together: where those of calls and results are one list, and each
    turn has as many results as calls, all is paired, and in order.
    """
    messages = candidate.messages
    if type(messages) is not list:
        return _ALL
    if not messages:
        return _EMPTY
    found = 0
    call_ids: list[Any] = []
    result_ids: list[Any] = []
    names: list[Any] = []
    waiting = 0  # calls of the turn that have no result yet
    before = ""  # the role before
    any_user = False
    last_name = last_arguments = None
    content: Any = None
    for message in messages:
        if type(message) is not dict:
            return _ALL
        role = message.get("role")
        content = message.get("content")
        if role == "tool":
            waiting -= 1
            result_ids.append(message.get("tool_call_id"))
            if type(content) is not str:
                found |= _result_signals(content)
            elif not content or content.isspace():
                found |= _ODD_RESULT
            elif len(content) > LONG:
                found |= _LONG_RESULT
            if len(message) > 3:
                found |= _result_keys(message)
            if before == "":
                found |= _FIRST_NOT_USER
        elif role == "assistant":
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if before == "assistant":
                found |= _SAME_ROLE
            elif before == "" or before == "system":
                found |= _FIRST_NOT_USER
            calls = message.get("tool_calls")
            if calls is None:
                size = 2
                if type(content) is str:
                    if not content:
                        found |= _EMPTY_CONTENT | _BLANK_TEXT
                    elif content.isspace():
                        found |= _BLANK_TEXT
                    elif may_hide_call(content):
                        found |= _CALL_TEXT
                elif content is None:
                    size = 1 + ("content" in message)
                    found |= _NULL_CONTENT
                else:
                    found |= _part_signals(content)
            else:
                size = 3
                if type(content) is str:
                    if not content:
                        found |= _EMPTY_CONTENT | _BLANK_TEXT
                    else:
                        found |= _TEXT_BESIDE_CALLS
                        if content.isspace():
                            found |= _BLANK_TEXT
                elif content is None:
                    size = 2 + ("content" in message)
                    found |= _NULL_BESIDE_CALLS
                else:
                    found |= _part_signals(content) | _TEXT_BESIDE_CALLS
                if type(calls) is not list or not calls:
                    found |= _ODD | _ODD_RESULT | _EMPTY_CONTENT | _NULL_CONTENT | _BLANK_TEXT | _CALL_TEXT
                else:
                    waiting = len(calls)
                    if waiting > TOO_MANY:
                        found |= _MANY
                    try:
                        for call in calls:
                            function = call["function"]
                            call_ids.append(call["id"])
                            name = function["name"]
                            arguments = function["arguments"]
                            names.append(name)
                            if len(call) > 3 or len(function) > 2:
                                found |= _EXTRA_KEY
                            if call["type"] != "function":
                                found |= _ODD
                            if arguments == last_arguments and name == last_name:
                                found |= _REPEATED_CALL
                            last_arguments = arguments
                            last_name = name
                            if type(arguments) is not str:
                                found |= _ODD_ARGUMENTS
                            elif arguments != "{}":
                                try:
                                    decode_object(arguments)
                                except (ValueError, RecursionError):
                                    found |= _ODD_ARGUMENTS
                    except (KeyError, TypeError, RecursionError):
                        found |= _ODD_CALLS
            if len(message) > size:
                found |= _extra_signals(message)
        elif role == "user":
            any_user = True
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if before == "user":
                found |= _SAME_ROLE
            elif before == "tool":
                found |= _USER_AFTER_RESULT
            if type(content) is not str:
                found |= _NULL_CONTENT | _stranger_signals(message) if content is None else _part_signals(content)
            elif not content or content.isspace():
                found |= _EMPTY_CONTENT | _BLANK_TEXT
            if len(message) > 2:
                found |= _stranger_signals(message)
        elif role == "system" or role == "developer":
            found |= _SYSTEM
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if before:
                found |= _ODD_SYSTEM
            if role == "developer":
                found |= _ODD_ROLE
                role = "system"
            if type(content) is not str:
                found |= _NULL_CONTENT | _stranger_signals(message) if content is None else _part_signals(content)
            elif not content or content.isspace():
                found |= _EMPTY_CONTENT | _BLANK_TEXT
            if len(message) > 2:
                found |= _stranger_signals(message)
        else:
            return _ALL
        before = role
    if waiting:
        found |= _UNPAIRED
    if not any_user:
        found |= _NO_USER
    if before == "assistant":
        found |= _LAST_ASSISTANT
        last = content[-1].get("text") if type(content) is list and content and type(content[-1]) is dict else content
        if type(last) is str and last[-1:].isspace():
            found |= _TRAILING_SPACE
    elif before == "tool":
        found |= _LEADING_RESULT
    if call_ids or result_ids:
        found |= _CALLS
        if not everyday_names(names):
            found |= _ODD_NAME
        if not everyday_ids(call_ids):
            found |= _ODD_ID | _UNPAIRED | _REPEATED_ID
        elif call_ids != result_ids or repeats(call_ids):
            found |= _id_signals(messages, call_ids, result_ids)
    body = candidate.body
    if body is not None:
        if found & _LEADING_RESULT:
            found |= _OPEN_LOOP
        tools = body.get("tools")
        if tools is not None:
            found |= _TOOLS
        if not tools and found & _CALLS:
            found |= _NO_TOOLS
        if not _BODY_KEYS.isdisjoint(body):
            found |= _BODY
    return found


def _id_signals(messages: list[dict[str, Any]], call_ids: list[str], result_ids: list[Any]) -> int:
    """What there is to say of IDs where those of calls and results are not one list without repeats."""
    found = _REPEATED_ID if repeats(call_ids) else 0
    if not everyday_ids(result_ids):
        return found | _ODD_ID | _UNPAIRED | _EXTRA_KEY
    calls: list[str] = []
    results: list[str] = []
    for message in (*messages, {"role": "assistant"}):
        role = message.get("role")
        if role == "tool":
            results.append(message["tool_call_id"])
        elif calls or results:
            if calls != results:
                found |= _REORDERED if sorted(calls) == sorted(results) else _UNPAIRED
            if repeats(calls):
                found |= _UNPAIRED
            calls.clear()
            results.clear()
        if role == "assistant" and message.get("tool_calls"):
            try:
                calls.extend(call["id"] for call in message["tool_calls"])
            except (KeyError, TypeError):
                return found | _UNPAIRED
    return found


def _result_keys(message: Mapping[str, Any]) -> int:
    """Of a result with more keys than it needs."""
    found = _EXTRA_KEY
    if "name" in message:
        found |= _NAMED_RESULT
    if not message.keys() <= RESULT_KEYS:
        found |= _MIXED
    return found


def _result_signals(content: object) -> int:
    """Of a result whose content is no text; it may have a strange key instead."""
    if content is None:
        return _ODD_RESULT | _NULL_CONTENT | _EXTRA_KEY
    return _ODD_RESULT | _LONG_RESULT | _part_signals(content)


def _part_signals(content: object) -> int:
    if type(content) is not list:
        return _ODD
    found = _LIST_CONTENT
    if not content:
        found |= _EMPTY_CONTENT
    for part in content:
        kind = part.get("type") if type(part) is dict else None
        if kind != "text":
            found |= _MEDIA if kind == "image_url" else _ALL
        text = part.get("text") if type(part) is dict else None
        if type(text) is not str or not text or text.isspace():
            found |= _BLANK_TEXT
        if type(part) is dict and len(part) > 2:
            found |= _EXTRA_KEY
        if type(text) is str and may_hide_call(text):
            found |= _CALL_TEXT
    return found


def _stranger_signals(message: Mapping[str, Any]) -> int:
    """Those of a message that should have no calls."""
    return _ALL if "tool_calls" in message else _extra_signals(message)


def _extra_signals(message: Mapping[str, Any]) -> int:
    found = 0
    for key in message:
        if key == "tool_calls" and message[key] is None:
            found |= _EXTRA_KEY
        if key in EVERYDAY_KEYS:
            continue
        found |= _EXTRA_KEY
        if key == "name":
            name = message["name"]
            if name is not None and not everyday_names((name,)):
                found |= _ODD_NAME
        elif key in REASONING_KEYS:
            found |= _REASONING
        elif key == "function_call":
            found |= _ALL if message[key] is not None else 0
        elif key in ("finish_reason", "stop_reason"):
            found |= _STOP_REASON
        elif key not in ("refusal", "annotations", "id", "audio", "weight", "timestamp", "metadata"):
            found |= _ODD
    if message.get("tool_call_id") is not None:
        found |= _ALL  # an ID of a result on another message
    if message.get("tool_calls") is not None and message.get("role") != "assistant":
        found |= _ALL
    return found


_ALL = Signal.ALL
_EMPTY = Signal.EMPTY | Signal.NO_USER | Signal.BODY | Signal.TOOLS
_UNPAIRED = Signal.UNPAIRED
_ODD_ID = Signal.ODD_ID
_REPEATED_ID = Signal.REPEATED_ID
_ODD_RESULT = Signal.ODD_RESULT
_EMPTY_CONTENT = Signal.EMPTY_CONTENT
_NULL_CONTENT = Signal.NULL_CONTENT
_NULL_BESIDE_CALLS = Signal.NULL_BESIDE_CALLS
_BLANK_TEXT = Signal.BLANK_TEXT
_ODD_ARGUMENTS = Signal.ODD_ARGUMENTS
_ODD_NAME = Signal.ODD_NAME
_SYSTEM = Signal.SYSTEM
_ODD_SYSTEM = Signal.ODD_SYSTEM
_SAME_ROLE = Signal.SAME_ROLE
_FIRST_NOT_USER = Signal.FIRST_NOT_USER
_LAST_ASSISTANT = Signal.LAST_ASSISTANT
_USER_AFTER_RESULT = Signal.USER_AFTER_RESULT
_NO_USER = Signal.NO_USER
_ODD_ROLE = Signal.ODD_ROLE
_LIST_CONTENT = Signal.LIST_CONTENT
_MEDIA = Signal.MEDIA
_MIXED = Signal.MIXED
_TEXT_BESIDE_CALLS = Signal.TEXT_BESIDE_CALLS
_NO_TOOLS = Signal.NO_TOOLS
_REORDERED = Signal.REORDERED
_EXTRA_KEY = Signal.EXTRA_KEY
_REASONING = Signal.REASONING
_TOOLS = Signal.TOOLS
_CALLS = Signal.CALLS | Signal.TEXT_ARGUMENTS | Signal.TOOL_ROLE
_BODY = Signal.BODY
_REPEATED_CALL = Signal.REPEATED_CALL
_ODD = Signal.ODD
_STOP_REASON = Signal.STOP_REASON
_TRAILING_SPACE = Signal.TRAILING_SPACE
_LEADING_RESULT = Signal.LEADING_RESULT
_OPEN_LOOP = Signal.OPEN_LOOP
_MANY = Signal.MANY
_CALL_TEXT = Signal.CALL_TEXT
_LONG_RESULT = Signal.LONG_RESULT
_NAMED_RESULT = Signal.NAMED_RESULT
_ODD_CALLS = (
    _CALLS | _ODD | _ODD_ID | _ODD_NAME | _ODD_ARGUMENTS | _UNPAIRED | _REPEATED_ID | _REPEATED_CALL | _EXTRA_KEY
    | _NULL_CONTENT | _EMPTY_CONTENT | _BLANK_TEXT | _CALL_TEXT
)  # fmt: skip


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    if call.legacy:
        return {"role": "function", "name": call.name, "content": text}
    return {"role": "tool", "tool_call_id": call.id, "content": text}


def _tool_call(call: Call, call_id: str) -> dict[str, Any]:
    """A call in the list of calls, whatever it was before."""
    import json

    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments or {}, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": text}}


SHAPE = Shape(
    own_message=True,
    parts_key="content",
    result=_placeholder,
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": text},
    result_id_key="tool_call_id",
    result_name_key="name",
    reasoning_key="reasoning_content",
    calls_key="tool_calls",
    call=_tool_call,
    no_thinking=("thinking", {"type": "disabled"}),
    tools=lambda names: {
        "tools": [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
            for name in names
        ],
        "tool_choice": "none",
    },
)

DIALECT = Dialect(
    name="openai-chat",
    title="OpenAI Chat Completions",
    how="`role` and `content`, calls in `tool_calls` with arguments as text, results of role `tool`",
    recognise=recognise,
    read=read,
    shape=SHAPE,
    signals=signals,
    calls=calls_of,
)
