"""Databases of checkpoints and sessions: each conversation as it stands now; nothing in one is run."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import turnlint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from turnlint.diagnostic import Report

TABLE = """CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT,
    type TEXT, checkpoint BLOB, metadata BLOB)"""
INSERT = "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint) VALUES (?, ?, ?, ?, ?)"


def packed(value: Any) -> bytes:
    return msgspec.msgpack.encode(value)


def thing(kind: str, members: dict[str, Any], code: int = 5) -> msgspec.msgpack.Ext:
    """A message as LangGraph writes an object: an extension that holds module, class, members and a method."""
    return msgspec.msgpack.Ext(code, packed(["langchain_core.messages", kind, members, "model_validate_json"]))


HUMAN = thing("HumanMessage", {"content": "hello", "type": "human", "id": "1"})
AI = thing("AIMessage", {"content": "", "type": "ai", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]})
TOOL = thing("ToolMessage", {"content": "done", "type": "tool", "tool_call_id": "c1"})


def database(path: Path, rows: Sequence[tuple[str, str, str, str, Any]]) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(TABLE)
        connection.executemany(INSERT, rows)
    return path


def state(messages: Any) -> dict[str, Any]:
    return {"v": 4, "id": "x", "channel_values": {"messages": messages}}


def found(report: Report) -> list[tuple[str, str | None, str]]:
    return [(d.rule, d.transcript, d.pointer) for d in report.diagnostics]


def test_the_newest_checkpoint_of_each_thread(tmp_path: Path) -> None:
    rows = [
        ("a", "", "1", "msgpack", packed(state([HUMAN, AI, HUMAN]))),
        ("a", "", "2", "msgpack", packed(state([HUMAN, AI, TOOL, HUMAN]))),
        ("b", "", "1", "msgpack", packed(state([HUMAN, AI, TOOL]))),
        ("b", "", "2", "msgpack", packed(state([HUMAN, AI, HUMAN]))),
        ("b", "sub", "2", "msgpack", packed(state([HUMAN]))),
    ]
    report = turnlint.check_path(database(tmp_path / "state.db", rows))
    assert report.files[0].container == "sqlite"
    assert [t.id for t in report.files[0].transcripts] == ["a", "b", "b:sub"]
    assert [t.dialect for t in report.files[0].transcripts] == ["langchain"] * 3
    assert found(report) == [("unanswered-call", "b", "/checkpoint/channel_values/messages/1/tool_calls/0")]
    assert report.diagnostics[0].fix is None


def test_it_waits_for_a_person(tmp_path: Path) -> None:
    rows = [("a", "", "1", "msgpack", packed(state([HUMAN, AI])))]
    report = turnlint.check_path(database(tmp_path / "state.db", rows))
    assert [(d.rule, d.severity) for d in report.diagnostics] == [("pending-call", "info")]


def test_json_and_members_by_keyword(tmp_path: Path) -> None:
    saved = [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": members}
        for name, members in (
            ("HumanMessage", {"content": "hello"}),
            ("ToolMessage", {"content": "x", "tool_call_id": "c7"}),
        )
    ]
    keyword = thing("ToolMessage", {"content": "x", "type": "tool", "tool_call_id": "c8"}, code=2)
    rows = [
        ("a", "", "1", "json", json.dumps(state(saved)).encode()),
        ("b", "", "1", "msgpack", packed(state([HUMAN, keyword]))),
        ("c", "", "1", "msgpack", packed(state(msgspec.msgpack.Ext(7, packed([HUMAN, keyword]))))),
    ]
    report = turnlint.check_path(database(tmp_path / "state.db", rows))
    assert [(rule, thread) for rule, thread, _ in found(report)] == [("orphan-result", t) for t in "abc"]


def test_nothing_but_messages_is_missed(tmp_path: Path) -> None:
    rows = [
        ("a", "", "1", "msgpack", packed({"channel_values": {"count": 3, "data": b"\x00", 5: {1: 2}}})),
        ("b", "", "1", "msgpack", packed(state([]))),
    ]
    report = turnlint.check_path(database(tmp_path / "state.db", rows))
    assert report.diagnostics == []
    assert report.files[0].status == "unrecognised"


@pytest.mark.parametrize(
    ("kind", "blob"),
    [
        ("msgpack", b"\xc1"),
        ("msgpack", b""),
        ("msgpack", 7),
        ("msgpack", None),
        ("json", b"{"),
        ("pickle", b"\x80\x04\x95"),
        ("msgpack", b"\x91" * 100_000),
        ("json", b"[" * 100_000),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, kind: str, blob: Any) -> None:
    report = turnlint.check_path(database(tmp_path / "state.db", [("a", "", "1", kind, blob)]))
    assert [d.rule for d in report.diagnostics] == ["unreadable-file"]


def test_objects_in_objects(tmp_path: Path) -> None:
    value: Any = "end"
    for _ in range(200):
        value = msgspec.msgpack.Ext(7, packed(value))
    report = turnlint.check_path(database(tmp_path / "state.db", [("a", "", "1", "msgpack", packed(state(value)))]))
    assert [d.rule for d in report.diagnostics] == ["unreadable-file"]


def test_another_database(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
    assert [d.rule for d in turnlint.check_path(path).diagnostics] == ["unrecognised-format"]
    path.write_bytes(path.read_bytes()[:300])
    assert [d.rule for d in turnlint.check_path(path).diagnostics] == ["unreadable-file"]


def test_a_view_that_never_ends_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "trap.sqlite"
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE VIEW checkpoints AS {endless}")
    assert turnlint.check_path(path).files[0].status == "unrecognised"


def test_reading_leaves_nothing_behind(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", [("a", "", "1", "msgpack", packed(state([HUMAN, AI, TOOL])))])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = path.read_bytes()
    assert turnlint.check_path(path).transcripts == 1
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["state.db"]


def test_what_another_process_has_just_written(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", [("a", "", "1", "msgpack", packed(state([HUMAN])))])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute(INSERT, ("a", "", "2", "msgpack", packed(state([HUMAN, TOOL]))))
        assert [d.rule for d in turnlint.check_path(path).diagnostics] == ["orphan-result"]


def rows_of(path: Path, table: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        table = table.replace('"', '""')
        connection.execute(f'CREATE TABLE "{table}" ({columns})')
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)
    return path


def test_sessions_of_the_openai_agents_sdk(tmp_path: Path) -> None:
    call = json.dumps({"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"})
    result = json.dumps({"type": "function_call_output", "call_id": "c1", "output": "x"})
    user = json.dumps({"role": "user", "content": "Hi"})
    rows = [(3, "b", user), (1, "a", user), (2, "a", call), (4, "a", result), (5, "b", call), (6, "b", user)]
    path = rows_of(tmp_path / "s.db", 'my "messages"', "id, session_id, message_data", rows)
    report = turnlint.check_path(path)
    assert [(t.id, t.dialect, t.messages) for t in report.files[0].transcripts] == [
        ("a", "openai-responses", 3),
        ("b", "openai-responses", 3),
    ]
    assert found(report) == [("unanswered-call", "b", "/items/1")]


def test_sessions_of_adk(tmp_path: Path) -> None:
    def event(role: str, **part: Any) -> str:
        return json.dumps({"author": role, "invocation_id": "i", "content": {"role": role, "parts": [part]}})

    call = {"function_call": {"id": "adk-1", "name": "f", "args": {}}}
    rows = [("1", "s", 2.0, event("model", **call)), ("2", "s", 3.0, event("user", text="b"))]
    rows.append(("3", "s", 1.0, event("user", text="a")))
    path = rows_of(tmp_path / "adk.db", "events", "id, session_id, timestamp, event_data", rows)
    assert [(d.rule, d.pointer) for d in turnlint.check_path(path).diagnostics] == [("unanswered-call", "/events/1")]


def test_rows_that_cannot_be_read(tmp_path: Path) -> None:
    rows: list[tuple[Any, ...]] = [(1, "a", "{"), (2, "a", None), (3, "a", b"\xff"), (4, None, "[]"), (5, 7, "{}")]
    path = rows_of(tmp_path / "s.db", "agent_messages", "id, session_id, message_data", rows)
    report = turnlint.check_path(path)
    assert (report.diagnostics, report.files[0].status) == ([], "unrecognised")
