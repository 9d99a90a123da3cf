"""Anthropic Messages: content blocks with `tool_use` in assistant messages and `tool_result` in user messages.

Tools that the provider runs have both halves in the assistant message (`server_tool_use`, `mcp_tool_use` and the
`*_tool_result` blocks).  The system prompt stands beside the list; newer models take role system inside it too.
Bodies for Vertex and Bedrock InvokeModel are the same with `anthropic_version` and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.quick import LONG, TOO_MANY, everyday_ids, everyday_names, may_hide_call, repeats
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    new_call,
    new_result,
    read_list,
    set_content,
    speaker_of,
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
        if "max_tokens" in marks.body and marks.model.startswith("claude-") and "system" not in marks.roles:
            return 60
        if marks.part_types & {"image", "document"} and not marks.part_types & {"image_url", "input_text"}:
            return 60
    return 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = read_list("anthropic", candidate, read_message)
    body = candidate.body
    if body is not None:
        transcript.tools, transcript.tools_at = read_tools(body, candidate.body_at)
        if body.get("system") is not None:
            shell = Message(-1, candidate.body_at, body, "system", Speaker.SYSTEM)
            shell.parts = read_content(body["system"], candidate.body_at / "system", shell)
            transcript.system = shell.parts
    transcript.cache_marks = list(cache_marks(transcript))
    return transcript


def cache_marks(transcript: Transcript) -> Iterator[Place]:
    """The `cache_control` members of tools, system blocks and content blocks, in the order of the prompt."""
    for tool in transcript.tools or ():
        if isinstance(tool.raw, dict) and tool.raw.get("cache_control") is not None:
            yield tool.at / "cache_control"
    for part in (*transcript.system, *transcript.parts()):
        if isinstance(part.raw, dict) and part.raw.get("cache_control") is not None:
            yield part.at / "cache_control"


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role = raw.get("role")
    speaker = speaker_of(role, SPEAKERS)
    if role in ("tool", "function"):
        speaker = Speaker.USER
    message = Message(index, at, raw, role, speaker, id=raw.get("id"), stop_reason=raw.get("stop_reason"))
    message.foreign_role = speaker is not Speaker.UNKNOWN and role not in SPEAKERS
    message.role_at = at / "role" if "role" in raw else None
    message.directive = speaker is Speaker.SYSTEM and raw.get("content") == [] and "output_config" in raw
    set_content(message, raw)
    message.parts = read_content(message.content, at / "content", message)
    return message


def read_content(content: Any, at: Place, message: Message) -> list[Part]:
    if isinstance(content, str):
        return [text_part(content, at, message)]
    if isinstance(content, list):
        return [read_block(block, at / n, message) for n, block in enumerate(content)]
    return []


def read_block(raw: Any, at: Place, message: Message) -> Part:
    if not isinstance(raw, dict):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    kind = raw.get("type")
    if kind == "text":
        text = raw.get("text")
        return Part(Kind.TEXT, at, raw, message, kind, text_of(text), spot(raw, "text", at))
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
            text_of(raw.get("thinking")),
            spot(raw, "thinking", at),
            signature=raw.get("signature"),
            signature_at=spot(raw, "signature", at),
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
        return Part(Kind.CONTROL, at, raw, message, kind, text_of(raw.get("content")), spot(raw, "content", at))
    return Part(Kind.UNKNOWN, at, raw, message, kind)


def read_call(raw: dict[str, Any], at: Place, message: Message, *, hosted: bool) -> Call:
    call = new_call(raw, at, message, raw["type"], hosted=hosted)
    fill_call(call, raw, at, id_key="id", name_key="name", arguments_key="input")
    return call


def read_result(raw: dict[str, Any], at: Place, message: Message, *, hosted: bool) -> Result:
    result = new_result(raw, at, message, raw["type"], hosted=hosted)
    fill_result(result, raw, at, id_key="tool_use_id", content_key="content")
    result.is_error = raw.get("is_error") is True
    if isinstance(result.content, list):
        result.parts = [read_inner(block, at / "content" / n, message) for n, block in enumerate(result.content)]
    return result


def read_inner(raw: Any, at: Place, message: Message) -> Part:
    """A block inside a result.  A result in it is none of the API's, and stays unread: it might hold another."""
    kind = raw.get("type") if isinstance(raw, dict) else None
    if isinstance(kind, str) and kind.endswith("tool_result"):
        return Part(Kind.UNKNOWN, at, raw, message, kind)
    return read_block(raw, at, message)


