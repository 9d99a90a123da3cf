"""Flaws of shape: keys, types and values that a dialect's own schema does not allow.

The readers take in any shape; this module tells what in it no server of that dialect expects.  One function a
dialect, asked only when a rule wants to know.  It knows no rule and no provider: whether a flaw matters is the
target's to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnlint.dialects import schemas
from turnlint.dialects.quick import references
from turnlint.dialects.reading import text_of
from turnlint.model import Call, Flaw, Kind, Message, Part, Result, Speaker
from turnlint.repair import Remove, RemoveKey, Rewrite, SetValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from turnlint.diagnostic import Place
    from turnlint.dialects.schemas import Schema
    from turnlint.model import Line, Transcript


def flaws_of(transcript: Transcript) -> Iterator[Flaw]:
    """Every flaw of a transcript; none for a dialect whose schema nobody wrote down here."""
    if transcript.candidate.line is not None:
        yield from _line(transcript.candidate.line, transcript.candidate.target)
    check = _BY_DIALECT.get(transcript.dialect)
    if check is None:
        return
    if transcript.candidate.messages is not None and not isinstance(transcript.candidate.messages, (list, str)):
        at, raw = transcript.candidate.at, transcript.candidate.messages
        yield Flaw("schema", ("messages-not-list",), at, f"the messages are {kind_of(raw)}, no list")
    for at, raw in transcript.stray:
        yield Flaw("schema", ("message-not-object",), at, f"an element of the list is {kind_of(raw)}, no message")
    yield from check(transcript)


def kind_of(value: object) -> str:
    """A JSON value's kind, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "no JSON value"


#: Keys under which one dialect or another keeps calls, and what links results to them: taken out, a pair would be lost.
_LINKS = frozenset({"tool_calls", "function_call", "tool_results", "tool_call_id", "tool_use_id", "call_id"})


def key_flaw(at: Place, key: str, variants: tuple[str, ...], subject: Message | Part | None, word: str = "") -> Flaw:
    """A member that the schema does not have."""
    key = str(key)  # YAML and Python values may have other keys
    shown = key if len(key) <= 60 else key[:59] + "…"
    raw = subject.raw if isinstance(subject, Message) else None
    linked = key in _LINKS and isinstance(raw, dict) and bool(raw.get(key))
    return Flaw(
        "key",
        variants,
        at / key,
        f"the key {shown!r} is not part of the message format",
        subject,
        word or shown,
        () if linked else (RemoveKey(at / key),),
    )


def extra_keys(
    raw: dict[str, Any],
    known: frozenset[str],
    at: Place,
    variants: tuple[str, ...],
    subject: Message | Part,
    inside: str = "",
) -> Iterator[Flaw]:
    """The members of an object that its schema does not have."""
    for key in raw:
        if key not in known:
            yield key_flaw(at, key, variants, subject, f"{inside}{key}")


def typed(
    raw: dict[str, Any], schema: Schema, at: Place, name: str, subject: Message | Part, *, nulls: bool = True
) -> Iterator[Flaw]:
    """The members of an object that are missing, or of another kind than its schema has."""
    for path, wanted, value in schemas.misfits(raw, schema, nulls=nulls):
        word = ".".join(str(step) for step in (name, *path) if step != "")
        place = at
        for step in path if wanted else path[:-1]:
            place = place / step
        if wanted:
            bare = path[-1] == "image_url" and isinstance(value, str)
            variants = ("bare-address", "wrong-type") if bare else ("wrong-type",)
            text = f"{word} is {kind_of(value)}, and has to be {wanted}"
            yield Flaw("schema", variants, place, text, subject, word)
        else:
            owner = ".".join(str(step) for step in (name, *path[:-1]) if step != "")
            yield Flaw("schema", ("required-key",), place, f"{owner} has no {path[-1]}", subject, word)


def no_object(part: Part) -> Flaw:
    """An element of a list of parts that is none."""
    text = f"an element of the content is {kind_of(part.raw)}, and has to be an object"
    return Flaw("schema", ("wrong-type", "part-without-type"), part.at, text, part)


