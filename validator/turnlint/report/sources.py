"""Lines of the checked sources, for the formats that show them.

Reports are sorted by file and line, so one open file and a walk forward serve a whole report, however large its
files are.  A look back finds the last few lines; what lies further back starts the file again.
"""

from __future__ import annotations

import io
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_BYTES = 64 * 1024 * 1024  # of one line; what is longer is not worth showing
_REMEMBERED = 16  # lines behind the last one; the excerpts of two diagnostics may overlap
_LONG = 1_000_000  # characters of a line that is forgotten with the next one
_BOM = b"\xef\xbb\xbf"


class SourceLines:
    """Callable as ``lines(path, number)``: that line (from 1) as text without its end, or None.

    `streams` holds the bytes of sources that cannot be read twice, by the name they have in the report.
    """

    def __init__(self, streams: Mapping[str, bytes] | None = None) -> None:
        self._streams = streams or {}
        self._path: str | None = None
        self._lines: Iterator[str] = iter(())
        self._number = 0
        self._recent: dict[int, str] = {}

    def __call__(self, path: str, number: int) -> str | None:
        if path != self._path or (number <= self._number and number not in self._recent):
            self._path, self._number, self._recent = path, 0, {}
            self._lines = self._read(path)
        while self._number < number:
            line = next(self._lines, None)
            if line is None:
                return None
            if len(self._recent.get(self._number, "")) > _LONG:
                del self._recent[self._number]
            self._number += 1
            self._recent[self._number] = line
            self._recent.pop(self._number - _REMEMBERED, None)
        return self._recent.get(number)

    def _read(self, path: str) -> Iterator[str]:
        """The lines of a source.  What cannot be read any more, or is damaged, merely ends."""
        try:
            with ExitStack() as opened:
                for number, line in enumerate(self._open(path, opened)):
                    if number == 0:
                        line = line.removeprefix(_BOM)
                    yield "" if len(line) > _MOST_BYTES else line.rstrip(b"\r\n").decode("utf-8", "replace")
        except (OSError, EOFError, ValueError):
            return

    def _open(self, path: str, opened: ExitStack) -> BinaryIO:
        """The source as UTF-8.  Only what is packed or encoded in an uncommon way is read as a whole."""
        data = self._streams.get(path)
        if data is None:
            stream: BinaryIO = opened.enter_context(Path(path).open("rb"))  # noqa: SIM115 - closed by `opened`
        else:
            stream = io.BytesIO(data)
        head = stream.read(4)
        stream.seek(0)
        if head.startswith(b"\x1f\x8b"):
            import gzip

            return cast("BinaryIO", gzip.open(stream, "rb"))
        if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x28\xb5\x2f\xfd")) or b"\x00" in head:
            from turnlint.source.reader import read

            return io.BytesIO(read(None, stream, name=path).text())
        return stream
