"""Recorded streams put together: server-sent events, JSON lines, chunk lists and AWS event streams to whole replies.

`assemble` gives the reply in the shape in which it would have come without streaming, so that the dialects can read
it, and says in plain words what the stream lost on the way: its end, the name or ID of a call, calls that came under
one index.  It never raises and is linear in the bytes.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from turnlint.containers.packing import encode, parse, shown
from turnlint.source.document import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAX_FAULTS: Final = 20
_MAX_EVENTS: Final = 500_000


class Stream(Struct):
    """A reply out of a stream: its messages (or Responses items), why it stopped, and what was lost."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def lost(self, what: str) -> None:
        if len(self.faults) < _MAX_FAULTS:
            self.faults.append(what)


# Bytes to events


def events_of(data: bytes) -> tuple[list[dict[str, Any]], list[str]] | None:
    """The JSON events of a stream and what was wrong with its text; None where this is no stream.

    ``[DONE]`` becomes the event ``{"[DONE]": true}``.
    """
    if _is_event_stream(data):
        return _frames(data)
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith((b"data:", b"event:", b"id:", b"retry:", b":")):
        return _server_sent(data)
    if head.startswith(b"["):
        value = parse(data)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return value, []
        return None
    if head.startswith(b"{") and b"\n" in data.strip():
        return _json_lines(data)
    return None


