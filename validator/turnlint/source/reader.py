"""Files and streams to documents: compression, encoding, and JSON, JSONL or YAML told apart by content.

Nothing here raises for what a file holds: what is wrong with a document is in its faults, what is wrong with the
whole file in `Source.faults`.  A JSONL file is read block by block and never held as a whole.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, Protocol, cast

from msgspec import Struct, field

from turnlint.source.decode import decode
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SourceKind = Literal["json", "jsonl", "yaml", "concatenated", "binary"]
Compression = Literal["gzip", "zstd"]
_State = Literal["blank", "first line", "behind it", "whole", "lines"]

MAX_EXPANDED: Final = 512 * 1024 * 1024
"""Bytes of one document that are unpacked from a compressed file, and no more."""

_BLOCK: Final = 1 << 17  # fits the caches: a megabyte at a time made the whole a tenth slower
_SNIFFED_LINES: Final = 1_000  # looked at to tell a torn JSONL file from a broken JSON file
_MAX_FAILED: Final = 10  # values of a text that cannot be read before the rest of it is given up

_MAGIC: Final = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"ORC", "orc"),
    (b"Obj\x01", "avro"),
    (b"\x80\x04\x95", "pickle"),
    (b"%PDF-", "pdf"),
    (b"\x89PNG", "png"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x7fELF", "elf"),
    (b"<|start|>", "harmony"),
)
_MARK: Final = 16  # bytes that hold any of these marks
_BOMS: Final = {
    "utf-8": codecs.BOM_UTF8,
    "utf-32-le": codecs.BOM_UTF32_LE,  # before UTF-16, whose mark is its beginning
    "utf-32-be": codecs.BOM_UTF32_BE,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
_INK = re.compile(rb"[^\s\x00]")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
# Rarely needed, so that they are compiled where they are used.
_RECORD_LINE: Final = rb"(?<=\n)[{\[]"
_YAML_LINE: Final = (
    rb"(?:---(?:\s|$)|%YAML|-\s+\S|[^\s#{\[\"'][^\n:]{0,200}:(?:\s|$)|[\"'][^\n]{0,200}[\"']\s*:(?:\s|$))"
)


class Source(Struct):
    """A file or a stream, opened as far as needed to know what it is."""

    name: str
    """As shown to people: a path, or ``<stdin>``."""
    path: Path | None = None
    kind: SourceKind = "json"
    encoding: str = "utf-8"
    """``utf-8``, ``utf-16-le``, ``utf-16-be``, ``utf-32-le`` or ``utf-32-be``; the documents are UTF-8 anyway."""
    bom: bool = False
    newline: str = "\n"
    r"""How the first line ends: ``\n`` or ``\r\n``."""
    compressed: Compression | None = None
    magic: str | None = None
    """Of a binary file: the format, or ``unknown``."""
    faults: list[Fault] = field(default_factory=list)
    """Of the file as a whole.  Damage deep in a large file is known only once `documents` has come to it."""
    signature: tuple[int, int] | None = None
    """Size and modification time (in ns) of the file when it was opened."""
    held: bytes | None = None
    """All of the text, where it is at hand; callers want `text`."""
    rest: Iterator[bytes] | None = None
    """The text of a stream, which comes only once."""
    decoded: Document | None = None
    """The one document, where telling the kind has read it already."""

    def documents(self) -> Iterator[Document]:
        """The documents in order.  A large stream of lines can be read only once, anything else again and again."""
        if self.kind == "binary":
            return
        if self.kind == "jsonl":
            from turnlint.source.jsonl import read_lines

            yield from read_lines(self._blocks(), self._limit())
            return
        if self.held is None or (self.faults and not self.held):
            return
        if self.kind == "yaml":
            from turnlint.source.yamltext import read_yaml

            yield from read_yaml(self.held)
        elif self.kind == "concatenated":
            yield from _read_concatenated(self.held)
        else:
            document, self.decoded = self.decoded, None
            yield document or _whole_document(self.held)

    def text(self) -> bytes:
        """All of the file as UTF-8 without BOM; what the offsets of its documents point into."""
        return self.held if self.held is not None else b"".join(self._blocks())

    def encode(self, text: bytes) -> bytes:
        """The bytes of a file in this encoding and compression, with this BOM, that holds `text` (UTF-8)."""
        data = text
        if self.encoding != "utf-8":
            data = text.decode("utf-8", "surrogatepass").encode(self.encoding, "surrogatepass")
        if self.bom:
            data = _BOMS[self.encoding] + data
        if self.compressed == "gzip":
            import gzip

            return gzip.compress(data, mtime=0)
        if self.compressed == "zstd":
            return _zstd_compress(data)
        return data

    def _limit(self) -> int | None:
        """Bytes that one document may have; None for no bound."""
        return MAX_EXPANDED if self.compressed else None

    def _blocks(self) -> Iterator[bytes]:
        if self.held is not None:
            yield self.held
        elif self.rest is not None:
            stream, self.rest = self.rest, None
            yield from stream
        elif self.path is not None:
            self.faults.clear()  # the same ones come again
            try:
                with self.path.open("rb") as file:
                    yield from _text_blocks(self, file)
            except OSError as error:
                self.faults.append(_unreadable(_reason(error)))


def read(path: Path | None, stream: BinaryIO | None = None, *, name: str, keep: bool = False) -> Source:
    """Open a file, or a binary stream, and find out what it holds.

    A stream is read as its documents are asked for; with `keep` all of it is held, so that `Source.text` has it
    afterwards.
    """
    source = Source(name, path)
    try:
        if stream is not None:
            _sniff(source, _text_blocks(source, stream), keep=keep, once=True)
        elif path is not None:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
                    source.faults.append(_unreadable("it is a device, not a file"))
                    return source
                source.signature = (status.st_size, status.st_mtime_ns)
                _sniff(source, _text_blocks(source, file), keep=not stat.S_ISREG(status.st_mode), once=False)
    except OSError as error:
        source.faults.append(_unreadable(_reason(error)))
    return source


def is_text(head: bytes) -> bool:
    """Whether a file that begins with these bytes is read as text, compressed or not."""
    return not head.startswith(tuple(magic for magic, _ in _MAGIC))


def blocks_between(path: Path, start: int, end: int) -> Iterator[bytes]:
    """The blocks of a piece of a file, as they are."""
    with path.open("rb") as file:
        file.seek(start)
        while start < end and (block := file.read(min(_BLOCK, end - start))):
            start += len(block)
            yield block


def documents_of(value: Any) -> Document:
    """The document around a Python object, which has no bytes."""
    return Document(value, format="object")


# Bytes to text


def _text_blocks(source: Source, file: BinaryIO) -> Iterator[bytes]:
    """The text of a file as blocks of UTF-8 without BOM; notes compression, encoding and damage in `source`."""
    blocks = _expanded(source, file)
    head = next(blocks, b"")
    while len(head) < _MARK and (more := next(blocks, b"")):
        head += more
    source.magic = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if source.magic is None:
        source.encoding, source.bom = _encoding_of(head)
        if source.encoding == "utf-8" and _is_binary(head):
            source.magic = "unknown"
    if source.magic is not None:
        source.kind = "binary"
        return
    if source.bom:
        head = head[len(_BOMS[source.encoding]) :]
    text = chain((head,), blocks)
    yield from text if source.encoding == "utf-8" else _recoded(source, text)


def _expanded(source: Source, file: BinaryIO) -> Iterator[bytes]:
    """The blocks of a file, unpacked."""
    head = file.read(_MARK)
    if head.startswith(b"\x1f\x8b"):
        source.compressed = "gzip"
        yield from _unpacked(source, *_gzip_reader(_Rewound(head, file)))
    elif head.startswith(b"\x28\xb5\x2f\xfd"):
        source.compressed = "zstd"
        try:
            reader, damage = _zstd_reader(_Rewound(head, file))
        except ImportError:
            message = "it is compressed with zstd, which needs the package zstandard: pip install 'turnlint[zstd]'"
            source.faults.append(_unreadable(message))
            return
        yield from _unpacked(source, reader, damage)
    else:
        yield head + file.read(_BLOCK - len(head))
        while block := file.read(_BLOCK):
            yield block


def _unpacked(source: Source, reader: _Reader, damage: tuple[type[Exception], ...]) -> Iterator[bytes]:
    try:
        while block := reader.read1(_BLOCK):
            yield block
    except damage as error:
        what = "ends too early" if isinstance(error, EOFError) else "is damaged"
        source.faults.append(_unreadable(f"the {source.compressed} data {what}"))


class _Reader(Protocol):
    """What both decompressors are: every read gives at most so many bytes, however much they would expand to."""

    def read1(self, size: int, /) -> bytes: ...


def _gzip_reader(stream: _Rewound) -> tuple[_Reader, tuple[type[Exception], ...]]:
    import gzip
    import zlib

    return gzip.GzipFile(fileobj=stream, mode="rb"), (EOFError, zlib.error, gzip.BadGzipFile)


def _zstd_reader(stream: _Rewound) -> tuple[_Reader, tuple[type[Exception], ...]]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(stream), (EOFError, zstd.ZstdError)
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    return decompressor.stream_reader(cast("BinaryIO", stream), read_across_frames=True), (
        EOFError,
        zstandard.ZstdError,
    )


def _zstd_compress(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.compress(data)
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


class _Rewound(io.RawIOBase):
    """A stream with the bytes before it that have been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        piece = piece or self._rest.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _recoded(source: Source, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """UTF-16 or UTF-32 as UTF-8.  Half surrogates pass, to become a fault of their document."""
    decoder = codecs.getincrementaldecoder(source.encoding)("surrogatepass")
    try:
        for block in blocks:
            yield decoder.decode(block).encode("utf-8", "surrogatepass")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        message = f"the file is not {source.encoding.upper()} throughout: {error.reason}"
        source.faults.append(Fault("encoding", message))


def _encoding_of(head: bytes) -> tuple[str, bool]:
    """The encoding of a text and whether a BOM says so.

    Without a BOM, JSON and YAML begin with an ASCII character or two, which shows in where the NUL bytes are.
    """
    for encoding, bom in _BOMS.items():
        if head.startswith(bom):
            return encoding, True
    zeros = tuple(byte == 0 for byte in head[:8])
    if zeros[:4] in ((False, True, False, True), (True, False, True, False)):
        return ("utf-16-le" if zeros[1] else "utf-16-be"), False
    for encoding, pattern in (("utf-32-le", (False, True, True, True)), ("utf-32-be", (True, True, True, False))):
        if zeros == pattern * 2:
            return encoding, False
    return "utf-8", False


def _is_binary(head: bytes) -> bool:
    """Whether this is no text at all.  NUL bytes alone do not say so: a crash leaves runs of them in logs."""
    sample = head[:4096].replace(b"\x00", b"")
    return len(_CONTROLS.findall(sample)) > len(sample) // 20


# What kind of text


def _sniff(source: Source, blocks: Iterator[bytes], *, keep: bool, once: bool) -> None:
    """Tell the kind, reading no more than the first two lines of what turns out to be JSONL."""
    taken: list[bytes] = []
    size = 0
    state: _State = "blank"
    for block in blocks:
        taken.append(block)
        size += len(block)
        if source.compressed and size > MAX_EXPANDED:
            source.faults.append(_unreadable(f"it unpacks to more than {MAX_EXPANDED >> 20} MB in one document"))
            return
        if state == "blank" and _INK.search(block):
            state = "first line"
        if state == "first line" and b"\n" in block:
            taken = [b"".join(taken)]
            state = _behind_first_line(taken[0])
        elif state == "behind it" and _INK.search(block):
            state = "lines"
        if state == "lines":
            break
    text = b"".join(taken)
    source.newline = "\r\n" if text[: text.find(b"\n") + 1].endswith(b"\r\n") else "\n"
    if source.kind == "binary":
        return
    if state != "lines":
        source.held = text
        _classify(source, text)
        return
    source.kind = "jsonl"
    more = next(blocks, None)
    if more is None:
        source.held = text
    elif keep:
        source.held = b"".join((text, more, *blocks))
    elif once:
        source.rest = chain((text, more), blocks)
    else:
        source.faults.clear()  # the file is opened again for its documents


def _behind_first_line(text: bytes) -> _State:
    ink = _INK.search(text)
    end = text.find(b"\n", ink.start()) if ink else -1
    if ink is None or end < 0:
        return "first line"
    if not _is_record(text[ink.start() : end]):
        return "whole"
    return "lines" if _INK.search(text, end) else "behind it"


def _is_record(line: bytes) -> bool:
    """Whether a line is an object or a list."""
    if line.rstrip() in (b"{", b"["):  # how nearly all begin that are one value on many lines
        return False
    return line[:1] in (b"{", b"[") and decode(line)[0] is not MISSING


def _classify(source: Source, text: bytes) -> None:
    """Tell the kind of a text that does not begin with a record on a line of its own, or has only that."""
    document = _whole_document(text)
    if document.readable and not any(fault.kind == "syntax" and fault.pointer is None for fault in document.faults):
        source.decoded = document
        return
    ink = _INK.search(text)
    start = ink.start() if ink else 0
    suffixes = set(source.path.suffixes) if source.path else set()
    is_yaml = text[start : start + 1] not in b"{[" and _looks_like_yaml(text)
    if ink and (is_yaml or suffixes & {".yaml", ".yml"}):
        source.kind = "yaml"
    elif ink and (_mostly_records(text) or suffixes & {".jsonl", ".ndjson"}):
        source.kind = "jsonl"
    elif text[start : start + 1] in (b"{", b"[") and _several_values(text, start):
        source.kind = "concatenated"
    else:
        source.decoded = document


def _looks_like_yaml(text: bytes) -> bool:
    """Whether the first line that says anything is a mapping's or a list's."""
    for line in text[:_BLOCK].split(b"\n")[:_SNIFFED_LINES]:
        if line.strip() and not line.lstrip().startswith(b"#"):
            return re.match(_YAML_LINE, line) is not None
    return False


def _mostly_records(text: bytes) -> bool:
    lines = [line.strip() for line in text.split(b"\n", _SNIFFED_LINES)[:_SNIFFED_LINES]]
    lines = [line for line in lines if line]
    if len(lines) == 1:
        return _several_values(lines[0], 0)
    return sum(map(_is_record, lines)) * 2 >= len(lines)


def _several_values(text: bytes, start: int) -> bool:
    """Whether a whole record stands at `start`, and the beginning of another behind it."""
    from turnlint.source.scan import skip_value

    end = skip_value(text, start)
    behind = _INK.search(text, end)
    return behind is not None and text[behind.start() : behind.start() + 1] in b"{[" and _is_record(text[start:end])


def _whole_document(text: bytes) -> Document:
    if not _INK.search(text):
        if b"\x00" in text:
            fault = Fault("torn", f"the file holds nothing but {text.count(0):,} NUL bytes", 0, len(text), fatal=True)
        else:
            fault = Fault("syntax", "the file is empty", fatal=True)
        return Document(MISSING, text, faults=(fault,))
    value, faults = decode(text)
    return Document(value, text, faults=faults)


def _read_concatenated(text: bytes) -> Iterator[Document]:
    """Values one behind the other, whatever lines they are on."""
    from turnlint.source.scan import skip_value

    pos = number = failed = 0
    line = 1
    while ink := _INK.search(text, pos):
        line += text.count(b"\n", pos, ink.start())
        start = ink.start()
        end = skip_value(text, start)
        value, faults = decode(text[start:end]) if end < len(text) or not failed else (MISSING, ())
        if value is MISSING:
            # The next value that begins a line, if there is one, is where reading goes on.
            failed += 1
            fresh = re.compile(_RECORD_LINE).search(text, start + 1) if failed < _MAX_FAILED else None
            end = fresh.start() if fresh else len(text)
            value, faults = decode(text[start:end])
        yield Document(value, text[start:end], number, line, start, faults)
        line += text.count(b"\n", start, end)
        pos = end
        number += 1


# Words


def _unreadable(message: str) -> Fault:
    return Fault("unreadable", message, fatal=True)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()
