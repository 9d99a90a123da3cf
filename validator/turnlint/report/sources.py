"""Lines of the checked sources, for the formats that show them.

Reports are sorted by file and line, so one open file and a walk forward serve a whole report, however large its
files are; a look back starts the file again.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_BYTES = 64 * 1024 * 1024  # of one line; what is longer is not worth showing


class SourceLines:
    """Callable as ``lines(path, number)``: that line (from 1) as text without its end, or None.

    `streams` holds the bytes of sources that cannot be read twice, by the name they have in the report.
    """

    def __init__(self, streams: Mapping[str, bytes] | None = None) -> None:
        self._streams = streams or {}
        self._path: str | None = None
        self._lines: Iterator[str] = iter(())
        self._number = 0
        self._current: str | None = None

    def __call__(self, path: str, number: int) -> str | None:
        if path != self._path or number < self._number:
            self._path, self._number, self._current = path, 0, None
            self._lines = self._read(path)
        while self._number < number:
            self._current = next(self._lines, None)
            self._number += 1
            if self._current is None:
                return None
        return self._current

    def _read(self, path: str) -> Iterator[str]:
        """The lines of a source.  What cannot be read any more, or is damaged, merely ends."""
        try:
            with self._open(path) as stream:
                start = stream.read(4)
            with self._open(path) as stream:
                yield from _decoded(stream, start)
        except (OSError, EOFError, UnicodeError, ValueError):
            return

    def _open(self, path: str) -> BinaryIO:
        if path in self._streams:
            data = self._streams[path]
            return io.BytesIO(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
        file = Path(path)
        with file.open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
        return cast("BinaryIO", gzip.open(file, "rb")) if packed else file.open("rb")


def _decoded(stream: BinaryIO, start: bytes) -> Iterator[str]:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield from (line.rstrip("\n") for line in io.TextIOWrapper(stream, "utf-16", newline="\n"))
        return
    for number, line in enumerate(stream):
        if number == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) > _MOST_BYTES:
            yield ""
        else:
            yield line.rstrip(b"\r\n").decode("utf-8", "replace")
