"""Anthropic Messages: content blocks with `tool_use` in assistant messages and `tool_result` in user messages.

Tools that the provider runs have both halves in the assistant message (`server_tool_use`, `mcp_tool_use` and the
`*_tool_result` blocks).  The system prompt stands beside the list; newer models take role system inside it too.
Bodies for Vertex and Bedrock InvokeModel are the same with `anthropic_version` and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks
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

SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.ASSISTANT, "system": Speaker.SYSTEM}
OWN_BLOCKS = frozenset(
    {
        "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
        "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
        "bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "container_upload",
        "search_result", "tool_search_tool_result",
    }
)  # fmt: skip
SHARED_BLOCKS = frozenset({"text", "image", "document"})
CONTROL_BLOCKS = frozenset({"compaction", "tool_reference", "container_upload", "fallback"})
HOSTED_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})


def recognise(marks: Marks) -> int:
    """Sure of its own block types; a claim on plain messages whose body is an Anthropic request."""
    if not marks.count or "role" not in marks.keys or "content" not in marks.keys:
        return 0
    if not marks.roles & SPEAKERS.keys():
        return 0
    own = marks.part_types & OWN_BLOCKS or {t for t in marks.part_types if t.endswith("_tool_result")}
    if own and "tool_calls" not in marks.keys and "tool_call_id" not in marks.keys:
        return 90
    if "anthropic_version" in marks.body:
        return 95
    if marks.roles <= SPEAKERS.keys() and "tool_calls" not in marks.keys:
        if "stop_sequences" in marks.body or {"max_tokens", "system"} <= marks.body:
            return 75
        if "system" in marks.body and "model" in marks.body:
            return 60
        if marks.part_types & {"image", "document"} and not marks.part_types & {"image_url", "input_text"}:
            return 60
    return 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = Transcript("anthropic", [], candidate)
    messages = candidate.messages if isinstance(candidate.messages, list) else []
    for index, raw in enumerate(messages):
        at = candidate.place(index)
        if isinstance(raw, dict):
            transcript.messages.append(read_message(raw, index, at))
        else:
            transcript.stray.append((at, raw))
    body = candidate.body
    if body is not None:
        transcript.tools, transcript.tools_at = read_tools(body, candidate.body_at)
        if body.get("system") is not None:
            shell = Message(-1, candidate.body_at, body, "system", Speaker.SYSTEM)
            shell.parts = read_content(body["system"], candidate.body_at / "system", shell)
            transcript.system = shell.parts
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role = raw.get("role")
    speaker = SPEAKERS.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    if role in ("tool", "function"):
        speaker = Speaker.USER
    message = Message(index, at, raw, role, speaker, id=raw.get("id"), stop_reason=raw.get("stop_reason"))
    content = raw.get("content")
    message.content = content
    if "content" not in raw:
        message.content_form, message.content_at = "absent", at
    else:
        message.content_at = at / "content"
        message.content_form = (
            "null"
            if content is None
            else "text"
            if isinstance(content, str)
            else "list"
            if isinstance(content, list)
            else "object"
            if isinstance(content, dict)
            else "other"
        )
    message.parts = read_content(content, at / "content", message)
    return message


def read_content(content: Any, at: Place, message: Message) -> list[Part]:
    if isinstance(content, str):
        return [Part(Kind.TEXT, at, content, message, "text", content, at)]
    if isinstance(content, list):
        return [read_block(block, at / n, message) for n, block in enumerate(content)]
    return []


def read_block(raw: Any, at: Place, message: Message) -> Part:
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    kind = raw.get("type")
    if kind == "text":
        text = raw.get("text")
        return Part(Kind.TEXT, at, raw, message, kind, text if isinstance(text, str) else None, at / "text")
    if kind == "tool_use":
        return read_call(raw, at, message, hosted=False)
    if kind == "tool_result":
        return read_result(raw, at, message, hosted=False)
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind in ("thinking", "redacted_thinking"):
        return Reasoning(
            Kind.REASONING,
            at,
            raw,
            message,
            kind,
            raw.get("thinking") if isinstance(raw.get("thinking"), str) else None,
            at / "thinking",
            signature=raw.get("signature"),
            signature_at=at / "signature" if "signature" in raw else at,
            encrypted=raw.get("data"),
            redacted=kind == "redacted_thinking",
        )
    if kind in HOSTED_CALLS:
        return read_call(raw, at, message, hosted=True)
    if kind.endswith("_tool_result"):
        return read_result(raw, at, message, hosted=True)
    if kind in ("image", "document"):
        return read_media(raw, kind, at, message)
    if kind in CONTROL_BLOCKS:
        return Part(Kind.CONTROL, at, raw, message, kind)
    return Part(Kind.UNKNOWN, at, raw, message, kind)


def read_call(raw: dict[str, Any], at: Place, message: Message, *, hosted: bool) -> Call:
    arguments = raw.get("input")
    return Call(
        Kind.HOSTED_CALL if hosted else Kind.CALL,
        at,
        raw,
        message,
        raw["type"],
        id=raw.get("id"),
        name=raw.get("name"),
        arguments=arguments,
        arguments_form="object"
        if isinstance(arguments, dict)
        else "text"
        if isinstance(arguments, str)
        else "missing"
        if arguments is None
        else "other",
        id_at=at / "id" if "id" in raw else at,
        name_at=at / "name" if "name" in raw else at,
        arguments_at=at / "input" if "input" in raw else at,
        hosted=hosted,
    )


def read_result(raw: dict[str, Any], at: Place, message: Message, *, hosted: bool) -> Result:
    content = raw.get("content")
    result = Result(
        Kind.HOSTED_RESULT if hosted else Kind.RESULT,
        at,
        raw,
        message,
        raw["type"],
        id=raw.get("tool_use_id"),
        content=content,
        content_at=at / "content" if "content" in raw else at,
        id_at=at / "tool_use_id" if "tool_use_id" in raw else at,
        name_at=at,
        is_error=raw.get("is_error") is True,
        hosted=hosted,
    )
    if isinstance(content, str):
        result.text, result.text_at = content, at / "content"
    elif isinstance(content, list):
        result.parts = [read_block(block, at / "content" / n, message) for n, block in enumerate(content)]
    return result


def read_media(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Media:
    media = Media(Kind.MEDIA, at, raw, message, kind, media=kind, name=raw.get("title"))
    source = raw.get("source")
    if isinstance(source, dict):
        media.media_type = source.get("media_type")
        media.media_type_at = at / "source" / "media_type" if "media_type" in source else at / "source"
        if source.get("type") == "base64" and isinstance(source.get("data"), str):
            media.data, media.data_at = source["data"], at / "source" / "data"
    return media


def read_tools(body: Mapping[str, Any], at: Place) -> tuple[list[Tool] | None, Place | None]:
    """The declared tools of a request body; None where it has no `tools` key."""
    declared = body.get("tools")
    if not isinstance(declared, list):
        return None, None
    tools: list[Tool] = []
    for number, raw in enumerate(declared):
        place = at / "tools" / number
        if not isinstance(raw, dict):
            tools.append(Tool(None, place, raw, type="unknown"))
            continue
        kind = raw.get("type", "custom")
        hosted = isinstance(kind, str) and kind != "custom" and "input_schema" not in raw
        tools.append(
            Tool(
                raw.get("name"),
                place,
                raw,
                raw.get("input_schema"),
                place / "name" if "name" in raw else place,
                place / "input_schema" if "input_schema" in raw else place,
                str(kind),
                hosted,
            )
        )
    return tools, at / "tools"


DIALECT = Dialect(
    name="anthropic",
    title="Anthropic Messages",
    how="content blocks of type `tool_use`, `tool_result`, `thinking`; or a body with `anthropic_version`, or `system` beside the list",
    recognise=recognise,
    read=read,
)
