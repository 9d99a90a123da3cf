"""Results of tau-bench and its successor: one conversation for each trial of each task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, as_json, text_in
from turnlint.containers.packing import shown
from turnlint.diagnostic import Place
from turnlint.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.diagnostic import Path
    from turnlint.source.document import Document


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and {"task_id", "traj"} <= value.keys() and isinstance(value["traj"], list)


def _is_simulation(value: Any) -> bool:
    return isinstance(value, dict) and {"simulations", "tasks"} <= value.keys()


def _is_task_file(value: Any) -> bool:
    """Whether this is the head of split results, whose conversations lie in files of their own."""
    return (
        isinstance(value, dict) and {"tasks", "info", "timestamp"} <= value.keys() and isinstance(value["info"], dict)
    )


def _is_single(value: Any) -> bool:
    return isinstance(value, dict) and {"task_id", "messages", "termination_reason"} <= value.keys()


def recognise(head: Sequence[Document]) -> bool:
    for document in head[:3]:
        value = document.value
        if _is_run(value) or _is_simulation(value) or _is_task_file(value) or _is_single(value) or _is_display(value):
            return True
        if isinstance(value, list) and value and _is_run(value[0]):
            return True
    return False


def _is_display(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages_display"), str)


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        value, at = document.value, Place((), document.number)
        if isinstance(value, list):
            for number, run in enumerate(value):
                if _is_run(run):
                    yield _of_run(run, at / number)
        elif _is_run(value):
            yield _of_run(value, at)
        elif _is_single(value):
            yield from _of_simulation(value, at)
        elif _is_simulation(value):
            simulations = value["simulations"]
            for number, simulation in enumerate(simulations if isinstance(simulations, list) else ()):
                yield from _of_simulation(simulation, at / "simulations" / number)
        elif _is_display(value):
            yield Skipped("the text of a conversation as it is shown, without its calls", at, known=True)
        else:
            yield Skipped("results of tau2 whose conversations lie in other files", at, known=True)


def _name(run: dict[str, Any]) -> str:
    trial = run.get("trial")
    return f"task {shown(run.get('task_id'))}" + (f" trial {shown(trial)}" if trial is not None else "")


def _of_run(run: dict[str, Any], at: Place) -> Candidate:
    return Candidate(run["traj"], at / "traj", dialect="openai-chat", id=_name(run))


def _of_simulation(simulation: Any, at: Place) -> Iterator[Candidate | Skipped]:
    """The agent's side of a simulation.  The simulated user has tools too, and those calls are its own."""
    messages = simulation.get("messages") if isinstance(simulation, dict) else None
    if not isinstance(messages, list):
        yield Skipped("a simulation without messages", at, known=True)
        return
    history = History()
    for number, message in enumerate(messages):
        if isinstance(message, dict):
            _add(message, at / "messages" / number, history)
    if history.messages:
        yield history.candidate("agent-log", id=_name(simulation), at=at / "messages")


def _add(message: dict[str, Any], at: Place, history: History) -> None:
    role = message.get("role")
    several = message.get("tool_messages")
    if isinstance(several, list):
        for number, inner in enumerate(several):
            if isinstance(inner, dict):
                one = {"role": "tool", **inner, "tool_messages": None}
                _add(one, at / "tool_messages" / number, history)
        return
    if role == "tool":
        if message.get("requestor") != "user":
            made = {"role": "tool", "tool_call_id": message.get("id"), "content": text_in(message.get("content"))}
            history.make(made, at, {("tool_call_id",): at / "id"})
        return
    calls: list[dict[str, Any]] = []
    members: dict[Path, Place] = {}
    saved = message.get("tool_calls")
    for number, call in enumerate(saved if isinstance(saved, list) else ()):
        if isinstance(call, dict) and call.get("requestor") != "user":
            members[("tool_calls", len(calls))] = at / "tool_calls" / number
            calls.append({"id": call.get("id"), "type": "function", "function": _function(call)})
    text = text_in(message.get("content"))
    if calls or text:
        made = {"role": role, "content": text or None}
        history.make({**made, "tool_calls": calls} if calls else made, at, members)


def _function(call: dict[str, Any]) -> dict[str, Any]:
    return {"name": call.get("name"), "arguments": as_json(call.get("arguments"))}


CONTAINER = Container(
    name="tau-bench",
    title="tau-bench and tau2 results",
    how="objects with `task_id` and `traj`; or `simulations` beside `tasks`",
    recognise=recognise,
    find=find,
    streaming=True,
    dialects=("openai-chat", "agent-log"),
)
