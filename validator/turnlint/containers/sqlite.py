"""SQLite databases: LangGraph's checkpoints, and the sessions of the OpenAI Agents SDK and of ADK.

The newest checkpoint of a thread holds all of its messages; the older ones hold their beginnings, and are not read.
What is saved is msgpack with objects named by class and members. Nothing of it is ever made an object again: only the
members are looked at. A value is msgpack (``msgpack``, ``EXT_*`` of langgraph.checkpoint.serde.jsonplus) or JSON text.
Sessions are rows of JSON text, an item or event each.
"""

from __future__ import annotations

from itertools import groupby, islice
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

_DATABASE: Final = "an SQLite database without LangGraph checkpoints or sessions of agents"
_MOST: Final = 64 << 20  # bytes of one checkpoint
_STEPS: Final = 2_000  # calls of the guard below, each after 100,000 steps of SQLite's machine
_DEPTH: Final = 64  # objects inside each other
_MOST_ROWS: Final = 100_000  # of one session
_TABLES: Final = 200  # that are looked at
_COLUMNS: Final = {"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"}
#: Tables whose rows are an item or event each: the column that holds it, and the key that it gets in the document.
_ROWS: Final = (("message_data", "items", ("id",)), ("event_data", "events", ("timestamp", "id")))
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
    """The newest checkpoint of each thread and each session, a document each; one empty document for none."""
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
            for value, wrong in _saved(connection):
                if wrong:
                    yield Document(
                        MISSING, number=number, faults=(Fault("unreadable", wrong, fatal=True),), format="object"
                    )
                else:
                    yield Document(value, number=number, format="object")
                number += 1
        finally:
            connection.close()
    except (OSError, sqlite3.Error) as error:
        message = f"the database cannot be read: {str(error)[:100].lower()}"
        yield Document(MISSING, number=number, faults=(Fault("unreadable", message, fatal=True),), format="object")
        return
    if number == 0:
        yield Document({}, format="object")


def _saved(connection: sqlite3.Connection) -> Iterator[tuple[Any, str]]:
    """What each table of a known kind holds, or why it cannot be read."""
    left = iter(range(_STEPS))
    connection.set_progress_handler(lambda: next(left, None) is None, 100_000)  # a database can be made to never end
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT ?", (_TABLES,))
    for (table,) in tables.fetchall():
        quoted = f'"{str(table).replace(chr(34), chr(34) * 2)}"'
        columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({quoted})")}
        if table == "checkpoints" and columns >= _COLUMNS:
            yield from _checkpoints(connection)
        for column, key, order in _ROWS:
            if columns >= {"session_id", column, *order}:
                yield from _sessions(connection, quoted, column, key, order)


def _checkpoints(connection: sqlite3.Connection) -> Iterator[tuple[Any, str]]:
    for thread, part, _, kind, blob in connection.execute(_NEWEST, (_MOST,)):
        name = ":".join(str(v)[:200] for v in (thread, part) if v)
        value, wrong = (None, "is too large") if blob is None else _decode(kind, blob)
        yield (
            {"thread_id": name, "checkpoint": value},
            f"the checkpoint of thread {name[:40]!r} {wrong}" if wrong else "",
        )


def _sessions(
    connection: sqlite3.Connection, table: str, column: str, key: str, order: tuple[str, ...]
) -> Iterator[tuple[Any, str]]:
    data = f"CASE WHEN length({column}) <= ? THEN {column} END"
    query = f"SELECT session_id, {data} FROM {table} ORDER BY session_id, {', '.join(order)}"  # noqa: S608 - our own names
    rows = connection.execute(query, (_MOST,))
    for session, group in groupby(rows, key=lambda row: row[0]):
        items = [_decode("json", data)[0] for _, data in islice(group, _MOST_ROWS)]
        yield {"session_id": str(session)[:200], key: items}, ""


def _decode(kind: object, blob: object) -> tuple[Any, str]:
    """The value that was saved, as JSON has it, or why it cannot be read."""
    import msgspec

    data = blob.encode("utf-8", "surrogatepass") if isinstance(blob, str) else blob
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
        at, value = Place((), document.number), document.value
        if not isinstance(value, dict) or not value:
            yield Skipped(_DATABASE, at)
        elif "events" in value:
            from turnlint.containers import framework_dumps

            yield from framework_dumps.find([document])
        else:
            found = list(_histories(value, at))
            yield from found
            if not found:
                yield Skipped("a session or checkpoint without messages", at, known=True)


def _histories(value: dict[str, Any], at: Place) -> Iterator[Candidate]:
    if "items" in value:
        if looks_like_history(value["items"]):
            yield Candidate(value["items"], at / "items", id=value["session_id"], fixable=False)
        return
    saved = value["checkpoint"]
    channels = saved.get("channel_values") if isinstance(saved, dict) else None
    for channel, messages in channels.items() if isinstance(channels, dict) else ():
        if looks_like_history(messages):
            place = at / "checkpoint" / "channel_values" / channel
            yield Candidate(messages, place, id=value["thread_id"], fixable=False)


CONTAINER = Container(
    name="sqlite",
    title="SQLite: LangGraph checkpoints, sessions of OpenAI Agents and ADK",
    how="a database with a table `checkpoints`, or one with `session_id` and `message_data` or `event_data`",
    recognise=recognise,
    find=find,
    streaming=True,
    writable=False,
    dialects=("langchain", "openai-responses", "openai-chat", "anthropic", "agent-log"),
    open=read_database,
)
