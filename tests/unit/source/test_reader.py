"""Files to documents: kinds, encodings, compression, and everything readable out of damaged lines."""

from __future__ import annotations

import gzip
import io
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from turnlint.source import reader
from turnlint.source.document import MISSING, Document
from turnlint.source.reader import Source, read

if TYPE_CHECKING:
    from pathlib import Path


def opened(data: bytes, name: str = "x.json") -> Source:
    return read(None, io.BytesIO(data), name=name)


def documents(data: bytes) -> list[Document]:
    return list(opened(data).documents())


def values(data: bytes) -> list[Any]:
    return [document.value for document in documents(data)]


def kinds(document: Document) -> list[str]:
    return [fault.kind for fault in document.faults]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"a": 1}', "json"),
        (b'{"a": 1}\n\n', "json"),
        (b'{"a": 1}\n{"a": 2}', "jsonl"),
        (b'\n\n{"a": 1}\r\n\r\n[2]\r\n', "jsonl"),
        (b'{\n"a": 1}', "json"),
        (b'{\n"a": 1}\n{\n"a": 2}\n', "concatenated"),
        (b'{"a":\n{"a": 2}\n{"a": 3}\n', "jsonl"),
        (b'{"a": 1}{"a": 2}', "jsonl"),
        (b'{"a": 1', "json"),
        (b"", "json"),
        (b"\n \n", "json"),
        (b"# a cassette\na: 1\n", "yaml"),
        (b"---\n- a: 1\n", "yaml"),
        (b"plain words", "json"),
        (b"PK\x03\x04rest", "binary"),
        (b"SQLite format 3\x00", "binary"),
        (b"PAR1....", "binary"),
        (bytes(range(32)) * 4, "binary"),
    ],
)
def test_the_kind_is_told_by_content(data: bytes, kind: str) -> None:
    assert opened(data).kind == kind


