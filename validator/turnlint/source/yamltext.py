"""YAML: values without surprises, and the bytes behind a pointer.

Both work on the parser's events, with a stack of their own.  Tags never build anything but plain values: an
unknown one is passed over, a date stays text, and keys are text as they are spelled.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from turnlint.source.decode import MAX_DEPTH
from turnlint.source.document import MISSING, Document, Fault, FaultKind
from turnlint.source.scan import MAX_LAYERS, Layer, Wanted, build_layer, scan_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.source.scan import Piece

MAX_BYTES: Final = 64 << 20
"""Of a YAML document: reading it takes a second for a few megabytes, and many times its size in memory."""
MAX_ALIASED: Final = 1_000_000
"""Values that the aliases of a document may stand for, all counted: a few lines can make billions of them."""

_TAG: Final = "tag:yaml.org,2002:"
_MAX_DIGITS: Final = 4_300  # of an integer: Python's own bound
_MAX_SEXAGESIMAL: Final = 100  # characters of a number such as 1:30:00, whose value grows with its length
_START = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_SIMPLE_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z", re.ASCII)
_PROPERTIES = re.compile(rb"(?:[&!]\S*\s+)*+")
_STYLES: Final = {'"': "double", "'": "single", "|": "literal", ">": "folded"}


class _Stop(Exception):  # noqa: N818 - it carries a fault, it is no error of the program
    """Reading cannot go on."""

    def __init__(self, message: str, mark: Any, kind: FaultKind = "syntax") -> None:
        super().__init__(message)
        self.mark = mark
        self.kind = kind


# Values


def read_yaml(text: bytes) -> Iterator[Document]:
    """The documents of a YAML text, each from its ``---`` to the next."""
    starts = [match.start() for match in _START.finditer(text)]
    # What stands before the first mark belongs to it if it is no document: comments, directives.
    if not starts or _has_content(text[: starts[0]]):
        starts.insert(0, 0)
    else:
        starts[0] = 0
    number = counted = 0
    line = 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count(b"\n", counted, start)
        counted = start
        data = text[start:end]
        if len(starts) > 1 and not _has_content(data):
            continue
        value, faults = decode_yaml(data)
        yield Document(value, data, number, line, start, faults, format="yaml")
        number += 1


def _has_content(data: bytes) -> bool:
    lines = (line.strip() for line in data.removeprefix(b"---").split(b"\n"))
    return any(line and line != b"..." and not line.startswith((b"#", b"%")) for line in lines)


def decode_yaml(data: bytes) -> tuple[Any, tuple[Fault, ...]]:
    """The value of one YAML document and the faults of its text; never raises."""
    if len(data) > MAX_BYTES:
        return MISSING, (Fault("unreadable", f"YAML of more than {MAX_BYTES >> 20} MB", fatal=True),)
    from yaml import MarkedYAMLError, YAMLError

    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return MISSING, (Fault("encoding", message, error.start, error.end, fatal=True),)
    try:
        return _Builder().build(_events(data)), ()
    except _Stop as stop:
        return MISSING, (_fault(data, stop.kind, str(stop), stop.mark),)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return MISSING, (_fault(data, "syntax", f"no YAML: {_shortened(error.problem or error.context)}", mark),)
    except (YAMLError, ValueError) as error:
        reason = getattr(error, "reason", None)
        return MISSING, (Fault("syntax", f"no YAML: {_shortened(reason)}", fatal=True),)


def _shortened(reason: str | None) -> str:
    words = " ".join((reason or "it cannot be parsed").split())
    return "".join(char if char.isprintable() else "?" for char in words)[:120]


def _fault(data: bytes, kind: FaultKind, message: str, mark: Any) -> Fault:
    at = _Offsets(data).byte(mark.index) if mark is not None else 0
    return Fault(kind, message, at, min(at + 1, len(data)), fatal=True)


def _events(data: bytes) -> Iterator[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(data, Loader=loader)


class _Anchored(Struct):
    """What an anchor names."""

    value: Any
    key: str | None
    """As the key of a mapping; None for a list or mapping."""
    size: int = 1
    """How many values it is, all counted, aliases followed."""
    complete: bool = True


class _Frame(Struct):
    """An open list or mapping."""

    container: Any
    anchored: _Anchored
    key: str | None = None
    merging: bool = False
    merged: list[Any] = field(default_factory=list)


class _Builder:
    """Events to one value."""

    def __init__(self) -> None:
        self._anchors: dict[str, _Anchored] = {}
        self._frames: list[_Frame] = []
        self._aliased = 0
        self._root: Any = None

    def build(self, events: Iterable[Any]) -> Any:
        documents = 0
        for event in events:
            kind = type(event).__name__
            if kind == "ScalarEvent":
                value = _scalar(event)
                self._add(self._anchor(event, _Anchored(value, event.value)), event)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                if len(self._frames) >= MAX_DEPTH:
                    raise _Stop(f"lists and mappings are nested deeper than {MAX_DEPTH:,} levels", event.start_mark)
                opened: Any = {} if kind == "MappingStartEvent" else []
                anchored = self._anchor(event, _Anchored(opened, None, complete=False))
                self._frames.append(_Frame(opened, anchored))
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                frame = self._frames.pop()
                self._merge(frame)
                frame.anchored.complete = True
                self._add(frame.anchored, event)
            elif kind == "AliasEvent":
                self._add(self._alias(event), event)
            elif kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise _Stop("another document begins without ---", event.start_mark)
        return self._root

    def _anchor(self, event: Any, anchored: _Anchored) -> _Anchored:
        if event.anchor is not None:
            self._anchors[event.anchor] = anchored
        return anchored

    def _alias(self, event: Any) -> _Anchored:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            raise _Stop("an alias names an anchor that is not there", event.start_mark)
        if not anchored.complete:
            raise _Stop("an alias stands inside what it names", event.start_mark)
        self._aliased += anchored.size
        if self._aliased > MAX_ALIASED:
            message = f"the aliases stand for more than {MAX_ALIASED:,} values"
            raise _Stop(message, event.start_mark, "unreadable")
        return anchored

    def _add(self, anchored: _Anchored, event: Any) -> None:
        """Put a complete value where it belongs."""
        if not self._frames:
            self._root = anchored.value
            return
        frame = self._frames[-1]
        frame.anchored.size += anchored.size
        if type(frame.container) is list:
            frame.container.append(anchored.value)
        elif frame.merging:
            frame.merging = False
            sources = anchored.value if type(anchored.value) is list else [anchored.value]
            if not all(type(source) is dict for source in sources):
                raise _Stop("<< takes a mapping, or a list of mappings", event.start_mark)
            frame.merged += sources
        elif frame.key is None:
            if anchored.key is None:
                raise _Stop("a key that is a list or a mapping", event.start_mark)
            if anchored.key == "<<" and getattr(event, "implicit", (False,))[0]:
                frame.merging = True
            else:
                frame.key = anchored.key
        else:
            frame.container[frame.key] = anchored.value
            frame.key = None

    @staticmethod
    def _merge(frame: _Frame) -> None:
        """Add what << brought in; the mapping's own members win, and then the mappings named first."""
        if not frame.merged:
            return
        own = dict(frame.container)
        frame.container.clear()
        for source in reversed(frame.merged):
            frame.container.update(source)
        frame.container.update(own)


