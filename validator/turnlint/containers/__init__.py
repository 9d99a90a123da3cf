"""Containers: what wraps transcripts in a source.  One module each, found by content, never by file name.

A container looks at the first documents of a source and, where they are its own, yields a `Candidate` for each
history in it, or a `Skipped` for what it knows to be none.  It knows no rule and reads no message beyond what it
must to find the list.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from turnlint.diagnostic import Place
from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document
    from turnlint.source.reader import Source


START = Place()


class Skipped(Struct, frozen=True):
    """Something that is no transcript, with the reason.  `known` is True where it was recognised as what it is."""

    reason: str
    at: Place = START
    known: bool = False


class Container(Struct, frozen=True):
    """What a container's module defines as ``CONTAINER``.

    `recognise(head)` looks at up to `HEAD` first documents.  `find` yields what is in the documents; `streaming` is
    True where each document stands alone, so that earlier ones may be forgotten, and `alone` where moreover it is found
    to hold the same whatever stands around it, so that a file may be checked in slices.  `dialects` are those that it
    can hold, for the docs.  `writable` is False where an edit cannot reach the bytes (zip, Parquet, SQLite).
    `open` reads a source that is no JSON into documents (`OPENERS`).
    """

    name: str
    title: str
    how: str
    recognise: Callable[[Sequence[Document]], bool]
    find: Callable[[Iterable[Document]], Iterator[Candidate | Skipped]]
    streaming: bool = False
    alone: bool = False
    writable: bool = True
    dialects: tuple[str, ...] = ()
    open: Callable[[Source], Iterator[Document]] | None = None


HEAD = 24  # documents looked at to tell the container

#: Modules in the order in which they are asked; `plain` takes what nobody else claims.  A module is loaded and asked
#: only where one of its signs is among the keys near the root of the first documents; without signs it always is.
MODULES: dict[str, frozenset[str] | None] = {
    "vcr": frozenset({"interactions", "http_interactions", "request"}),
    "har": frozenset({"entries"}),
    "recorders": frozenset({"scope", "RequestUri", "bodyPatterns"}),
    "batch": frozenset({"custom_id"}),
    "fine_tuning": None,
    "claude_code": frozenset({"uuid", "parentUuid", "sessionId", "isSidechain", "leafUuid", "messageId", "loglines"}),
    "claude_agent_sdk": frozenset({"session_id", "direction"}),
    "codex": frozenset({"payload", "instructions", "git", "item", "thread_id"}),
    "gemini_cli": frozenset({"projectHash", "history"}),
    "cline": frozenset({"ts", "modelInfo", "metrics", "isSummary", "condenseId", "condenseParent", "truncationParent"}),
    "openhands": frozenset({"action", "observation"}),
    "swe_agent": frozenset({"history"}),
    "tau_bench": frozenset({"traj", "tasks", "termination_reason", "messages_display"}),
    "atif": frozenset({"schema_version"}),
    "inspect_log": frozenset({"eval", "epoch"}),
    "langsmith": frozenset({"run_type", "dotted_order", "multiagent", "processed_at"}),
    "promptfoo": frozenset({"evalId", "config"}),
    "sqlite": frozenset(),
    "chat_exports": frozenset(
        {
            "current_node",
            "chat_messages",
            "currentId",
            "isCreatedByUser",
            "runData",
            "step_number",
            "question",
            "requesterUsername",
        }
    ),
    "harmony": frozenset(),
    "otlp": frozenset({"resourceSpans", "resourceLogs", "trace_id", "attributes"}),
    "mlflow": frozenset({"info", "trace_id", "databricks_output"}),
    "litellm": frozenset({"call_type"}),
    "bedrock_log": frozenset({"schemaType", "@message", "message"}),
    "framework_dumps": frozenset(
        {"invocationId", "invocation_id", "source", "llm_context", "content_type", "meta", "redact_message"}
        | {"blocks", "apiName", "plugin", "message_type", "tool_id"}
        | {"contextItems", "info", "toolUseID", "class_", "created"}
    ),
    "other_agents": frozenset(
        {"cwd", "title", "data", "protocol_version", "event", "uuid", "message", "/tool_calls", "/tool_call_id"}
        | {"step_index", "session_summary", "session_start"}
    ),
    "tables": frozenset({"tool_call_id:null"}),
    "request_response": frozenset(
        {"request", "request_body", "full_request", "requestBody", "RequestMessages"}
        | {"output", "outputs", "completion", "response"}
        | {"attributes.output.value", "attributes.llm.output_messages"}
    ),
    "message_lines": None,
    "plain": None,
}

#: The module that opens a source that is no JSON, by what its first bytes say (`Source.magic`).
OPENERS = {"zip": "inspect_log", "sqlite": "sqlite", "parquet": "tables", "arrow": "tables", "harmony": "harmony"}

_NEAR = 5  # objects and lists inside each other whose keys are near the root
_ITEMS = 8  # of a list that are looked at
_VALUES = 800  # of a document that are looked at


@cache
def all() -> tuple[Container, ...]:  # noqa: A001 - reads as containers.all()
    """Every container, in the order in which they are asked."""
    return tuple(_load(module) for module in MODULES)


@cache
def _load(module: str) -> Container:
    container = importlib.import_module(f"{__name__}.{module}").CONTAINER
    assert isinstance(container, Container)
    return container


def get(name: str) -> Container:
    """The container of that name.  Raises `UsageError` with the near misses."""
    module = name.replace("-", "_")
    if module in MODULES:
        return _load(module)
    raise UsageError(f"unknown container {name!r}{near_misses(name, [m.replace('_', '-') for m in MODULES])}")


def recognise(head: Sequence[Document]) -> Container | None:
    """The container that these first documents of a source are in; None where nobody claims them."""
    near = keys_near([document.value for document in head])
    for module, signs in MODULES.items():
        if signs is not None and signs.isdisjoint(near):
            continue
        container = _load(module)
        if container.recognise(head):
            return container
    return None


def keys_near(values: Sequence[object]) -> set[str]:
    """The keys of objects near the root of some values; of each no more than `_VALUES` are looked at.

    What stands at the root itself is there a second time as ``/key``, and ``tool_call_id:null`` says that one is null.
    """
    found: set[str] = set()
    for value in values:
        if isinstance(value, dict):
            found.update([f"/{key}" for key in value])
        level: list[object] = [value]
        looked = 0
        for _ in range(_NEAR + 1):
            below: list[object] = []
            for item in level:
                if isinstance(item, dict):
                    found.update(item)
                    if item.get("tool_call_id", "") is None:
                        found.add("tool_call_id:null")
                    inner: Iterable[object] = item.values()
                elif isinstance(item, list):
                    inner = item[:_ITEMS]
                else:
                    continue
                if looked + len(below) < _VALUES:
                    below += [v for v in inner if isinstance(v, (dict, list))]
            looked += len(below)
            level = below
    return found


def for_binary(magic: str | None) -> Container | None:
    """The container that opens sources of this kind that are no JSON; None where nobody does."""
    module = OPENERS.get(magic or "")
    return _load(module) if module is not None else None
