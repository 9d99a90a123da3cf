"""From JSON pointers to the bytes behind them.

One pass over the text, descending only where a wanted pointer leads and stepping over everything else with one
regular expression a bracket.  Nothing is decoded but keys on the way and strings that are walked into: a
pointer walks through a string that holds JSON as if it were parsed, and the offsets come back through the
escapes to the bytes of the file.  What does not parse is read as far as it makes sense; nothing here raises.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct, field

from turnlint.source.pointer import index, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_Values = TypeVar("_Values", list[msgspec.Raw], dict[str, msgspec.Raw])

Piece = tuple[int, int, bytes]
"""Of an encoded text: from, to, and the bytes that stand there in the decoded text."""

MAX_LAYERS: Final = 64
"""Strings inside strings that a pointer is followed through."""

_LARGE: Final = 4096  # bytes, from which on it pays to let the fast decoder cut a container up
_RAW_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_DELIMITERS: Final = frozenset((b",", b"}", b" ", b"\n", b"\r", b"\t"))
_unescape = json.JSONDecoder(strict=False).decode

_SPACE = re.compile(rb"[ \t\n\r]*+")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^,\]}\s]*+")
# To the next bracket, over strings and everything between them.
_TO_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
_SEPARATORS = re.compile(rb"[ \t\n\r,]*+")
_ESCAPES = re.compile(
    rb"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_ESCAPED: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class Span(Struct, frozen=True):
    """The bytes of a value, and of its key where it is a member of an object; ends are exclusive."""

    start: int
    end: int
    key_start: int | None = None
    key_end: int | None = None


class Layer(Struct):
    """A text to scan: the document itself, or the decoded content of a string in another layer.

    `inner` and `outer` are the breakpoints of the way back: from each offset in `inner` on, the text runs
    byte for byte with its parent's from the offset in `outer` on, up to the next breakpoint.
    """

    data: bytes
    parent: Layer | None = None
    inner: list[int] = field(default_factory=lambda: [0])
    outer: list[int] = field(default_factory=lambda: [0])
    depth: int = 0
    style: str = "json"
    """How the parent spells this text: as a JSON string, or as one of the scalar styles of YAML."""

    def to_parent(self, offset: int) -> int:
        """The offset in the parent's text of an offset in this one."""
        at = bisect_right(self.inner, offset) - 1
        return self.outer[at] + offset - self.inner[at]

    def to_file(self, offset: int) -> int:
        """The offset in the outermost text."""
        layer = self
        while layer.parent is not None:
            offset = layer.to_parent(offset)
            layer = layer.parent
        return offset


class Wanted(Struct):
    """A step on the way of at least one wanted pointer, and where it was found."""

    children: dict[str, Wanted] = field(default_factory=dict)
    layer: Layer | None = None
    """The text it was found in; None until then."""
    start: int = 0
    end: int = 0
    key_start: int | None = None
    key_end: int | None = None
    style: str = "json"
    """How YAML spells it: plain, single, double, literal, folded, alias, flow, block; ``json`` in JSON."""
    content: int = -1
    """In YAML, where it begins behind its anchor and tag; -1 if these make it something else than they hold."""
    inner: Wanted | None = None
    """The root of the JSON in it, where it is a string that has been walked into."""

    def forget(self) -> None:
        """Take back what was found in here: a later duplicate of the key counts instead."""
        pending = [self]
        while pending:
            node = pending.pop()
            if node.layer is not None:
                node.layer = node.inner = None
                pending.extend(node.children.values())

    def span(self) -> Span:
        """Where it stands in the outermost text; only for a node that was found."""
        assert self.layer is not None
        to_file = self.layer.to_file
        if self.key_start is None or self.key_end is None:
            return Span(to_file(self.start), to_file(self.end))
        return Span(to_file(self.start), to_file(self.end), to_file(self.key_start), to_file(self.key_end))


def locate(data: bytes, pointers: Iterable[str]) -> dict[str, Span]:
    """The span behind every pointer, in byte offsets into `data`.

    A pointer whose tail does not exist gets the span of its deepest ancestor that does.  Of a key that stands
    twice in an object the last one counts, as for decoders.
    """
    wanted = list(pointers)
    root = wanted_tree(wanted)
    scan_json(Layer(data), root)
    return {pointer: find(root, pointer)[0].span() for pointer in wanted}


def locate_yaml(data: bytes, pointers: Iterable[str]) -> dict[str, Span]:
    """As `locate`, for a YAML document; JSON in its strings is walked into where their style allows it.

    Nothing below an alias, a folded or a tagged scalar has a place of its own.
    """
    from turnlint.source.yamltext import scan_yaml

    wanted = list(pointers)
    root = wanted_tree(wanted)
    scan_yaml(Layer(data), root)
    return {pointer: find(root, pointer)[0].span() for pointer in wanted}