def test_a_suffix_only_decides_what_content_leaves_open(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1')
    assert read(path, name="x").kind == "jsonl"
    path.write_bytes(b'{\n"a": 1\n}\n')
    assert read(path, name="x").kind == "json"
    path = tmp_path / "x.yaml"
    path.write_bytes(b"{a: 1}")
    assert [document.value for document in read(path, name="x").documents()] == [{"a": 1}]
    path.write_bytes(b'{"a": 1}')
    assert read(path, name="x").kind == "json"


def test_a_file_has_a_signature(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(GOOD)
    status = path.stat()
    assert read(path, name="x").signature == (status.st_size, status.st_mtime_ns)


def test_binary_files_name_their_format_and_have_no_documents() -> None:
    source = opened(b"SQLite format 3\x00rest")
    assert (source.magic, list(source.documents())) == ("sqlite", [])


def test_places_of_lines() -> None:
    data = '\n{"é": 1}\r\n\n {"b": 2}\n[3]'.encode()
    source = opened(data)
    assert source.newline == "\n"
    found = list(source.documents())
    assert [(document.number, document.line, document.value) for document in found] == [
        (0, 2, {"é": 1}),
        (1, 4, {"b": 2}),
        (2, 5, [3]),
    ]
    for document in found:
        assert data[document.offset :].startswith(document.data)
        assert json.loads(document.data) == document.value


def test_places_of_records_on_one_line() -> None:
    found = documents(GOOD + GOOD + '{"a": "é"} {"a": 2}\n'.encode())
    assert [(document.line, document.column) for document in found] == [(1, 1), (2, 1), (3, 1), (3, 12)]


def test_only_a_line_feed_ends_a_line() -> None:
    record = (
        json.dumps({"a": "\u2028\x85\u2029\x0b\x0c"}, ensure_ascii=False).replace("\\u000b", " ").replace("\\f", " ")
    )
    assert len(values(f"{record}\n{record}\n".encode())) == 2
    assert values(b'{"a": 1}\r{"a": 2}') == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("text", ['{"é": "😀"}\n', '{"é": 1}\n{"b": "😀"}\n', "é: 😀\nb: 1\n"])
def test_encodings_come_back_as_they_were(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    source = read(None, io.BytesIO(data), name="x", keep=True)
    if text.startswith("é") and not source.bom:
        return  # nothing says what it is
    assert source.text() == text.encode()
    assert source.encode(source.text()) == data
    assert not any(document.faults for document in source.documents())


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_compressed_files(tmp_path: Path, compress: Any) -> None:
    data = b'{"a": 1}\n{"a": 2}\n'
    path = tmp_path / "x.json"
    path.write_bytes(compress(data))
    source = read(path, name="x")
    assert [document.value for document in source.documents()] == [{"a": 1}, {"a": 2}]
    assert source.compressed in ("gzip", "zstd")
    path.write_bytes(source.encode(b'{"b": 1}'))
    assert read(path, name="x").text() == b'{"b": 1}'


def test_members_of_gzip_one_behind_the_other() -> None:
    assert values(gzip.compress(b'{"a": 1}\n') + gzip.compress(b'{"a": 2}\n')) == [{"a": 1}, {"a": 2}]


def test_damaged_compression_is_a_fault_and_what_came_before_is_read() -> None:
    data = gzip.compress(b'{"a": 1}\n{"a": 2}\n')
    source = opened(data[:-9])
    assert next(source.documents()).value == {"a": 1}
    assert [(fault.kind, fault.message) for fault in source.faults] == [("unreadable", "the gzip data ends too early")]
    source = opened(b"\x1f\x8bno gzip at all")
    assert list(source.documents()) == []
    assert [fault.message for fault in source.faults] == ["the gzip data is damaged"]
    source = opened(b"\x28\xb5\x2f\xfdno zstd at all")
    assert [fault.message for fault in source.faults] == ["the zstd data is damaged"]


def test_what_unpacks_without_end_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_EXPANDED", 3 << 20)
    source = opened(gzip.compress(b'{"a": "' + b"x" * (5 << 20)))
    assert list(source.documents()) == []
    assert [fault.kind for fault in source.faults] == ["unreadable"]
    source = opened(gzip.compress(b'{"a": 1}\n{"a": 2}\n{"a": "' + b"x" * (5 << 20)))
    first, second, third = source.documents()
    assert (first.value, second.value, third.value) == ({"a": 1}, {"a": 2}, MISSING)
    assert kinds(third) == ["unreadable"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, words in ((tmp_path, "is a directory"), (tmp_path / "no", "no such file")):
        source = read(path, name="x")
        assert list(source.documents()) == []
        (fault,) = source.faults
        assert (fault.kind, fault.fatal) == ("unreadable", True)
        assert words in fault.message


def test_a_named_pipe_is_read_once_and_held(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    if pid := os.fork():
        source = read(path, name="x")
        os.waitpid(pid, 0)
        assert [document.value for document in source.documents()] == [{"a": 1}, {"a": 2}]
    else:  # pragma: no cover
        path.write_bytes(b'{"a": 1}\n{"a": 2}\n')
        os._exit(0)


def test_an_empty_file_is_one_document_with_a_fault() -> None:
    (document,) = documents(b"")
    assert document.value is MISSING
    assert [(fault.message, fault.fatal) for fault in document.faults] == [("the file is empty", True)]


def test_a_large_file_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    long = json.dumps({"a": "x" * 3_000_000}).encode()
    path.write_bytes(b"\n".join([b'{"a": 0}', long, b'{"a": 1}', long, b"", long[:-5]]))
    source = read(path, name="x")
    for _ in range(2):  # a file can be read again
        found = list(source.documents())
        assert [document.line for document in found] == [1, 2, 3, 4, 6]
        assert [document.offset for document in found][-1] == len(source.text()) - len(long) + 5
        assert kinds(found[-1]) == ["torn"]


def test_a_large_stream_is_read_once() -> None:
    lines = [json.dumps({"a": "x" * 1_500_000}).encode()] * 3
    assert len(documents(b"\n".join(lines))) == 3
    source = read(None, io.BytesIO(b"\n".join(lines)), name="x", keep=True)
    assert len(list(source.documents())) == 3
    assert source.text() == b"\n".join(lines)


# Damaged lines

GOOD = b'{"a": 1}\n'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"a": 2}{"a": 3} [4]\n', [({"a": 2}, []), ({"a": 3}, ["torn"]), ([4], ["torn"])]),
        (b'\x00\x00{"a": 2}\n', [({"a": 2}, ["torn"])]),
        (b'{"a": 2}\x00\x00\n', [({"a": 2}, ["torn"])]),
        (b"\x00\x00\n", [(MISSING, ["torn"])]),
        (b'{"a": "x{"a": 2}\n', [(MISSING, ["torn"]), ({"a": 2}, ["torn"])]),
        (b'{"a": "x{"b": 2}\n', [(MISSING, ["torn"]), ({"b": 2}, ["torn"])]),
        (b'{"a": {"a": 2}\n', [(MISSING, ["torn"]), ({"a": 2}, ["torn"])]),
        (b'{"a": {"b": 2}\n', [(MISSING, ["syntax"])]),  # cut, and it ends in an object of its own
        (b'{"a": "x\ny"}\n', [({"a": "x\ny"}, ["torn"])]),
        (b'{"a": "x\r\ny"}\r\n', [({"a": "x\r\ny"}, ["torn"])]),
        (b'{"a": "x\n\ny"}\n', [({"a": "x\n\ny"}, ["torn"])]),
        (b'{"a":\n[\n\n{"b": 2}]}\n', [({"a": [{"b": 2}]}, ["torn"])]),
        (b'{"a": "x\n\n', [(MISSING, ["syntax"])]),
        (b'{"a": 2} x\n', [({"a": 2}, ["syntax"])]),
        (b'{"a": 2,}\n', [(MISSING, ["syntax"])]),
        (b'{"a": "x\n', [(MISSING, ["syntax"])]),
        (b'{"a": "\\ud800"}\n', [({"a": "\ud800"}, ["unicode"])]),
        (b'{"a": "\xff"}\n', [({"a": "\ufffd"}, ["encoding"])]),
        (b"\t\n", []),
        (b'"massive error"\n42\n', [("massive error", []), (42, [])]),
    ],
)
def test_a_damaged_line(line: bytes, expected: list[tuple[Any, list[str]]]) -> None:
    data = GOOD + GOOD + line + GOOD
    found = documents(data)
    for document in found:
        assert data[document.offset :].startswith(document.data)
        assert data.count(b"\n", 0, document.offset) + 1 == document.line
    assert [document.value for document in (found[0], found[1], found[-1])] == [{"a": 1}] * 3
    assert [(document.value, kinds(document)) for document in found[2:-1]] == expected


@pytest.mark.parametrize("tail", [b'{"a": "x', b'{"a":', b'{"a": tr', b"{"])
def test_a_cut_last_line(tail: bytes) -> None:
    *good, last = documents(GOOD + GOOD + tail)
    assert len(good) == 2
    assert (last.value, kinds(last)) == (MISSING, ["torn"])


def test_a_last_line_without_its_end_is_fine() -> None:
    assert [kinds(document) for document in documents(GOOD + GOOD.strip())] == [[], []]


def test_records_that_never_close_do_not_take_the_others_with_them() -> None:
    data = GOOD * 2 + b'{"a": [\n{"a": "\\ud800"}\n' * 300 + GOOD
    found = [document.value for document in documents(data)]
    assert found.count({"a": "\ud800"}) == 300
    assert found.count(MISSING) == 300


RECORDS = st.dictionaries(
    st.sampled_from(["role", "content", "é"]),
    st.recursive(st.none() | st.integers() | st.text(max_size=6), lambda x: st.lists(x, max_size=3), max_leaves=6),
    min_size=1,
)
DAMAGE = st.sampled_from([b"", b"   ", b"\x00\x00", b'{"role": "x', b"}", b'{"role": 1,}', b"garbage", b"\xff\xfe"])


@given(st.lists(RECORDS, min_size=1, max_size=6), st.data())
def test_all_good_lines_are_read_whatever_stands_between(records: list[Any], data: st.DataObject) -> None:
    lines = [b'{"first": 0}', b'{"first": 0}']
    for record in records:
        lines.append(json.dumps(record, ensure_ascii=False).encode())
        lines += data.draw(st.lists(DAMAGE, max_size=2))
    text = data.draw(st.sampled_from([b"\n", b"\r\n"])).join(lines)
    found = documents(text)
    undamaged = [document.value for document in found if not document.faults]
    assert undamaged == [{"first": 0}, {"first": 0}, *records]
    assert [document.number for document in found] == list(range(len(found)))


@given(
    st.binary()
    | st.lists(st.sampled_from([GOOD, b'{"a": "x', b"\n", b"\x00", b"}", b"a: 1\n", b"\xff\xfe"])).map(b"".join)
)
def test_reading_never_raises(data: bytes) -> None:
    source = read(None, io.BytesIO(data), name="x", keep=True)
    text = source.text()
    for document in source.documents():
        assert text[document.offset :].startswith(document.data)
        assert (document.value is MISSING) == any(fault.fatal for fault in document.faults)