def _server_sent(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    events: list[dict[str, Any]] = []
    faults: list[str] = []
    pending: list[bytes] = []
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for line in (*lines, b""):
        if line.startswith(b"data:"):
            pending.append(line[5:].strip())
        elif not line.strip() and pending:
            _dispatch(pending, events, faults)
            pending.clear()
            if len(events) >= _MAX_EVENTS:
                break
    return events, faults


def _dispatch(lines: list[bytes], events: list[dict[str, Any]], faults: list[str]) -> None:
    if lines == [b"[DONE]"]:
        events.append({"[DONE]": True})
        return
    whole = parse(b"\n".join(lines))
    values = [whole] if whole is not MISSING else [parse(line) for line in lines if line not in (b"", b"[DONE]")]
    for value in values:
        if isinstance(value, dict):
            events.append(value)
        elif value is MISSING and len(faults) < _MAX_FAULTS:
            faults.append("an event of the stream does not parse")
    if whole is MISSING and b"[DONE]" in lines:
        events.append({"[DONE]": True})


def _json_lines(data: bytes) -> tuple[list[dict[str, Any]], list[str]] | None:
    events: list[dict[str, Any]] = []
    lines = [line for line in data.split(b"\n") if line.strip()]
    for number, line in enumerate(lines[:_MAX_EVENTS]):
        value = parse(line)
        if isinstance(value, dict):
            events.append(value)
        elif number == 0:
            return None
        else:
            return events, ["a line of the stream does not parse"]
    return events, []


def _is_event_stream(data: bytes) -> bool:
    if len(data) < 16 or data[0] != 0:
        return False
    total, headers = int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big")
    return 16 <= total <= 1 << 24 and headers <= total - 16


def _frames(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """The events of an AWS event stream: each payload under the name that its header gives it."""
    events: list[dict[str, Any]] = []
    at = 0
    while at + 16 <= len(data):
        total, size = int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")
        if total < 16 or size > total - 16 or at + total > len(data):
            return events, ["the event stream is cut off inside a frame"]
        name = _frame_name(data[at + 12 : at + 12 + size])
        payload = parse(data[at + 12 + size : at + total - 4])
        if isinstance(payload, dict):
            events.append(_unpacked(name, payload))
        at += total
    return events, [] if at == len(data) else ["the event stream is cut off inside a frame"]


def _frame_name(headers: bytes) -> str:
    """The `:event-type` (or `:exception-type`) among the headers of a frame."""
    at = 0
    while at < len(headers):
        size = headers[at]
        name, kind = headers[at + 1 : at + 1 + size], headers[at + 1 + size : at + 2 + size]
        if kind != b"\x07":  # only text headers are ever written here
            return ""
        at += 2 + size
        length = int.from_bytes(headers[at : at + 2], "big")
        value = headers[at + 2 : at + 2 + length]
        at += 2 + length
        if name in (b":event-type", b":exception-type"):
            return value.decode("utf-8", "replace")
    return ""


def _unpacked(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    packed = payload.get("bytes")
    if name in ("chunk", "") and isinstance(packed, str):
        try:
            inner = parse(base64.b64decode(packed))
        except (binascii.Error, ValueError):
            return {}
        return inner if isinstance(inner, dict) else {}
    return {name: payload} if name else payload


# Events to a reply


def assemble(data: bytes | str) -> Stream | None:
    """The reply that a recorded stream holds; None where it is no stream of a chat API."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = events_of(raw)
    return None if found is None else assemble_events(*found)


def assemble_events(events: Sequence[Any], faults: Sequence[str] = ()) -> Stream | None:
    """The reply that decoded stream events make; None where they are of no chat API."""
    chunks = [event for event in events if isinstance(event, dict)]
    reader = next((reader for event in chunks[:24] if (reader := _reader_of(event)) is not None), None)
    if reader is None:
        return None
    stream = reader(chunks)
    stream.faults[:0] = list(dict.fromkeys(faults))
    for event in chunks:
        problem = event.get("error")
        if problem and event.get("type") in (None, "error"):
            stream.lost(f"the stream ends in an error: {_shown(problem)}")
            break
    return stream


def _reader_of(event: dict[str, Any]) -> Callable[[list[dict[str, Any]]], Stream] | None:
    kind = event.get("type")
    if isinstance(kind, str):
        if kind.startswith("response."):
            return _responses
        if kind in _ANTHROPIC:
            return _anthropic
        if kind in _COHERE:
            return _cohere
    if isinstance(event.get("choices"), list):
        return _chat
    if isinstance(event.get("candidates"), list) or _gemini_inner(event) is not None:
        return _gemini
    if isinstance(event.get("message"), dict) and "done" in event:
        return _ollama
    if not event.keys().isdisjoint(_CONVERSE):
        return _converse
    return None


_ANTHROPIC = frozenset({"message_start", "content_block_start", "content_block_delta", "message_delta"})
_COHERE = frozenset({"message-start", "content-start", "content-delta", "tool-plan-delta", "tool-call-start"})
_CONVERSE = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta", "messageStop"})


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("message") or value.get("type") or "of an unnamed kind"
    return shown(value, 200)


class _Call(Struct):
    id: Any = None
    names: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "".join(self.names)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    def wire(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        wire: dict[str, Any] = {} if self.id is None else {"id": self.id}
        return {**wire, "type": "function", "function": function}

    def feed(self, function: dict[str, Any]) -> None:
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name and self.names != [name]:  # some repeat the whole name in every piece
            self.names.append(name)
        if isinstance(arguments, str):
            self.pieces.append(arguments)
        elif isinstance(arguments, dict):
            self.pieces.append((encode(arguments) or b"{}").decode())


def _check_calls(stream: Stream, calls: Sequence[_Call], *, ids: bool = True) -> None:
    for number, call in enumerate(calls, 1):
        if not call.name:
            stream.lost(f"call {number} of the stream never got its name")
        if ids and (not isinstance(call.id, str) or not call.id):
            stream.lost(f"call {number} of the stream never got its ID")


def _chat(events: list[dict[str, Any]]) -> Stream:
    """Chunks of Chat Completions, and of all who speak it."""
    stream = Stream()
    texts: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning_content": [], "reasoning": []}
    calls: list[_Call] = []
    by_index: dict[int, _Call] = {}
    legacy: _Call | None = None
    finish: Any = None
    done = False
    for event in events:
        done = done or "[DONE]" in event
        for choice in _items(event.get("choices")):
            if choice.get("index") not in (None, 0):
                continue
            delta = _object(choice.get("delta"))
            finish = choice.get("finish_reason") or finish
            for key, pieces in texts.items():
                if isinstance(delta.get(key), str):
                    pieces.append(delta[key])
            for piece in _items(delta.get("tool_calls")):
                _chat_call(piece, calls, by_index, stream)
            if isinstance(delta.get("function_call"), dict):
                legacy = legacy or _Call()
                legacy.feed(delta["function_call"])
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts["content"]) or None}
    message.update({key: "".join(pieces) for key, pieces in texts.items() if pieces and key != "content"})
    if calls:
        message["tool_calls"] = [call.wire() for call in calls]
    elif message["content"] is None:
        message["content"] = ""
    if legacy is not None:
        message["function_call"] = {"name": legacy.name, "arguments": legacy.arguments}
    if finish is not None:
        message["finish_reason"] = finish
    elif not done:
        stream.lost("the stream has no end: neither a finish_reason nor [DONE] came")
    _check_calls(stream, calls)
    stream.messages.append(message)
    return stream


def _chat_call(piece: dict[str, Any], calls: list[_Call], by_index: dict[int, _Call], stream: Stream) -> None:
    index, key = piece.get("index"), piece.get("id")
    function = _object(piece.get("function"))
    call = by_index.get(index) if isinstance(index, int) else (calls[-1] if calls and not key else None)
    if call is not None and key and call.id and key != call.id:
        if isinstance(index, int):
            stream.lost(f"two calls came under index {index}: joined by index, their arguments run together as }}{{")
        call = None
    if call is None:
        call = _Call()
        calls.append(call)
    if isinstance(index, int):
        by_index[index] = call
    call.id = key or call.id
    call.feed(function)


def _responses(events: list[dict[str, Any]]) -> Stream:
    """Events of the Responses API: the last snapshot where it came, else the items that ended."""
    stream = Stream()
    items: dict[Any, dict[str, Any]] = {}
    open_items: dict[Any, list[str]] = {}
    for event in events:
        kind = _key(event.get("type"))
        if kind in ("response.completed", "response.incomplete", "response.failed", "response.cancelled"):
            response = _object(event.get("response"))
            output = list(_items(response.get("output")))
            stream.messages = output or list(items.values())
            problem = response.get("error")
            if problem:
                stream.lost(f"the stream ends in an error: {_shown(problem)}")
            return stream
        index = _key(event.get("output_index"))
        if kind == "response.output_item.added" and isinstance(event.get("item"), dict):
            items[index] = event["item"]
            open_items[index] = []
        elif kind in _RESPONSES_DELTAS and isinstance(event.get("delta"), str) and index in open_items:
            open_items[index].append(event["delta"])
        elif kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            items[index] = event["item"]
            open_items.pop(index, None)
    for index, pieces in open_items.items():
        item = items[index]
        if "arguments" in item:
            items[index] = {**item, "arguments": "".join(pieces)}
    stream.messages = list(items.values())
    stream.lost("the stream has no end: no response.completed came")
    return stream


_RESPONSES_DELTAS = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})


def _key(value: Any) -> Any:
    return value if isinstance(value, (int, str)) else None


def _anthropic(events: list[dict[str, Any]]) -> Stream:
    """Events of the Messages API."""
    stream = Stream()
    blocks: dict[Any, dict[str, Any]] = {}
    pieces: dict[tuple[Any, str], list[str]] = {}
    closed: set[Any] = set()
    message: dict[str, Any] = {"role": "assistant"}
    ended = False
    for event in events:
        kind, index = event.get("type"), _key(event.get("index"))
        if kind == "message_start":
            role = _object(event.get("message")).get("role")
            message["role"] = role if isinstance(role, str) else "assistant"
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            blocks[index] = dict(event["content_block"])
        elif kind == "content_block_delta" and index in blocks:
            delta = _object(event.get("delta"))
            for key in ("text", "thinking", "signature", "partial_json"):
                if isinstance(delta.get(key), str):
                    pieces.setdefault((index, key), []).append(delta[key])
        elif kind == "content_block_stop":
            closed.add(index)
        elif kind == "message_delta":
            reason = _object(event.get("delta")).get("stop_reason")
            if reason is not None:
                message["stop_reason"] = reason
        elif kind == "message_stop":
            ended = True
    stopped = ended or "stop_reason" in message
    if not stopped:
        stream.lost("the stream has no end: no message_stop came")
    whole = stopped and message.get("stop_reason") != "max_tokens"
    for (index, key), texts in pieces.items():
        if key != "partial_json":
            first = blocks[index].get(key)
            blocks[index][key] = (first if isinstance(first, str) else "") + "".join(texts)
    for index, block in blocks.items():
        text = "".join(pieces.get((index, "partial_json"), ()))
        if "input" in block and text:
            value = parse(text)
            block["input"] = text if value is MISSING else value
            if value is MISSING and whole:
                stream.lost(f"the input of the call {shown(block.get('name'))} is not JSON when its pieces are joined")
        if index not in closed and whole:
            stream.lost(f"the {shown(block.get('type'))} block of the stream never ended")
    _check_calls(
        stream,
        [
            _Call(b.get("id"), [b["name"]] if isinstance(b.get("name"), str) else [])
            for b in blocks.values()
            if b.get("type") == "tool_use"
        ],
    )
    message["content"] = list(blocks.values())
    stream.messages.append(message)
    return stream


def _gemini_inner(event: dict[str, Any]) -> dict[str, Any] | None:
    """The chunk inside the envelope that some clients put around it."""
    inner = event.get("response")
    return inner if isinstance(inner, dict) and isinstance(inner.get("candidates"), list) else None


def _gemini(events: list[dict[str, Any]]) -> Stream:
    """Chunks of generateContent: parts in order, neighbouring texts of one kind joined."""
    stream = Stream()
    parts: list[dict[str, Any]] = []
    runs: list[list[str]] = []  # the texts that each part is joined of
    role: Any = "model"
    finish: Any = None
    for event in events:
        chunk = _gemini_inner(event) or event
        candidate = next(_items(chunk.get("candidates")), {})
        content = _object(candidate.get("content"))
        role = content.get("role") or role
        finish = candidate.get("finishReason") or candidate.get("finish_reason") or finish
        for part in _items(content.get("parts")):
            last = parts[-1] if parts else None
            if last is not None and _joinable(last) and _joinable(part) and last.keys() == part.keys():
                runs[-1].append(part["text"])
            else:
                parts.append(dict(part))
                runs.append([part["text"]] if _joinable(part) else [])
    for part, run in zip(parts, runs, strict=True):
        if len(run) > 1:
            part["text"] = "".join(run)
    if finish is None and not any("promptFeedback" in (_gemini_inner(e) or e) for e in events):
        stream.lost("the stream has no end: no finishReason came")
    if parts:
        stream.messages.append({"role": role, "parts": parts})
    return stream


def _joinable(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def _ollama(events: list[dict[str, Any]]) -> Stream:
    """Lines of Ollama's chat."""
    stream = Stream()
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    texts: dict[str, list[str]] = {"content": [], "thinking": []}
    calls: list[Any] = []
    done = False
    for event in events:
        piece = _object(event.get("message"))
        for key, pieces in texts.items():
            if isinstance(piece.get(key), str):
                pieces.append(piece[key])
        calls.extend(_items(piece.get("tool_calls")))
        done = done or event.get("done") is True
    message.update({key: "".join(pieces) for key, pieces in texts.items() if pieces})
    if calls:
        message["tool_calls"] = calls
    if not done:
        stream.lost("the stream has no end: no line says done")
    stream.messages.append(message)
    return stream


def _cohere(events: list[dict[str, Any]]) -> Stream:
    """Events of Cohere's chat, second version."""
    stream = Stream()
    text: list[str] = []
    plan: list[str] = []
    calls: list[_Call] = []
    finish: Any = None
    for event in events:
        delta = _object(event.get("delta"))
        message = _object(delta.get("message"))
        kind = event.get("type")
        if kind == "content-delta":
            piece = _object(message.get("content")).get("text")
            text.append(piece if isinstance(piece, str) else "")
        elif kind == "tool-plan-delta" and isinstance(message.get("tool_plan"), str):
            plan.append(message["tool_plan"])
        elif kind in ("tool-call-start", "tool-call-delta"):
            call = _object(message.get("tool_calls"))
            if kind == "tool-call-start" or not calls:
                calls.append(_Call(call.get("id")))
            calls[-1].feed(_object(call.get("function")))
        elif kind == "message-end":
            finish = delta.get("finish_reason") or "complete"
    reply: dict[str, Any] = {"role": "assistant"}
    if plan:
        reply["tool_plan"] = "".join(plan)
    if calls:
        reply["tool_calls"] = [call.wire() for call in calls]
    if text or not calls:
        reply["content"] = [{"type": "text", "text": "".join(text)}]
    if finish is None:
        stream.lost("the stream has no end: no message-end came")
    _check_calls(stream, calls)
    stream.messages.append(reply)
    return stream


def _converse(events: list[dict[str, Any]]) -> Stream:
    """Events of ConverseStream, and of Nova behind InvokeModel."""
    stream = Stream()
    role: Any = "assistant"
    uses: dict[Any, dict[str, Any]] = {}
    pieces: dict[Any, dict[str, list[str]]] = {}
    stop: Any = None
    for event in events:
        if "messageStart" in event:
            role = _object(event["messageStart"]).get("role") or role
        elif "contentBlockStart" in event:
            start = _object(event["contentBlockStart"])
            index = _key(start.get("contentBlockIndex"))
            uses[index] = _object(_object(start.get("start")).get("toolUse"))
            pieces.setdefault(index, {})
        elif "contentBlockDelta" in event:
            block = _object(event["contentBlockDelta"])
            held = pieces.setdefault(_key(block.get("contentBlockIndex")), {})
            for key, text in _converse_texts(_object(block.get("delta"))):
                held.setdefault(key, []).append(text)
        elif "messageStop" in event:
            stop = _object(event["messageStop"]).get("stopReason") or "end_turn"
    blocks: list[dict[str, Any]] = []
    calls: list[_Call] = []
    for index, held in pieces.items():
        texts = {key: "".join(run) for key, run in held.items()}
        use = uses.get(index, {})
        if use or "input" in texts:
            text = texts.get("input", "")
            value = parse(text) if text else {}
            if value is MISSING and stop not in (None, "max_tokens"):
                stream.lost(f"the input of the call {shown(use.get('name'))} is not JSON when its pieces are joined")
            blocks.append({"toolUse": {**use, "input": text if value is MISSING else value}})
            calls.append(_Call(use.get("toolUseId"), [use["name"]] if isinstance(use.get("name"), str) else []))
        elif "redactedContent" in texts:
            blocks.append({"reasoningContent": {"redactedContent": texts["redactedContent"]}})
        elif "reasoning" in texts or "signature" in texts:
            inner = {"text": texts.get("reasoning", "")}
            if "signature" in texts:
                inner["signature"] = texts["signature"]
            blocks.append({"reasoningContent": {"reasoningText": inner}})
        elif "text" in texts:
            blocks.append({"text": texts["text"]})
    _check_calls(stream, calls)
    if stop is None:
        stream.lost("the stream has no end: no messageStop came")
    if blocks:
        stream.messages.append({"role": role, "content": blocks})
    return stream


def _converse_texts(delta: dict[str, Any]) -> Iterator[tuple[str, str]]:
    reasoning = _object(delta.get("reasoningContent"))
    found = {
        "text": delta.get("text"),
        "input": _object(delta.get("toolUse")).get("input"),
        "reasoning": reasoning.get("text"),
        "signature": reasoning.get("signature"),
        "redactedContent": reasoning.get("redactedContent"),
    }
    for key, text in found.items():
        if isinstance(text, str):
            yield key, text
