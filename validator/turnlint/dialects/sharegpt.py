"""ShareGPT training conversations: `from` and `value`, calls and results as text, paired by order.

A call is a message of its own (`function_call`), or stands in an assistant's text between ``<tool_call>`` marks
(Hermes) or behind ``<functioncall>`` (glaive); a result is an `observation`, or stands between ``<tool_response>``
marks.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.reading import arguments_form, new_call, new_result, read_list, set_content, spot, text_part
from turnlint.model import Call, Candidate, Message, Part, Result, Speaker, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "human": Speaker.USER,
    "user": Speaker.USER,
    "gpt": Speaker.ASSISTANT,
    "assistant": Speaker.ASSISTANT,
    "chatgpt": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "bot": Speaker.ASSISTANT,
    "bing": Speaker.ASSISTANT,
    "bard": Speaker.ASSISTANT,
    "function_call": Speaker.ASSISTANT,
    "tool_call": Speaker.ASSISTANT,
    "observation": Speaker.TOOL,
    "tool": Speaker.TOOL,
    "tool_response": Speaker.TOOL,
    "function": Speaker.TOOL,
    "function_response": Speaker.TOOL,
    "ipython": Speaker.TOOL,
}
CALL_ROLES = frozenset({"function_call", "tool_call"})
NAMED = re.compile(r"[\w.-]{1,80}(?=\()", re.ASCII)
GLAIVE_CALL, GLAIVE_RESULT = "<functioncall>", "FUNCTION RESPONSE:"


def recognise(marks: Marks) -> int:
    """Sure of `from` beside `value`."""
    return 95 if {"from", "value"} <= marks.keys else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    transcript = read_list("sharegpt", candidate, read_message)
    share_observations(transcript.messages)
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role = raw.get("from")
    speaker = SPEAKERS.get(role.lower(), Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    message = Message(index, at, raw, role, speaker)
    message.role_at = at / "from" if "from" in raw else None
    set_content(message, raw, "value")
    value, place = message.content, spot(raw, "value", at)
    if not isinstance(value, str):
        if speaker is Speaker.TOOL:
            message.parts.append(make_result(value, place, message))
        return message
    if speaker is Speaker.ASSISTANT:
        message.parts.extend(read_speech(value, place, message, only_call=str(role).lower() in CALL_ROLES))
    else:
        message.parts.extend(read_answers(value, place, message))
    return message


def between(text: str, begin: str, end: str) -> Iterator[tuple[str, str | None]]:
    """`text` in pieces: what stands before a mark, and what stands inside it (None behind the last)."""
    position = 0
    while (start := text.find(begin, position)) >= 0:
        stop = text.find(end, start + len(begin))
        inside = text[start + len(begin) : stop if stop >= 0 else len(text)]
        yield text[position:start], inside
        position = stop + len(end) if stop >= 0 else len(text)
    yield text[position:], None


def read_speech(value: str, at: Place, message: Message, *, only_call: bool) -> list[Part]:
    """The texts and calls of an assistant's value, in order."""
    if "<tool_call>" in value:
        pieces = between(value, "<tool_call>", "</tool_call>")
    elif GLAIVE_CALL in value:
        pieces = between(value, GLAIVE_CALL, "<|endoftext|>")
    elif only_call:
        return list(read_calls(value, at, message))
    else:
        return [text_part(value, at, message)]
    parts: list[Part] = []
    for before, inside in pieces:
        if before.strip():
            parts.append(text_part(before.strip(), at, message))
        if inside is not None:
            parts.extend(read_calls(inside, at, message))
    return parts


def read_calls(text: str, at: Place, message: Message) -> Iterator[Call]:
    """The calls that a text stands for: one, or all of a JSON list."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    for one in value if isinstance(value, list) and value else [value]:
        call = new_call(message.raw, at, message, "text")
        if isinstance(one, dict):
            inner = one["function"] if isinstance(one.get("function"), dict) else one
            call.name = inner.get("name")
            call.arguments = next((inner[k] for k in ("arguments", "parameters", "args") if k in inner), None)
            call.arguments_form = arguments_form(call.arguments)
        else:
            named = NAMED.search(text[:400])
            call.name = named[0] if named else None
            call.arguments, call.arguments_form = text, "text"
        yield call


def read_answers(value: str, at: Place, message: Message) -> list[Part]:
    """The results and texts of a value that is not the assistant's."""
    if "<tool_response>" in value and message.speaker is not Speaker.SYSTEM:
        parts: list[Part] = []
        for before, inside in between(value, "<tool_response>", "</tool_response>"):
            if before.strip():
                parts.append(text_part(before.strip(), at, message))
            if inside is not None:
                parts.append(make_result(inside, at, message))
        return parts
    if message.speaker is Speaker.TOOL:
        return [make_result(value, at, message)]
    if value.lstrip().startswith(GLAIVE_RESULT):
        return [make_result(value.lstrip()[len(GLAIVE_RESULT) :], at, message)]
    return [text_part(value, at, message)]


def make_result(content: Any, at: Place, message: Message) -> Result:
    result = new_result(message.raw, at, message, "text")
    result.content = content
    if isinstance(content, str):
        result.text, result.text_at = content, at
    return result


def share_observations(messages: list[Message]) -> None:
    """One observation behind several calls answers all of them: writers put what the tools said into one value."""
    for number, message in enumerate(messages):
        calls = message.calls
        if len(calls) < 2 or number + 1 >= len(messages):
            continue
        answer = messages[number + 1]
        behind = messages[number + 2] if number + 2 < len(messages) else None
        if len(answer.results) != 1 or (behind is not None and behind.results):
            continue
        only = answer.results[0]
        answer.parts.extend(make_result(only.content, only.at, answer) for _ in calls[1:])


_NAMES = {Speaker.USER: "human", Speaker.ASSISTANT: "gpt", Speaker.TOOL: "tool"}


def _result(call: Call, text: str) -> dict[str, Any]:
    """An observation, or where calls stand between marks a response between marks."""
    value = call.message.content
    if isinstance(value, str) and "<tool_call>" in value:
        return {"from": "tool", "value": f"<tool_response>\n{text}\n</tool_response>"}
    if isinstance(value, str) and GLAIVE_CALL in value:
        return {"from": "tool", "value": text}
    return {"from": "observation", "value": text}


def _text_message(speaker: Speaker, text: str, _like: Any) -> dict[str, Any]:
    return {"from": _NAMES.get(speaker, speaker.value), "value": text}


SHAPE = Shape(
    own_message=True,
    parts_key="value",
    result=_result,
    text_part=lambda text: text,
    message=lambda speaker, parts, like: _text_message(speaker, "\n\n".join(parts), like),
    text_message=_text_message,
    role=lambda speaker: _NAMES.get(speaker, speaker.value),
    result_key="value",
    arguments_key=None,
)

DIALECT = Dialect(
    name="sharegpt",
    title="ShareGPT conversations",
    how="`from` and `value`; calls as `function_call` or between <tool_call> marks",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
