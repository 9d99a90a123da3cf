"""Columnar files: rows of messages in Parquet and Arrow, and rows that were read back from one and saved as JSON.

Such files give every message the members of all others, as nulls, and every object the keys of all others: null is
absent here, and what a row says is nobody's request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.packing import unwrap, word
from turnlint.containers.plain import looks_like_history
from turnlint.diagnostic import Place
from turnlint.model import Candidate
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.reader import Source

#: Columns that hold a history, and pairs of columns that hold the two sides of an exchange.
_COLUMNS: Final = ("messages", "conversations", "conversation", "traj", "chosen", "rejected")
_PAIRS: Final = (("request", "response"), ("inputs", "outputs"), ("input", "output"), ("prompt", "completion"))
_NAMES: Final = ("id", "session_id", "trace_id", "request_id", "row_id")
_BATCH: Final = 256  # rows held at once
_WHY: Final[dict[str, Any]] = {
    "target": "generic",
    "target_reason": "a row of a table was sent to nobody",
    "fixable": False,
}


def _rows(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    if isinstance(value, dict):
        yield value, at
    elif isinstance(value, list):
        yield from ((row, at / number) for number, row in enumerate(value) if isinstance(row, dict))


def _is_read_back(row: dict[str, Any]) -> bool:
    """Whether the messages of a row all have the same members, some of them null where no writer would put them."""
    messages = row.get("messages")
    if not isinstance(messages, list) or len(messages) < 2 or not all(isinstance(m, dict) for m in messages):
        return False
    keys = messages[0].keys()
    return (
        {"tool_calls", "tool_call_id"} <= keys
        and all(m.keys() == keys for m in messages)
        and any(m.get("role") == "user" and m["tool_calls"] is None and m["tool_call_id"] is None for m in messages)
    )


def recognise(head: Sequence[Document]) -> bool:
    for document in head[:3]:
        first = next(_rows(document.value, Place()), None)
        if first is not None and _is_read_back(first[0]):
            return True
    return False


def read_table(source: Source) -> Iterator[Document]:
    """The rows of a file, a document each, with the columns that can hold messages."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
        from pyarrow import ipc, parquet  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        message = "columnar files need the package pyarrow: pip install 'turnlint[parquet]'"
        yield Document(MISSING, faults=(Fault("unreadable", message, fatal=True),), format="object")
        return
    wanted = {*_COLUMNS, *_NAMES, *(key for pair in _PAIRS for key in pair)}
    number = 0
    try:
        if source.path is None:
            raise OSError("a table can only be read from a file")
        with pa.OSFile(str(source.path)) as file:
            batches = _parquet(parquet, file, wanted) if source.magic == "parquet" else _arrow(ipc, file, wanted)
            for batch in batches:
                for row in batch.to_pylist():
                    yield Document(row, number=number, format="object")
                    number += 1
    except (OSError, ValueError, pa.ArrowException) as error:
        message = f"the table cannot be read: {str(error)[:100].lower()}"
        yield Document(MISSING, number=number, faults=(Fault("unreadable", message, fatal=True),), format="object")
        return
    if number == 0:
        yield Document({}, format="object")


def _parquet(parquet: Any, file: Any, wanted: set[str]) -> Iterator[Any]:
    table = parquet.ParquetFile(file)
    columns = [name for name in table.schema_arrow.names if name in wanted]
    if columns:
        yield from table.iter_batches(batch_size=_BATCH, columns=columns)


def _arrow(ipc: Any, file: Any, wanted: set[str]) -> Iterator[Any]:
    try:
        reader: Any = ipc.open_file(file)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    except ValueError:
        file.seek(0)
        batches = iter(ipc.open_stream(file))
    for batch in batches:
        columns = [name for name in batch.schema.names if name in wanted]
        if columns:
            yield batch.select(columns)


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        for row, at in _rows(document.value, Place((), document.number)):
            found = False
            for candidate in _of_row(row, at):
                found = True
                yield candidate
            if not found:
                yield Skipped("a row without messages", at, known=True)


def _of_row(row: dict[str, Any], at: Place) -> Iterator[Candidate]:
    from turnlint.containers.pairs import joined, without_nulls

    name = next((word(row.get(key)) for key in _NAMES if row.get(key)), "")
    for column in _COLUMNS:
        messages = unwrap(row.get(column))
        if looks_like_history(messages):
            yield Candidate(without_nulls(messages), at / column, id=name, **_WHY)
    for request, response in _PAIRS:
        if row.get(request) is not None:
            candidate = joined(row[request], at / request, row.get(response), at / response, id=name, **_WHY)
            if candidate is not None:
                candidate.messages = without_nulls(candidate.messages)
                yield candidate


CONTAINER = Container(
    name="tables",
    title="Tables of messages (Parquet, Arrow)",
    how="columns such as `messages`, as structures or JSON text; and rows read back from one, full of nulls",
    recognise=recognise,
    find=find,
    streaming=True,
    writable=False,
    dialects=("openai-chat", "sharegpt", "anthropic"),
    open=read_table,
)
