"""Byte offsets to lines and columns, counted only when somebody looks."""

from __future__ import annotations

import re
from bisect import bisect_right


class LineIndex:
    """Lines and columns of a text held as UTF-8.

    Only a line feed ends a line: U+2028, U+0085 and a lone carriage return stand inside JSON strings, and a
    line number that counted them would not be the editor's.
    """

    __slots__ = ("_anchors", "_ascii", "_data", "_first", "_first_column", "_starts")

    def __init__(self, data: bytes, first_line: int = 1, first_column: int = 1) -> None:
        self._data = data
        self._first = first_line
        self._first_column = first_column
        self._starts: list[int] | None = None
        self._ascii: bool | None = None
        # For each line looked at, the last offset and its column: a large file may be one single line, and
        # places come mostly in ascending order.
        self._anchors: dict[int, tuple[int, int]] = {}

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a byte offset, both from 1, the column in code points; clamped to the text."""
        offset = max(0, min(offset, len(self._data)))
        starts = self._line_starts()
        row = bisect_right(starts, offset) - 1
        shift = 0 if row else self._first_column - 1
        return self._first + row, self._column(row, starts[row], offset) + shift

    def line_text(self, line: int) -> str:
        """The text of a line without its end; empty for a line that does not exist."""
        starts = self._line_starts()
        row = line - self._first
        if not 0 <= row < len(starts):
            return ""
        end = starts[row + 1] - 1 if row + 1 < len(starts) else len(self._data)
        return self._data[starts[row] : end].removesuffix(b"\r").decode("utf-8", "replace")

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in re.finditer(b"\n", self._data))]
        return self._starts

    def _column(self, row: int, start: int, offset: int) -> int:
        if self._ascii is None:
            self._ascii = self._data.isascii()
        if self._ascii:
            return offset - start + 1
        anchor, column = self._anchors.get(row, (start, 1))
        if anchor > offset:
            anchor, column = start, 1
        column += _code_points(self._data[anchor:offset])
        self._anchors[row] = (offset, column)
        return column


def _code_points(data: bytes) -> int:
    """How many code points begin in a piece of UTF-8; every stray byte of broken UTF-8 counts as it is read."""
    return len(data.decode("utf-8", "replace"))
