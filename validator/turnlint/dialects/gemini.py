"""Gemini contents: `parts` with `functionCall` and `functionResponse`, in camelCase or snake_case.

IDs are optional; without them calls and responses pair by name and order.  A part has one data field and no `type`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Place
from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.quick import TOO_MANY, everyday_ids, everyday_names, may_hide_call, references, repeats
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    new_call,
    new_result,
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
    from collections.abc import Iterator, Mapping

SPEAKERS = {
    "user": Speaker.USER,
    "model": Speaker.ASSISTANT,
    "function": Speaker.TOOL,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "assistant": Speaker.ASSISTANT,
}
CALL_KEYS = ("functionCall", "function_call")
RESULT_KEYS = ("functionResponse", "function_response")
MEDIA_KEYS = ("inlineData", "inline_data", "fileData", "file_data")
HOSTED_CALL_KEYS = ("executableCode", "executable_code", "toolCall", "tool_call")
HOSTED_RESULT_KEYS = ("codeExecutionResult", "code_execution_result", "toolResponse", "tool_response")
SIGNATURE_KEYS = ("thoughtSignature", "thought_signature")
PART_KEYS = frozenset(
    {"text", *CALL_KEYS, *RESULT_KEYS, *MEDIA_KEYS, *HOSTED_CALL_KEYS, *HOSTED_RESULT_KEYS, *SIGNATURE_KEYS, "thought"}
)


def recognise(marks: Marks) -> int:
    """Sure of `parts` whose parts have no type."""
    if not marks.count or "parts" not in marks.keys or marks.part_types:
        return 0
    if "content" in marks.keys or "kind" in marks.keys:
        return 0
    if marks.roles and not marks.roles & SPEAKERS.keys() and marks.where != "contents":
        return 0
    if marks.part_keys and not marks.part_keys & PART_KEYS:
        return 0
    return 90 if marks.part_keys or marks.where == "contents" or "model" in marks.roles else 60


def read(candidate: Candidate) -> Transcript:
    """The contents as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = Transcript("gemini", [], candidate)
    messages = candidate.messages
    alone = isinstance(messages, (dict, str))  # one content, or one text, for a list of one
    for index, raw in enumerate([messages] if alone else messages if isinstance(messages, list) else []):
        at = candidate.at if alone else candidate.place(index)
        if isinstance(raw, dict):
            transcript.messages.append(read_message(raw, index, at))
        elif isinstance(raw, str):
            message = Message(index, at, raw, None, Speaker.USER, content=raw, content_form="text", content_at=at)
            message.parts = [text_part(raw, at, message)]
            transcript.messages.append(message)
        else:
            transcript.stray.append((at, raw))
    body = candidate.body
    if body is not None:
        transcript.tools, transcript.tools_at = read_tools(body, candidate.body_at)
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role = raw.get("role")
    if role is None or role == "":
        speaker = Speaker.USER
    else:
        speaker = SPEAKERS.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    message = Message(index, at, raw, role, speaker)
    message.foreign_role = role == "assistant"
    message.role_at = at / "role" if "role" in raw else None
    set_content(message, raw, "parts")
    parts = message.content
    if isinstance(parts, list):
        message.parts = [read_part(p, at / "parts" / n, message) for n, p in enumerate(parts)]
    elif isinstance(parts, dict):
        message.parts = [read_part(parts, at / "parts", message)]
    return message