# --- whose shape a part is --------------------------------------------------------------------------------------------

_HOME_OF_TYPE = {
    **dict.fromkeys(
        ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"), "anthropic"
    ),
    **dict.fromkeys(("image_url", "input_audio"), "openai-chat"),
    **dict.fromkeys(
        ("input_text", "output_text", "input_image", "input_file", "function_call", "function_call_output"),
        "openai-responses",
    ),
    **dict.fromkeys(("tool-call", "tool-result"), "ai-sdk-model"),
    **dict.fromkeys(("tool-invocation", "step-start", "dynamic-tool"), "ai-sdk-ui"),
}
_HOME_OF_KEY = {
    **dict.fromkeys(
        ("functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult"),
        "gemini",
    ),
    **dict.fromkeys(("toolUse", "toolResult", "reasoningContent", "cachePoint"), "bedrock-converse"),
}


def home_of(raw: object) -> str | None:
    """The dialect in which a content part of this shape is at home, where only one has it."""
    if not isinstance(raw, dict):
        return None
    kind = raw.get("type")
    if isinstance(kind, str):
        return _HOME_OF_TYPE.get(kind)
    return next((home for key, home in _HOME_OF_KEY.items() if key in raw), None)


def foreign_part(part: Part, own: str) -> Iterator[Flaw]:
    """A part that no server of this dialect knows, and another dialect does."""
    home = home_of(part.raw)
    if part.kind is Kind.UNKNOWN and home is not None and home != own:
        yield Flaw("foreign", ("foreign-part",), part.at, f"a part in the shape of {home}", part, home)


# --- lines of data sets -----------------------------------------------------------------------------------------------

_TRAINING_KEYS = {
    "supervised": frozenset({"messages", "tools", "parallel_tool_calls", "functions"}),
    "preference": frozenset(
        {"input", "preferred_output", "non_preferred_output", "preferred_completion", "non_preferred_completion"}
    ),
}


def _line(line: Line, target: str | None) -> Iterator[Flaw]:
    raw, at = line.raw, line.at
    if not isinstance(raw, dict):
        variant = "batch-line" if line.kind == "request" else "training-line-not-object"
        yield Flaw("schema", (variant,), at, f"the line is {kind_of(raw)}, no object", None, str(at.document + 1))
    elif line.kind != "request":
        known = _TRAINING_KEYS.get(line.kind)
        for key in raw if known is not None else ():
            if known is not None and key not in known:
                yield key_flaw(at, key, ("training-line",), None)
    elif line.strict:
        lacking = [key for key in ("method", "url", "body") if raw.get(key) is None]
        if lacking:
            text = f"the line of the batch has no {' and no '.join(lacking)}"
            yield Flaw("schema", ("batch-line",), at, text, None, lacking[0])
    elif "body" not in raw and "params" in raw and target not in (None, "anthropic"):
        text = "the request stands under params, as Anthropic has it, and is for a model of another provider"
        yield Flaw("schema", ("batch-line",), at, text, None, "body")


# --- OpenAI Chat Completions ------------------------------------------------------------------------------------------

_CHAT_MESSAGE = frozenset(
    {"role", "content", "name", "refusal", "audio", "tool_calls", "function_call", "tool_call_id"}
)
#: What the plainest of servers take of each role; a dump of an SDK's object has more of them, as null.
_CHAT_ROLES = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "function_call"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}
_CHAT_REASONING = frozenset({"reasoning_content", "reasoning", "reasoning_details", "thinking"})
_CHAT_CALL = frozenset({"id", "type", "function", "custom"})
_CHAT_PARTS = {
    "text": frozenset({"type", "text"}),
    "image_url": frozenset({"type", "image_url"}),
    "input_audio": frozenset({"type", "input_audio"}),
    "file": frozenset({"type", "file"}),
    "refusal": frozenset({"type", "refusal"}),
}