def _scalar(event: Any) -> Any:
    """The value of a scalar."""
    text: str = event.value
    tag: str | None = event.tag
    if tag is None or tag == "!":
        tag = implicit_kind(text) if event.implicit[0] else None
    elif tag == _TAG + "binary":
        try:
            return base64.b64decode(text.encode("ascii", "replace"))
        except binascii.Error:
            raise _Stop("!!binary holds no base64", event.start_mark) from None
    kind = tag.removeprefix(_TAG) if tag else "str"
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("yes", "true", "on")
        if kind == "int":
            return _integer(text)
        if kind == "float":
            return _construct("float", text)
    except (ValueError, IndexError, KeyError):
        return text  # an explicit tag on something else
    return text


def _integer(text: str) -> Any:
    if _SIMPLE_INTEGER.match(text):
        return int(text)
    if ":" in text and len(text) > _MAX_SEXAGESIMAL:
        return text
    if len(text) > _MAX_DIGITS:
        return math.inf
    return _construct("int", text)


def _construct(kind: str, text: str) -> Any:
    """A number, by the library's own reading of it."""
    from yaml.constructor import SafeConstructor
    from yaml.nodes import ScalarNode

    constructor = SafeConstructor()
    node = ScalarNode(_TAG + kind, text)
    return constructor.construct_yaml_int(node) if kind == "int" else constructor.construct_yaml_float(node)


