"""pydantic-ai model messages: `kind` request or response, and parts that name themselves in `part_kind`.

A request may hold the system prompt, tool returns and the user's words at once; it is read as one message for each run
of parts of one speaker.  A `retry-prompt` answers the call that it names, and is the user's where it names none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    new_call,
    new_result,
    read_list,
    set_content,
    spot,
    text_of,
)
from turnlint.model import Call, Candidate, Kind, Message, Part, Reasoning, Result, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

CALLS = frozenset({"tool-call", "builtin-tool-call", "native-tool-call"})
RETURNS = frozenset({"tool-return", "builtin-tool-return", "native-tool-return"})
WORDS = {"system-prompt": Speaker.SYSTEM, "user-prompt": Speaker.USER, "text": Speaker.ASSISTANT}


def recognise(marks: Marks) -> int:
    """Sure of `part_kind`, and of `kind` beside `parts`."""
    if not {"kind", "parts"} <= marks.keys:
        return 0
    if "part_kind" in marks.part_keys or "part_kind" in marks.part_members:
        return 98
    return 90 if marks.first.get("kind") in ("request", "response") else 0


def read(candidate: Candidate) -> Transcript:
    """The runs of each message; what is of a wrong type is kept and left for the rules to name."""
    return read_list("pydantic-ai", candidate, read_message)


def read_message(raw: dict[str, Any], index: int, at: Place) -> list[Message]:
    kind = raw.get("kind")
    home = {"request": Speaker.USER, "response": Speaker.ASSISTANT}.get(kind) if isinstance(kind, str) else None
    parts = raw.get("parts")
    messages: list[Message] = []
    for number, part in enumerate(parts if isinstance(parts, list) else ()):
        speaker = speaker_of_part(part, home or Speaker.UNKNOWN)
        if not messages or messages[-1].speaker is not speaker:
            messages.append(Message(index, at, raw, kind, speaker))
        messages[-1].parts.append(read_part(part, at / "parts" / number, messages[-1]))
    if not messages:
        messages.append(Message(index, at, raw, kind, home or Speaker.UNKNOWN))
    for message in messages:
        set_content(message, raw, "parts")
    return messages


def speaker_of_part(raw: Any, home: Speaker) -> Speaker:
    """Who speaks a part of a message of the side `home`."""
    if home is not Speaker.USER or not isinstance(raw, dict):
        return home
    kind = raw.get("part_kind")
    if kind == "system-prompt":
        return Speaker.SYSTEM
    if kind == "tool-return" or (kind == "retry-prompt" and raw.get("tool_name") is not None):
        return Speaker.TOOL
    return home


def read_part(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("part_kind") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    hosted = kind.startswith(("builtin-", "native-"))
    if kind in CALLS:
        call = new_call(raw, at, message, kind, hosted=hosted)
        fill_call(call, raw, at, id_key="tool_call_id", name_key="tool_name", arguments_key="args")
        return call
    if kind in RETURNS or (kind == "retry-prompt" and raw.get("tool_name") is not None):
        result = new_result(raw, at, message, kind, hosted=hosted)
        fill_result(result, raw, at, id_key="tool_call_id", name_key="tool_name", content_key="content")
        result.is_error = kind == "retry-prompt" or raw.get("outcome") not in (None, "success")
        return result
    if kind in WORDS or kind == "retry-prompt":
        return Part(Kind.TEXT, at, raw, message, kind, words_of(raw.get("content")), spot(raw, "content", at))
    if kind == "thinking":
        thinking = Reasoning(
            Kind.REASONING, at, raw, message, kind, text_of(raw.get("content")), spot(raw, "content", at)
        )
        thinking.signature, thinking.signature_at = raw.get("signature"), spot(raw, "signature", at)
        return thinking
    return Part(Kind.MEDIA if kind == "file" else Kind.CONTROL, at, raw, message, kind)


def words_of(content: Any) -> str | None:
    """The text of a prompt; of a list its texts, as the rest of it are files."""
    if isinstance(content, list):
        texts = [p for p in content if isinstance(p, str)]
        return "\n".join(texts) if texts else None
    return text_of(content)


def _message(speaker: Speaker, parts: list[Any], _like: Any = None) -> dict[str, Any]:
    return {"parts": parts, "kind": "response" if speaker is Speaker.ASSISTANT else "request"}


def _words(speaker: Speaker, text: str) -> dict[str, Any]:
    kind = next((name for name, who in WORDS.items() if who is speaker), "user-prompt")
    return {"content": text, "part_kind": kind}


def _content(target: Message | Result, text: str) -> Any:
    return text if isinstance(target, Result) else [_words(target.speaker, text)]


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    return {"tool_name": call.name, "content": text, "tool_call_id": call.id, "part_kind": "tool-return"}


SHAPE = Shape(
    own_message=False,
    parts_key="parts",
    result=_placeholder,
    text_part=lambda text: _words(Speaker.USER, text),
    message=_message,
    text_message=lambda speaker, text, _like: _message(speaker, [_words(speaker, text)]),
    content=_content,
    carriers=(Speaker.TOOL, Speaker.USER),
    result_id_key="tool_call_id",
    result_name_key="tool_name",
    call_id_key="tool_call_id",
    call_name_key="tool_name",
    arguments_key="args",
)

DIALECT = Dialect(
    name="pydantic-ai",
    title="pydantic-ai model messages",
    how="`kind` request or response, with `parts` that have a `part_kind`",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
