"""Plain files: a bare list of messages, a request body, several of either, one conversation or one message a line."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.diagnostic import Place
from turnlint.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from turnlint.source.document import Document

#: Keys under which a history lies in an object, and whether an empty list there is a history without messages.
LISTS = {
    "messages": True,
    "contents": True,
    "input": False,
    "chat_history": False,
    "history": False,
    "conversation": False,
    "conversations": False,
}
MAX_DEPTH = 3

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "model", "human", "ai"})
_SAYS = frozenset({"content", "parts", "tool_calls", "toolCalls", "toolInvocations"})
_LIST_IN_TEXT = frozenset({"[{", "[ ", "[\n"})  # how a list begins that a table keeps as text
_SAID = frozenset({"arguments", "output", "input", "action", "summary", "encrypted_content"})
_DEEPEST = 8  # objects and lists around a conversation that no known key names
_MOST_LOOKED_AT = 2_000  # values of a document that are looked at for one


def looks_like_message(value: object) -> bool:
    """Whether an object can be a message or an item: it has a role or a type, and something to say."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("role"), str) or "message.role" in value:
        return True
    if "parts" in value and isinstance(value["parts"], list):
        return True
    if isinstance(value.get("from"), str) and "value" in value:
        return True
    kind = value.get("type")
    return isinstance(kind, str) and not value.keys().isdisjoint(
        {
            "content",
            "call_id",
            "data",
            "output",
            "summary",
            "arguments",
            "action",
            "id",
            "encrypted_content",
            "kwargs",
            "approval_request_id",
        }
    )


def looks_like_history(value: object) -> bool:
    """Whether a list can be a history: something in it looks like a message."""
    return isinstance(value, list) and any(looks_like_message(item) for item in value[:4])


def _untexted(value: Any) -> Any:
    """The list that a table keeps as JSON text; any other value as it is."""
    if not isinstance(value, str) or value[:2] not in _LIST_IN_TEXT:
        return value
    from turnlint.containers.packing import unwrap

    inner = unwrap(value)
    return inner if isinstance(inner, list) else value


def history_key(body: Mapping[str, Any]) -> str | None:
    """The key of `body` that holds its history."""
    for key, empty_too in LISTS.items():
        value = _untexted(body.get(key))
        if value is None:
            continue
        if looks_like_history(value) or (empty_too and value == [] and len(body) <= 40):
            return key
        if key == "input" and isinstance(value, str) and "model" in body:
            return key
        if key in ("messages", "contents") and isinstance(value, list) and "model" in body:
            return key
    return None


def is_conversation(value: object) -> bool:
    """Whether a list is plainly a conversation, wherever it lies: messages and items of a conversation, only those."""
    return isinstance(value, list) and len(value) > 1 and all(_is_plainly_message(item) for item in value)


def _is_plainly_message(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    speaker = item.get("role") or kind
    if isinstance(speaker, str) and speaker in _ROLES:
        return not item.keys().isdisjoint(_SAYS)
    if isinstance(kind, str) and ("call_id" in item or kind == "reasoning"):  # an item of Responses
        return not item.keys().isdisjoint(_SAID)
    return item.get("kind") in ("request", "response") and isinstance(item.get("parts"), list)


def conversations(value: Any, at: Place) -> Iterator[Candidate]:
    """Every conversation inside a decoded value, near its root, under whatever keys."""
    pending = [(value, at, 0)] if isinstance(value, (dict, list)) else []
    for item, place, depth in pending:
        if is_conversation(item):
            yield Candidate(item, place)
            continue
        room = _MOST_LOOKED_AT - len(pending)
        if depth < _DEEPEST and room > 0:
            inside = item.items() if isinstance(item, dict) else enumerate(item)
            nested = ((v, place / key, depth + 1) for key, v in inside if isinstance(v, (dict, list)) and v)
            pending.extend(islice(nested, room))


def histories(value: Any, at: Place, depth: int = 0) -> Iterator[Candidate]:
    """Every history in a decoded value that is a list of messages, a body, or a list of either."""
    if isinstance(value, dict):
        key = history_key(value)
        if key is not None:
            yield body_candidate(value, at, key)
        elif looks_like_message(value) and ("content" in value or "parts" in value or "tool_calls" in value):
            yield Candidate([value], at, places=(at,))
        return
    if not isinstance(value, list) or depth >= MAX_DEPTH:
        return
    if looks_like_history(value):
        yield Candidate(value, at)
        return
    for number, item in enumerate(value):
        if isinstance(item, (dict, list)):
            yield from histories(item, at / number, depth + 1)


def body_candidate(body: Mapping[str, Any], at: Place, key: str) -> Candidate:
    """The history of a request body."""
    model = body.get("model")
    return Candidate(
        _untexted(body[key]),
        at / key,
        body=body,
        body_at=at,
        model=model if isinstance(model, str) else None,
    )


def given(value: Any, at: Place) -> Candidate | None:
    """The history of a value whose dialect somebody named, whatever it looks like; None where there is no list."""
    if isinstance(value, list):
        return Candidate(value, at)
    if isinstance(value, dict):
        key = next((k for k in LISTS if isinstance(value.get(k), (list, str))), None)
        return body_candidate(value, at, key) if key is not None else None
    return None


def one_message_a_line(head: Sequence[Document]) -> bool:
    """Whether each document is one message of a single conversation."""
    if len(head) < 2:
        return False
    seen = 0
    for document in head:
        value = document.value
        if not isinstance(value, dict):
            if any(f.fatal for f in document.faults):
                continue
            return False
        if history_key(value) is not None or not looks_like_message(value):
            return False
        seen += 1
    return seen >= 1


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        if any(f.fatal for f in document.faults):
            continue
        found = False
        at = Place((), document.number)
        for candidate in histories(document.value, at):
            found = True
            yield candidate
        for candidate in () if found else conversations(document.value, at):
            found = True
            yield candidate
        if not found:
            yield Skipped("no list of messages in it", at)


def find_lines(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    messages, places = [], []
    for document in documents:
        if any(f.fatal for f in document.faults):
            continue
        place = Place((), document.number)
        if isinstance(document.value, dict):
            messages.append(document.value)
            places.append(place)
        else:
            yield Skipped("the line is no object", place)
    if messages:
        yield Candidate(messages, Place(), places=places)


def holds_histories(head: Sequence[Document]) -> bool:
    """Whether any of the first documents holds a history."""
    values = [d.value for d in head if not any(f.fatal for f in d.faults)]
    return any(
        next(find_in(value, Place()), None) is not None for find_in in (histories, conversations) for value in values
    )


CONTAINER = Container(
    name="plain",
    title="Plain JSON or JSONL",
    how="a list of messages; an object with `messages`, `contents`, `input` or `chat_history`; lists or lines of these",
    recognise=holds_histories,
    find=find,
    streaming=True,
    alone=True,
)
