"""Gemini contents: `parts` with `functionCall` and `functionResponse`, in camelCase or snake_case.

IDs are optional; without them calls and responses pair by name and order.  A part has one data field and no `type`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.model import (
    Call,
    Candidate,
    Kind,
    Media,
    Message,
    Part,
    Reasoning,
    Result,
    Speaker,
    Tool,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from turnlint.diagnostic import Place

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
    if marks.roles and not marks.roles & SPEAKERS.keys():
        return 0
    if marks.part_keys and not marks.part_keys & PART_KEYS:
        return 0
    return 90 if marks.part_keys or marks.where == "contents" or "model" in marks.roles else 60


def read(candidate: Candidate) -> Transcript:
    """The contents as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = Transcript("gemini", [], candidate)
    messages = candidate.messages
    if isinstance(messages, dict):
        messages = [messages]
    for index, raw in enumerate(messages if isinstance(messages, list) else []):
        at = candidate.place(index)
        if isinstance(raw, dict):
            transcript.messages.append(read_message(raw, index, at))
        elif isinstance(raw, str):
            message = Message(index, at, raw, None, Speaker.USER, content=raw, content_form="text", content_at=at)
            message.parts = [Part(Kind.TEXT, at, raw, message, "text", raw, at)]
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
    parts = raw.get("parts")
    message.content = parts
    message.content_at = at / "parts" if "parts" in raw else at
    if "parts" not in raw:
        message.content_form = "absent"
    elif parts is None:
        message.content_form = "null"
    elif isinstance(parts, list):
        message.content_form = "list"
        message.parts = [read_part(p, at / "parts" / n, message) for n, p in enumerate(parts)]
    else:
        message.content_form = "object" if isinstance(parts, dict) else "other"
        if isinstance(parts, dict):
            message.parts = [read_part(parts, at / "parts", message)]
    return message


def one_of(raw: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if raw.get(key) is not None:
            return key
    return None


def read_part(raw: Any, at: Place, message: Message) -> Part:
    if isinstance(raw, str):
        return Part(Kind.TEXT, at, raw, message, "text", raw, at)
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    signature_key = one_of(raw, SIGNATURE_KEYS)
    signature = raw.get(signature_key) if signature_key else None
    key = one_of(raw, CALL_KEYS)
    if key is not None:
        call = read_call(raw, key, at, message)
        call.signature = signature
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
        return Call(
            Kind.HOSTED_CALL, at, raw, message, key, id=inner.get("id"), name=inner.get("name"), hosted=True
        )
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
            text if isinstance(text, str) else None,
            at / "text",
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
    inside = at / key
    inner = raw[key] if isinstance(raw[key], dict) else {}
    arguments = inner.get("args")
    return Call(
        Kind.CALL,
        inside,
        raw,
        message,
        key,
        id=inner.get("id"),
        name=inner.get("name"),
        arguments=arguments,
        arguments_form="object"
        if isinstance(arguments, dict)
        else "text"
        if isinstance(arguments, str)
        else "missing"
        if arguments is None
        else "other",
        id_at=inside / "id" if "id" in inner else inside,
        name_at=inside / "name" if "name" in inner else inside,
        arguments_at=inside / "args" if "args" in inner else inside,
    )


def read_result(raw: dict[str, Any], key: str, at: Place, message: Message) -> Result:
    inside = at / key
    inner = raw[key] if isinstance(raw[key], dict) else {}
    content = inner.get("response")
    return Result(
        Kind.RESULT,
        inside,
        raw,
        message,
        key,
        id=inner.get("id"),
        name=inner.get("name"),
        content=content,
        content_at=inside / "response" if "response" in inner else inside,
        id_at=inside / "id" if "id" in inner else inside,
        name_at=inside / "name" if "name" in inner else inside,
    )


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


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    snake = call.type == "function_call"
    answer: dict[str, Any] = {"id": call.id} if call.id is not None else {}
    answer |= {"name": call.name, "response": {"output": text}}
    return {"function_response" if snake else "functionResponse": answer}


def _role(speaker: Speaker) -> str:
    return "model" if speaker is Speaker.ASSISTANT else "user"


SHAPE = Shape(
    own_message=False,
    parts_key="parts",
    result=_placeholder,
    text_part=lambda text: {"text": text},
    message=lambda speaker, parts: {"role": _role(speaker), "parts": parts},
    text_message=lambda speaker, text: {"role": _role(speaker), "parts": [{"text": text}]},
    result_id_key="id",
    system_key="systemInstruction",
    system=lambda text: {"parts": [{"text": text}]},
)

DIALECT = Dialect(
    name="gemini",
    title="Gemini",
    how="contents with `parts` whose parts have no `type`: `text`, `functionCall`, `functionResponse` (or snake_case)",
    recognise=recognise,
    read=read,
    shape=SHAPE,
)