def read_media(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Media:
    media = Media(Kind.MEDIA, at, raw, message, kind, media=kind, name=raw.get("title"))
    media.name_at = at / "title" if "title" in raw else None
    source = raw.get("source")
    if isinstance(source, dict):
        media.remote = source.get("type") == "url"
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
                text_of(kind) or "",
                hosted,
            )
        )
    return tools, at / "tools"


# ---------------------------------------------------------------------------------------------------------------
# The quick pass; see openai_chat for what it promises.

_BODY_KEYS = frozenset({"tool_choice", "thinking", "container", "mcp_servers", "output_config"})


def calls_of(candidate: Candidate) -> Iterator[tuple[Any, Any]]:
    """Name and arguments of each call of an everyday history."""
    for message in candidate.messages:
        if type(message["content"]) is list:
            for block in message["content"]:
                if block["type"] == "tool_use":
                    yield block["name"], block["input"]


def signals(candidate: Candidate) -> int:
    """What is not everyday about this history, as a `Signal` mask; see openai_chat for how IDs are looked at."""
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
    before = ""
    any_user = False
    last_name = last_arguments = None
    last_text = ""
    for message in messages:
        if type(message) is not dict:
            return _ALL
        role = message.get("role")
        content = message.get("content")
        if len(message) > 2:
            found |= _EXTRA_KEY
            if "stop_reason" in message or "tool_calls" in message or "tool_call_id" in message:
                found |= _ODD | _STOP_REASON
        if role == before:
            found |= _SAME_ROLE | _UNPAIRED | _USER_AFTER_RESULT
        elif before == "" and role != "user":
            found |= _FIRST_NOT_USER
        if role == "user":
            only_results = False
            if type(content) is str:
                if not content or content.isspace():
                    found |= _EMPTY_CONTENT | _BLANK_TEXT
            elif type(content) is list:
                if not content:
                    found |= _EMPTY_CONTENT
                results = others = 0
                for block in content:
                    if type(block) is not dict:
                        return _ALL
                    kind = block.get("type")
                    if kind == "tool_result":
                        results += 1
                        result_ids.append(block.get("tool_use_id"))
                        inner = block.get("content")
                        if type(inner) is not str:
                            found |= _inner_signals(inner)
                        elif not inner or inner.isspace():
                            found |= _ODD_RESULT
                        elif len(inner) > LONG:
                            found |= _LONG_RESULT
                        if len(block) > 3:
                            found |= _EXTRA_KEY
                            if block.get("is_error"):
                                found |= _ODD_RESULT
                    elif kind == "text":
                        others += 1
                        found |= _text_signals(block)
                    else:
                        others += 1
                        found |= _MEDIA | _BLANK_TEXT
                        if type(kind) is not str or kind not in SHARED_BLOCKS:
                            return _ALL  # a call on the wrong side, or something nobody knows
                waiting -= results
                if results:
                    only_results = not others
                    if others:
                        found |= _MIXED
            else:
                found |= _NULL_CONTENT | _ODD
            if not only_results:
                any_user = True
            if waiting:
                found |= _UNPAIRED
                waiting = 0
        elif role == "assistant":
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if type(content) is str:
                last_text = content
                if not content or content.isspace():
                    found |= _EMPTY_CONTENT | _BLANK_TEXT
                elif may_hide_call(content):
                    found |= _CALL_TEXT
            elif type(content) is list:
                last_text = ""
                if not content:
                    found |= _EMPTY_CONTENT
                for block in content:
                    if type(block) is not dict:
                        return _ALL
                    kind = block.get("type")
                    if kind == "tool_use":
                        waiting += 1
                        name, arguments = block.get("name"), block.get("input")
                        call_ids.append(block.get("id"))
                        names.append(name)
                        if type(arguments) is not dict:
                            found |= _ODD_ARGUMENTS | _ODD
                        if name == last_name and arguments == last_arguments:
                            found |= _REPEATED_CALL
                        last_name = name
                        last_arguments = arguments
                        if len(block) > 4:
                            found |= _EXTRA_KEY
                    elif kind == "text":
                        found |= _text_signals(block)
                        text = block.get("text")
                        last_text = text if type(text) is str else ""
                        if may_hide_call(last_text):
                            found |= _CALL_TEXT
                    elif kind == "thinking" or kind == "redacted_thinking":
                        found |= _REASONING
                        if kind == "thinking" and type(block.get("thinking")) is not str:
                            found |= _ODD
                    elif kind == "tool_result":
                        return _ALL
                    else:
                        found |= _STRANGE
                if waiting and len(content) > waiting:
                    found |= _TEXT_BESIDE_CALLS
                    if waiting > TOO_MANY:
                        found |= _MANY
            else:
                found |= _NULL_CONTENT | _ODD
        else:
            return _ALL
        before = role
    if waiting:
        found |= _UNPAIRED
    if not any_user:
        found |= _NO_USER
    if call_ids or result_ids:
        found |= _CALLS
        if not everyday_names(names):
            found |= _ODD_NAME
        if not everyday_ids(call_ids):
            found |= _ODD_ID | _UNPAIRED | _REPEATED_ID
        elif call_ids != result_ids or repeats(call_ids):
            found |= _id_signals(messages, call_ids, result_ids)
    if before == "assistant":
        found |= _LAST_ASSISTANT
        if last_text[-1:].isspace():
            found |= _TRAILING_SPACE
    elif found & _CALLS:
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
        system = body.get("system")
        if system is not None and (type(system) is not str or not system or system.isspace()):
            found |= _SYSTEM | _BLANK_TEXT | _EXTRA_KEY | _MEDIA
        if not _BODY_KEYS.isdisjoint(body):
            found |= _BODY
    return found


