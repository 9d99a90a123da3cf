"""Exports of chat apps: recognised, and said to hold no tool protocol, except where one keeps calls and results.

Open WebUI keeps what a model answered as Responses items; the rest keep texts, or a call together with its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_TEXTS: Final = "which holds texts and no tool protocol"
_TOGETHER: Final = "which keeps a call and its result together"
_HOLDS: Final = {
    "ChatGPT": _TEXTS,
    "Claude.ai": _TEXTS,
    "Open WebUI": _TEXTS,
    "LibreChat": _TOGETHER,
    "n8n": "whose prompts are flat texts",
    "smolagents": _TOGETHER,
    "Copilot Chat": _TOGETHER,
    "the Berkeley Function-Calling Leaderboard": "which holds questions and no answers",
}


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
    if _open_webui(value) is not None:
        return "Open WebUI"
    messages = value.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else value
    if isinstance(first, dict) and {"messageId", "isCreatedByUser"} <= first.keys():
        return "LibreChat"
    data = value.get("data")
    result = data.get("resultData") if isinstance(data, dict) else None
    if isinstance(result, dict) and isinstance(result.get("runData"), dict):
        return "n8n"
    if {"requesterUsername", "responderUsername", "requests"} <= value.keys():
        return "Copilot Chat"
    question = value.get("question")
    if isinstance(question, list) and question and isinstance(question[0], list) and "function" in value:
        return "the Berkeley Function-Calling Leaderboard"
    steps = value.get("steps")
    if isinstance(steps, list) and any(
        isinstance(s, dict) and {"step_number", "observations"} <= s.keys() for s in steps
    ):
        return "smolagents"
    return None


def _open_webui(value: dict[str, Any]) -> dict[str, Any] | None:
    """The tree of messages in a chat of Open WebUI."""
    chat = value.get("chat")
    history = chat.get("history") if isinstance(chat, dict) else None
    whole = isinstance(history, dict) and "currentId" in history and isinstance(history.get("messages"), dict)
    return history if whole else None


def recognise(head: Sequence[Document]) -> bool:
    return any(kind_of(document.value) for document in head[:3])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        app = kind_of(document.value)
        if app is None:
            continue
        at = Place((), document.number)
        found = False
        for chat, place in _chats(document.value, at) if app == "Open WebUI" else ():
            candidate = _branch(chat, place)
            if candidate is not None:
                found = True
                yield candidate
        if not found:
            yield Skipped(f"an export of {app}, {_HOLDS[app]}", at, known=True)


def _chats(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    for item, place in ((v, at / n) for n, v in enumerate(value)) if isinstance(value, list) else ((value, at),):
        history = _open_webui(item) if isinstance(item, dict) else None
        if history is not None:
            yield history, place / "chat" / "history"


def _branch(tree: dict[str, Any], at: Place) -> Candidate | None:
    """The branch that the chat is at, as items; None where no call was kept."""
    messages, key = tree["messages"], tree["currentId"]
    branch: list[str] = []
    while isinstance(key, str) and isinstance(messages.get(key), dict) and len(branch) < len(messages):
        branch.append(key)
        key = messages[key].get("parentId")
    history = History()
    calls = False
    for key in reversed(branch):
        message, place = messages[key], at / "messages" / key
        items = message.get("output")
        if not isinstance(items, list):
            history.add({"role": message.get("role"), "content": message.get("content")}, place)
            continue
        for number, item in enumerate(items):
            calls = calls or (isinstance(item, dict) and item.get("type") == "function_call")
            history.add(item, place / "output" / number)
    if not calls:
        return None
    why = "a chat app's export was sent to nobody"
    return history.candidate("openai-responses", target="generic", target_reason=why, fixable=False)


CONTAINER = Container(
    name="chat-exports",
    title="Exports of chat apps and tools (ChatGPT, Claude.ai, Open WebUI, LibreChat, Copilot Chat, n8n, smolagents)",
    how="`mapping` and `current_node`, `chat_messages`, `chat.history` with `currentId`, …; most are not judged",
    recognise=recognise,
    find=find,
    streaming=True,
    writable=False,
    dialects=("openai-responses",),
)