def wanted_tree(wanted: Iterable[str]) -> Wanted:
    """The tree of all steps of some pointers."""
    root = Wanted()
    for pointer in wanted:
        node = root
        for token in split(pointer):
            node = node.children.setdefault(token, Wanted())
    return root


def find(root: Wanted, pointer: str) -> tuple[Wanted, bool]:
    """The deepest node found on the way of a pointer, and whether that is the pointer's own."""
    node = root
    for token in split(pointer):
        child = node.children.get(token)
        if child is None or child.layer is None:
            return node, False
        node = child
    return node, True


def scan_json(layer: Layer, root: Wanted) -> None:
    """Find the steps below `root` in the JSON text of a layer, and note the root's own place there."""
    data = layer.data
    pos = _skip_space(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    known_end = len(data)  # of the value at `pos`, -1 where nobody knows it yet; space may follow the root
    stack: list[_Open] = []
    node = root
    while True:
        node.layer, node.start = layer, pos
        char = data[pos : pos + 1]
        if node.children and char in (b"{", b"["):
            stack.append(_Open(node, data, pos, known_end, is_object=char == b"{"))
            pos += 1
        else:
            node.end = pos = known_end if stack and known_end >= 0 else skip_value(data, pos)
            if node.children and char == b'"':
                _walk_into(layer, node)
        while stack:
            child, pos, known_end = stack[-1].advance(pos)
            if child is not None:
                node = child
                break
            stack.pop().node.end = pos
        else:
            return


class _Open:
    """A list or object that a wanted pointer leads into, while it is being read."""

    __slots__ = (
        "_children",
        "_data",
        "_end",
        "_index",
        "_items",
        "_last",
        "_raw_items",
        "_raw_members",
        "advance",
        "node",
    )

    def __init__(self, node: Wanted, data: bytes, start: int, end: int, *, is_object: bool) -> None:
        self.node = node
        self._data = data
        self._children = node.children
        self._index = 0
        self._items: dict[int, Wanted] = {}
        self._raw_items: list[msgspec.Raw] = []
        self._raw_members: dict[str, msgspec.Raw] = {}
        self._end = -1
        large = end - start >= _LARGE
        # `advance(pos)`: from behind the opening bracket or behind the last value to the next wanted child, the
        # offset of its value, and that of its end where it is known.  At the end None and the offset behind the
        # container.  Where the text is not JSON the container ends with the text.
        self.advance: Callable[[int], tuple[Wanted | None, int, int]]
        if is_object:
            self.advance = self._next_member
            if large:
                self._raw_members = _raw_values(data, start, end, _RAW_MEMBERS) or {}
        else:
            self.advance = self._next_item
            indexes = ((index(token), child) for token, child in node.children.items())
            self._items = {at: child for at, child in indexes if at is not None}
            if large and self._items:
                self._raw_items = _raw_values(data, start, end, _RAW_ITEMS) or []
                if self._raw_items:
                    self._end = start + len(data[start:end].rstrip(b" \t\r\n"))
        self._last = max(self._items, default=-1)

    def _next_member(self, pos: int) -> tuple[Wanted | None, int, int]:
        data = self._data
        while True:
            start = _skip_separators(data, pos)
            key = _STRING.match(data, start)
            if key is None:
                return None, start + 1 if data[start : start + 1] == b"}" else len(data), -1
            colon = _skip_space(data, key.end())
            if data[colon : colon + 1] != b":":
                return None, len(data), -1
            pos = _skip_space(data, colon + 1)
            name = _key_text(key.group())
            # The decoder's raw value is that of the last member of this name.  Where its bytes stand here, a
            # delimiter behind them, it is this member's: no JSON value is the beginning of another.
            raw = self._raw_members.get(name)
            end = -1
            if raw is not None and data.startswith(raw_bytes := bytes(raw), pos):
                behind = pos + len(raw_bytes)
                if data[behind : behind + 1] in _DELIMITERS:
                    end = behind
            child = self._children.get(name)
            if child is not None:
                child.forget()
                child.key_start, child.key_end = key.span()
                return child, pos, end
            pos = end if end >= 0 else skip_value(data, pos)

    def _next_item(self, pos: int) -> tuple[Wanted | None, int, int]:
        data, items, raws = self._data, self._items, self._raw_items
        while self._index <= self._last:
            pos = _skip_separators(data, pos)
            char = data[pos : pos + 1]
            if char == b"]":
                return None, pos + 1, -1
            if char in (b"", b"}"):
                return None, len(data), -1
            at = self._index
            self._index += 1
            end = pos + len(memoryview(raws[at])) if at < len(raws) else -1
            child = items.get(at)
            if child is not None:
                return child, pos, end
            pos = end if end >= 0 else skip_value(data, pos)
        return None, self._end if self._end >= 0 else _skip_to_close(data, pos), -1


def _raw_values(data: bytes, start: int, end: int, decoder: msgspec.json.Decoder[_Values]) -> _Values | None:
    """The undecoded values of a large container, cut out by the fast decoder; None where that refuses the text."""
    try:
        return decoder.decode(memoryview(data)[start:end])
    except (ValueError, RecursionError):
        return None


def skip_value(data: bytes, pos: int) -> int:
    """The offset behind the value that begins at `pos`; the end of the text if the value does not end."""
    char = data[pos : pos + 1]
    if char == b'"':
        string = _STRING.match(data, pos)
        return string.end() if string else len(data)
    if char in (b"{", b"["):
        return _skip_to_close(data, pos + 1)
    return _SCALAR.match(data, pos).end()  # type: ignore[union-attr] # it matches the empty text


class Entry(Struct, frozen=True):
    """An item of a list, or a member of an object with its key."""

    start: int
    end: int
    value: int
    """Offset of the value; `start` in a list."""
    key: str | None = None


def entries(data: bytes, start: int) -> tuple[list[Entry], int]:
    """The entries of the JSON list or object that begins at `start`, and the offset of its closing bracket."""
    is_object = data[start : start + 1] == b"{"
    found: list[Entry] = []
    pos = _skip_separators(data, start + 1)
    while data[pos : pos + 1] not in (b"}", b"]", b""):
        key = _STRING.match(data, pos) if is_object else None
        value = _skip_space(data, _skip_space(data, key.end()) + 1) if key else pos
        end = skip_value(data, value)
        found.append(Entry(pos, end, value, _key_text(key.group()) if key else None))
        pos = _skip_separators(data, max(end, pos + 1))
    return found, pos


def _skip_to_close(data: bytes, pos: int) -> int:
    """The offset behind the bracket that closes what is open at `pos`."""
    size, to_bracket = len(data), _TO_BRACKET.match
    depth = 1
    while depth:
        pos = to_bracket(data, pos).end()  # type: ignore[union-attr] # it matches the empty text
        if pos == size:
            return size
        code = data[pos]
        if code in b"{[":
            depth += 1
        elif code in b"}]":
            depth -= 1
        else:  # the quote of a string that does not end
            return size
        pos += 1
    return pos


def _skip_space(data: bytes, pos: int) -> int:
    return _SPACE.match(data, pos).end()  # type: ignore[union-attr] # it matches the empty text


def _skip_separators(data: bytes, pos: int) -> int:
    return _SEPARATORS.match(data, pos).end()  # type: ignore[union-attr] # it matches the empty text


def _key_text(raw: bytes) -> str:
    """The text of a key, given with its quotes."""
    text = raw.decode("utf-8", "replace")
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(_unescape(text))
    except ValueError:  # an escape that JSON does not know
        return text[1:-1]


def _walk_into(layer: Layer, node: Wanted) -> None:
    """Find the steps below a string in the JSON that it holds."""
    if layer.depth >= MAX_LAYERS or node.end - node.start < len('""'):
        return
    node.inner = Wanted(node.children)
    scan_json(string_layer(layer, node.start, node.end), node.inner)


def string_layer(parent: Layer, start: int, end: int) -> Layer:
    """The decoded content of a JSON string in `parent`, with the way back; the span includes the quotes."""
    return build_layer(parent, start + 1, end - 1, _string_escapes(parent.data[start + 1 : end - 1]), "json")


def _string_escapes(raw: bytes) -> Iterator[Piece]:
    for match in _ESCAPES.finditer(raw):
        high, low, code, char = match.groups()
        if high:
            text = chr(0x10000 + ((int(high, 16) & 0x3FF) << 10 | int(low, 16) & 0x3FF)).encode()
        elif code:
            text = chr(int(code, 16)).encode("utf-8", "surrogatepass")
        else:
            text = _ESCAPED.get(char, char)
        yield *match.span(), text


def build_layer(parent: Layer, start: int, end: int, pieces: Iterable[Piece], style: str) -> Layer:
    """The text between two offsets of `parent` with some pieces of it, in order, standing for other text."""
    raw = parent.data[start:end]
    layer = Layer(b"", parent, [0], [start], parent.depth + 1, style)
    texts: list[bytes] = []
    last = size = 0
    for begin, stop, text in pieces:
        texts += (raw[last:begin], text)
        size += begin - last + len(text)
        last = stop
        layer.inner.append(size)
        layer.outer.append(start + stop)
    texts.append(raw[last:])
    layer.data = b"".join(texts)
    return layer
