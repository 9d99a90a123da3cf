"""Cline's and Roo Code's API histories: Anthropic messages with a time, some of them kept and no longer sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, only
from turnlint.diagnostic import Place
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_OWN: Final = frozenset({"modelInfo", "metrics", "isSummary", "condenseId", "condenseParent", "truncationParent"})


def recognise(head: Sequence[Document]) -> bool:
    if len(head) != 1 or not isinstance(head[0].value, list):
        return False
    messages = [m for m in head[0].value[:8] if isinstance(m, dict)]
    return (
        bool(messages)
        and all(m.get("role") in ("user", "assistant") and "content" in m for m in messages)
        and (any(isinstance(m.get("ts"), int) for m in messages) or any(not _OWN.isdisjoint(m) for m in messages))
    )


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        messages = document.value if isinstance(document.value, list) else []
        at = Place((), document.number)
        hidden = _hidden(messages)
        history = History()
        model = None
        for number, message in enumerate(messages):
            if not isinstance(message, dict) or number in hidden:
                continue
            history.add(only(message, ("role", "content", "type")), at / number)
            info = message.get("modelInfo")
            model = (info.get("modelId") if isinstance(info, dict) else None) or model
        if not history.messages:
            yield Skipped("no messages in it", at, known=True)
            continue
        partial = {"state": State.PARTIAL_HEAD, "notice": "earlier messages were summed up"} if hidden else {}
        yield history.candidate("anthropic", at=at, model=model if isinstance(model, str) else None, **partial)


def _hidden(messages: list[Any]) -> set[int]:
    """The numbers of messages that stand in for nothing any more: a summary or a cut replaced them.

    One whose summary was itself deleted is sent again.
    """
    alive: dict[str, set[str]] = {"condenseId": set(), "truncationId": set()}
    for message in messages:
        for key, seen in alive.items():
            if isinstance(message, dict) and isinstance(message.get(key), str):
                seen.add(message[key])
    return {
        number
        for number, message in enumerate(messages)
        if isinstance(message, dict)
        and (
            (isinstance(c := message.get("condenseParent"), str) and c in alive["condenseId"])
            or (isinstance(t := message.get("truncationParent"), str) and t in alive["truncationId"])
        )
    }


CONTAINER = Container(
    name="cline",
    title="Cline and Roo Code API histories",
    how="a list of Anthropic messages with `ts`, `modelInfo` or the marks of summaries",
    recognise=recognise,
    find=find,
    dialects=("anthropic",),
)