def _openai_chat(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        raw, at = message.raw, message.at
        yield from _role_and_content(message)
        for key in raw:
            if key in _CHAT_REASONING:
                yield key_flaw(at, key, ("reasoning", "message"), message)
            elif key not in _CHAT_MESSAGE:
                yield key_flaw(at, key, ("message",), message)
            elif key == "name" and message.speaker is Speaker.TOOL and message.role != "function":
                yield key_flaw(at, key, ("result-name", "result"), message)
            elif isinstance(message.role, str) and key not in _CHAT_ROLES.get(message.role, _CHAT_MESSAGE):
                yield key_flaw(at, key, ("other-role",), message)
        if "tool_calls" in raw and raw["tool_calls"] is None:
            gone = at / "tool_calls"
            yield Flaw("schema", ("null-list",), gone, "tool_calls is null", message, "tool_calls", (RemoveKey(gone),))
        audio = raw.get("audio")
        if isinstance(audio, dict) and audio.keys() != {"id"}:
            text = "the audio of an earlier answer is named by its ID alone"
            yield Flaw("schema", ("audio-shape",), at / "audio", text, message)
        yield from _chat_calls(message)
        for part in _content_parts(message):
            yield from _chat_part(part)
    for tool in transcript.tools or ():
        if isinstance(tool.raw, dict) and "type" not in tool.raw and isinstance(tool.raw.get("function"), dict):
            text = "the tool's definition has no type"
            yield Flaw(
                "schema", ("tool-without-type",), tool.at, text, None, "", (SetValue(tool.at / "type", "function"),)
            )


def _role_and_content(message: Message) -> Iterator[Flaw]:
    if message.role is None:
        yield Flaw("schema", ("message-without-role",), message.at, "the message has no role", message)
    if message.content_form == "object":
        text = "content is one object, where a text or a list of parts is taken"
        at = message.content_at or message.at
        yield Flaw("schema", ("content-object", "content-not-text"), at, text, message, "", _listed(message))
    elif message.content_form == "other":
        text = f"content is {kind_of(message.content)}"
        yield Flaw("schema", ("content-not-text",), message.content_at or message.at, text, message)
    elif message.content_form == "text":
        text = "content is a text, where a list is taken"
        word = str(message.content)[:40]
        yield Flaw("schema", ("content-is-string",), message.content_at or message.at, text, message, word)


def _listed(message: Message) -> tuple[SetValue, ...]:
    """Makes a list of a content that is one part."""
    whole = message.content_form == "object" and isinstance(message.content.get("type"), str)
    return (SetValue(message.content_at, [message.content]),) if whole and message.content_at is not None else ()


def _named_text(part: Part) -> tuple[SetValue, ...]:
    """Gives a part that is nothing but a text its type."""
    raw = part.raw
    plain = isinstance(raw, dict) and raw.keys() == {"text"} and isinstance(raw["text"], str)
    return (SetValue(part.at / "type", "text"),) if plain else ()


def _content_parts(message: Message) -> Iterator[Part]:
    """The parts of a message's content list, those inside a result message's too."""
    for part in message.parts:
        if isinstance(part, Result):
            yield from part.parts
        elif part.at.path[-2:-1] == ("content",):
            yield part


def _chat_part(part: Part) -> Iterator[Flaw]:
    raw = part.raw
    if not isinstance(raw, dict):
        yield no_object(part)
        return
    if not raw.get("type") or not isinstance(raw["type"], str):
        text = "the content part has no type"
        yield Flaw("schema", ("part-without-type",), part.at, text, part, "", _named_text(part))
        return
    yield from foreign_part(part, "openai-chat")
    known = _CHAT_PARTS.get(raw["type"])
    if known is not None:
        for key in raw:
            if key == "cache_control":
                yield key_flaw(part.at, key, ("cache-mark", "part"), part)
            elif key not in known:
                yield key_flaw(part.at, key, ("part",), part)
    for flaw in typed(raw, schemas.OPENAI_CHAT.get(raw["type"], {}), part.at, raw["type"], part):
        bare = flaw.variants[0] == "bare-address" and flaw.at == part.at / "image_url"
        yield replace(flaw, verbs=(SetValue(flaw.at, {"url": raw["image_url"]}),)) if bare else flaw


def _chat_calls(message: Message) -> Iterator[Flaw]:
    for part in message.parts:
        raw, at = part.raw, part.at
        if part.kind is Kind.UNKNOWN and part.type == "tool_call":
            yield Flaw("schema", ("call-without-function",), at, f"the call is {kind_of(raw)}", part)
            continue
        if not isinstance(part, Call) or part.legacy or part.hidden:
            continue
        yield from extra_keys(raw, _CHAT_CALL, at, ("call",), part)
        kind = raw.get("type")
        function, custom = raw.get("function"), raw.get("custom")
        if kind == "custom" or isinstance(custom, dict):
            whole = (
                isinstance(custom, dict)
                and isinstance(custom.get("name"), str)
                and isinstance(custom.get("input"), str)
            )
            if kind != "custom" or not whole or function is not None:
                text = "a custom call has a custom object with name and input, and no function"
                yield Flaw("schema", ("custom-call-shape",), at, text, part)
        elif kind is None:
            add = (SetValue(at / "type", "function"),) if isinstance(function, dict) and "type" not in raw else ()
            variants = ("call-of-null-type", "call-without-type") if "type" in raw else ("call-without-type",)
            yield Flaw("schema", variants, at, "the call has no type", part, "", add)
        elif kind != "function":
            shown = kind if isinstance(kind, str) and len(kind) <= 40 else kind_of(kind)
            yield Flaw(
                "schema", ("call-of-unknown-type",), at / "type", f"the call's type is {shown}", part, str(shown)
            )
        if kind in ("function", None) and not isinstance(function, dict) and not isinstance(custom, dict):
            yield Flaw("schema", ("call-without-function",), at, "the call has no function object", part)
        if isinstance(function, dict):
            yield from _no_arguments(function, at / "function", part)


def _no_arguments(raw: dict[str, Any], at: Place, subject: Message | Part) -> Iterator[Flaw]:
    if "arguments" not in raw:
        none = (SetValue(at / "arguments", "{}"),)
        yield Flaw("schema", ("required-key",), at, "the call has no arguments", subject, "arguments", none)
    elif raw["arguments"] is None:
        text = "the arguments are null, and have to be a text"
        none = (SetValue(at / "arguments", "{}"),)
        yield Flaw("schema", ("null-arguments", "wrong-type"), at / "arguments", text, subject, "arguments", none)
    elif not isinstance(raw["arguments"], (str, dict)):
        text = f"the arguments are {kind_of(raw['arguments'])}, and neither a text nor an object"
        yield Flaw("schema", ("other-arguments",), at / "arguments", text, subject, "arguments")


# --- Anthropic --------------------------------------------------------------------------------------------------------

_ANTHROPIC_MESSAGE = frozenset({"role", "content"})
#: By type: what a block may hold.
_ANTHROPIC_BLOCKS: dict[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "image": frozenset({"type", "source", "cache_control"}),
    "document": frozenset({"type", "source", "title", "context", "citations", "cache_control"}),
}


def _anthropic(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        if message.role is None:
            yield Flaw("schema", ("message-without-role",), message.at, "the message has no role", message)
        if message.content_form in ("object", "other"):
            text = f"content is {kind_of(message.content)}, where a text or a list of blocks is taken"
            at = message.content_at or message.at
            yield Flaw("schema", ("content-object", "content-not-text"), at, text, message, "", _listed(message))
        for key in message.raw:
            if key in _CHAT_REASONING:
                yield key_flaw(message.at, key, ("reasoning", "message"), message)
            elif key not in _ANTHROPIC_MESSAGE and not message.directive:
                yield key_flaw(message.at, key, ("message",), message)
        for part in message.parts:
            yield from _anthropic_block(part)
            if isinstance(part, Result) and part.hosted:
                yield from _unsealed(part)
            elif isinstance(part, Result):
                for inner in part.parts:
                    yield from _anthropic_block(inner)


def _anthropic_block(part: Part) -> Iterator[Flaw]:
    raw = part.raw
    if isinstance(raw, str) and part.kind is Kind.TEXT:
        return  # a whole content of text
    if not isinstance(raw, dict):
        yield no_object(part)
        return
    if not isinstance(raw.get("type"), str):
        home = home_of(raw)
        if home is not None:
            yield Flaw("foreign", ("foreign-part",), part.at, f"a block in the shape of {home}", part, home)
        else:
            yield Flaw("schema", ("part-without-type",), part.at, "the block has no type", part)
        return
    yield from foreign_part(part, "anthropic")
    name = raw["type"]
    known = _ANTHROPIC_BLOCKS.get(name)
    for key in raw if known is not None else ():
        if known is None or key in known:
            continue
        if key == "cache_control":
            yield key_flaw(part.at, key, ("cache-mark", "part"), part, f"{name}.{key}")
        else:
            yield key_flaw(part.at, key, (_ANTHROPIC_KINDS.get(part.kind, "part"), "part"), part, f"{name}.{key}")
    if name == "tool_use" and "input" not in raw:
        add = (SetValue(part.at / "input", {}),)
        yield Flaw("schema", ("required-key",), part.at, "tool_use has no input", part, "tool_use.input", add)
    yield from typed(raw, schemas.ANTHROPIC.get(name, {}), part.at, name, part)


def _unsealed(result: Result) -> Iterator[Flaw]:
    """Results of a web search carry their text sealed, and are refused without it."""
    content = result.content if isinstance(result.content, list) else []
    for number, raw in enumerate(content):
        if isinstance(raw, dict) and raw.get("type") == "web_search_result" and not raw.get("encrypted_content"):
            at = result.at / "content" / number
            text = "the search result has no encrypted_content"
            yield Flaw("seal", ("search-result",), at, text, result, str(number))


_ANTHROPIC_KINDS = {Kind.CALL: "call", Kind.RESULT: "result"}


# --- Gemini -----------------------------------------------------------------------------------------------------------

_GEMINI_DATA = frozenset(
    {
        "text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData", "inline_data",
        "fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
        "toolCall", "tool_call", "toolResponse", "tool_response",
    }
)  # fmt: skip
_GEMINI_BESIDE = frozenset(
    {
        "thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "partMetadata",
        "part_metadata", "mediaResolution", "media_resolution",
    }
)  # fmt: skip


def _gemini(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        raw = message.raw
        if not isinstance(raw, dict):
            continue
        if message.role is None:
            role = (SetValue(message.at / "role", "model" if message.calls else "user"),)
            yield Flaw("schema", ("content-without-role",), message.at, "the content has no role", message, "", role)
        if message.content_form in ("object", "other"):
            text = f"parts is {kind_of(message.content)}, where a list is taken"
            yield Flaw(
                "schema", ("role-inside-part", "content-not-text"), message.content_at or message.at, text, message
            )
        elif message.content_form == "text" and isinstance(raw.get("parts"), str):
            text = "parts is a text, where a list is taken"
            listed = (SetValue(message.at / "parts", [{"text": raw["parts"]}]),)
            yield Flaw("schema", ("wrong-type",), message.content_at or message.at, text, message, "", listed)
        for part in message.parts:
            yield from _gemini_part(part)
            if isinstance(part, Result):
                yield from _reference(part)


def _gemini_part(part: Part) -> Iterator[Flaw]:
    raw = part.raw
    if not isinstance(raw, dict):
        yield no_object(part)
        return
    place = _above(part.at) if part.kind in (Kind.CALL, Kind.RESULT) else part.at
    data = [key for key in raw if key in _GEMINI_DATA and raw[key] is not None]
    home = home_of(raw)
    if "role" in raw:
        text = "role stands on a part, and belongs to the content"
        yield Flaw("schema", ("role-inside-part",), place / "role", text, part)
    if home not in (None, "gemini") and not data:
        yield Flaw("foreign", ("foreign-part",), place, f"a part in the shape of {home}", part, str(home))
    elif not data and raw.keys().isdisjoint(_GEMINI_BESIDE):
        spare = (Remove(part),) if not raw and len(part.message.parts) > 1 else ()
        yield Flaw("schema", ("part-without-data",), place, "the part holds no data", part, "", spare)
    elif len(data) > 1:
        text = f"the part holds {' and '.join(data[:3])}, and may hold one"
        yield Flaw("schema", ("part-with-many-kinds",), place, text, part)
    yield from typed(raw, schemas.GEMINI, place, "", part)


def _reference(result: Result) -> Iterator[Flaw]:
    """The first `$ref` of a result: the provider reads it as the display name of a file that comes with it."""
    name = next(references(result.content), None) if isinstance(result.content, dict) else None
    if name is None:
        return
    shown = name if len(name) <= 60 else name[:59] + "…"
    if name in _display_names(result):
        text = f"the result refers to the file {shown!r} by its display name"
        yield Flaw("reference", ("display-name",), result.at, text, result, shown)
    else:
        text = f"the result holds $ref {shown!r}, which is read as the name of a file in it"
        yield Flaw("reference", ("dangling-reference",), result.at, text, result, shown)


def _display_names(result: Result) -> Iterator[object]:
    for part in result.parts:
        for inner in part.raw.values() if isinstance(part.raw, dict) else ():
            if isinstance(inner, dict):
                yield inner.get("displayName") or inner.get("display_name")


def _above(place: Place) -> Place:
    """The object that holds this place."""
    return type(place)(place.path[:-1], place.document)


# --- Bedrock Converse -------------------------------------------------------------------------------------------------

_CONVERSE_BLOCKS = frozenset(
    {
        "text", "image", "document", "video", "audio", "searchResult", "toolUse", "toolResult", "reasoningContent",
        "guardContent", "citationsContent", "cachePoint", "toolAddition", "toolRemoval",
    }
)  # fmt: skip


def _bedrock_converse(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        for flaw in _role_and_content(message):
            words = flaw.variants == ("content-is-string",) and message.content_at is not None
            yield replace(flaw, verbs=(SetValue(flaw.at, [{"text": message.content}]),)) if words else flaw
        content = message.raw.get("content")
        for number, raw in enumerate(content if isinstance(content, list) else ()):
            yield from _converse_block(raw, message.at / "content" / number, _part_at(message, number))


def _part_at(message: Message, number: int) -> Part | Message:
    return message.parts[number] if number < len(message.parts) else message


def _converse_block(raw: Any, at: Place, subject: Part | Message) -> Iterator[Flaw]:
    if not isinstance(raw, dict):
        yield Flaw("schema", ("content-not-text",), at, f"the block is {kind_of(raw)}", subject)
        return
    members = [key for key in raw if key in _CONVERSE_BLOCKS]
    if isinstance(raw.get("type"), str):
        home = home_of(raw) or "another provider"
        yield Flaw("foreign", ("foreign-part",), at, f"a block in the shape of {home}", subject, home)
    elif len(members) != 1:
        text = "the block has no member" if not members else f"the block has the members {', '.join(members[:4])}"
        yield Flaw("schema", ("part-with-many-kinds",), at, f"{text}, and must have one", subject)
    call = raw.get("toolUse")
    if isinstance(call, dict) and "input" not in call:
        inside = at / "toolUse"
        add = (SetValue(inside / "input", {}),)
        yield Flaw("schema", ("required-key",), inside, "toolUse has no input", subject, "toolUse.input", add)
    thought = raw.get("reasoningContent")
    inner = thought.get("reasoningText") if isinstance(thought, dict) else None
    if isinstance(inner, dict) and inner.get("text") is None:
        place = at / "reasoningContent" / "reasoningText"
        yield Flaw("schema", ("reasoning-without-text",), place, "the reasoning block has no text", subject)
    yield from _converse_typed(raw, schemas.CONVERSE, at, subject)
    result = raw.get("toolResult")
    content = result.get("content") if isinstance(result, dict) else None
    for number, inner in enumerate(content if isinstance(content, list) else ()):
        inside = at / "toolResult" / "content" / number
        if isinstance(inner, dict):
            if isinstance(inner.get("type"), str):
                home = home_of(inner) or "another provider"
                yield Flaw("foreign", ("foreign-part",), inside, f"a block in the shape of {home}", subject, home)
            if inner.keys().isdisjoint(schemas.CONVERSE_RESULT_BLOCKS):
                text = "the block has no member, and must have one"
                yield Flaw("schema", ("part-with-many-kinds",), inside, text, subject)
            yield from _converse_typed(inner, schemas.CONVERSE_RESULT, inside, subject)
        else:
            text = f"an element of the result is {kind_of(inner)}, and has to be an object"
            yield Flaw("schema", ("wrong-type",), inside, text, subject)


def _converse_typed(raw: dict[str, Any], schema: Schema, at: Place, subject: Part | Message) -> Iterator[Flaw]:
    """The flaws of the members that a block has: it may have one of them, and none may be null."""
    present = {key: member for key, member in schema.items() if key in raw}
    yield from typed(raw, present, at, "", subject, nulls=False)


# --- OpenAI Responses -------------------------------------------------------------------------------------------------

_STATUSES = frozenset({"in_progress", "completed", "incomplete"})
_WITH_STATUS = frozenset({"message", "function_call", "function_call_output", "reasoning", "custom_tool_call"})
#: Keys that an item may have, for the types whose keys are settled; others are not looked at.
_ITEM_KEYS = {
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content"}),
    "function_call": frozenset({"type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"}),
    "function_call_output": frozenset({"type", "id", "call_id", "output", "status", "caller"}),
    "message": frozenset({"type", "id", "role", "content", "status", "phase"}),
}


def _as_items(raw: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """A Chat Completions message with a result, or with calls, as items; none where anything else is in it."""
    content, calls = raw.get("content"), raw.get("tool_calls")
    if raw.get("role") == "tool":
        whole = isinstance(raw.get("tool_call_id"), str) and isinstance(content, str) and calls is None
        output = {"type": "function_call_output", "call_id": raw.get("tool_call_id"), "output": content}
        return (output,) if whole and raw.keys() <= {"role", "tool_call_id", "content", "name"} else ()
    if raw.get("role") != "assistant" or not (content is None or isinstance(content, str)):
        return ()
    if not isinstance(calls, list) or not raw.keys() <= {"role", "content", "tool_calls", "refusal"}:
        return ()
    items: list[dict[str, Any]] = [{"role": "assistant", "content": content}] if content else []
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or raw.get("refusal"):
            return ()
        made = {"call_id": call.get("id"), "name": function.get("name"), "arguments": function.get("arguments")}
        if not all(isinstance(value, str) for value in made.values()):
            return ()
        items.append({"type": "function_call", **made})
    return tuple(items)


def _openai_responses(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        raw, at = message.raw, message.at
        if not isinstance(raw, dict):
            continue
        kind = message.item or "message"
        if kind == "message" and (raw.get("role") in ("tool", "function") or raw.get("tool_calls") is not None):
            text = "a Chat Completions message among Responses items"
            calls = raw.get("role") not in ("tool", "function")
            variants = ("chat-calls-in-responses", "chat-in-responses") if calls else ("chat-in-responses",)
            items = _as_items(raw)
            verbs = (Rewrite(message, items),) if items else ()
            yield Flaw("foreign", variants, at, text, message, text_of(raw.get("role")) or "", verbs)
            continue
        if kind == "message":
            yield from _role_and_content(message)
        if kind in ("message", "function_call_output"):
            for part in _content_parts(message):
                yield from foreign_part(part, "openai-responses")
                yield from _typed_part(part, schemas.RESPONSES_PARTS)
        yield from _item(kind, raw, message)
        if kind == "compaction_trigger" and message is not transcript.messages[-1] and transcript.is_body:
            yield Flaw(
                "schema", ("trigger-not-last",), at, "the item that asks for a compaction is not the last", message
            )


def _item(kind: str, raw: dict[str, Any], message: Message) -> Iterator[Flaw]:
    at = message.at
    status = raw.get("status")
    if kind in _WITH_STATUS and status is not None and not (isinstance(status, str) and status in _STATUSES):
        yield Flaw(
            "schema", ("item-status",), at / "status", "the item has a status that its type does not have", message
        )
    if kind == "reasoning" and not isinstance(raw.get("summary"), list):
        yield Flaw(
            "schema", ("reasoning-without-summary", "required-key"), at, "the reasoning item has no summary", message
        )
    if kind == "function_call":
        yield from _no_arguments(raw, at, message)
    if kind != "reasoning" or isinstance(raw.get("summary"), list):
        yield from typed(raw, schemas.OPENAI_RESPONSES.get(kind, {}), at, kind, message)
    known = _ITEM_KEYS.get(kind)
    if known is not None:
        for key, value in raw.items():
            # A status of null is what a dump leaves behind; a real one is taken where it means something.
            if key == "status" and kind == "reasoning":
                if value is None:
                    yield key_flaw(at, key, ("status", "item"), message)
            elif key not in known:
                yield key_flaw(at, key, ("item",), message)


# --- other relatives of Chat Completions ------------------------------------------------------------------------------

_MISTRAL_KEYS = {
    Speaker.SYSTEM: frozenset({"role", "content"}),
    Speaker.USER: frozenset({"role", "content"}),
    Speaker.ASSISTANT: frozenset({"role", "content", "tool_calls", "prefix"}),
    Speaker.TOOL: frozenset({"role", "content", "tool_call_id", "name"}),
}


def _mistral(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        yield from _role_and_content(message)
        yield from _chat_calls(message)
        yield from typed(message.raw, schemas.MISTRAL_MESSAGE, message.at, "", message)
        for part in _content_parts(message):
            yield from _typed_part(part, schemas.MISTRAL)
        known = _MISTRAL_KEYS.get(message.speaker)
        for key in message.raw if known is not None else ():
            if key in _CHAT_REASONING:
                yield key_flaw(message.at, key, ("reasoning", "message"), message)
            elif known is not None and key not in known:
                yield key_flaw(message.at, key, ("message",), message)


def _typed_part(part: Part, by_type: Mapping[str, Schema]) -> Iterator[Flaw]:
    """The flaws of a content part, in a dialect whose parts all name their type."""
    raw = part.raw
    if not isinstance(raw, dict):
        yield no_object(part)
    elif not raw.get("type") or not isinstance(raw["type"], str):
        yield Flaw("schema", ("part-without-type",), part.at, "the content part has no type", part)
    else:
        yield from typed(raw, by_type.get(raw["type"], {}), part.at, raw["type"], part)


_COHERE_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_id", "tool_plan", "citations"})


def _cohere(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        yield from _role_and_content(message)
        yield from _chat_calls(message)
        for part in _content_parts(message):
            yield from _typed_part(part, schemas.COHERE)
        yield from typed(message.raw, schemas.COHERE_MESSAGE, message.at, "", message)
        for part in message.parts:
            function = part.raw.get("function") if isinstance(part, Call) else None
            if isinstance(function, dict):
                yield from typed(function, schemas.COHERE_FUNCTION, part.at / "function", "", part)
        for key in message.raw:
            if key in _CHAT_REASONING:
                yield key_flaw(message.at, key, ("reasoning", "message"), message)
            elif key not in _COHERE_MESSAGE:
                yield key_flaw(message.at, key, ("message",), message)


def _ollama(transcript: Transcript) -> Iterator[Flaw]:
    for message in transcript.messages:
        yield from _role_and_content(message)


_BY_DIALECT: dict[str, Callable[[Transcript], Iterator[Flaw]]] = {
    "openai-chat": _openai_chat,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock-converse": _bedrock_converse,
    "openai-responses": _openai_responses,
    "mistral": _mistral,
    "cohere": _cohere,
    "ollama": _ollama,
}
