"""The stream of Claude Code's `stream-json` output, as the agent SDK reads it, and recordings of both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.claude_code import Joined, Record, grouped, only_results, splits_of
from turnlint.diagnostic import Place
from turnlint.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.document import Document


def _entries(value: Any) -> list[Any] | None:
    """The messages of a recording `{metadata, messages: [{direction, message}]}`."""
    entries = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return None
    first = next((entry for entry in entries if isinstance(entry, dict)), {})
    return entries if isinstance(first.get("direction"), str) and isinstance(first.get("message"), dict) else None


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict) or "session_id" not in value:
        return False
    kind = value.get("type")
    return (kind == "system" and value.get("subtype") == "init") or (
        kind in ("user", "assistant") and isinstance(value.get("message"), dict) and "parentUuid" not in value
    )


def recognise(head: Sequence[Document]) -> bool:
    return any(_is_line(d.value) for d in head) or any(_entries(d.value) is not None for d in head[:1])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    lines: list[tuple[Any, Place]] = []
    for document in documents:
        entries = _entries(document.value)
        if entries is None:
            lines.append((document.value, Place((), document.number)))
            continue
        base = Place(("messages",), document.number)
        lines.extend(
            (entry["message"], base / number / "message")
            for number, entry in enumerate(entries)
            if isinstance(entry, dict) and isinstance(entry.get("message"), dict)
        )
    yield from conversations(lines)


def conversations(lines: Iterable[tuple[Any, Place]]) -> Iterator[Candidate | Skipped]:
    """The main conversation and each sub-agent's, which are told apart by the call that they run for."""
    chains: dict[str | None, list[Record]] = {}
    seen: set[str] = set()
    finished = False
    for number, (value, at) in enumerate(lines):
        if not isinstance(value, dict):
            continue
        kind, message, uuid = value.get("type"), value.get("message"), value.get("uuid")
        finished = finished or kind == "result"
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            continue
        if isinstance(uuid, str):
            if uuid in seen:
                continue
            seen.add(uuid)
        parent = value.get("parent_tool_use_id")
        record = Record(at / "message", number, None, None, message, results_only=only_results(message))
        chains.setdefault(parent if isinstance(parent, str) else None, []).append(record)
    if not chains:
        yield Skipped("an agent's stream without messages", known=True)
    for key, records in chains.items():
        joined = Joined()
        groups = grouped(records)
        for group in groups:
            joined.add(group)
        yield Candidate(
            joined.messages,
            joined.places[0],
            dialect="anthropic",
            places=joined.places,
            moved=joined.moved,
            model=joined.model,
            id=f"agent {key}" if key else "",
            finished=finished and key is None,
            splits=splits_of(groups),
        )


CONTAINER = Container(
    name="claude-agent-sdk",
    title="Claude agent streams (stream-json, recordings of the agent SDK)",
    how="lines with `type`, `session_id` and an Anthropic `message`; or `messages` with a `direction` each",
    recognise=recognise,
    find=find,
    dialects=("anthropic",),
)