def _id_signals(messages: list[dict[str, Any]], call_ids: list[str], result_ids: list[Any]) -> int:
    """What there is to say of IDs where those of calls and results are not one list without repeats."""
    found = _REPEATED_ID if repeats(call_ids) else 0
    if not everyday_ids(result_ids):
        return found | _ODD_ID | _UNPAIRED
    waiting: list[Any] = []
    for message in messages:
        content = message.get("content")
        blocks = content if type(content) is list else ()
        if message["role"] == "assistant":
            waiting = [block["id"] for block in blocks if block.get("type") == "tool_use"]
            if repeats(waiting):
                found |= _UNPAIRED
        elif waiting:
            results = [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]
            if waiting != results:
                found |= _REORDERED if sorted(waiting) == sorted(results) else _UNPAIRED
            waiting = []
    return found


def _text_signals(block: Mapping[str, Any]) -> int:
    text = block.get("text")
    found = 0
    if type(text) is not str:
        found = _ODD | _BLANK_TEXT
    elif not text or text.isspace():
        found = _BLANK_TEXT
    if len(block) > 2:
        found |= _EXTRA_KEY
    return found


def _inner_signals(blocks: Any) -> int:
    """Of what a result holds in the place of text."""
    if type(blocks) is not list:
        return _ODD_RESULT
    found = _LONG_RESULT if blocks else _ODD_RESULT
    for block in blocks:
        if type(block) is not dict:
            return _ALL
        if block.get("type") == "text":
            found |= _text_signals(block)
            if found & _BLANK_TEXT:
                found |= _ODD_RESULT
        else:
            found |= _MEDIA | _ODD_RESULT
    return found


_ALL = Signal.ALL
_EMPTY = Signal.EMPTY | Signal.NO_USER | Signal.BODY | Signal.TOOLS
_UNPAIRED = Signal.UNPAIRED
_ODD_ID = Signal.ODD_ID
_REPEATED_ID = Signal.REPEATED_ID
_ODD_RESULT = Signal.ODD_RESULT
_EMPTY_CONTENT = Signal.EMPTY_CONTENT
_NULL_CONTENT = Signal.NULL_CONTENT
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
_STOP_REASON = Signal.STOP_REASON
_TRAILING_SPACE = Signal.TRAILING_SPACE
_LEADING_RESULT = Signal.LEADING_RESULT
_OPEN_LOOP = Signal.OPEN_LOOP
_MANY = Signal.MANY
_CALL_TEXT = Signal.CALL_TEXT
_LONG_RESULT = Signal.LONG_RESULT
_STRANGE = (
    _CALLS
    | _HOSTED
    | _BLANK_TEXT
    | _MEDIA
    | _MIXED
    | _ODD
    | _ODD_ARGUMENTS
    | _ODD_ID
    | _ODD_NAME
    | _ODD_RESULT
    | _REASONING
    | _UNPAIRED
)

SHAPE = Shape(
    own_message=False,
    parts_key="content",
    result=lambda call, text: {"type": "tool_result", "tool_use_id": call.id, "content": text},
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "content": text},
    result_id_key="tool_use_id",
    schema_key="input_schema",
    system_keys=("system",),
    system=lambda text: text,
    arguments_key="input",
    no_thinking=("thinking", {"type": "disabled"}),
    tools=lambda names: {
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in names],
        "tool_choice": {"type": "none"},
    },
)

DIALECT = Dialect(
    name="anthropic",
    title="Anthropic Messages",
    how="blocks of type `tool_use`, `tool_result`, `thinking`; or `anthropic_version`, or `system` beside the list",
    recognise=recognise,
    read=read,
    shape=SHAPE,
    signals=signals,
    calls=calls_of,
)
