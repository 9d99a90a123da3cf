"""Bedrock Converse: content blocks of one member each and no `type`, `toolUse` answered by `toolResult`.

The model stands in the address, so that a saved body has none; tools are declared in `toolConfig`.  Nova takes the same
messages through InvokeModel.  A tool that the service runs has call and result in one assistant message.
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
from turnlint.model import (
    Call,
    Candidate,
    Data,
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

SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.ASSISTANT, "system": Speaker.SYSTEM}
MEDIA = frozenset({"image", "document", "video", "audio", "searchResult"})
CONTROL = frozenset({"cachePoint", "toolAddition", "toolRemoval"})
OWN_BLOCKS = frozenset({"toolUse", "toolResult", "reasoningContent", "guardContent", "citationsContent", *CONTROL})
BLOCKS = frozenset({"text", *MEDIA, *OWN_BLOCKS})
OWN_BODY = frozenset(
    {"toolConfig", "inferenceConfig", "schemaVersion", "additionalModelRequestFields", "guardrailConfig"}
)
DOCUMENT_TYPES = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}


def recognise(marks: Marks) -> int:
    """Sure of its own blocks; a claim on any blocks without a type, and on its own request members."""
    if not marks.count or "role" not in marks.keys or "content" not in marks.keys or "parts" in marks.keys:
        return 0
    if not marks.roles & SPEAKERS.keys() or marks.keys & {"tool_calls", "tool_call_id"}:
        return 0
    if marks.part_keys & OWN_BLOCKS:
        return 95
    if marks.part_types:
        return 0
    if marks.part_keys and marks.part_keys <= BLOCKS:
        return 80
    return 70 if marks.body & OWN_BODY else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = read_list("bedrock-converse", candidate, read_message)
    body = candidate.body
    if body is not None:
        transcript.tools, transcript.tools_at = read_tools(body, candidate.body_at)
        if body.get("system") is not None:
            shell = Message(-1, candidate.body_at, body, "system", Speaker.SYSTEM)
            transcript.system = read_content(body["system"], candidate.body_at / "system", shell)
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    set_content(message, raw)
    message.parts = read_content(message.content, at / "content", message)
    if message.speaker is Speaker.ASSISTANT:
        mark_hosted(message)
    return message


def mark_hosted(message: Message) -> None:
    """Calls and results of one ID in one assistant message are the service's own."""
    results = {p.id: p for p in message.parts if isinstance(p, Result) and isinstance(p.id, str)}
    for call in message.parts:
        if isinstance(call, Call) and isinstance(call.id, str) and call.id in results:
            result = results[call.id]
            call.hosted = result.hosted = True
            call.kind, result.kind = Kind.HOSTED_CALL, Kind.HOSTED_RESULT


def read_content(content: Any, at: Place, message: Message) -> list[Part]:
    if isinstance(content, str):
        return [text_part(content, at, message)]
    if isinstance(content, list):
        return [read_block(block, at / n, message) for n, block in enumerate(content)]
    return []


def read_block(raw: Any, at: Place, message: Message) -> Part:
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    key = next((k for k in raw if k in BLOCKS and raw[k] is not None), None)
    if key is None:
        if "json" in raw:
            return Data(Kind.DATA, at, raw, message, "json", value=raw["json"], value_at=at / "json")
        return Part(Kind.UNKNOWN, at, raw, message, text_of(raw.get("type")) or next(iter(raw), ""))
    if key == "text":
        return Part(Kind.TEXT, at, raw, message, key, text_of(raw["text"]), at / "text")
    inner = raw[key] if isinstance(raw[key], dict) else {}
    if key == "toolUse":
        return read_call(inner, at / key, message)
    if key == "toolResult":
        return read_result(inner, at / key, message)
    if key == "reasoningContent":
        return read_reasoning(inner, at / key, message)
    if key in MEDIA:
        return read_media(inner, key, at / key, message)
    if key in CONTROL:
        return Part(Kind.CONTROL, at, raw, message, key)
    return read_wrapped_text(raw, inner, key, at, message)


def read_wrapped_text(raw: dict[str, Any], inner: Mapping[str, Any], key: str, at: Place, message: Message) -> Part:
    """`guardContent` and `citationsContent`: text one level down."""
    if key == "guardContent" and isinstance(inner.get("text"), dict):
        return Part(Kind.TEXT, at, raw, message, key, text_of(inner["text"].get("text")), at / key / "text")
    if key == "citationsContent":
        content = inner.get("content")
        found = (
            [p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str)]
            if isinstance(content, list)
            else []
        )
        return Part(Kind.TEXT, at, raw, message, key, "".join(found) if found else None, at / key)
    return Part(Kind.MEDIA if key == "guardContent" else Kind.UNKNOWN, at, raw, message, key)


