"""OpenHands' event logs: actions and observations, linked by the call that the model made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, text_in
from turnlint.containers.packing import word
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.diagnostic import Path
    from turnlint.model import Candidate
    from turnlint.source.document import Document

#: Actions that end a run: their call is never answered, and not sent again as a call.
_TERMINAL: Final = frozenset({"finish", "reject"})
#: Events that the client keeps to itself.
_SILENT: Final = frozenset({"change_agent_state", "agent_state_changed", "null", "recall", "condensation"})


def events_of(value: Any) -> tuple[list[Any], Place] | None:
    """The events of a log and where they stand in the document; None where a value is none."""
    if isinstance(value, dict) and isinstance(value.get("history"), list):
        events, path = value["history"], Place(("history",))
    elif isinstance(value, list):
        events, path = value, Place()
    else:
        return None
    first = [event[0] if isinstance(event, list) and event else event for event in events[:4]]
    known = [e for e in first if isinstance(e, dict) and (_is_word(e, "action") or _is_word(e, "observation"))]
    return (events, path) if known and not any("role" in e for e in known) else None


def _is_word(event: dict[str, Any], key: str) -> bool:
    return isinstance(event.get(key), str) and not {"args", "content", "source", "thought"}.isdisjoint(event)


def recognise(head: Sequence[Document]) -> bool:
    return any(events_of(document.value) is not None for document in head[:3])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        found = events_of(document.value)
        if found is None:
            yield Skipped("no events in it", Place((), document.number))
            continue
        events, inside = found
        base = Place(inside.path, document.number)
        history = History()
        model = None
        seen: set[str] = set()
        for event, at in _spoken(events, base):
            model = _add(event, at, history, seen) or model
        if history.messages:
            yield history.candidate("agent-log", at=base, model=model)
        else:
            yield Skipped("an OpenHands log without messages", Place((), document.number), known=True)


def _spoken(events: list[Any], base: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """The events that the model sees: pairs taken apart, and what was forgotten left out."""
    flat: list[tuple[Any, Place]] = []
    for number, event in enumerate(events):
        if isinstance(event, list):
            flat.extend((half, base / number / side) for side, half in enumerate(event[:2]))
        else:
            flat.append((event, base / number))
    forgotten: set[Any] = set()
    spans: list[tuple[int, int]] = []
    for event, _ in flat:
        args = event.get("args") if isinstance(event, dict) and event.get("action") == "condensation" else None
        if not isinstance(args, dict):
            continue
        ids, start, end = (args.get(f"forgotten_event{key}") for key in ("_ids", "s_start_id", "s_end_id"))
        forgotten.update(key for key in ids if isinstance(key, int)) if isinstance(ids, list) else None
        if isinstance(start, int) and isinstance(end, int):
            spans.append((start, end))
    for event, at in flat:
        if not isinstance(event, dict):
            continue
        key = event.get("id")
        if isinstance(key, int) and (key in forgotten or any(start <= key <= end for start, end in spans[-64:])):
            continue
        yield event, at


def _add(event: dict[str, Any], at: Place, history: History, seen: set[str]) -> str | None:
    """Adds what an event says; returns the model where it names one."""
    link = event.get("tool_call_metadata")
    action, observation = word(event.get("action")), word(event.get("observation"))
    if action in _SILENT or (observation in _SILENT and not isinstance(link, dict)):
        return None
    if isinstance(link, dict) and observation:
        message = {"role": "tool", "tool_call_id": link.get("tool_call_id"), "content": text_in(event.get("content"))}
        places: dict[Path, Place] = {
            ("tool_call_id",): at / "tool_call_metadata" / "tool_call_id",
            ("content",): at / "content",
        }
        history.make(message, at, places)
        return None
    if isinstance(link, dict) and action and action not in _TERMINAL:
        return _add_turn(link, at / "tool_call_metadata" / "model_response", history, seen)
    args = event.get("args")
    inside = args if isinstance(args, dict) else event
    if observation:
        role, text = "user", text_in(event.get("content")) or text_in(event.get("message"))
    elif action:
        source = event.get("source", "agent" if history.messages else "user")
        role = "system" if action == "system" else ("user" if source in ("user", "environment") else "assistant")
        words = (inside.get("thought"), inside.get("content"), inside.get("code"), inside.get("command"))
        text = "\n".join(filter(None, map(text_in, words))) or text_in(event.get("message"))
    else:
        return None
    if text:
        history.make({"role": role, "content": text}, at)
    return None


def _add_turn(link: dict[str, Any], at: Place, history: History, seen: set[str]) -> str | None:
    """The model's turn that an action was taken out of; each only once, however many actions it led to."""
    response = link.get("model_response")
    choices = response.get("choices") if isinstance(response, dict) else None
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    if not isinstance(response, dict) or not isinstance(message, dict):
        call = {"id": link.get("tool_call_id"), "type": "function"}
        call["function"] = {"name": link.get("function_name"), "arguments": "{}"}
        history.make({"role": "assistant", "content": None, "tool_calls": [call]}, Place(at.path[:-1], at.document))
        return None
    key = response.get("id")
    if isinstance(key, str) and key in seen:
        return None
    if isinstance(key, str):
        seen.add(key)
    history.add({"role": "assistant", **message}, at / "choices" / 0 / "message")
    history.made = True
    model = response.get("model")
    return model if isinstance(model, str) else None


CONTAINER = Container(
    name="openhands",
    title="OpenHands event logs",
    how="a list of events with `action` or `observation`, alone or under `history`",
    recognise=recognise,
    find=find,
    streaming=True,
    dialects=("agent-log",),
)
