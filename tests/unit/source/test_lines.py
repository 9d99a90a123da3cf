"""Offsets to lines and columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnlint.source.lines import LineIndex


@given(st.text(st.sampled_from("a\né😀\r\u2028\x85")), st.data())
def test_positions_are_those_of_the_code_points(text: str, data: st.DataObject) -> None:
    index = LineIndex(text.encode(), first_line=3)
    for _ in range(4):
        at = data.draw(st.integers(0, len(text)))
        before = text[:at]
        expected = (3 + before.count("\n"), at - (before.rfind("\n") + 1) + 1)
        assert index.position(len(before.encode())) == expected


def test_offsets_outside_the_text_are_clamped() -> None:
    index = LineIndex(b"ab\nc")
    assert index.position(-5) == (1, 1)
    assert index.position(99) == (2, 2)


def test_a_text_that_begins_within_a_line() -> None:
    index = LineIndex(b"ab\nc", first_line=7, first_column=5)
    assert [index.position(offset) for offset in (0, 1, 3)] == [(7, 5), (7, 6), (8, 1)]


def test_line_text() -> None:
    index = LineIndex("é\r\n\nlast\u2028x".encode(), first_line=10)
    assert [index.line_text(line) for line in range(9, 14)] == ["", "é", "", "last\u2028x", ""]


def test_broken_utf8_does_not_raise() -> None:
    index = LineIndex(b"\xff\xfe\nx\xff")
    assert index.position(5) == (2, 3)
    assert index.line_text(1) == "\ufffd\ufffd"
