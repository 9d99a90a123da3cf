"""LangGraph's checkpoint databases: recognised, and not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.containers import Container, Skipped
from turnlint.diagnostic import Place
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.reader import Source


def recognise(head: Sequence[Document]) -> bool:  # noqa: ARG001 - a database is told by its first bytes
    return False


def read_database(source: Source) -> Iterator[Document]:
    """One document with the names of the tables, as far as the first pages show them."""
    try:
        data = source.path.read_bytes()[: 1 << 20] if source.path is not None else b""
    except OSError as error:
        fault = Fault("unreadable", (error.strerror or "it cannot be read").lower(), fatal=True)
        yield Document(MISSING, b"", faults=(fault,), format="object")
        return
    yield Document({"checkpoints": b"CREATE TABLE checkpoints" in data}, b"", format="object")


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        if not document.readable:
            continue
        is_graph = isinstance(document.value, dict) and document.value.get("checkpoints") is True
        what = (
            "LangGraph checkpoints are not read: save the messages of a state as JSON"
            if is_graph
            else "an SQLite database"
        )
        yield Skipped(what, Place((), document.number), known=is_graph)


CONTAINER = Container(
    name="langgraph",
    title="LangGraph checkpoints (SQLite)",
    how="an SQLite database; it is named and not read",
    recognise=recognise,
    find=find,
    writable=False,
    open=read_database,
)
