"""Session logs of further coding agents, each told by its own first lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import (
    History,
    chat_call,
    chat_message,
    chat_of_blocks,
    chat_of_parts,
    chat_result,
    text_in,
)
from turnlint.containers.packing import word
from turnlint.diagnostic import Place
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

    Reader = Callable[[dict[str, Any]], Iterator[dict[str, Any]]]

_CHAT_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})


def _pi(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Pi and OpenClaw: messages with `toolCall` blocks, results of role toolResult.  Droid: Anthropic blocks."""
    message = line.get("message")
    if line.get("type") != "message" or not isinstance(message, dict):
        return
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        yield chat_result(message.get("toolCallId"), content)
        return
    blocks = content if isinstance(content, list) else []
    calls = [
        chat_call(block.get("id"), block.get("name"), block.get("arguments"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "toolCall"
    ]
    if calls:
        texts = [text_in(block) for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        message = chat_message(role, "\n".join(texts), calls)
        if message is not None:
            yield message
        return
    yield from chat_of_blocks(role, content)


def _copilot(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Copilot's command line: events with `data`."""
    data, kind = line.get("data"), line.get("type")
    if not isinstance(data, dict):
        return
    if kind == "tool.execution_complete":
        yield chat_result(data.get("toolCallId"), data.get("result"))
    elif kind in ("user.message", "assistant.message"):
        asked = data.get("toolRequests")
        calls = [
            chat_call(call.get("toolCallId"), call.get("name"), call.get("arguments"))
            for call in (asked if isinstance(asked, list) else ())
            if isinstance(call, dict)
        ]
        message = chat_message(kind.partition(".")[0], text_in(data.get("content")), calls)
        if message is not None:
            yield message


def _kimi(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Kimi's command line: appended messages, and the loop's events."""
    message, event = line.get("message"), line.get("event")
    if line.get("type") == "context.append_message" and isinstance(message, dict):
        yield from chat_of_blocks(message.get("role"), message.get("content"))
    elif line.get("type") == "context.append_loop_event" and isinstance(event, dict):
        kind = event.get("type")
        part = event.get("part")
        if kind == "tool.call":
            call = chat_call(event.get("toolCallId"), event.get("name"), event.get("args"))
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
        elif kind == "tool.result":
            yield chat_result(event.get("toolCallId"), event.get("result"))
        elif kind == "content.part" and isinstance(part, dict) and part.get("type") == "text":
            yield {"role": "assistant", "content": text_in(part) or "(empty)"}


def _qwen(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Qwen Code: Gemini's parts in lines like Claude Code's."""
    message = line.get("message")
    if isinstance(message, dict):
        yield from chat_of_parts(message.get("role"), message.get("parts"))


def _cursor(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Cursor: Anthropic blocks, calls without IDs."""
    message = line.get("message")
    if isinstance(message, dict):
        yield from chat_of_blocks(line.get("role"), message.get("content"))


def _grok(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Grok: typed lines; calls without a `function` level."""
    kind = line.get("type")
    if kind == "tool_result":
        yield chat_result(line.get("tool_call_id"), line.get("content"))
    elif kind in ("user", "assistant"):
        asked = line.get("tool_calls")
        calls = [
            chat_call(call.get("id"), call.get("name"), call.get("arguments"))
            for call in (asked if isinstance(asked, list) else ())
            if isinstance(call, dict)
        ]
        message = chat_message(kind, text_in(line.get("content")), calls)
        if message is not None:
            yield message


def _reader_of(value: Any) -> Reader | None:
    """The agent that a line is of."""
    if not isinstance(value, dict):
        return None
    kind = word(value.get("type"))
    if (kind == "session" and {"id", "cwd"} <= value.keys()) or kind == "session_start":
        return _pi
    if kind == "session.start" and isinstance(value.get("data"), dict):
        return _copilot
    if (kind == "metadata" and "protocol_version" in value) or kind.startswith("context.append_"):
        return _kimi
    message = value.get("message")
    if isinstance(message, dict):
        if {"sessionId", "uuid"} <= value.keys() and isinstance(message.get("parts"), list):
            return _qwen
        if value.keys() == {"role", "message"} and message.keys() == {"content"}:
            return _cursor
    asked = value.get("tool_calls")
    if kind == "assistant" and isinstance(asked, list) and asked and isinstance(asked[0], dict):
        return _grok if "name" in asked[0] else None
    return _grok if kind == "tool_result" and "tool_call_id" in value else None


def _unread(value: Any) -> str | None:
    """The agent whose file this is, where there is nothing in it to judge."""
    if not isinstance(value, dict):
        return None
    if {"step_index", "source", "type"} <= value.keys():
        return "Antigravity's log names no calls"
    if {"session_summary", "chat_format_version"} <= value.keys():
        return "the summary of a Grok session, whose messages lie in a file beside it"
    return None


def _is_hermes(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and {"session_id", "session_start", "messages"} <= value.keys()
        and isinstance(value["messages"], list)
    )


def recognise(head: Sequence[Document]) -> bool:
    return any(_reader_of(d.value) is not None or _unread(d.value) is not None or _is_hermes(d.value) for d in head[:8])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    history = History()
    reader: Reader | None = None
    for document in documents:
        value, at = document.value, Place((), document.number)
        reason = _unread(value)
        if reason is not None:
            yield Skipped(reason, at, known=True)
            return
        if _is_hermes(value):
            for number, message in enumerate(value["messages"]):
                if isinstance(message, dict) and word(message.get("role")) in _CHAT_ROLES:
                    history.add(message, at / "messages" / number)
            continue
        reader = reader or _reader_of(value)
        if reader is not None and isinstance(value, dict):
            for message in reader(value):
                history.make(message, at)
    if not history.messages:
        yield Skipped("an agent's log without messages", known=True)
        return
    more: dict[str, Any] = {}
    if any(call.get("id") is None for message in history.messages for call in _calls(message)):
        more = {"state": State.NOT_RECORDED, "notice": "calls have no IDs in this log"}
    yield history.candidate("agent-log", **more)


def _calls(message: Any) -> list[dict[str, Any]]:
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


CONTAINER = Container(
    name="other-agents",
    title="Session logs of other agents (Pi, OpenClaw, Droid, Copilot CLI, Kimi, Qwen, Grok, Hermes, Cursor)",
    how="each by its own first lines; logs without IDs are named and not judged",
    recognise=recognise,
    find=find,
    dialects=("agent-log",),
)
