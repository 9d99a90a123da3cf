"""Codex's rollout files: Responses items in envelopes, events that say the same again, compaction, rollbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint import targets
from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, redaction
from turnlint.containers.packing import shown, word
from turnlint.diagnostic import Place
from turnlint.errors import UsageError
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_ENVELOPES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
#: Items that the client keeps to itself, or that its own bookkeeping wrote.
_NOT_SENT: Final = frozenset({"ghost_snapshot", "agent_message", "other"})
_OWN: Final = frozenset({"internal_chat_message_metadata_passthrough", "metadata", "end_turn", "phase"})
_ITEMS: Final = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "tool_search_call",
        "tool_search_output",
        "web_search_call",
        "image_generation_call",
        "compaction",
        "compaction_summary",
    }
)


def _is_envelope(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and value["type"] in _ENVELOPES
        and isinstance(value.get("payload"), dict)
    )


def _is_old_header(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "type" not in value
        and {"id", "timestamp"} <= value.keys()
        and ("instructions" in value or "git" in value)
    )


def _is_event(value: Any) -> bool:
    """Whether a line is of the stream that ``codex exec --json`` prints."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return value["type"] in ("thread.started", "turn.started") or (
        value["type"].startswith("item.") and isinstance(value.get("item"), dict)
    )


def recognise(head: Sequence[Document]) -> bool:
    if any(_is_envelope(document.value) for document in head):
        return True
    if len(head) > 1 and _is_old_header(head[0].value):
        return any(isinstance(d.value, dict) and word(d.value.get("type")) in _ITEMS for d in head[1:]) or any(
            isinstance(d.value, dict) and "record_type" in d.value for d in head[1:]
        )
    return any(_is_event(document.value) for document in head[:2])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    history = History()
    name, provider, model = "", None, None
    state = State.COMPLETE
    items = 0
    time = ""
    for document in documents:
        value = document.value
        at = Place((), document.number)
        if not isinstance(value, dict):
            if document.readable:
                yield Skipped("the line is no object", at)
            continue
        if not _is_envelope(value):
            if _is_event(value):
                yield Skipped("a stream of Codex's events holds no tool protocol", at, known=True)
                return
            if word(value.get("type")) in _ITEMS:
                history.add(value, at)
                items += 1
            elif _is_old_header(value) and not name:
                name = shown(value["id"])
            continue
        payload, at = value["payload"], at / "payload"
        time = value["timestamp"] if isinstance(value.get("timestamp"), str) else time
        match value["type"]:
            case "session_meta":
                name = name or word(payload.get("id"))
                provider = provider or payload.get("model_provider")
            case "turn_context":
                model = payload.get("model") or model
            case "compacted":
                if history.messages:
                    yield _candidate(history, name, provider, model, state, time)
                history, state = _after_compaction(payload, at), State.PARTIAL_HEAD
            case "event_msg":
                if payload.get("type") == "thread_rolled_back":
                    _roll_back(history, payload.get("num_turns"))
            case "response_item":
                kind = word(payload.get("type"))
                if kind in _ITEMS or ("call_id" in payload and kind not in _NOT_SENT):
                    history.add(_sent(payload), at)
                    items += 1
    if history.messages:
        yield _candidate(history, name, provider, model, state, time)
    elif not items:
        yield Skipped("a Codex log without messages", known=True)


def _sent(item: dict[str, Any]) -> dict[str, Any]:
    """An item without what only the client notes of it."""
    return item if _OWN.isdisjoint(item) else {key: value for key, value in item.items() if key not in _OWN}


def _after_compaction(payload: dict[str, Any], at: Place) -> History:
    """What the conversation goes on with: the items that were kept, if the log says which."""
    history = History()
    kept = payload.get("replacement_history")
    for number, item in enumerate(kept if isinstance(kept, list) else ()):
        if isinstance(item, dict):
            history.add(_sent(item), at / "replacement_history" / number)
    return history


def _roll_back(history: History, turns: Any) -> None:
    """Takes back the last turns, each from its user message on."""
    if not isinstance(turns, int) or turns <= 0:
        return
    cut = len(history.messages)
    while turns and cut:
        cut -= 1
        message = history.messages[cut]
        turns -= message.get("type") == "message" and message.get("role") == "user"
    del history.messages[cut:], history.places[cut:]


def _candidate(history: History, name: str, provider: Any, model: Any, state: State, time: str) -> Candidate:
    ids = (message.get("call_id") for message in history.messages)
    hidden = (message.get(key) for message in history.messages for key in ("arguments", "input", "encrypted_content"))
    partial = {"state": state, "notice": "an earlier part of the conversation was summed up"}
    return history.candidate(
        "openai-responses",
        id=name,
        model=model if isinstance(model, str) else None,
        wrap=(lambda item, _before: {"timestamp": time, "type": "response_item", "payload": item}) if time else None,
        **_target(provider),
        **(redaction(ids, hidden) or (partial if state is not State.COMPLETE else {})),
    )


def _target(provider: Any) -> dict[str, str]:
    """The target that the log names; none for a provider of the user's own."""
    if not isinstance(provider, str) or not provider:
        return {}
    try:
        target, _ = targets.resolve(provider)
    except UsageError:
        return {}
    return {"target": target.name, "target_reason": "the log names it"}


CONTAINER = Container(
    name="codex",
    title="Codex rollouts",
    how="lines of `type` session_meta, response_item, event_msg, … with a `payload`; or a header and bare items",
    recognise=recognise,
    find=find,
    dialects=("openai-responses",),
)
