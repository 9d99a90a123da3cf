"""What agent frameworks and tools save in shapes of their own.

Frameworks: ADK, AutoGen, Haystack, Semantic Kernel, Strands, LlamaIndex, LobeChat, Letta.  Agents: Continue, OpenCode,
Amp, Goose.  Besides, Datadog's spans, and the Agent Data Protocol.
"""

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

    Reader = Callable[[dict[str, Any]], Iterator[dict[str, Any]]]

_MAX_DEPTH: Final = 4  # of objects around the list
_MAX_LOOKED_AT: Final = 400
_FIRST: Final = 64  # items of a list in which a message that shows its framework must come


def _adk(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = event.get("content")
    if isinstance(content, dict) and event.get("partial") is not True:
        yield from chat_of_parts(content.get("role"), content.get("parts"))


_AUTOGEN: Final = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
    "FunctionExecutionResultMessage": "tool",
}


def _autogen(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    role, content = _AUTOGEN.get(word(message.get("type"))), message.get("content")
    items = [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    if role == "tool":
        yield from (chat_result(item.get("call_id"), item.get("content")) for item in items)
        return
    calls = [chat_call(i.get("id"), i.get("name"), i.get("arguments")) for i in items if "arguments" in i]
    made = chat_message(role, text_in(content), calls)
    if role is not None and made is not None:
        yield made


def _haystack(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    items = [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    calls = [item["tool_call"] for item in items if isinstance(item.get("tool_call"), dict)]
    for item in items:
        result = item.get("tool_call_result")
        if isinstance(result, dict):
            origin = result.get("origin")
            yield chat_result(origin.get("id") if isinstance(origin, dict) else None, result.get("result"))
    texts = "\n".join(text_in(item) for item in items if "text" in item)
    made = chat_message(
        message.get("role"), texts, [chat_call(c.get("id"), c.get("tool_name"), c.get("arguments")) for c in calls]
    )
    if made is not None:
        yield made


def _semantic_kernel(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("items")
    items = [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    calls = []
    for item in items:
        kind = item.get("content_type")
        if kind == "function_call":
            calls.append(chat_call(item.get("id"), item.get("name"), item.get("arguments")))
        elif kind == "function_result":
            yield chat_result(item.get("id"), item.get("result"))
    texts = "\n".join(text_in(item) for item in items if item.get("content_type") == "text")
    made = chat_message(message.get("role"), texts, calls)
    if made is not None:
        yield made


def _strands(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = record.get("redact_message") or record.get("message")
    if not isinstance(message, dict):
        return
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    uses = [block["toolUse"] for block in blocks if isinstance(block.get("toolUse"), dict)]
    for block in blocks:
        result = block.get("toolResult")
        if isinstance(result, dict):
            yield chat_result(result.get("toolUseId"), result.get("content"))
    texts = "\n".join(text_in(block) for block in blocks if "text" in block)
    calls = [chat_call(use.get("toolUseId"), use.get("name"), use.get("input")) for use in uses]
    made = chat_message(message.get("role"), texts, calls)
    if made is not None:
        yield made


def _llama_index(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    raw, more = message.get("blocks"), message.get("additional_kwargs")
    blocks = [block for block in raw if isinstance(block, dict)] if isinstance(raw, list) else []
    more = more if isinstance(more, dict) else {}
    texts = "\n".join(text_in(block) for block in blocks if block.get("block_type") == "text")
    if message.get("role") in ("tool", "function"):
        yield {**chat_result(more.get("tool_call_id"), texts), "name": more.get("name")}
        return
    calls = [
        chat_call(b.get("tool_call_id"), b.get("tool_name"), b.get("tool_kwargs"))
        for b in blocks
        if b.get("block_type") == "tool_call"
    ]
    made = chat_message(message.get("role"), texts, calls or _objects(more.get("tool_calls")))
    if made is not None:
        yield made


def _lobe_chat(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if message.get("role") in ("tool", "function"):
        yield chat_result(message.get("tool_call_id"), message.get("content"))
        return
    calls = [chat_call(c.get("id"), c.get("apiName"), c.get("arguments")) for c in _objects(message.get("tools"))]
    made = chat_message(message.get("role"), text_in(message.get("content")), calls)
    if made is not None:
        yield made


_LETTA: Final = {"system_message": "system", "user_message": "user", "assistant_message": "assistant"}


def _letta(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = message.get("message_type")
    if kind == "tool_call_message":
        raw = message.get("tool_calls") or [message.get("tool_call")]
        calls = [chat_call(c.get("tool_call_id"), c.get("name"), c.get("arguments")) for c in _objects(raw)]
        yield {"role": "assistant", "content": None, "tool_calls": calls}
    elif kind == "tool_return_message":
        yield chat_result(message.get("tool_call_id"), message.get("tool_return"))
    else:
        made = chat_message(_LETTA.get(word(kind)), text_in(message.get("content")), [])
        if made is not None and made["role"] is not None:
            yield made


def _datadog(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for result in _objects(message.get("tool_results")):
        yield chat_result(result.get("tool_id"), result.get("result"))
    raw = _objects(message.get("tool_calls"))
    calls = [chat_call(call.get("tool_id"), call.get("name"), call.get("arguments")) for call in raw]
    made = chat_message(message.get("role"), text_in(message.get("content")), calls)
    if made is not None:
        yield made


def _continue(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = item.get("message")
    if not isinstance(message, dict):
        return
    if message.get("role") == "tool":
        yield chat_result(message.get("toolCallId"), message.get("content"))
        return
    made = chat_message(message.get("role"), text_in(message.get("content")), _objects(message.get("toolCalls")))
    if made is not None:
        yield made


def _opencode(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A message whose tool parts hold call and outcome; a part that never ended is a call without a result."""
    info, parts = item.get("info"), _objects(item.get("parts"))
    if not isinstance(info, dict):
        return
    texts = "\n".join(text_in(part) for part in parts if part.get("type") == "text")
    used = [part for part in parts if part.get("type") == "tool"]
    states = [part["state"] if isinstance(part.get("state"), dict) else {} for part in used]
    calls = [
        chat_call(p.get("callID"), p.get("tool"), state.get("input")) for p, state in zip(used, states, strict=True)
    ]
    made = chat_message(info.get("role"), texts, calls)
    if made is not None:
        yield made
    for part, state in zip(used, states, strict=True):
        if state.get("status") in ("completed", "error"):
            yield chat_result(part.get("callID"), state.get("output", state.get("error")))


def _amp(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = _objects(message.get("content"))
    for block in blocks:
        if block.get("type") == "tool_result":
            run = block.get("run")
            yield chat_result(block.get("toolUseID"), run.get("result") if isinstance(run, dict) else None)
    rest = [block for block in blocks if block.get("type") != "tool_result"]
    yield from chat_of_blocks(message.get("role"), rest if blocks else message.get("content"))


def _goose(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    parts = _objects(message.get("content"))
    calls = []
    for part in parts:
        if part.get("type") == "toolResponse":
            result = part.get("toolResult")
            yield chat_result(part.get("id"), result.get("value") if isinstance(result, dict) else result)
        elif part.get("type") == "toolRequest":
            call = part.get("toolCall")
            value = call.get("value") if isinstance(call, dict) else None
            value = value if isinstance(value, dict) else {}
            calls.append(chat_call(part.get("id"), value.get("name"), value.get("arguments")))
    texts = "\n".join(text_in(part) for part in parts if part.get("type") == "text")
    made = chat_message(message.get("role"), texts, calls)
    if made is not None:
        yield made


_ADP_SPEAKERS: Final = {"user": "user", "environment": "user"}


def _adp(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind, call_id = word(item.get("class_")), item.get("tool_call_id")
    if kind in ("api_action", "code_action") and call_id is not None:
        yield {
            "role": "assistant",
            "content": None,
            "tool_calls": [chat_call(call_id, item.get("function") or item.get("language"), item.get("kwargs"))],
        }
    elif kind.endswith("_observation") and call_id is not None:
        yield chat_result(call_id, item.get("content"))
    else:
        role = "assistant" if kind.endswith("_action") else _ADP_SPEAKERS.get(word(item.get("source")), "user")
        made = chat_message(role, text_in(item.get("content")) or kind, [])
        if made is not None:
            yield made


def _is_goose(item: dict[str, Any]) -> bool:
    if not {"created", "role"} <= item.keys():
        return False
    kinds = {word(part.get("type")) for part in _objects(item.get("content"))}
    return bool(kinds) and kinds <= {"text", "image", "toolRequest", "toolResponse", "thinking", "redactedThinking"}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _reader_of(item: Any) -> Reader | None:
    """The framework that an item of a list belongs to."""
    if not isinstance(item, dict):
        return None
    if "blocks" in item and "additional_kwargs" in item and "role" in item:
        return _llama_index
    if "contextItems" in item and isinstance(item.get("message"), dict):
        return _continue
    if isinstance(item.get("info"), dict) and "role" in item["info"] and isinstance(item.get("parts"), list):
        return _opencode
    if any("toolUseID" in block for block in _objects(item.get("content"))):
        return _amp
    if isinstance(item.get("class_"), str) and "source" in item:
        return _adp
    if _is_goose(item):
        return _goose
    if word(item.get("message_type")) in (*_LETTA, "tool_call_message", "tool_return_message", "reasoning_message"):
        return _letta
    if any("apiName" in call for call in _objects(item.get("tools"))) and "role" in item:
        return _lobe_chat
    if any("tool_id" in part for key in ("tool_calls", "tool_results") for part in _objects(item.get(key))):
        return _datadog
    if "author" in item and not {"invocationId", "invocation_id"}.isdisjoint(item):
        return _adk
    if word(item.get("type")) in _AUTOGEN and "content" in item:
        return _autogen
    if item.get("content_type") == "message" and "items" in item:
        return _semantic_kernel
    if {"message", "message_id", "redact_message"} <= item.keys():
        return _strands
    if {"role", "meta", "content"} <= item.keys() and isinstance(item["content"], list):
        parts = [part for part in item["content"] if isinstance(part, dict)]
        if parts and all(not part.keys().isdisjoint({"text", "tool_call", "tool_call_result"}) for part in parts):
            return _haystack
    return None


def _dumps(value: Any, at: Place) -> Iterator[tuple[list[tuple[Any, Place]], Reader]]:
    """The lists of a framework's messages in a document, looked for in the objects near its root."""
    pending: list[tuple[Any, Place, int]] = [(value, at, 0)]
    looked = 0
    while pending and looked < _MAX_LOOKED_AT:
        item, place, depth = pending.pop()
        looked += 1
        if isinstance(item, list):
            reader = next((r for entry in item[:_FIRST] if (r := _reader_of(entry)) is not None), None)
            if reader is not None:
                yield [(entry, place / number) for number, entry in enumerate(item)], reader
        elif isinstance(item, dict):
            files = [(inner, place / key) for key, inner in item.items() if _reader_of(inner) is _strands]
            if files:
                files.sort(key=lambda pair: (isinstance(pair[0]["message_id"], int) and pair[0]["message_id"]) or 0)
                yield list(files), _strands
            elif depth < _MAX_DEPTH:
                pending.extend(
                    (inner, place / key, depth + 1) for key, inner in item.items() if isinstance(inner, (dict, list))
                )


def recognise(head: Sequence[Document]) -> bool:
    if len(head) > 1:
        return any(_reader_of(document.value) is not None for document in head[:8])
    return bool(head) and next(_dumps(head[0].value, Place()), None) is not None


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    lines: list[tuple[Any, Place]] = []
    reader: Reader | None = None
    for document in documents:
        at = Place((), document.number)
        own = _reader_of(document.value)
        if own is not None:
            lines.append((document.value, at))
            reader = own
            continue
        found = False
        for items, list_reader in _dumps(document.value, at):
            found = True
            yield _candidate(items, list_reader)
        if not found and document.readable:
            yield Skipped("no messages of a framework in it", at)
    if reader is not None:
        yield _candidate(lines, reader)


def _candidate(items: list[tuple[Any, Place]], reader: Reader) -> Candidate | Skipped:
    history = History()
    for item, at in items:
        if isinstance(item, dict):
            for message in reader(item):
                history.make(message, at)
    if not history.messages:
        return Skipped("a framework's dump without messages", items[0][1], known=True)
    return history.candidate("agent-log")


CONTAINER = Container(
    name="framework-dumps",
    title="Dumps of frameworks, agents and tools (ADK, AutoGen, Haystack, LlamaIndex, Letta, OpenCode, Goose, …)",
    how="lists with items that have `invocationId` and `author`, `content_type`, `tool_call_result`, `message_type`, …",
    recognise=recognise,
    find=find,
    dialects=("agent-log",),
)
