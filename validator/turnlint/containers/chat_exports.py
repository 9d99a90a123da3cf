"""Exports of chat apps: recognised, and said to hold no tool protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def kind_of(value: Any) -> str | None:
    """The app whose export a value is; None where it is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("mapping"), dict) and "current_node" in value:
        return "ChatGPT"
    if isinstance(value.get("chat_messages"), list) and {"uuid", "name"} <= value.keys():
        return "Claude.ai"
    chat = value.get("chat")
    history = chat.get("history") if isinstance(chat, dict) else None
    if isinstance(history, dict) and {"messages", "currentId"} <= history.keys():
        return "Open WebUI"
    return None


def recognise(head: Sequence[Document]) -> bool:
    return any(kind_of(document.value) for document in head[:3])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        app = kind_of(document.value)
        if app is not None:
            reason = f"an export of {app}, which holds texts and no tool protocol"
            yield Skipped(reason, Place((), document.number), known=True)


CONTAINER = Container(
    name="chat-exports",
    title="Exports of chat apps (ChatGPT, Claude.ai, Open WebUI)",
    how="`mapping` and `current_node`, `chat_messages`, or `chat.history` with `currentId`; named and not judged",
    recognise=recognise,
    find=find,
    streaming=True,
    writable=False,
)
