"""The members of parts and items, and of what kind their values are, as the providers publish them.

Only what no rule of its own looks after: IDs, names, arguments, signatures and roles are left to the rules about them.
A member that may be left out may be null too: that is what a dump of an SDK's object leaves behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Schema = Mapping[str, "Member"]


class Member(NamedTuple):
    """What a member may be: kinds of JSON values, and what an object, or each object of a list, holds in its turn.

    `by_type` are the schemas of objects that name their type; one of another type is not looked at.  `one_of` are the
    members of which an object must have one.  `nullable`: that it is null is told elsewhere.
    """

    kinds: tuple[str, ...]
    required: bool = False
    members: Schema | None = None
    by_type: Mapping[str, Schema] | None = None
    one_of: tuple[str, ...] = ()
    nullable: bool = False


class Misfit(NamedTuple):
    """A member that is missing (`wanted` is empty), or of another kind than `wanted`.  `path` leads to it."""

    path: tuple[str | int, ...]
    wanted: str
    value: Any


_ARTICLES = {"text": "a text", "list": "a list", "object": "an object", "boolean": "true or false"}


def misfits(raw: Mapping[str, Any], schema: Schema, *, nulls: bool = True) -> Iterator[Misfit]:
    """Every member of an object, and of those inside it, that does not fit its schema.

    `nulls`: a member that may be left out may be null.
    """
    for key, member in schema.items():
        if key not in raw:
            if member.required:
                yield Misfit((key,), "", None)
            continue
        value = raw[key]
        if value is None and (member.nullable or (nulls and not member.required)):
            continue
        kind = _kind(value)
        if kind not in member.kinds:
            yield Misfit((key,), " or ".join(_ARTICLES[k] for k in member.kinds), value)
        elif kind == "object":
            yield from _below((key,), value, member, nulls=nulls)
        elif kind == "list" and (member.members is not None or member.by_type is not None):
            for number, item in enumerate(value):
                if isinstance(item, dict):
                    yield from _below((key, number), item, member, nulls=nulls)
                else:
                    yield Misfit((key, number), "an object", item)


def _below(path: tuple[str | int, ...], value: Mapping[str, Any], member: Member, *, nulls: bool) -> Iterator[Misfit]:
    schema = member.members
    if member.one_of and all(value.get(key) is None for key in member.one_of):
        yield Misfit((*path, " or ".join(member.one_of)), "", None)
    if member.by_type is not None:
        name = value.get("type")
        if not isinstance(name, str):
            wanted = "a text" if "type" in value else ""
            yield Misfit((*path, "type"), wanted, name)
            return
        schema = member.by_type.get(name)
    for misfit in misfits(value, schema, nulls=nulls) if schema else ():
        yield Misfit((*path, *misfit.path), misfit.wanted, misfit.value)


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "boolean"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "other"  # null, numbers


_TEXT = Member(("text",))
_MUST_TEXT = Member(("text",), required=True)
_BOOLEAN = Member(("boolean",))


def _object(members: Schema) -> Member:
    return Member(("object",), required=True, members=members)


# --- OpenAI Chat Completions: content parts by type

OPENAI_CHAT: Mapping[str, Schema] = {
    "text": {"text": _MUST_TEXT},
    "image_url": {"image_url": _object({"url": _MUST_TEXT, "detail": _TEXT})},
    "input_audio": {"input_audio": _object({"data": _MUST_TEXT, "format": _MUST_TEXT})},
    "file": {"file": _object({"file_id": _TEXT, "file_data": _TEXT, "filename": _TEXT})},
    "refusal": {"refusal": _MUST_TEXT},
}

# --- Anthropic: blocks by type

_ANTHROPIC_SOURCE = Member(
    ("object",),
    required=True,
    by_type={
        "base64": {"media_type": _MUST_TEXT, "data": _MUST_TEXT},
        "url": {"url": _MUST_TEXT},
        "file": {"file_id": _MUST_TEXT},
        "text": {"media_type": _MUST_TEXT, "data": _MUST_TEXT},
        "content": {"content": Member(("text", "list"), required=True)},
    },
)
_SEARCH_RESULT = {"url": _MUST_TEXT, "title": _MUST_TEXT, "encrypted_content": _TEXT, "page_age": _TEXT}
ANTHROPIC: Mapping[str, Schema] = {
    "text": {"text": _MUST_TEXT},
    "tool_use": {},
    "tool_result": {"content": Member(("text", "list")), "is_error": _BOOLEAN},
    "thinking": {"thinking": _MUST_TEXT},
    "image": {"source": _ANTHROPIC_SOURCE},
    "document": {"source": _ANTHROPIC_SOURCE, "title": _TEXT, "context": _TEXT},
    "server_tool_use": {"name": _MUST_TEXT, "input": Member(("object",), required=True)},
    "web_search_tool_result": {
        "content": Member(("list", "object"), required=True, by_type={"web_search_result": _SEARCH_RESULT})
    },
}

# --- Gemini: the data of a part

_BLOB = Member(("object",), members={"mimeType": _TEXT, "mime_type": _TEXT, "data": _TEXT})
_FILE = Member(("object",), members={"mimeType": _TEXT, "mime_type": _TEXT, "fileUri": _TEXT, "file_uri": _TEXT})
_CODE = Member(("object",), members={"code": _TEXT, "language": _TEXT})
_RAN = Member(("object",), members={"output": _TEXT, "outcome": _TEXT})
GEMINI: Schema = {
    "text": _TEXT,
    "inlineData": _BLOB,
    "inline_data": _BLOB,
    "fileData": _FILE,
    "file_data": _FILE,
    "executableCode": _CODE,
    "executable_code": _CODE,
    "codeExecutionResult": _RAN,
    "code_execution_result": _RAN,
    "thoughtSignature": _TEXT,
    "thought_signature": _TEXT,
    "thought": _BOOLEAN,
}

# --- Bedrock Converse: the members of a block, and of what a result holds.  A block has one of them.

_SOURCE = Member(
    ("object",), required=True, members={"bytes": _TEXT}, one_of=("bytes", "s3Location", "text", "content")
)
_CONVERSE_MEDIA: Schema = {
    "image": Member(("object",), required=True, members={"format": _MUST_TEXT, "source": _SOURCE}),
    "document": Member(("object",), required=True, members={"name": _MUST_TEXT, "source": _SOURCE}),
    "video": Member(("object",), required=True, members={"format": _MUST_TEXT, "source": _SOURCE}),
}
CONVERSE_RESULT: Schema = {"text": _MUST_TEXT, **_CONVERSE_MEDIA}
CONVERSE_RESULT_BLOCKS = frozenset({"json", "text", "image", "document", "video", "searchResult"})
CONVERSE: Schema = {
    "text": _MUST_TEXT,
    **_CONVERSE_MEDIA,
    "toolUse": Member(("object",), required=True),
    "toolResult": Member(
        ("object",), required=True, members={"content": Member(("list",), required=True), "status": _TEXT}
    ),
    "reasoningContent": Member(
        ("object",),
        required=True,
        members={
            "reasoningText": Member(("object",), members={"text": Member(("text",), nullable=True), "signature": _TEXT})
        },
        one_of=("reasoningText", "redactedContent"),
    ),
}

# --- OpenAI Responses: items by type, and the parts of messages

OPENAI_RESPONSES: Mapping[str, Schema] = {
    "message": {"type": _TEXT, "content": Member(("text", "list"), required=True)},
    "function_call": {"name": _MUST_TEXT},
    "function_call_output": {"output": Member(("text", "list"), required=True)},
    "reasoning": {
        "id": _TEXT,
        "summary": Member(("list",), required=True, by_type={"summary_text": {"text": _MUST_TEXT}}),
        "encrypted_content": _TEXT,
    },
    "web_search_call": {"id": _MUST_TEXT, "status": _TEXT, "action": Member(("object",), by_type={})},
}
RESPONSES_PARTS: Mapping[str, Schema] = {
    "input_text": {"text": _MUST_TEXT},
    "input_image": {"image_url": _TEXT, "file_id": _TEXT, "detail": _TEXT},
    "input_file": {"file_data": _TEXT, "file_id": _TEXT, "file_url": _TEXT, "filename": _TEXT},
    "output_text": {"text": _MUST_TEXT},
    "refusal": {"refusal": _MUST_TEXT},
}

# --- Cohere: content parts by type

COHERE: Mapping[str, Schema] = {
    "text": {"text": _MUST_TEXT},
    "thinking": {"thinking": _MUST_TEXT},
    "image_url": {"image_url": _object({"url": _MUST_TEXT, "detail": _TEXT})},
    "document": {"document": _object({"data": Member(("text", "object"), required=True), "id": _TEXT})},
}

COHERE_MESSAGE: Schema = {"tool_plan": _TEXT}
COHERE_FUNCTION: Schema = {"name": _TEXT, "arguments": _TEXT}

# --- Mistral: content parts by type.  An address may stand bare.

_ADDRESS = Member(("text", "object"), required=True, members={"url": _MUST_TEXT, "detail": _TEXT})
MISTRAL: Mapping[str, Schema] = {
    "text": {"text": _MUST_TEXT},
    "image_url": {"image_url": _ADDRESS},
}
MISTRAL_MESSAGE: Schema = {"name": _TEXT, "prefix": _BOOLEAN}
