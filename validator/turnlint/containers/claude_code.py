"""Claude Code's session logs: one block a line, branches by parent, sub-agents beside, compaction in between.

The lines of one API message carry one `message.id` and are joined again, whatever tool results were written between
them.  Each way from a root to a leaf is a history of its own; results of parallel calls, which hang beside the way,
are put where they belong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from turnlint.containers import Container, Skipped
from turnlint.containers.packing import REDACTION
from turnlint.diagnostic import Place
from turnlint.model import Candidate, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.document import Document

#: Kinds of lines by which a log is known before its first message.
_HEADS: Final = {
    "summary": "leafUuid",
    "file-history-snapshot": "messageId",
    "queue-operation": "sessionId",
    "custom-title": "sessionId",
    "agent-name": "sessionId",
    "permission-mode": "sessionId",
    "last-prompt": "sessionId",
}
_MAX_SILENT: Final = 100  # lines without a message between a call and its result
_MAX_SHARED: Final = 20  # times that the messages of a log may be looked at again on other branches


class Record(Struct):
    """A line of the log.  `message` is None where it only links others; `at` is the place of its message."""

    at: Place
    number: int
    uuid: str | None
    parent: str | None
    message: dict[str, Any] | None
    boundary: bool = False  # what was said before was summed up here
    results_only: bool = False
    children: list[Record] = field(default_factory=list)


class Joined(Struct):
    """A history under construction: its messages, their places, and where joined parts really stand."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    moved: dict[Place, Place] = field(default_factory=dict)
    model: str | None = None  # the last one that answered

    def add(self, records: Sequence[Record]) -> None:
        """One message out of the records that hold its parts, with what was or would be sent of it."""
        first = records[0]
        assert first.message is not None
        content: Any = first.message.get("content")
        if len(records) > 1:
            content = []
            for record in records:
                parts = parts_of(record.message)
                own = record.at / "content"
                if record is not first:
                    target = first.at / "content"
                    self.moved.update({target / (len(content) + n): own / n for n in range(len(parts))})
                content.extend(parts)
        message = {"role": first.message.get("role"), "content": content}
        reason = (records[-1].message or {}).get("stop_reason")
        if reason is not None and reason != ("tool_use" if _asks(content) else "end_turn"):
            message["stop_reason"] = reason
        self.messages.append(message)
        self.places.append(first.at)
        model = first.message.get("model")
        if isinstance(model, str) and not model.startswith("<"):
            self.model = model


def _asks(content: Any) -> bool:
    """Whether a content holds a call."""
    return isinstance(content, list) and any(isinstance(p, dict) and p.get("type") == "tool_use" for p in content)


def parts_of(message: dict[str, Any] | None) -> list[Any]:
    content = message.get("content") if message is not None else None
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) else []


# Recognition


def is_record(value: Any) -> bool:
    """Whether a line is one of this log."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if kind in ("user", "assistant"):
        inside = value.get("message")
        known = not value.keys().isdisjoint({"uuid", "parentUuid", "sessionId", "isSidechain"})
        return known and isinstance(inside, dict) and {"role", "content"} <= inside.keys()
    return _HEADS.get(kind, "") in value


def recognise(head: Sequence[Document]) -> bool:
    return any(is_record(d.value) for d in head) or any(_log_lines(d.value) is not None for d in head[:1])


def _log_lines(value: Any) -> list[Any] | None:
    """The lines of a session that was exported as one document."""
    lines = value.get("loglines") if isinstance(value, dict) else None
    return lines if isinstance(lines, list) else None


# Reading


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    chains: dict[object, list[Record]] = {}
    names: dict[object, str] = {}
    number = 0
    for document in documents:
        lines = _log_lines(document.value)
        base = Place(("loglines",), document.number)
        values = (
            [(document.value, Place((), document.number))]
            if lines is None
            else [(line, base / n) for n, line in enumerate(lines)]
        )
        for value, at in values:
            if not isinstance(value, dict):
                if document.readable:
                    yield Skipped("the line is no object", at)
                continue
            record = _record(value, at, number)
            number += 1
            if record is not None:
                key = _chain_key(value)
                chains.setdefault(key, []).append(record)
                if key not in names and isinstance(value.get("sessionId"), str):
                    names[key] = value["sessionId"] if key is None else f"{value['sessionId']} agent {key}"
    if not any(record.message is not None for records in chains.values() for record in records):
        yield Skipped("a Claude Code log without messages", known=True)
    for key, records in chains.items():
        yield from histories(records, names.get(key, ""))


def _chain_key(value: dict[str, Any]) -> object:
    """What tells the main conversation from each sub-agent's."""
    if value.get("isSidechain") is not True:
        return None
    agent = value.get("agentId")
    return agent if isinstance(agent, str) else "(sidechain)"


