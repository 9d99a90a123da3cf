"""One value out of a source, with the bytes it was read from and what is wrong with those bytes."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal

from msgspec import Struct

FaultKind = Literal["syntax", "torn", "encoding", "unreadable", "unicode", "duplicate-key", "non-finite"]
DocumentFormat = Literal["json", "yaml", "object"]


class _Missing(Enum):
    """Type of `MISSING`; an enum, so that type checkers can narrow on ``is MISSING``."""

    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing.MISSING
"""The value of a document that could not be read."""


class Fault(Struct, frozen=True):
    """Something wrong with the text itself, whatever it means.

    ==============  =====================================================================================
    kind            what is wrong
    ==============  =====================================================================================
    syntax          not JSON, or not YAML
    torn            how it was written went wrong: a record cut off, two on a line, a run of NUL bytes
    encoding        bytes that are not text in the encoding of the file
    unreadable      the bytes could not be had: permission, a directory, damaged compression
    unicode         half of a surrogate pair
    duplicate-key   an object with a key twice
    non-finite      NaN, Infinity, or a number too large for any decoder
    ==============  =====================================================================================
    """

    kind: FaultKind
    message: str
    """Plain words, without more than a few characters of the content."""
    start: int = 0
    """Byte offset into `Document.data`."""
    end: int = 0
    """Byte offset into `Document.data`, exclusive."""
    pointer: str | None = None
    """JSON pointer of the value concerned, where one is known."""
    fatal: bool = False
    """Whether the value could not be read because of it."""


class Document(Struct):
    """One value: a whole file, one line of a JSONL file, one YAML document, or a Python object."""

    value: Any
    """What was read; `MISSING` where a fault is fatal."""
    data: bytes = b""
    """UTF-8 bytes of this document alone, without a BOM; empty for a Python object."""
    number: int = 0
    """Ordinal in its source, from 0."""
    line: int = 1
    """Line of the file, from 1, on which `data` begins."""
    offset: int = 0
    """Byte offset of `data` in the file as UTF-8 without a BOM."""
    faults: tuple[Fault, ...] = ()
    format: DocumentFormat = "json"
    column: int = 1
    """Column of that line, from 1 and in code points, at which `data` begins: not 1 behind another record."""

    @property
    def readable(self) -> bool:
        """Whether there is a value."""
        return self.value is not MISSING
