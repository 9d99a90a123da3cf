"""SWE-agent's trajectories and demonstrations: Chat messages with bookkeeping of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, only
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_SENT: Final = ("role", "content", "name", "tool_calls", "tool_call_id")
_OWN: Final = frozenset({"message_type", "agent", "thought", "action", "is_demo", "tool_call_ids"})


def _history(value: Any) -> list[Any] | None:
    history = value.get("history") if isinstance(value, dict) else None
    if not isinstance(history, list):
        return None
    own = any(isinstance(m, dict) and "role" in m and not _OWN.isdisjoint(m) for m in history[:8])
    return history if own or ("trajectory" in value and "info" in value) else None


def recognise(head: Sequence[Document]) -> bool:
    return bool(head) and _history(head[0].value) is not None


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        messages = _history(document.value)
        base = Place(("history",), document.number)
        history = History()
        for number, message in enumerate(messages or ()):
            if not isinstance(message, dict):
                continue
            sent = only(message, _SENT)
            ids = message.get("tool_call_ids")
            if "tool_call_id" not in sent and isinstance(ids, list) and message.get("role") == "tool":
                sent["tool_call_id"] = ids[0] if len(ids) == 1 else None
                history.moved[base / number / "tool_call_id"] = base / number / "tool_call_ids" / 0
                if len(ids) != 1:
                    sent.pop("tool_call_id")
            if sent.get("tool_calls") in (None, []):
                sent.pop("tool_calls", None)
            history.add(sent, base / number)
        if history.messages:
            yield history.candidate("openai-chat", at=base)
        else:
            yield Skipped("a trajectory without messages", base, known=True)


CONTAINER = Container(
    name="swe-agent",
    title="SWE-agent trajectories and demonstrations",
    how="`history` with messages that have `message_type`, `agent` or `tool_call_ids`; often a `trajectory` and `info`",
    recognise=recognise,
    find=find,
    dialects=("openai-chat",),
)