def implicit_kind(text: str) -> str | None:
    """The tag that a plain scalar has by its looks: of a null, a bool or a number; None for text."""
    for tag, pattern in _resolvers().get(text[:1], ()):
        if pattern.match(text):
            return tag
    return None


@cache
def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """First character to the patterns for it, for the kinds of values that JSON has."""
    from yaml import SafeLoader

    kinds = {_TAG + kind for kind in ("null", "bool", "int", "float")}
    return {
        first: [(tag, pattern) for tag, pattern in known if tag in kinds]
        for first, known in SafeLoader.yaml_implicit_resolvers.items()
    }


# Places


class _Offsets:
    """Offsets in characters, as the parser counts, to offsets in bytes."""

    def __init__(self, data: bytes) -> None:
        self._text = None if data.isascii() else data.decode("utf-8", "replace")
        self._last = (0, 0)

    def byte(self, at: int) -> int:
        """Quick where the offsets asked for ascend."""
        if self._text is None:
            return at
        char, byte = self._last if self._last[0] <= at else (0, 0)
        byte += len(self._text[char:at].encode())
        self._last = (at, byte)
        return byte


def scan_yaml(layer: Layer, root: Wanted) -> None:
    """Find the steps below `root` in the YAML document of a layer, as far as it can be parsed."""
    from yaml import YAMLError

    root.layer, root.end = layer, len(layer.data)
    scanner = _PlaceScanner(layer, root)
    try:
        for event in _events(layer.data):
            scanner.take(event)
    except (YAMLError, ValueError):
        scanner.give_up()


class _Open(Struct):
    """A wanted list or mapping while it is being read."""

    node: Wanted
    is_mapping: bool
    position: int = 0
    key: Any = None
    """The event of the key whose value comes next."""


