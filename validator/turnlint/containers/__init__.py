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
    True where each document stands alone, so that earlier ones may be forgotten.  `dialects` are those that it can
    hold, for the docs.  `writable` is False where an edit cannot reach the bytes (zip, Parquet, SQLite).
    `open` reads a binary source into documents, where its first bytes are those of `magic` (a `Source.magic`).
    """

    name: str
    title: str
    how: str
    recognise: Callable[[Sequence[Document]], bool]
    find: Callable[[Iterable[Document]], Iterator[Candidate | Skipped]]
    streaming: bool = False
    writable: bool = True
    dialects: tuple[str, ...] = ()
    magic: tuple[str, ...] = ()
    open: Callable[[Source], Iterator[Document]] | None = None


HEAD = 24  # documents looked at to tell the container

#: Modules in the order in which they are asked; `plain` takes what nobody else claims.
MODULES: tuple[str, ...] = (
    "vcr",
    "har",
    "batch",
    "fine_tuning",
    "claude_code",
    "claude_agent_sdk",
    "codex",
    "gemini_cli",
    "cline",
    "openhands",
    "swe_agent",
    "tau_bench",
    "atif",
    "inspect_log",
    "langsmith",
    "promptfoo",
    "langgraph",
    "chat_exports",
    "harmony",
    "otlp",
    "mlflow",
    "litellm",
    "bedrock_log",
    "framework_dumps",
    "other_agents",
    "tables",
    "request_response",
    "message_lines",
    "plain",
)


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
    for container in all():
        if container.recognise(head):
            return container
    return None


def for_binary(magic: str | None) -> Container | None:
    """The container that opens binary sources of this kind; None where nobody does."""
    return next((container for container in all() if magic in container.magic), None)
