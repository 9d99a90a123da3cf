"""Gemini CLI's chats: one document, or lines with patches; calls and results in one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History
from turnlint.containers.packing import shown
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.diagnostic import Path
    from turnlint.model import Candidate
    from turnlint.source.document import Document

_SPEAKERS = {"user": "user", "gemini": "model", "model": "model"}


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


def _is_old(value: Any) -> bool:
    """Whether a document keeps contents under `history`, with the client's own name for the model's role."""
    history = value.get("history") if isinstance(value, dict) else None
    return isinstance(history, list) and any(
        isinstance(m, dict) and m.get("role") == "gemini" and "parts" in m for m in history[:8]
    )


def recognise(head: Sequence[Document]) -> bool:
    return any(_is_header(d.value) for d in head[:2]) or any(_is_old(d.value) for d in head[:1])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    records: dict[object, tuple[dict[str, Any], Place]] = {}
    name = ""
    for document in documents:
        value, at = document.value, Place((), document.number)
        if not isinstance(value, dict):
            if document.readable:
                yield Skipped("the line is no object", at)
        elif _is_old(value):
            yield _of_contents(value["history"], at / "history")
            return
        elif "$rewindTo" in value:
            _rewind(records, value["$rewindTo"])
        elif isinstance(value.get("$set"), dict):
            if isinstance(value["$set"].get("messages"), list):
                records.clear()
                _take(value["$set"]["messages"], at / "$set" / "messages", records)
        elif _is_header(value):
            name = name or shown(value["sessionId"])
            if isinstance(value.get("messages"), list):
                _take(value["messages"], at / "messages", records)
        else:
            _take([value], None, records, at)
    history = History()
    model = None
    for record, at in records.values():
        _add(record, at, history)
        model = record.get("model") or model
    if history.messages:
        yield history.candidate("gemini", id=name, model=model if isinstance(model, str) else None)
    else:
        yield Skipped("a Gemini CLI chat without messages", known=True)


def _take(
    values: list[Any], base: Place | None, records: dict[object, tuple[dict[str, Any], Place]], at: Place | None = None
) -> None:
    """Notes records by their IDs: one that comes again replaces what it said before."""
    for number, value in enumerate(values):
        place = base / number if base is not None else at
        if isinstance(value, dict) and place is not None and isinstance(value.get("type"), str):
            key = value.get("id")
            records[key if isinstance(key, str) else (place.document, place.path)] = (value, place)


def _rewind(records: dict[object, Any], target: Any) -> None:
    """Forgets a record and all behind it."""
    if isinstance(target, str) and target in records:
        while records.popitem()[0] != target:
            pass


def _add(record: dict[str, Any], at: Place, history: History) -> None:
    role = _SPEAKERS.get(record["type"])
    if role is None:
        return
    parts, members = _parts(record.get("content"), at / "content")
    calls = record.get("toolCalls")
    answers: list[Any] = []
    answer_places: dict[Path, Place] = {}
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if not isinstance(call, dict):
            continue
        place = at / "toolCalls" / number
        here: Path = ("parts", len(parts))
        members[here] = place
        members[(*here, "functionCall")] = place
        parts.append({"functionCall": {key: call[key] for key in ("id", "name", "args") if call.get(key) is not None}})
        result = call.get("result")
        for index, part in enumerate(result if isinstance(result, list) else ()):
            answer_places[("parts", len(answers))] = place / "result" / index
            answers.append(part)
    if parts:
        history.make({"role": role, "parts": parts}, at, members)
    if answers:
        history.make({"role": "user", "parts": answers}, at, answer_places)


def _parts(content: Any, at: Place) -> tuple[list[Any], dict[Path, Place]]:
    """The parts of a record's content, which is text, a part or a list of parts."""
    if isinstance(content, str):
        return ([{"text": content}], {("parts", 0): at, ("parts", 0, "text"): at}) if content else ([], {})
    if isinstance(content, dict):
        return [content], {("parts", 0): at}
    values = [p if isinstance(p, dict) else {"text": p} for p in content] if isinstance(content, list) else []
    return values, {("parts", number): at / number for number in range(len(values))}


def _of_contents(contents: list[Any], at: Place) -> Candidate:
    history = History()
    for number, content in enumerate(contents):
        if isinstance(content, dict):
            role = content.get("role")
            role = _SPEAKERS.get(role, role) if isinstance(role, str) else role
            history.add({"role": role, "parts": content.get("parts")}, at / number)
    return history.candidate("gemini", at=at)


CONTAINER = Container(
    name="gemini-cli",
    title="Gemini CLI chats",
    how="`sessionId` and `projectHash` with `messages` of type user and gemini; or such a header and a line each",
    recognise=recognise,
    find=find,
    dialects=("gemini",),
)