def _record(value: dict[str, Any], at: Place, number: int) -> Record | None:
    kind = value.get("type")
    uuid, parent = value.get("uuid"), value.get("parentUuid", ...)
    message = value.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, dict) or value.get("isApiErrorMessage") is True:
        message = None
    if message is None and not isinstance(uuid, str):
        return None
    return Record(
        at / "message",
        number,
        uuid if isinstance(uuid, str) else None,
        parent if isinstance(parent, str) else ("" if parent is ... else None),
        message,
        boundary=kind == "system" and value.get("subtype") == "compact_boundary",
        results_only=message is not None and only_results(message),
    )


def only_results(message: dict[str, Any]) -> bool:
    """Whether a message carries tool results and nothing else."""
    content = message.get("content")
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    )


# Branches


def histories(records: list[Record], name: str) -> Iterator[Candidate | Skipped]:
    """The histories of one conversation and its branches."""
    records = _without_doubles(records)
    by_uuid = {record.uuid: record for record in records if record.uuid is not None}
    linked = any(record.parent in by_uuid for record in records if record.parent)
    if not linked:
        said = [record for record in records if record.message is not None]
        if said:
            yield _candidate(said, name, State.COMPLETE)
        return
    before: Record | None = None
    roots = []
    for record in records:
        # A line that says nothing of a parent follows the line before it.
        parent = by_uuid.get(record.parent) if record.parent else (before if record.parent == "" else None)
        if parent is None or parent.number >= record.number:
            roots.append(record)
        else:
            parent.children.append(record)
        before = record
    budget = _MAX_SHARED * len(records)
    left_out = 0
    count = 0
    for root in roots:
        lost = bool(root.parent) or root.boundary
        for way in _ways(root, budget):
            budget -= len(way)
            if budget < 0:
                left_out += 1
                continue
            said = _with_siblings(way)
            if said:
                count += 1
                title = name if count == 1 else f"{name} branch {count}"
                yield _candidate(said, title, State.PARTIAL_HEAD if lost else State.COMPLETE)
    if left_out:
        yield Skipped(f"{left_out} more branches of one conversation are not looked at", known=True)


def _without_doubles(records: list[Record]) -> list[Record]:
    """The records, each once: a resumed or branched session writes lines again under the same uuid."""
    seen: set[str] = set()
    kept = []
    for record in records:
        if record.uuid is None or record.uuid not in seen:
            kept.append(record)
            if record.uuid is not None:
                seen.add(record.uuid)
    return kept


def _ways(root: Record, budget: int) -> Iterator[list[Record]]:
    """The ways from a root to each end of the conversation.  An end that only holds results beside a call is none."""
    way: list[Record] = []
    pending: list[tuple[Record, int]] = [(root, 0)]
    worth = _worth(root)
    while pending and budget >= 0:
        record, depth = pending.pop()
        del way[depth:]
        way.append(record)
        onward = [child for child in record.children if worth[id(child)]]
        if onward:
            pending.extend((child, depth + 1) for child in reversed(onward))
        else:
            budget -= len(way)
            yield list(way)


def _worth(root: Record) -> dict[int, bool]:
    """Which records lead on.  Beside a sibling that does, one that leads to nothing but its own results does not."""
    order: list[Record] = []
    pending = [root]
    while pending:
        record = pending.pop()
        order.append(record)
        pending.extend(record.children)
    speech: dict[int, bool] = {}
    for record in reversed(order):
        speaks = record.message is not None and not record.results_only
        speech[id(record)] = speaks or any(speech[id(child)] for child in record.children)
    worth = {id(root): True}
    for record in order:
        any_speech = any(speech[id(child)] for child in record.children)
        silent = [child for child in record.children if not speech[id(child)]]
        for child in record.children:
            worth[id(child)] = speech[id(child)] or (not any_speech and child is silent[-1])
    return worth