class _PlaceScanner:
    """Takes the parser's events one by one and notes where wanted values stand."""

    __slots__ = ("_last", "_layer", "_offsets", "_open", "_root", "_skipped")

    def __init__(self, layer: Layer, root: Wanted) -> None:
        self._layer = layer
        self._root: Wanted | None = root
        self._offsets = _Offsets(layer.data)
        self._open: list[_Open] = []
        self._skipped = 0  # open lists and mappings that nobody wants, inside each other
        self._last: Any = None  # the last event that ends where characters end: what a block ends with

    def take(self, event: Any) -> None:
        """Take the next event."""
        kind = type(event).__name__
        is_start = kind in ("MappingStartEvent", "SequenceStartEvent")
        is_end = kind in ("MappingEndEvent", "SequenceEndEvent")
        is_leaf = kind in ("ScalarEvent", "AliasEvent")
        if (is_leaf or is_end) and event.end_mark.index > event.start_mark.index:
            self._last = event
        if self._skipped:
            self._skipped += is_start - is_end
        elif is_end:
            node = self._open.pop().node
            node.end = max(node.start, self._end_of(self._last)) if self._last else node.start
        elif is_start or is_leaf:
            wanted = self._next_node(event)
            if wanted is not None:
                self._place(wanted, event, kind)
            elif is_start:
                self._skipped = 1

    def give_up(self) -> None:
        """The text goes on, and nobody can parse it."""
        for frame in self._open:
            frame.node.end = len(self._layer.data)

    def _next_node(self, event: Any) -> Wanted | None:
        """The step that the next value is; None for a key, and for what nobody wants."""
        if not self._open:
            root, self._root = self._root, None
            return root
        frame = self._open[-1]
        if not frame.is_mapping:
            frame.position += 1
            return frame.node.children.get(str(frame.position - 1))
        if frame.key is None:
            frame.key = event
            return None
        key, frame.key = frame.key, None
        node = frame.node.children.get(getattr(key, "value", ""))
        if node is not None:
            node.forget()
            node.key_start = self._offsets.byte(key.start_mark.index)
            node.key_end = self._end_of(key)
        return node

    def _place(self, node: Wanted, event: Any, kind: str) -> None:
        layer = self._layer
        start = self._offsets.byte(event.start_mark.index)
        node.layer, node.start, node.content = layer, start, start
        tag = getattr(event, "tag", None)
        if tag is not None or (event.anchor is not None and kind != "AliasEvent"):
            properties = _PROPERTIES.match(layer.data, start)
            assert properties is not None
            node.content = properties.end()
        if tag not in (None, "!", _TAG + "str", _TAG + "map", _TAG + "seq"):
            node.content = -1
        if kind == "AliasEvent":
            node.style, node.content, node.end = "alias", -1, self._end_of(event)
        elif kind == "ScalarEvent":
            node.style, node.end = _STYLES.get(event.style, "plain"), self._end_of(event)
            if node.children and node.content >= 0 and layer.depth < MAX_LAYERS:
                self._walk_into(node, event)
        else:
            is_flow = node.content >= 0 and layer.data[node.content : node.content + 1] in (b"[", b"{")
            node.style = "flow" if is_flow else "block"
            self._open.append(_Open(node, is_mapping=kind == "MappingStartEvent"))

    def _walk_into(self, node: Wanted, event: Any) -> None:
        """Find the steps below a string in the JSON that it holds."""
        end = self._offsets.byte(event.end_mark.index)
        inner = scalar_layer(self._layer, node.content, end, node.style, event.value)
        if inner is not None:
            node.inner = Wanted(node.children)
            scan_json(inner, node.inner)

    def _end_of(self, event: Any) -> int:
        """The end of an event's characters; a block scalar's without the empty lines behind it."""
        end = self._offsets.byte(event.end_mark.index)
        if getattr(event, "style", None) in ("|", ">"):
            start = self._offsets.byte(event.start_mark.index)
            end = start + len(self._layer.data[start:end].rstrip())
        return end


# Scalars and the text they stand for

# Besides line feeds and carriage returns: NEL, and the separators of lines and paragraphs, which stay what they are.
_BREAK: Final = rb"(?:\r\n|\n|\r|\xc2\x85|\xe2\x80[\xa8\xa9])"
_BREAKS = re.compile(_BREAK)
_LINES = re.compile(rb"(?:(?!" + _BREAK + rb").)*+" + _BREAK + rb"|.+", re.DOTALL)
_FOLD: Final = _BREAK + rb"[ \t]*+(?:" + _BREAK + rb"[ \t]*+)*+"
_PLAIN_TOKENS = re.compile(_FOLD)
_SINGLE_TOKENS = re.compile(rb"''|" + _FOLD)
_DOUBLE_TOKENS = re.compile(
    rb"\\(?:" + _BREAK + rb"[ \t]*+|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^\r\n])|" + _FOLD, re.DOTALL
)
_ESCAPED: Final = {
    b"0": b"\x00",
    b"a": b"\x07",
    b"b": b"\x08",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\x0b",
    b"f": b"\x0c",
    b"r": b"\r",
    b"e": b"\x1b",
    b"N": "\x85".encode(),
    b"_": "\xa0".encode(),
    b"L": "\u2028".encode(),
    b"P": "\u2029".encode(),
}
_HEADER = re.compile(rb"[|>]([-+0-9]*)[ \t]*(?:#[^\r\n]*)?" + _BREAK)


