"""How a new value is written: as its neighbours are."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from msgspec import Struct

_SEEN: Final = 2_000  # tokens of a text that are looked at for its style
_SAMPLE: Final = 1 << 18  # bytes of a text that stand for all of it

_COMMA = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|,(\s*)', re.DOTALL)
_COLON = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(\s*:[ \t]*)?', re.DOTALL)
_INDENT = re.compile(rb"\n([ \t]+)\S")
_ESCAPED_LETTER = re.compile(rb"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SURROGATES = re.compile("[\ud800-\udfff]")


class Style(Struct, frozen=True):
    """The habits of a JSON text."""

    comma: str = ", "
    colon: str = ": "
    unit: str = ""
    """What one more level is indented by; empty if nothing is."""
    newline: str = "\n"
    ascii_only: bool = True

    @classmethod
    def of(cls, data: bytes, start: int, end: int) -> Style:
        """The habits of a piece of a text, and where it shows none those of the whole."""
        near = data[start:end]
        whole = _habits(data[:_SAMPLE])
        comma = _first(_COMMA, near, _on_one_line)
        if comma is None:
            comma = whole.comma
        colon = _first(_COLON, near) or whole.colon
        if comma is None:
            comma = b"" if colon == b":" else b" "
        escapes = _writes_ascii(near)
        return cls(
            comma="," + comma.decode("ascii"),
            colon=colon.decode("ascii") if colon is not None else ": ",
            unit=whole.unit,
            newline=whole.newline,
            ascii_only=whole.ascii_only if escapes is None else escapes,
        )

    def text(self, value: Any, indent: str | None = None) -> str:
        """A value as JSON: on one line, or on several that are indented by `indent` and more."""
        several = indent is not None and bool(self.unit)
        text = json.dumps(
            value,
            ensure_ascii=self.ascii_only,
            indent=self.unit if several else None,
            separators=("," if several else self.comma, self.colon),
        )
        if several:
            text = text.replace("\n", self.newline + (indent or ""))
        return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def writes_ascii(*texts: bytes) -> bool:
    """Whether letters beyond ASCII are written as escapes: the first text that has any decides."""
    return next((found for text in texts if (found := _writes_ascii(text)) is not None), True)


def _writes_ascii(text: bytes) -> bool | None:
    """The same of one text; None where it has no such letters."""
    text = text[:_SAMPLE]
    if not text.isascii():
        return False
    return True if _ESCAPED_LETTER.search(text) else None


class _Habits(Struct, frozen=True):
    """What a whole text shows; many edits of one text ask for it."""

    comma: bytes | None
    colon: bytes | None
    unit: str
    newline: str
    ascii_only: bool


@lru_cache(maxsize=4)
def _habits(text: bytes) -> _Habits:
    indent = _INDENT.search(text)
    return _Habits(
        _first(_COMMA, text, _on_one_line),
        _first(_COLON, text),
        indent[1].decode("ascii") if indent else "",
        "\r\n" if b"\r\n" in text else "\n",
        writes_ascii(text),
    )


def _on_one_line(space: bytes) -> bool:
    return b"\n" not in space


def _first(pattern: re.Pattern[bytes], data: bytes, accept: Any = None) -> bytes | None:
    """The first group of the first match that has one."""
    for match in islice(pattern.finditer(data), _SEEN):
        found: bytes | None = match[1]
        if found is not None and (accept is None or accept(found)):
            return found
    return None


def line_indent(data: bytes, offset: int) -> bytes:
    """The white space that the line of an offset begins with."""
    start = data.rfind(b"\n", 0, offset) + 1
    line = data[start:offset]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def begins_line(data: bytes, offset: int) -> bool:
    """Whether nothing but white space stands before an offset on its line."""
    start = data.rfind(b"\n", 0, offset) + 1
    return not data[start:offset].strip(b" \t")


def reindented(raw: bytes, old: bytes, new: bytes) -> bytes:
    """A piece of text whose further lines are indented by `new` where they were by `old`."""
    if old == new or b"\n" not in raw:
        return raw
    first, *lines = raw.split(b"\n")
    return b"\n".join((first, *(new + line[len(old) :] if line.startswith(old) else line for line in lines)))


def json_escaped(text: bytes, *, ascii_only: bool) -> bytes:
    """A text as the inside of a JSON string."""
    escaped = json.dumps(text.decode("utf-8", "surrogatepass"), ensure_ascii=ascii_only)[1:-1]
    return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped).encode()