def _with_siblings(way: list[Record]) -> list[Record]:
    """The messages on a way, with results that hang beside it behind the calls that they answer."""
    on_way = {id(record) for record in way}
    answered = {key for record in way if record.results_only for key in _result_ids(record)}
    said: list[Record] = []
    for record in way:
        if record.message is not None:
            said.append(record)
        for child in record.children:
            if id(child) in on_way:
                continue
            found = _result_beside(child)
            ids = _result_ids(found) if found is not None else []
            if found is not None and ids and answered.isdisjoint(ids):
                answered.update(ids)
                said.append(found)
    return said


def _result_beside(record: Record) -> Record | None:
    """The results with which a side way begins, behind lines that say nothing."""
    for _ in range(_MAX_SILENT):
        if record.results_only:
            return record
        if record.message is not None or len(record.children) != 1:
            return None
        record = record.children[0]
    return None


def _result_ids(record: Record) -> list[str]:
    ids = (part.get("tool_use_id") for part in parts_of(record.message) if isinstance(part, dict))
    return [key for key in ids if isinstance(key, str)]


def _candidate(said: list[Record], name: str, state: State) -> Candidate:
    joined = Joined()
    groups = grouped(said)
    for group in groups:
        joined.add(group)
    notice = None
    if state is State.PARTIAL_HEAD:
        notice = "the beginning of the conversation is not in this log"
    if redacted := _redaction(joined.messages):
        state, notice = State.NOT_RECORDED, redacted
    return Candidate(
        joined.messages,
        joined.places[0],
        dialect="anthropic",
        places=joined.places,
        moved=joined.moved,
        model=joined.model,
        id=name,
        state=state,
        notice=notice,
        splits=splits_of(groups),
        wrap=_new_record,
        chain=("uuid", "parentUuid"),
    )


def splits_of(groups: Sequence[Sequence[Record]]) -> tuple[tuple[Place, str], ...]:
    """Where an assistant message goes on behind something that the user said, so that it is read as two."""
    first: dict[str, Place] = {}
    found: list[tuple[Place, str]] = []
    for group in groups:
        message = group[0].message or {}
        key = message.get("id")
        if message.get("role") == "assistant" and isinstance(key, str) and key:
            if key in first and len(found) < 100:
                found.append(
                    (group[0].at, "this record continues an assistant message that the user's words cut apart")
                )
            first.setdefault(key, group[0].at)
    return tuple(found)


#: What each line of a session says of the session.
_SESSION: Final = (
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
    "slug",
)


def _new_record(message: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """A line for a message, behind the line `before`; its ID is made from both, so that every run makes the same."""
    from uuid import NAMESPACE_OID, uuid5

    import msgspec

    seed = msgspec.json.encode([before.get("uuid"), message]).decode("utf-8", "replace")
    return {
        "parentUuid": before.get("uuid"),
        **{key: before[key] for key in _SESSION if key in before},
        "type": "user" if message.get("role") == "user" else "assistant",
        "message": message,
        "uuid": str(uuid5(NAMESPACE_OID, seed)),
        "timestamp": before.get("timestamp"),
    }


def grouped(said: Sequence[Record]) -> list[list[Record]]:
    """The records of each message together.  Results written between the lines of one message follow it."""
    groups: list[list[Record]] = []
    open_id: object = None
    open_group: list[Record] = []
    for record in said:
        assert record.message is not None
        if record.message.get("role") != "assistant":
            if not record.results_only:
                open_id = None
            groups.append([record])
            continue
        key = record.message.get("id")
        if key is not None and isinstance(key, str) and key == open_id:
            open_group.append(record)
        else:
            open_id, open_group = key, [record]
            groups.append(open_group)
    return groups


def _redaction(messages: Sequence[dict[str, Any]]) -> str | None:
    """What was taken out of a log, where the IDs say that something was."""
    ids = [
        part.get("id") if part["type"] == "tool_use" else part.get("tool_use_id")
        for message in messages
        for part in parts_of(message)
        if isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result")
    ]
    if not ids:
        return None
    if all(value is None for value in ids):
        return "no call and no result has an ID in this log"
    if any(isinstance(value, str) and REDACTION.search(value) for value in ids):
        return "IDs were taken out of this log"
    return None


CONTAINER = Container(
    name="claude-code",
    title="Claude Code session logs",
    how="lines with `type`, `uuid`, `parentUuid`, `sessionId` and an Anthropic `message`; or `loglines` of these",
    recognise=recognise,
    find=find,
    dialects=("anthropic",),
)