def one_of(raw: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if raw.get(key) is not None:
            return key
    return None


def read_part(raw: Any, at: Place, message: Message) -> Part:
    if isinstance(raw, str):
        return text_part(raw, at, message)
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    signature_key = one_of(raw, SIGNATURE_KEYS)
    signature = raw.get(signature_key) if signature_key else None
    key = one_of(raw, CALL_KEYS)
    if key is not None:
        call = read_call(raw, key, at, message)
        call.signature, call.signature_at = signature, at / signature_key if signature_key else None
        inner = raw[key]
        if signature is None and isinstance(inner, dict):
            nested = one_of(inner, SIGNATURE_KEYS)
            if nested is not None:
                call.signature, call.signature_at = inner[nested], call.at / nested
        return call
    key = one_of(raw, RESULT_KEYS)
    if key is not None:
        return read_result(raw, key, at, message)
    key = one_of(raw, MEDIA_KEYS)
    if key is not None:
        return read_media(raw, key, at, message)
    key = one_of(raw, HOSTED_CALL_KEYS)
    if key is not None:
        inner = raw[key] if isinstance(raw[key], dict) else {}
        return Call(Kind.HOSTED_CALL, at, raw, message, key, id=inner.get("id"), name=inner.get("name"), hosted=True)
    key = one_of(raw, HOSTED_RESULT_KEYS)
    if key is not None:
        inner = raw[key] if isinstance(raw[key], dict) else {}
        return Result(
            Kind.HOSTED_RESULT, at, raw, message, key, id=inner.get("id"), name=inner.get("name"), hosted=True
        )
    text = raw.get("text")
    if raw.get("thought") is True:
        return Reasoning(
            Kind.REASONING,
            at,
            raw,
            message,
            "thought",
            text_of(text),
            spot(raw, "text", at),
            signature=signature,
            signature_at=at / signature_key if signature_key else at,
        )
    if isinstance(text, str):
        return Part(Kind.TEXT, at, raw, message, "text", text, at / "text")
    if signature_key is not None:
        return Reasoning(
            Kind.REASONING, at, raw, message, "signature", signature=signature, signature_at=at / signature_key
        )
    return Part(Kind.UNKNOWN, at, raw, message, next(iter(raw), ""))


def read_call(raw: dict[str, Any], key: str, at: Place, message: Message) -> Call:
    inner = raw[key] if isinstance(raw[key], dict) else {}
    call = new_call(raw, at / key, message, key)
    fill_call(call, inner, at / key, id_key="id", name_key="name", arguments_key="args")
    return call


def read_result(raw: dict[str, Any], key: str, at: Place, message: Message) -> Result:
    inner = raw[key] if isinstance(raw[key], dict) else {}
    result = new_result(raw, at / key, message, key)
    fill_result(result, inner, at / key, id_key="id", name_key="name", content_key="response")
    parts = inner.get("parts")
    for number, part in enumerate(parts if isinstance(parts, list) else ()):
        media = one_of(part, MEDIA_KEYS) if isinstance(part, dict) else None
        if media is not None:
            result.parts.append(read_media(part, media, at / key / "parts" / number, message))
    return result


def read_media(raw: dict[str, Any], key: str, at: Place, message: Message) -> Media:
    inner = raw[key] if isinstance(raw[key], dict) else {}
    mime_key = "mimeType" if "mimeType" in inner else "mime_type"
    mime = inner.get(mime_key)
    kind = mime.split("/")[0] if isinstance(mime, str) else "file"
    media = Media(Kind.MEDIA, at, raw, message, key, media=kind, media_type=mime)
    media.media_type_at = at / key / mime_key if mime_key in inner else at / key
    if isinstance(inner.get("data"), str):
        media.data, media.data_at = inner["data"], at / key / "data"
    return media


def read_tools(body: Mapping[str, Any], at: Place) -> tuple[list[Tool] | None, Place | None]:
    """All function declarations of a request body; hosted tools by the key that turns them on."""
    declared = body.get("tools")
    base = at
    if declared is None and isinstance(body.get("config"), dict):
        declared, base = body["config"].get("tools"), at / "config"
    if not isinstance(declared, list):
        return None, None
    tools: list[Tool] = []
    for number, raw in enumerate(declared):
        place = base / "tools" / number
        if not isinstance(raw, dict):
            tools.append(Tool(None, place, raw, type="unknown"))
            continue
        for key, value in raw.items():
            if key in ("functionDeclarations", "function_declarations"):
                for n, function in enumerate(value if isinstance(value, list) else []):
                    inside = place / key / n
                    if not isinstance(function, dict):
                        tools.append(Tool(None, inside, function, type="unknown"))
                        continue
                    schema_key = "parameters" if "parameters" in function else "parametersJsonSchema"
                    tools.append(
                        Tool(
                            function.get("name"),
                            inside,
                            function,
                            function.get(schema_key),
                            inside / "name" if "name" in function else inside,
                            inside / schema_key if schema_key in function else inside,
                        )
                    )
            else:
                tools.append(Tool(key, place, raw, type=key, hosted=True))
    return tools, base / "tools"


# ---------------------------------------------------------------------------------------------------------------
# The quick pass; see openai_chat for what it promises.

_BODY_KEYS = frozenset(
    {"toolConfig", "tool_config", "generationConfig", "generation_config", "config", "cachedContent"}
)


def calls_of(candidate: Candidate) -> Iterator[tuple[Any, Any]]:
    """Name and arguments of each call of an everyday history."""
    for message in candidate.messages:
        for part in message["parts"]:
            call = part.get("functionCall") or part.get("function_call")
            if call is not None:
                yield call["name"], call.get("args") or {}


def signals(candidate: Candidate) -> int:
    """What is not everyday about this history, as a `Signal` mask."""
    messages = candidate.messages
    if type(messages) is not list:
        return _ALL
    if not messages:
        return _EMPTY
    found = 0
    call_ids: list[Any] = []
    result_ids: list[Any] = []
    call_names: list[Any] = []
    result_names: list[Any] = []
    waiting = 0  # calls of the turn that have no result yet
    before = ""
    any_user = False
    last_name = last_arguments = None
    for message in messages:
        if type(message) is not dict:
            return _ALL
        role = message.get("role")
        parts = message.get("parts")
        if type(parts) is not list:
            return _ALL
        if len(message) > 2:
            found |= _EXTRA_KEY
        if not parts:
            found |= _EMPTY_CONTENT
        if role == before:
            found |= _SAME_ROLE | _UNPAIRED | _USER_AFTER_RESULT
        if role == "model":
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if before == "":
                found |= _FIRST_NOT_USER
            for part in parts:
                if type(part) is not dict:
                    return _ALL
                if len(part) != 1:
                    found |= _part_signals(part)
                text = part.get("text")
                if type(text) is str:
                    if not text or text.isspace():
                        found |= _BLANK_TEXT
                    elif may_hide_call(text):
                        found |= _CALL_TEXT
                    continue
                call = part.get("functionCall") or part.get("function_call")
                if type(call) is not dict:
                    found |= _STRANGE
                    continue
                waiting += 1
                name, arguments = call.get("name"), call.get("args")
                call_names.append(name)
                call_ids.append(call.get("id"))
                if type(arguments) is not dict:
                    found |= _ODD_ARGUMENTS
                if name == last_name and arguments == last_arguments:
                    found |= _REPEATED_CALL
                last_name = name
                last_arguments = arguments
                if len(call) > 2 + ("id" in call):
                    found |= _EXTRA_KEY
            if waiting:
                if waiting > TOO_MANY:
                    found |= _MANY
                if len(parts) > waiting:
                    found |= _TEXT_BESIDE_CALLS
                if before != "user":
                    found |= _UNPAIRED
        elif role == "user":
            others = results = 0
            for part in parts:
                if type(part) is not dict:
                    return _ALL
                if len(part) != 1:
                    found |= _part_signals(part)
                text = part.get("text")
                if type(text) is str:
                    others += 1
                    if not text or text.isspace():
                        found |= _BLANK_TEXT
                    continue
                result = part.get("functionResponse") or part.get("function_response")
                if type(result) is not dict:
                    others += 1
                    found |= _STRANGE
                    continue
                results += 1
                result_names.append(result.get("name"))
                result_ids.append(result.get("id"))
                response = result.get("response")
                if type(response) is not dict or not response:
                    found |= _ODD_RESULT
                elif next(references(response), None) is not None:
                    found |= _MEDIA
                if len(result) > 2:
                    found |= _EXTRA_KEY if len(result) > 3 else 0
                    found |= _MEDIA if "parts" in result else 0
            if results != waiting:
                found |= _UNPAIRED
            waiting = 0
            if others:
                any_user = True
                if results:
                    found |= _MIXED
        else:
            return _ALL
        before = role
    if waiting:
        found |= _UNPAIRED
    if not any_user:
        found |= _NO_USER
    if call_names or result_names:
        found |= _CALLS
        if not everyday_names(call_names):
            found |= _ODD_NAME
        named = [i for i in call_ids if i is not None]
        if len(named) != len(call_ids):
            found |= _ODD_ID  # optional here, and wanted by others
        if not everyday_ids(named):
            found |= _ODD_ID | _UNPAIRED | _REPEATED_ID
        elif repeats(named):
            found |= _REPEATED_ID
        # Anything but the same names and IDs in the same order is left to the engine.
        if call_ids != result_ids or call_names != result_names:
            found |= _UNPAIRED | _REORDERED | _ODD_NAME | _ODD_ID
        if found & _UNPAIRED:
            found |= _NAMED_RESULT
    if before == "model":
        found |= _LAST_ASSISTANT
    elif result_names:
        found |= _LEADING_RESULT
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
            found |= _BODY | _TOOLS
        if body.get("systemInstruction") is not None or body.get("system_instruction") is not None:
            found |= _SYSTEM
    return found


def _part_signals(part: dict[str, Any]) -> int:
    """Of a part with more than one key, or none."""
    data = part.keys() - _BESIDE
    if len(data) != 1:
        return _ALL
    return _REASONING | _EXTRA_KEY | _MEDIA


_BESIDE = frozenset({"thought", "thoughtSignature", "thought_signature"})
_ALL = Signal.ALL
_EMPTY = Signal.EMPTY | Signal.NO_USER | Signal.BODY | Signal.TOOLS
_UNPAIRED = Signal.UNPAIRED
_ODD_ID = Signal.ODD_ID
_REPEATED_ID = Signal.REPEATED_ID
_ODD_RESULT = Signal.ODD_RESULT
_EMPTY_CONTENT = Signal.EMPTY_CONTENT
_BLANK_TEXT = Signal.BLANK_TEXT
_ODD_ARGUMENTS = Signal.ODD_ARGUMENTS
_ODD_NAME = Signal.ODD_NAME
_SYSTEM = Signal.SYSTEM
_SAME_ROLE = Signal.SAME_ROLE
_FIRST_NOT_USER = Signal.FIRST_NOT_USER
_LAST_ASSISTANT = Signal.LAST_ASSISTANT
_NO_USER = Signal.NO_USER
_USER_AFTER_RESULT = Signal.USER_AFTER_RESULT
_MEDIA = Signal.MEDIA
_MIXED = Signal.MIXED
_TEXT_BESIDE_CALLS = Signal.TEXT_BESIDE_CALLS
_NO_TOOLS = Signal.NO_TOOLS
_REORDERED = Signal.REORDERED
_EXTRA_KEY = Signal.EXTRA_KEY
_REASONING = Signal.REASONING
_HOSTED = Signal.HOSTED
_TOOLS = Signal.TOOLS
_CALLS = Signal.CALLS
_BODY = Signal.BODY
_REPEATED_CALL = Signal.REPEATED_CALL
_ODD = Signal.ODD
_LEADING_RESULT = Signal.LEADING_RESULT
_OPEN_LOOP = Signal.OPEN_LOOP
_MANY = Signal.MANY
_CALL_TEXT = Signal.CALL_TEXT
_NAMED_RESULT = Signal.NAMED_RESULT

_STRANGE = _CALLS | _HOSTED | _MEDIA | _MIXED | _ODD | _ODD_ARGUMENTS | _ODD_ID | _ODD_NAME | _ODD_RESULT | _UNPAIRED


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    snake = call.type == "function_call"
    answer: dict[str, Any] = {"id": call.id} if call.id is not None else {}
    answer |= {"name": call.name, "response": {"output": text}}
    return {"function_response" if snake else "functionResponse": answer}


def _role(speaker: Speaker) -> str:
    return "model" if speaker is Speaker.ASSISTANT else "user"


def _signature_at(call: Call) -> Place:
    """Beside the call, in its own spelling."""
    return Place(call.at.path[:-1], call.at.document) / SIGNATURE_KEYS[call.type == "function_call"]


SHAPE = Shape(
    own_message=False,
    parts_key="parts",
    result=_placeholder,
    text_part=lambda text: {"text": text},
    message=lambda speaker, parts, _like: {"role": _role(speaker), "parts": parts},
    text_message=lambda speaker, text, _like: {"role": _role(speaker), "parts": [{"text": text}]},
    role=_role,
    content=lambda target, text: {"output": text} if isinstance(target, Result) else [{"text": text}],
    result_key="response",
    result_id_key="id",
    result_name_key="name",
    signature_at=_signature_at,
    system_keys=("systemInstruction", "system_instruction"),
    system=lambda text: {"parts": [{"text": text}]},
    arguments_key="args",
)

DIALECT = Dialect(
    name="gemini",
    title="Gemini",
    how="contents with `parts` whose parts have no `type`: `text`, `functionCall`, `functionResponse` (or snake_case)",
    recognise=recognise,
    read=read,
    shape=SHAPE,
    signals=signals,
    calls=calls_of,
)
