"""JSONL: one value a line, and what is left of it after crashes, concurrent writers and hand edits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from turnlint.source.decode import decode, fast_decode
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.source.scanner import Outcome

_MAX_JOINED_LINES: Final = 200  # of one record that line ends tear apart
# Guesses at what a bad line was meant to be read it again and again.  Between two that are right, they may cost no
# more than this: a file that is nothing but bad lines is not worth more.
EFFORT: Final = 8 << 20
_EFFORT_OF_A_LINE: Final = 1_000
_MAX_GLUED: Final = 64  # places in a bad line that are tried as the beginning of the next record
LEARNED_LINES: Final = 50  # whose first keys are taken for those that records begin with

_FIRST_KEY = re.compile(rb'\{\s*("[^"\\]{1,100}")\s*:')
_INK = re.compile(rb"[^ \t\r\n\x00]")
_SPACE: Final = b" \t\r\n"
_NOTHING: Final = _SPACE + b"\x00"


def read_lines(
    blocks: Iterable[bytes], limit: int | None = None, reader: LineReader | None = None
) -> Iterator[Document]:
    r"""The documents of a JSONL text given in blocks, without ever holding more than a block and a line.

    Only ``\n`` ends a line.  A line longer than `limit` bytes ends the reading with a fault.  A piece from the middle
    of a text is read with a `reader` that knows what the beginning told.
    """
    reader = reader or LineReader()
    tail: list[bytes] = []  # the beginning of a line whose end has not come yet
    tail_size = 0
    for block in blocks:
        lines = block.split(b"\n")
        tail.append(lines[0])
        tail_size += len(lines[0])
        if limit is not None and tail_size > limit:
            yield from reader.flush(last=True)
            yield reader.too_long(limit)
            return
        if len(lines) == 1:
            continue
        lines[0] = b"".join(tail)
        tail = [lines.pop()]
        tail_size = len(tail[0])
        for line in lines:
            try:
                value = fast_decode(line)
            except (ValueError, RecursionError):
                if not reader.waiting and not line.strip(_SPACE):
                    reader.line += 1
                    reader.offset += len(line) + 1
                else:
                    yield from reader.odd_line(line)
                continue
            if reader.waiting:
                yield from reader.flush()
            number = reader.number
            if number < reader.learns:
                reader.learn(line)
            data = line[:-1] if line[-1:] == b"\r" else line
            yield Document(value, data, number, reader.line, reader.offset)
            reader.number = number + 1
            reader.line += 1
            reader.offset += len(line) + 1
    line = b"".join(tail)
    if line.strip(_SPACE):
        yield from reader.odd_line(line, last=True)
    yield from reader.flush(last=True)


class LineReader:
    """Where reading has come to, and all that a plain line does not need.

    `first_keys` are the keys that records begin with, where that is known already; else the first `LEARNED_LINES`
    tell.  `spent` is what guesses at bad lines have cost in all.
    """

    __slots__ = ("_effort", "_waiting_size", "first_keys", "learns", "line", "number", "offset", "spent", "waiting")

    def __init__(self, first_keys: frozenset[bytes] | None = None) -> None:
        self.learns = LEARNED_LINES if first_keys is None else 0
        self.first_keys: set[bytes] = set(first_keys or ())
        self.spent = 0
        self.number = 0
        self.line = 1
        self.offset = 0
        self.waiting: list[tuple[bytes, int, int]] = []
        """Lines, with their numbers and offsets, that end in the middle of a value."""
        self._waiting_size = 0
        self._effort = EFFORT

    def learn(self, line: bytes) -> None:
        """Note the first key of a good record."""
        if match := _FIRST_KEY.match(line):
            self.first_keys.add(match[1])

    def too_long(self, limit: int) -> Document:
        """A document for a line that is not read to its end."""
        fault = Fault("unreadable", f"the line unpacks to more than {limit >> 20} MB", fatal=True)
        return Document(MISSING, b"", self.number, self.line, self.offset, (fault,))

    def odd_line(self, line: bytes, *, last: bool = False) -> Iterator[Document]:
        """The documents of a line that the fast decoder refuses; a blank one only where lines wait."""
        number, offset = self.line, self.offset
        self.line += 1
        self.offset += len(line) + 1
        if self.waiting:
            if not line.strip(_SPACE):  # within the record, it may be
                self._wait(line, number, offset)
                return
            joined = self._join(line)
            if joined is None:
                self._wait(line, number, offset)
                return
            if joined.value is not MISSING:
                yield self._joined_document(line, joined)
                return
            yield from self.flush()
        if not last and self._spend(len(line)) and self._is_cut(line):
            self._wait(line, number, offset)
            return
        yield from self._records(line, number, offset, last=last)

    def flush(self, *, last: bool = False) -> Iterator[Document]:
        """Give up on waiting lines: what each has by itself."""
        waiting, self.waiting, self._waiting_size = self.waiting, [], 0
        for at, (line, number, offset) in enumerate(waiting, 1):
            if not line.strip(_SPACE):
                continue
            yield from self._records(line, number, offset, last=last and at == len(waiting))

    # Records torn over several lines

    def _wait(self, line: bytes, number: int, offset: int) -> None:
        self.waiting.append((line, number, offset))
        self._waiting_size += len(line) + 1

    def _is_cut(self, line: bytes) -> bool:
        from turnlint.source.scanner import scan

        text = line.lstrip(b"\x00")
        outcome = scan(text)
        return outcome.cut and self._glued(text, outcome) is None

    def _join(self, line: bytes) -> Outcome | None:
        """What the waiting lines and this one make together; None where more lines may complete them."""
        from turnlint.source.scanner import Outcome, scan

        if len(self.waiting) >= _MAX_JOINED_LINES or self._effort <= 0:
            return Outcome(MISSING)
        if line.rstrip(_SPACE)[-1:] not in (b"}", b"]"):
            return None
        self._spend(self._waiting_size + len(line))
        outcome = scan(self._together(line))
        return None if outcome.cut else outcome

    def _spend(self, size: int) -> bool:
        """Whether a guess that reads so many bytes may still be made."""
        self.spent += size + _EFFORT_OF_A_LINE
        self._effort -= size + _EFFORT_OF_A_LINE
        return self._effort > 0

    def _together(self, line: bytes) -> bytes:
        return b"\n".join((*(text for text, _, _ in self.waiting), line))

    def _joined_document(self, line: bytes, outcome: Outcome) -> Document:
        data = self._together(line)
        _, number, offset = self.waiting[0]
        faults = outcome.faults
        if not any(fault.kind == "torn" for fault in faults):
            count = len(self.waiting) + 1
            faults = [Fault("torn", f"one record stands on {count} lines", 0, len(data)), *faults]
        self.waiting, self._waiting_size = [], 0
        self._effort = EFFORT
        return self._document(outcome.value, data, number, offset, faults)

    # What stands on one line

    def _records(self, line: bytes, number: int, offset: int, *, last: bool) -> Iterator[Document]:
        stop = len(line.rstrip(_NOTHING))
        if not stop:
            fault = Fault("torn", f"the line holds nothing but {line.count(0):,} NUL bytes", 0, len(line), fatal=True)
            yield self._document(MISSING, line, number, offset, [fault])
            return
        pos = 0
        column = 1
        while ink := _INK.search(line, pos, stop):
            begin = ink.start()
            value, end, faults = self._record(line, begin, stop, last=last)
            if zeros := line.count(0, pos, begin):
                faults.append(Fault("torn", f"{zeros:,} NUL bytes stand before the record"))
            if pos:
                faults.append(Fault("torn", "another record stands before it on the same line"))
            if end == stop and (zeros := line.count(0, stop)):
                faults.append(Fault("torn", f"{zeros:,} NUL bytes stand behind the record", end - begin, end - begin))
            document = self._document(value, line[begin:end], number, offset + begin, faults)
            document.column = column + begin - pos  # what lies between is blank
            yield document
            column = document.column + len(document.data.decode("utf-8", "replace"))
            pos = end

    def _record(self, line: bytes, begin: int, stop: int, *, last: bool) -> tuple[Any, int, list[Fault]]:
        """The record of a bad line that begins at `begin`, where it ends, and its faults."""
        from turnlint.source.scan import skip_value
        from turnlint.source.scanner import scan

        end = skip_value(line, begin)
        if end < stop:
            # Tried alone first: there may be very many records on the line.
            value, faults = decode(line[begin:end])
            behind = _INK.search(line, end, stop)
            if value is not MISSING and (behind is None or behind.group() in (b"{", b"[")):
                return value, end, list(faults)
        text = line[begin:stop]
        outcome = scan(text)  # with the fault that says what stands behind the value
        if outcome.value is not MISSING:
            return outcome.value, stop, outcome.faults
        glued = self._glued(text, outcome) if self._spend(len(text)) else None
        if glued is not None:
            self._effort = EFFORT
            message = "the record is cut off, and the next one begins on the same line"
            outcome.faults[-1] = Fault("torn", message, min(outcome.end, glued), glued, fatal=True)
            return MISSING, begin + glued, outcome.faults
        if outcome.cut and last:
            fault = outcome.faults[-1]
            outcome.faults[-1] = replace(fault, kind="torn", message=f"the last line is cut off: {fault.message}")
        return MISSING, stop, outcome.faults

    def _glued(self, text: bytes, outcome: Outcome) -> int | None:
        """Where in a bad line the next record begins, whose writer did not know that the one before was cut off.

        It must be whole.  And either it begins with a key that records of this file begin with, or reading
        stumbled over its very beginning: a cut record ends in whole objects too, which are no records.
        """
        own = _FIRST_KEY.match(text)
        keys = self.first_keys | ({own[1]} if own else set())
        for tries, match in enumerate(_FIRST_KEY.finditer(text, 1)):
            if tries >= _MAX_GLUED:
                return None
            stumbled = not outcome.cut and match.start() - 1 <= outcome.end <= match.start(1) + 1
            if match[1] not in keys and not stumbled:
                continue
            try:
                fast_decode(text[match.start() :].rstrip(b"\x00"))
            except (ValueError, RecursionError):
                continue
            return match.start()
        return None

    def _document(self, value: Any, data: bytes, line: int, offset: int, faults: list[Fault]) -> Document:
        document = Document(value, data, self.number, line, offset, tuple(faults))
        self.number += 1
        return document
