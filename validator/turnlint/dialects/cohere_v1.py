"""Cohere chat, version 1: `chat_history` with `role` and `message`, and the newest message beside it.

Roles are USER, CHATBOT, SYSTEM and TOOL, in any case.  Calls have a name and parameters and no ID; a result repeats the
call that it answers, so that they pair by name and order.
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
    speaker_of,
    spot,
    text_part,
)
from turnlint.model import Call, Candidate, Message, Part, Result, Speaker, Tool, Transcript

if TYPE_CHECKING:
    from collections.abc import Mapping

    from turnlint.diagnostic import Place

SPEAKERS = {
    "USER": Speaker.USER,
    "CHATBOT": Speaker.ASSISTANT,
    "SYSTEM": Speaker.SYSTEM,
    "TOOL": Speaker.TOOL,
}


def recognise(marks: Marks) -> int:
    """Sure of its roles beside `message` or `tool_results`."""
    if "role" not in marks.keys or "content" in marks.keys or not marks.keys & {"message", "tool_results"}:
        return 0
    known = {role for role in marks.roles if role.upper() in SPEAKERS}
    if not known or not isinstance(marks.first.get("message", ""), str):
        return 0
    return 95 if marks.where == "chat_history" or known - {"user", "system", "tool"} else 60


def read(candidate: Candidate) -> Transcript:
    """The history, and behind it what the request adds: the results of the last calls and the newest message.

    With `force_single_step` the message is the question that the results are for, and stands in front of them.
    """
    transcript = read_list("cohere-v1", candidate, read_message)
    body = candidate.body
    if body is None:
        return transcript
    transcript.tools, transcript.tools_at = read_tools(body, candidate.body_at)
    count = len(candidate.messages) if isinstance(candidate.messages, list) else 0
    results, newest = body.get("tool_results"), body.get("message")
    added: list[Message] = []
    if isinstance(results, list) and results:
        at = candidate.body_at / "tool_results"
        message = Message(count, at, results, "TOOL", Speaker.TOOL, item="tool_results")
        message.content, message.content_form, message.content_at = results, "list", at
        message.parts = [read_result(raw, at / n, message) for n, raw in enumerate(results)]
        added.append(message)
    if isinstance(newest, str) and (newest or not results):
        at = candidate.body_at / "message"
        message = Message(count, at, newest, "USER", Speaker.USER, item="message")
        message.content, message.content_form, message.content_at = newest, "text", at
        message.parts = [text_part(newest, at, message)]
        added.insert(0 if body.get("force_single_step") is True else len(added), message)
    for number, message in enumerate(added):
        message.index = count + number
    transcript.messages.extend(added)
    return transcript


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    role = raw.get("role")
    speaker = speaker_of(role.upper() if isinstance(role, str) else role, SPEAKERS)
    message = Message(index, at, raw, role, speaker)
    message.role_at = at / "role" if "role" in raw else None
    set_content(message, raw, "message")
    if isinstance(message.content, str) and (message.content or "tool_calls" not in raw):
        message.parts.append(text_part(message.content, at / "message", message))
    calls = raw.get("tool_calls")
    if isinstance(calls, list):
        message.empty_calls, message.calls_at = not calls, at / "tool_calls"
        message.parts.extend(read_call(call, at / "tool_calls" / n, message) for n, call in enumerate(calls))
    results = raw.get("tool_results")
    if isinstance(results, list):
        message.parts.extend(read_result(one, at / "tool_results" / n, message) for n, one in enumerate(results))
    return message


def read_call(raw: Any, at: Place, message: Message) -> Part:
    call = new_call(raw, at, message, "tool_call")
    if isinstance(raw, dict):
        fill_call(call, raw, at, name_key="name", arguments_key="parameters")
    return call


def read_result(raw: Any, at: Place, message: Message) -> Part:
    result = new_result(raw, at, message, "tool_result")
    if isinstance(raw, dict):
        fill_result(result, raw, at, content_key="outputs")
        call = raw.get("call")
        if isinstance(call, dict):
            result.name, result.name_at = call.get("name"), spot(call, "name", at / "call")
    return result


def read_tools(body: Mapping[str, Any], at: Place) -> tuple[list[Tool] | None, Place | None]:
    """The declared tools; their parameters are described without a JSON Schema."""
    declared = body.get("tools")
    if not isinstance(declared, list):
        return None, None
    tools = []
    for number, raw in enumerate(declared):
        place = at / "tools" / number
        if isinstance(raw, dict):
            tools.append(Tool(raw.get("name"), place, raw, None, spot(raw, "name", place), place))
        else:
            tools.append(Tool(None, place, raw, type="unknown"))
    return tools, at / "tools"


_NAMES = {Speaker.ASSISTANT: "CHATBOT"}


def _role(speaker: Speaker, like: Any = None) -> str:
    """The role in the case that a saved message uses."""
    name = _NAMES.get(speaker, speaker.value.upper())
    saved = like.get("role") if isinstance(like, dict) else None
    return name.capitalize() if isinstance(saved, str) and not saved.isupper() else name


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    return {"call": {"name": call.name, "parameters": call.arguments}, "outputs": [{"output": text}]}


SHAPE = Shape(
    own_message=False,
    parts_key="message",
    result=_placeholder,
    text_part=lambda text: text,
    message=lambda speaker, parts, like: {"role": _role(speaker, like), "tool_results": parts},
    text_message=lambda speaker, text, like: {"role": _role(speaker, like), "message": text},
    role=_role,
    content=lambda target, text: [{"output": text}] if isinstance(target, Result) else text,
    carriers=(Speaker.TOOL,),
    result_key="outputs",
    calls_key="tool_calls",
    arguments_key="parameters",
)

DIALECT = Dialect(
    name="cohere-v1",
    title="Cohere chat (v1)",
    how="`chat_history` of messages with `role` (USER, CHATBOT, ...) and `message`",
    recognise=recognise,
    read=read,
    shape=SHAPE,
)
