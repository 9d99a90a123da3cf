"""A scanner of JSON for what the fast decoder refuses: slower, without recursion, in plain words for what it meets.

It reads on where reading on is safe, and says what is wrong and where.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from msgspec import Struct, field

from turnlint.source import pointer as pointers
from turnlint.source.decode import MAX_DEPTH, fast_decode
from turnlint.source.document import MISSING, Fault, FaultKind
from turnlint.source.pointer import join
from turnlint.source.scan import skip_value

_MAX_DIGITS: Final = 4_300  # of an integer: Python's own bound, and so that of every decoder in Python
_MAX_FAULTS: Final = 200  # of one document: a file of NaN has no need of a fault for each
_MAX_NAMED_DEPTH: Final = 100  # up to which a fault carries a pointer
_QUICK_DEPTH: Final = 4
_QUOTED: Final = 30  # bytes of the content that a message may show

_unescape = json.JSONDecoder(strict=False).decode

_SPACE = re.compile(rb"[ \t\n\r]*+")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_WORD = re.compile(rb"[^\s,:\[\]{}\"]*+")
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?\Z")
_CUT_WORD = re.compile(rb"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-?(?:[0-9]++(?:\.(?:[0-9]++[eE][+-]?)?|[eE][+-]?))?)\Z")
_NOT_PLAIN = re.compile(rb"[^\x20-\x5b\x5d-\x7f]")
_CONTROLS = re.compile(rb"[\x00-\x1f]")
_GOOD_ESCAPES = re.compile(rb'(?:[^\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_ESCAPES = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")

_WORDS: Final = {b"null": None, b"true": True, b"false": False}
_NON_FINITE: Final = {b"NaN": math.nan, b"Infinity": math.inf, b"-Infinity": -math.inf}
_FOREIGN: Final = {
    b"None": "None is Python; JSON writes null",
    b"True": "True is Python; JSON writes true",
    b"False": "False is Python; JSON writes false",
    b"undefined": "undefined is JavaScript; JSON has no such value",
    b"nan": "nan is no JSON value",
    b"inf": "inf is no JSON value",
}


class Outcome(Struct):
    """What the scanner made of a text."""

    value: Any
    """`MISSING` where it could not be read."""
    faults: list[Fault] = field(default_factory=list)
    end: int = 0
    """Offset behind the value, or where reading stopped."""
    cut: bool = False
    """Whether the text ends before the value does."""


def scan(data: bytes, start: int = 0, *, whole: bool = True, duplicates: bool = False) -> Outcome:
    """Read one value from `start` with the strict scanner.

    With `whole`, text behind the value is a fault; without, `Outcome.end` says where the value ends.  With
    `duplicates`, keys that an object has twice are faults too.
    """
    scanner = _Scanner(data, duplicates=duplicates)
    try:
        value, end = scanner.value(start)
    except _Stop as stop:
        scanner.faults.append(stop.fault)
        return Outcome(MISSING, scanner.faults, stop.fault.start, cut=stop.cut)
    if whole:
        scanner.expect_end(end)
    return Outcome(value, scanner.faults, end)


def find_duplicate_keys(data: bytes) -> list[Fault]:
    """Every key that stands a second time in its object, at its second place; nothing where the text is no JSON."""
    return [fault for fault in scan(data, duplicates=True).faults if fault.kind == "duplicate-key"]


class _Stop(Exception):  # noqa: N818 - it carries a fault, it is no error of the program
    """Reading cannot go on."""

    def __init__(self, fault: Fault, *, cut: bool = False) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.cut = cut


class _Scanner:
    """One pass over a text, with the open lists and objects on a stack of its own."""

    __slots__ = ("_containers", "_data", "_duplicates", "_in_key", "_keys", "faults")

    def __init__(self, data: bytes, *, duplicates: bool) -> None:
        self._data = data
        self._duplicates = duplicates
        self._containers: list[Any] = []
        self._keys: list[str] = []  # of every open container the key being read; unused for a list
        self._in_key = False
        self.faults: list[Fault] = []

    # Structure

    def value(self, start: int) -> tuple[Any, int]:
        """The value that begins at or behind `start`, and the offset of its end."""
        data, containers, keys = self._data, self._containers, self._keys
        pos = start + 3 if data.startswith(b"\xef\xbb\xbf", start) else start
        while True:
            pos = self._skip_space(pos)
            char = data[pos : pos + 1]
            if char == b'"':
                value, pos = self._string(pos)
            elif char in (b"{", b"["):
                opened: Any = {} if char == b"{" else []
                inside = self._skip_space(pos + 1)
                if data[inside : inside + 1] == (b"}" if char == b"{" else b"]"):
                    value, pos = opened, inside + 1
                elif quick := self._quick(pos):
                    value, pos = quick
                else:
                    if len(containers) >= MAX_DEPTH:
                        raise self._stop(f"lists and objects are nested deeper than {MAX_DEPTH:,} levels", pos, pos + 1)
                    containers.append(opened)
                    keys.append("")
                    pos = self._key(inside) if char == b"{" else inside
                    continue
            else:
                value, pos = self._scalar(pos)
            # A value is complete: put it where it belongs, and close every container that ends here.
            while containers:
                top = containers[-1]
                is_object = type(top) is dict
                if is_object:
                    top[keys[-1]] = value
                else:
                    top.append(value)
                pos = self._skip_space(pos)
                char = data[pos : pos + 1]
                if char == b",":
                    pos = self._behind_comma(pos, is_object=is_object)
                    break
                if char != (b"}" if is_object else b"]"):
                    raise self._bad_separator(pos, is_object=is_object)
                value = containers.pop()
                keys.pop()
                pos += 1
            else:
                return value, pos

    def _quick(self, pos: int) -> tuple[Any, int] | None:
        """The container at `pos` and its end by the fast decoder; None where that refuses it too.

        One bad character in a large file would otherwise make all of it slow.  Only near the root: deeper down
        it is not worth it, and every level would read the same bytes again.
        """
        if self._duplicates or len(self._containers) > _QUICK_DEPTH:
            return None
        end = skip_value(self._data, pos)
        try:
            return fast_decode(memoryview(self._data)[pos:end]), end
        except (ValueError, RecursionError):
            return None

    def expect_end(self, pos: int) -> None:
        """Note what stands behind the value, if anything does."""
        pos = self._skip_space(pos)
        rest = len(self._data)
        if pos == rest:
            return
        if not self._data[pos:].strip(b"\x00 \t\r\n"):
            self._note("torn", f"{rest - pos} NUL bytes stand behind the value", pos, rest)
            return
        what = "another value" if self._data[pos : pos + 1] in (b"{", b"[", b'"') else "more text"
        if self._data[pos : pos + 1] in (b"}", b"]"):
            what = f"a closing {self._data[pos : pos + 1].decode()} that nothing opened"
        self._note("syntax", f"{what} stands behind the end of the value", pos, rest)

    def _key(self, pos: int) -> int:
        """Read a key and its colon into the stack; returns the offset of what follows."""
        data = self._data
        if data[pos : pos + 1] != b'"':
            raise self._bad_key(pos)
        self._in_key = True
        key, end = self._string(pos)
        self._in_key = False
        is_second = self._duplicates and key in self._containers[-1]
        self._keys[-1] = key
        if is_second:
            self._note("duplicate-key", f"the key {_shown(key)} stands twice in one object", pos, end, self._here())
        pos = self._skip_space(end)
        if data[pos : pos + 1] != b":":
            if pos >= len(data):
                raise self._cut("after a key", pos)
            raise self._stop(f"a colon is missing between a key and its value; found {self._found(pos)}", pos, pos + 1)
        return pos + 1

    def _behind_comma(self, comma: int, *, is_object: bool) -> int:
        pos = self._skip_space(comma + 1)
        char = self._data[pos : pos + 1]
        if char in (b"}", b"]"):
            raise self._stop(f"a comma stands before the closing {char.decode()}", comma, comma + 1)
        return self._key(pos) if is_object else pos

    def _skip_space(self, pos: int) -> int:
        match = _SPACE.match(self._data, pos)
        return match.end() if match else pos

    # Scalars

    def _string(self, start: int) -> tuple[str, int]:
        match = _STRING.match(self._data, start)
        if match is None:
            raise self._cut("inside a key" if self._in_key else "inside a string", len(self._data), in_string=True)
        end = match.end()
        raw = self._data[start + 1 : end - 1]
        if not _NOT_PLAIN.search(raw):
            return raw.decode("ascii"), end
        self._note_controls(raw, start + 1)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            at = start + 1 + error.start
            self._note(
                "encoding", f"byte 0x{raw[error.start]:02x} is not UTF-8", at, start + 1 + error.end, self._here()
            )
            text = raw.decode("utf-8", "replace")
        if b"\\" not in raw:
            return text, end
        good = _GOOD_ESCAPES.match(raw)
        if good is not None and good.end() < len(raw):
            bad = start + 1 + good.end()
            raise self._stop(f"{self._found(bad, 2)} is no escape that JSON knows", bad, bad + 2)
        text = _unescape(f'"{text}"')
        if _SURROGATE.search(text):
            self._note_surrogates(raw, start + 1)
        return text, end

    def _note_controls(self, raw: bytes, offset: int) -> None:
        match = _CONTROLS.search(raw)
        if match is None:
            return
        at, code = offset + match.start(), match.group()[0]
        if code == 0:
            self._note("torn", "a NUL byte stands in a string", at, at + 1, self._here())
        elif code in b"\r\n":
            self._note("torn", "a line ends inside a string; JSON writes \\n", at, at + 1, self._here())
        else:
            name = "a tab" if code == 9 else f"control character 0x{code:02x}"
            self._note("syntax", f"{name} stands in a string without an escape", at, at + 1, self._here())

    def _note_surrogates(self, raw: bytes, offset: int) -> None:
        high: tuple[int, int] | None = None  # the span of a first half that still waits for its second
        for match in _ESCAPES.finditer(raw):
            code = int(match[1], 16) if match[1] else 0
            if high and not (0xDC00 <= code <= 0xDFFF and high[1] == match.start()):
                self._note_surrogate(high, offset)
            elif not high and 0xDC00 <= code <= 0xDFFF:
                self._note_surrogate(match.span(), offset)
            high = match.span() if 0xD800 <= code <= 0xDBFF else None
            if len(self.faults) >= _MAX_FAULTS:
                return
        if high:
            self._note_surrogate(high, offset)

    def _note_surrogate(self, span: tuple[int, int], offset: int) -> None:
        start, end = offset + span[0], offset + span[1]
        message = f"{self._found(start, 6)} is half of a surrogate pair: no character, and not to be written as UTF-8"
        self._note("unicode", message, start, end, self._here())

    def _scalar(self, pos: int) -> tuple[Any, int]:
        match = _WORD.match(self._data, pos)
        word = match.group() if match else b""
        if word in _WORDS:
            return _WORDS[word], pos + len(word)
        end = pos + len(word)
        if word in _NON_FINITE:
            self._note("non-finite", f"{word.decode()} is no JSON value", pos, end, self._here())
            return _NON_FINITE[word], end
        number = _NUMBER.match(word)
        if number is None:
            raise self._bad_value(pos, word)
        if number[1] or number[2]:
            value = float(word)
            if math.isinf(value):
                self._note("non-finite", "the number is larger than a double can hold", pos, end, self._here())
            return value, end
        digits = len(word.lstrip(b"-"))
        if digits > _MAX_DIGITS:
            self._note("non-finite", f"an integer of {digits:,} digits, which decoders refuse", pos, end, self._here())
            return float(word), end
        return int(word), end

    # Words

    def _bad_value(self, pos: int, word: bytes) -> _Stop:
        if pos >= len(self._data):
            return self._cut(self._inside(), pos)
        end = pos + max(1, len(word))
        if word and end == len(self._data) and _CUT_WORD.match(word):
            return self._cut("inside a value", end)
        if word[:1] == b"\x00":
            return self._stop("a NUL byte stands where a value is expected", pos, pos + 1, kind="torn")
        if word in _FOREIGN:
            return self._stop(_FOREIGN[word], pos, end)
        char = self._data[pos : pos + 1]
        if char in (b"'", b"`"):
            return self._stop("a string in other than double quotes", pos, pos + 1)
        if char == b"#" or self._data[pos : pos + 2] in (b"//", b"/*"):
            return self._stop("a comment, which JSON does not have", pos, pos + 1)
        if char.isdigit() or char in (b"-", b"+", b"."):
            return self._stop(f"{_shown_bytes(word)} is no JSON number", pos, end)
        return self._stop(f"a value is expected, found {self._found(pos)}", pos, end)

    def _bad_key(self, pos: int) -> _Stop:
        data = self._data
        char = data[pos : pos + 1]
        if pos >= len(data):
            return self._cut("inside an object", pos)
        if char in (b"'", b"`"):
            return self._stop("a key in other than double quotes", pos, pos + 1)
        if char == b"#" or data[pos : pos + 2] in (b"//", b"/*"):
            return self._stop("a comment, which JSON does not have", pos, pos + 1)
        if char == b",":
            return self._stop("a comma with no member before it", pos, pos + 1)
        if char.isalnum() or char in (b"_", b"$"):
            return self._stop(f"a key without quotes: {self._found(pos)}", pos, pos + 1)
        return self._stop(f"a key in double quotes is expected, found {self._found(pos)}", pos, pos + 1)

    def _bad_separator(self, pos: int, *, is_object: bool) -> _Stop:
        data = self._data
        char = data[pos : pos + 1]
        if pos >= len(data):
            return self._cut(self._inside(), pos)
        if char == b"\x00":
            return self._stop("a NUL byte stands between two values", pos, pos + 1, kind="torn")
        if char in (b"}", b"]"):
            return self._stop(f"{'an object' if is_object else 'a list'} is closed by {char.decode()}", pos, pos + 1)
        if char == b"#" or data[pos : pos + 2] in (b"//", b"/*"):
            return self._stop("a comment, which JSON does not have", pos, pos + 1)
        between = "members of an object" if is_object else "items of a list"
        if char == b'"' or char in b"{[-tfn" or char.isdigit():
            return self._stop(f"a comma is missing between two {between}", pos, pos + 1)
        closing = "}" if is_object else "]"
        return self._stop(f"a comma or {closing} is expected, found {self._found(pos)}", pos, pos + 1)

    def _inside(self) -> str:
        if not self._containers:
            return "before any value"
        return "inside an object" if type(self._containers[-1]) is dict else "inside a list"

    def _cut(self, where: str, pos: int, *, in_string: bool = False) -> _Stop:
        pos = len(self._data.rstrip(b" \t\r\n")) if not in_string else pos
        fault = Fault("syntax", f"the text ends {where}", pos, pos, fatal=True)
        return _Stop(fault, cut=True)

    def _stop(self, message: str, start: int, end: int, *, kind: FaultKind = "syntax") -> _Stop:
        return _Stop(Fault(kind, message, start, min(end, len(self._data)), fatal=True))

    def _note(self, kind: FaultKind, message: str, start: int, end: int, pointer: str | None = None) -> None:
        if len(self.faults) < _MAX_FAULTS:
            self.faults.append(Fault(kind, message, start, end, pointer))

    def _found(self, pos: int, length: int = 1) -> str:
        """What stands at an offset, short."""
        if pos >= len(self._data):
            return "the end of the text"
        if length == 1 and self._data[pos] >= 0x80:
            length = 4
        return _shown_bytes(self._data[pos : pos + length], 1 if length == 4 else length)

    def _here(self) -> str | None:
        """The pointer of the value being read, for a key that of its object; None for one too deep to be named."""
        return self._pointer() if len(self._containers) <= _MAX_NAMED_DEPTH else None

    def _pointer(self) -> str:
        depth = len(self._containers) - self._in_key
        return pointers.join(
            key if type(container) is dict else len(container)
            for container, key in zip(self._containers[:depth], self._keys[:depth], strict=True)
        )


def _shown_bytes(raw: bytes, characters: int = _QUOTED) -> str:
    return _shown(raw[: 4 * characters].decode("utf-8", "replace")[:characters])


def _shown(text: str) -> str:
    """A piece of the content for a message: short, in quotes, with nothing that a terminal would act on."""
    short = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
    return "'" + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short) + "'"


def unicode_faults(value: Any) -> tuple[Fault, ...]:
    """Faults of kind ``unicode`` for the texts of a decoded value that hold half of a surrogate pair, at most 100."""
    found: list[Fault] = []
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting and len(found) < 100:
        pointer, item = waiting.pop()
        if isinstance(item, str):
            if _HALF.search(item):
                found.append(Fault("unicode", "half of a surrogate pair: no such character exists", 0, 0, pointer))
        elif isinstance(item, dict):
            waiting.extend((pointer + join([str(key)]), member) for key, member in reversed(item.items()))
        elif isinstance(item, list):
            waiting.extend((f"{pointer}/{number}", member) for number, member in reversed(list(enumerate(item))))
    return tuple(found)


_HALF = re.compile("[\ud800-\udfff]")
