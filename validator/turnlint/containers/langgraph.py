"""LangGraph's checkpoint databases (SQLite): the messages that each thread would go on from.

The newest checkpoint of a thread holds all of its messages; the older ones hold their beginnings, and are not read.
What is saved is msgpack with objects named by class and members. Nothing of it is ever made an object again: only the
members are looked at. A value is msgpack (``msgpack``, ``EXT_*`` of langgraph.checkpoint.serde.jsonplus) or JSON text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.plain import looks_like_history
from turnlint.diagnostic import Place
from turnlint.model import Candidate
from turnlint.source.decode import decode
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.reader import Source

_DATABASE: Final = "an SQLite database without LangGraph checkpoints"
_MOST: Final = 64 << 20  # bytes of one checkpoint
_STEPS: Final = 2_000  # calls of the guard below, each after 100,000 steps of SQLite's machine
_DEPTH: Final = 64  # objects inside each other
_COLUMNS: Final = {"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"}
_NEWEST: Final = """
    SELECT thread_id, checkpoint_ns, max(checkpoint_id), type,
           CASE WHEN length(checkpoint) <= ? THEN checkpoint END
    FROM checkpoints GROUP BY thread_id, checkpoint_ns ORDER BY thread_id, checkpoint_ns
"""
_OBJECTS: Final = range(6)  # extensions whose payload is a list of module, class, members, and what they would go to
_DELTA: Final = 7  # an extension whose payload is the value itself


def recognise(head: Sequence[Document]) -> bool:  # noqa: ARG001 - a database is told by its first bytes
    return False


def read_database(source: Source) -> Iterator[Document]:
    """The newest checkpoint of each thread, a document each; one empty document for another database."""
    import sqlite3

    number = 0
    try:
        if source.path is None:
            raise OSError("a database can only be read from a file")
        # Reading must leave nothing behind; but what another process has just written stands in a file beside it.
        log = source.path.with_name(source.path.name + "-wal")
        fresh = log.exists() and log.stat().st_size > 0
        address = f"{source.path.absolute().as_uri()}?mode=ro{'' if fresh else '&immutable=1'}"
        connection = sqlite3.connect(address, uri=True)
        try:
            for document in _checkpoints(connection):
                yield document
                number += 1
        finally:
            connection.close()
    except (OSError, sqlite3.Error) as error:
        message = f"the database cannot be read: {str(error)[:100].lower()}"
        yield Document(MISSING, number=number, faults=(Fault("unreadable", message, fatal=True),), format="object")
        return
    if number == 0:
        yield Document({}, format="object")


def _checkpoints(connection: sqlite3.Connection) -> Iterator[Document]:
    left = iter(range(_STEPS))
    connection.set_progress_handler(lambda: next(left, None) is None, 100_000)  # a database can be made to never end
    connection.execute("PRAGMA trusted_schema = OFF")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints' AND type = 'table'").fetchone():
        return
    if not {name for _, name, *_ in connection.execute("PRAGMA table_info(checkpoints)")} >= _COLUMNS:
        return
    for number, (thread, part, _, kind, blob) in enumerate(connection.execute(_NEWEST, (_MOST,))):
        name = ":".join(str(v)[:200] for v in (thread, part) if v)
        value, wrong = (None, "is too large") if blob is None else _decode(kind, blob)
        if wrong:
            faults = (Fault("unreadable", f"the checkpoint of thread {name[:40]!r} {wrong}", fatal=True),)
            yield Document(MISSING, number=number, faults=faults, format="object")
            continue
        yield Document({"thread_id": name, "checkpoint": value}, number=number, format="object")


def _decode(kind: object, blob: object) -> tuple[Any, str]:
    """The value that was saved, as JSON has it, or why it cannot be read."""
    import msgspec

    data = blob.encode() if isinstance(blob, str) else blob
    if not isinstance(data, bytes):
        return None, "is no data"
    try:
        if kind == "msgpack":
            return msgspec.to_builtins(_unpack(data, 0), str_keys=True), ""
        if kind == "json" or kind is None:
            value, _ = decode(data)
            return (value, "") if value is not MISSING else (None, "is no JSON")
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError, OverflowError) as error:
        return None, f"cannot be decoded: {str(error)[:80].lower()}"
    return None, f"was saved as {str(kind)[:40]!r}, which is not read"


def _unpack(data: bytes | memoryview, depth: int) -> Any:
    import msgspec

    def members(code: int, payload: memoryview) -> Any:
        if depth >= _DEPTH:
            raise ValueError("objects are nested too deep")
        if code == _DELTA:
            return _unpack(payload, depth + 1)
        if code not in _OBJECTS:
            return None
        value = _unpack(payload, depth + 1)
        return value[2] if isinstance(value, list) and len(value) > 2 else None

    return msgspec.msgpack.decode(data, ext_hook=members)


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        if not document.readable:
            continue
        at = Place((), document.number)
        if not isinstance(document.value, dict) or "checkpoint" not in document.value:
            yield Skipped(_DATABASE, at)
            continue
        saved = document.value["checkpoint"]
        channels = saved.get("channel_values") if isinstance(saved, dict) else None
        found = False
        for channel, value in channels.items() if isinstance(channels, dict) else ():
            if looks_like_history(value):
                found = True
                place = at / "checkpoint" / "channel_values" / channel
                yield Candidate(value, place, id=document.value["thread_id"], fixable=False)
        if not found:
            yield Skipped("a checkpoint without messages", at, known=True)


CONTAINER = Container(
    name="langgraph",
    title="LangGraph checkpoints (SQLite)",
    how="an SQLite database with a table `checkpoints`; the newest of each thread is read",
    recognise=recognise,
    find=find,
    streaming=True,
    writable=False,
    dialects=("langchain", "openai-chat", "anthropic"),
    open=read_database,
)
