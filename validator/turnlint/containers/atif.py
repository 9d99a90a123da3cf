"""Trajectories in the agent trajectory interchange format: a step holds calls and what was observed of them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, as_json, text_in
from turnlint.containers.packing import word
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.diagnostic import Path
    from turnlint.model import Candidate
    from turnlint.source.document import Document

_ROLES = {"user": "user", "agent": "assistant", "system": "system"}


def _is_trajectory(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return False
    version = value.get("schema_version")
    return isinstance(version, str) and version.upper().startswith("ATIF")


def recognise(head: Sequence[Document]) -> bool:
    for document in head[:3]:
        value = document.value
        if _is_trajectory(value) or (isinstance(value, list) and value and _is_trajectory(value[0])):
            return True
    return False


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        value, at = document.value, Place((), document.number)
        if isinstance(value, list):
            for number, item in enumerate(value):
                if _is_trajectory(item):
                    yield _of_trajectory(item, at / number)
        elif _is_trajectory(value):
            yield _of_trajectory(value, at)
        else:
            yield Skipped("no trajectory in it", at)


def _of_trajectory(value: dict[str, Any], at: Place) -> Candidate | Skipped:
    history = History()
    for number, step in enumerate(value["steps"]):
        if isinstance(step, dict):
            _add(step, at / "steps" / number, history)
    if not history.messages:
        return Skipped("a trajectory without messages", at, known=True)
    agent = value.get("agent")
    model = agent.get("model_name") if isinstance(agent, dict) else None
    name = value.get("session_id")
    return history.candidate(
        "agent-log",
        at=at / "steps",
        id=name if isinstance(name, str) else "",
        model=model if isinstance(model, str) else None,
        finished=True,
    )


def _add(step: dict[str, Any], at: Place, history: History) -> None:
    source = step.get("source")
    role = _ROLES.get(source, "user") if isinstance(source, str) else "user"
    calls: list[dict[str, Any]] = []
    members: dict[Path, Place] = {("content",): at / "message"}
    saved = step.get("tool_calls")
    for number, call in enumerate(saved if isinstance(saved, list) else ()):
        if not isinstance(call, dict):
            continue
        here: Path = ("tool_calls", len(calls))
        place = at / "tool_calls" / number
        members |= {here: place, (*here, "id"): place / "tool_call_id"}
        function = {"name": call.get("function_name"), "arguments": as_json(call.get("arguments"))}
        calls.append({"id": call.get("tool_call_id"), "type": "function", "function": function})
    message: dict[str, Any] = {"role": role, "content": text_in(step.get("message")) or (None if calls else "(empty)")}
    if calls:
        message["tool_calls"] = calls
    history.make(message, at, members)
    for link, content, place in _observed(step, at, [call["id"] for call in calls]):
        made = {"role": "tool", "tool_call_id": link, "content": text_in(content) or "(empty)"}
        history.make(made, place, {("tool_call_id",): place / "source_call_id"})


def _observed(step: dict[str, Any], at: Place, ids: list[Any]) -> Iterator[tuple[Any, Any, Place]]:
    """What was observed: the call it is of, the content, the place.

    Many writers leave the link out.  What has none is given to the calls of the step that nothing else answers, in
    order, and the last such observation to all that remain: an observation of a whole step is of all its calls.
    """
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    items = [
        (result, at / "observation" / "results" / number)
        for number, result in enumerate(results if isinstance(results, list) else ())
        if isinstance(result, dict)
    ]
    named = {word(result.get("source_call_id")) for result, _ in items}
    waiting = deque(key for key in ids if word(key) not in named)
    loose: tuple[dict[str, Any], Place] | None = None
    for result, place in items:
        link = result.get("source_call_id")
        if link is not None:
            yield link, result.get("content"), place
            continue
        loose = (result, place)
        if waiting:
            yield waiting.popleft(), result.get("content"), place
    if loose is not None:
        for key in waiting:
            yield key, loose[0].get("content"), loose[1]


CONTAINER = Container(
    name="atif",
    title="Agent trajectories (ATIF)",
    how="`schema_version` ATIF-… with `steps`; or a list of these",
    recognise=recognise,
    find=find,
    dialects=("agent-log",),
)