def read_call(raw: dict[str, Any], at: Place, message: Message) -> Call:
    call = new_call(raw, at, message, "toolUse", hosted=raw.get("type") == "server_tool_use")
    fill_call(call, raw, at, id_key="toolUseId", name_key="name", arguments_key="input")
    return call


def read_result(raw: dict[str, Any], at: Place, message: Message) -> Result:
    hosted = message.speaker is Speaker.ASSISTANT and isinstance(raw.get("type"), str)
    result = new_result(raw, at, message, "toolResult", hosted=hosted)
    fill_result(result, raw, at, id_key="toolUseId", content_key="content")
    result.is_error = raw.get("status") == "error"
    if isinstance(result.content, list):
        result.parts = [read_inner(block, at / "content" / n, message) for n, block in enumerate(result.content)]
    return result


def read_inner(raw: Any, at: Place, message: Message) -> Part:
    """A block inside a result.  A result in it is none of the API's, and stays unread: it might hold another."""
    if isinstance(raw, dict) and raw.get("toolResult") is not None:
        return Part(Kind.UNKNOWN, at, raw, message, "toolResult")
    return read_block(raw, at, message)


def read_reasoning(raw: dict[str, Any], at: Place, message: Message) -> Reasoning:
    reasoning = Reasoning(Kind.REASONING, at, raw, message, "reasoningContent")
    inner = raw.get("reasoningText")
    if isinstance(inner, dict):
        inside = at / "reasoningText"
        reasoning.text, reasoning.text_at = text_of(inner.get("text")), spot(inner, "text", inside)
        reasoning.signature, reasoning.signature_at = inner.get("signature"), spot(inner, "signature", inside)
    elif "redactedContent" in raw:
        reasoning.redacted, reasoning.encrypted = True, raw["redactedContent"]
        reasoning.signature_at = at / "redactedContent"
    return reasoning


def read_media(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Media:
    media = Media(Kind.MEDIA, at, raw, message, kind, media=kind, name=raw.get("name"))
    media.name_at = at / "name" if "name" in raw else None
    form = raw.get("format")
    if isinstance(form, str):
        media.media_type = DOCUMENT_TYPES.get(form) if kind == "document" else f"{kind}/{form}"
        media.media_type_at = at / "format"
    source = raw.get("source")
    if isinstance(source, dict) and isinstance(source.get("bytes"), str):
        media.data, media.data_at = source["bytes"], at / "source" / "bytes"
    return media


def read_tools(body: Mapping[str, Any], at: Place) -> tuple[list[Tool] | None, Place | None]:
    """The tools of `toolConfig`; None where the request has none."""
    config = body.get("toolConfig")
    declared = config.get("tools") if isinstance(config, dict) else None
    if not isinstance(declared, list):
        return None, None
    base = at / "toolConfig" / "tools"
    tools: list[Tool] = []
    for number, raw in enumerate(declared):
        place = base / number
        spec = raw.get("toolSpec") if isinstance(raw, dict) else None
        if isinstance(spec, dict):
            inside = place / "toolSpec"
            schema = spec.get("inputSchema")
            inner = schema.get("json") if isinstance(schema, dict) else None
            schema_at = inside / "inputSchema" / "json" if isinstance(schema, dict) and "json" in schema else inside
            tools.append(Tool(spec.get("name"), place, raw, inner, spot(spec, "name", inside), schema_at))
        elif isinstance(raw, dict) and isinstance(raw.get("systemTool"), dict):
            system = raw["systemTool"]
            tools.append(Tool(system.get("name"), place, raw, None, place, place, "systemTool", hosted=True))
        elif not (isinstance(raw, dict) and "cachePoint" in raw):
            tools.append(Tool(None, place, raw, type="unknown"))
    return tools, base


SHAPE = Shape(
    own_message=False,
    parts_key="content",
    result=lambda call, text: {"toolResult": {"toolUseId": call.id, "content": [{"text": text}]}},
    text_part=lambda text: {"text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": [{"text": text}]},
    content=lambda _target, text: [{"text": text}],
    result_id_key="toolUseId",
    call_id_key="toolUseId",
    system_keys=("system",),
    system=lambda text: [{"text": text}],
    arguments_key="input",
    tools=lambda names: {
        "toolConfig": {
            "tools": [{"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}} for name in names]
        }
    },
)

DIALECT = Dialect(
    name="bedrock-converse",
    title="Bedrock Converse",
    how="content blocks without a `type` and one member each: `text`, `toolUse`, `toolResult`, `reasoningContent`",
    recognise=recognise,
    read=read,
    shape=SHAPE,
)
