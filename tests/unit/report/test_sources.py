from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
import zstandard

from turnlint.report.sources import SourceLines

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '{"a": 1}\r\n{"é": "日本\u2028\x85"}\n\nlast'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-32"),
        gzip.compress(TEXT.encode()),
        zstandard.compress(TEXT.encode()),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16 without bom", "utf-32", "gzip", "zstd"],
)
@pytest.mark.parametrize("streamed", [True, False])
def test_lines_are_those_of_the_editor(data: bytes, streamed: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    if not streamed:
        file.write_bytes(data)
    lines = SourceLines({str(file): data} if streamed else None)
    shown = [lines(str(file), number) for number in range(1, 6)]
    assert shown == ['{"a": 1}', '{"é": "日本\u2028\x85"}', "", "last", None]


def test_a_look_far_back(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    lines = SourceLines()
    for number in (50, 49, 34, 1, 100, 85, 84, 101, 100, 0):
        assert lines(str(file), number) == (f"line {number}" if 0 < number < 101 else None)


def test_a_look_back(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    lines = SourceLines()
    assert [lines(str(file), number) for number in (3, 3, 1, 2, 9, 2)] == ["three", "three", "one", "two", None, "two"]


def test_what_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    broken = tmp_path / "a.gz"
    broken.write_bytes(gzip.compress(b"line\n" * 10_000)[:40])
    lines = SourceLines()
    assert lines(str(tmp_path / "gone"), 1) is None
    assert lines(str(broken), 9_999) is None
    assert lines(str(tmp_path), 1) is None
    assert lines("a\x00b", 1) is None


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"a\xffb\n")
    assert SourceLines()(str(file), 1) == "a\ufffdb"