def scalar_layer(parent: Layer, start: int, end: int, style: str, value: str) -> Layer | None:
    """The text that a scalar stands for, with the way back to its bytes; None where there is no sure way.

    The span is the scalar without anchor and tag, quotes included.  `value` is what the parser made of it, and
    the judge: a spelling that is read differently here has no layer.
    """
    expected = value.encode("utf-8", "surrogatepass")
    if style in ("single", "double"):
        tokens = _single_tokens if style == "single" else _double_tokens
        start, end = start + 1, end - 1
        candidates: Iterable[Layer] = [build_layer(parent, start, end, tokens(parent.data[start:end]), style)]
    elif style == "plain":
        candidates = [build_layer(parent, start, end, _folds(parent.data[start:end], _PLAIN_TOKENS), style)]
    elif style == "literal":
        candidates = _literal_layers(parent, start, end)
    else:
        return None
    for layer in candidates:
        # The last line ends of a literal are cut off by its header.
        if layer.data == expected or (style == "literal" and layer.data.startswith(expected)):
            layer.data = expected
            return layer
    return None


def _folds(raw: bytes, tokens: re.Pattern[bytes]) -> Iterator[Piece]:
    """What is not itself in a flow scalar.

    A line end is a blank, together with the space around it; with empty lines behind it, it is these lines' ends.
    """
    last = 0
    for match in tokens.finditer(raw):
        begin, stop = match.span()
        token = match.group()
        if _BREAKS.match(token):
            while begin > last and raw[begin - 1] in b" \t":
                begin -= 1
            first, *others = map(_line_end, _BREAKS.findall(token))
            yield begin, stop, (b"" if first == b"\n" else first) + b"".join(others) or b" "
        elif token == b"''":
            yield begin, stop, b"'"
        else:
            yield begin, stop, _unescaped(token[1:])
        last = stop


def _line_end(spelled: bytes) -> bytes:
    return spelled if spelled[:1] == b"\xe2" else b"\n"


def _single_tokens(raw: bytes) -> Iterator[Piece]:
    return _folds(raw, _SINGLE_TOKENS)


def _double_tokens(raw: bytes) -> Iterator[Piece]:
    return _folds(raw, _DOUBLE_TOKENS)


def _unescaped(escape: bytes) -> bytes:
    if escape[:1] in (b"x", b"u", b"U") and len(escape) > 1:
        code = int(escape[1:], 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= 0x10FFFF else b"?"
    if _BREAKS.match(escape):
        return b""
    return _ESCAPED.get(escape, escape)


def _literal_layers(parent: Layer, start: int, end: int) -> Iterator[Layer]:
    """The readings of a literal block; with an indentation given in its header there are several."""
    header = _HEADER.match(parent.data, start, end)
    if header is None:
        return
    begin = header.end()
    lines = _LINES.findall(parent.data[begin:end])
    first = next((line for line in lines if line.strip()), b"")
    widest = len(first) - len(first.lstrip(b" "))
    is_given = any(48 <= code <= 57 for code in header[1])
    for width in range(1, widest + 1) if is_given else (widest,):
        yield build_layer(parent, begin, end, _literal_tokens(lines, width), "literal")


def _literal_tokens(lines: list[bytes], width: int) -> Iterator[Piece]:
    at = 0
    for line in lines:
        blanks = min(width, len(line) - len(line.lstrip(b" ")))
        if blanks:
            yield at, at + blanks, b""
        if spelled := _BREAKS.search(line):
            yield at + spelled.start(), at + spelled.end(), _line_end(spelled.group())
        at += len(line)
