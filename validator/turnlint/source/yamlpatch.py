"""Edits of YAML itself: of its scalars, and of lists and mappings written as blocks.

New values are written as blocks among blocks, and otherwise in the flow style that is JSON.  Whatever a style
cannot hold, or would be read differently, is noticed when the edited text is decoded; nothing here has to prove
that it is right, only to be right nearly always.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from turnlint.source.pointer import join
from turnlint.source.scan import Layer, Wanted, find, wanted_tree
from turnlint.source.spelling import Style, line_indent, writes_ascii
from turnlint.source.tree import PatchError
from turnlint.source.yamltext import implicit_kind, scan_yaml

if TYPE_CHECKING:
    from turnlint.source.patch import Change, Moved, Plan

_PLAIN: Final = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*\Z", re.ASCII)
_PRINTABLE: Final = re.compile("[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*\\Z")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


# Text inside a scalar


def scalar_escaped(layer: Layer, text: bytes) -> bytes:
    """A text as the scalar that a layer was read from spells it."""
    assert layer.parent is not None
    decoded = _decoded(text)
    outside = layer.parent.data
    if layer.style == "double":
        raw = outside[layer.outer[0] : layer.to_parent(len(layer.data))]
        return _double_inside(decoded, ascii_only=writes_ascii(raw, outside)).encode()
    if not _PRINTABLE.match(decoded.replace("\n", "").replace("\t", "")):
        raise PatchError(f"a {layer.style} scalar cannot hold the new text")
    newline = "\r\n" if b"\r\n" in outside else "\n"
    if layer.style == "literal":
        return decoded.replace("\n", newline + " " * _literal_width(layer)).encode()
    if layer.style == "single":
        decoded = decoded.replace("'", "''")
    # A line end is an empty line, in the quotes and in the plain style.
    margin = line_indent(outside, layer.outer[0]).decode() + "  "
    return decoded.replace("\n", newline * 2 + margin).encode()


def _literal_width(layer: Layer) -> int:
    """The indentation of a literal block: what its first line begins with and is not part of the text."""
    return layer.to_parent(0) - layer.outer[0]


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise PatchError("half of a surrogate pair cannot be written in YAML") from None


def _double_inside(text: str, *, ascii_only: bool) -> str:
    return "".join(
        char
        if (char.isascii() or not ascii_only) and char not in _ESCAPES and _PRINTABLE.match(char)
        else _escape(char)
        for char in text
    )


def _escape(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        raise PatchError("half of a surrogate pair cannot be written in YAML")
    return _ESCAPES.get(char) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


# Scalars and flow


def flow_text(value: Any, *, ascii_only: bool) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return f'"{_double_inside(value, ascii_only=ascii_only)}"'
    if isinstance(value, dict):
        members = (
            f"{flow_text(str(key), ascii_only=ascii_only)}: {flow_text(child, ascii_only=ascii_only)}"
            for key, child in value.items()
        )
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_text(child, ascii_only=ascii_only) for child in value) + "]"
    import yaml

    return str(yaml.safe_dump(value, width=sys.maxsize)).split("\n")[0]


def scalar_text(old: bytes, value: Any, *, ascii_only: bool) -> str:
    """A value in the place of a scalar, in its style where that can hold it."""
    if isinstance(value, str) and (ascii_only is False or value.isascii()):
        if old[:1] == b"'" and _PRINTABLE.match(value):
            return "'" + value.replace("'", "''") + "'"
        if old[:1] not in b"\"'|>" and old and _PLAIN.match(value) and implicit_kind(value) is None:
            return value
    return flow_text(value, ascii_only=ascii_only)


def key_text(data: bytes, start: int, end: int, key: str) -> bytes:
    """Another key in the place of one."""
    return scalar_text(data[start:end], key, ascii_only=writes_ascii(data)).encode()


def value_change(layer: Layer, node: Wanted, value: Any) -> tuple[int, int, bytes]:
    """The edit that puts another value in the place of one."""
    data = layer.data
    if node.content < 0:
        raise PatchError("a tagged value or an alias is not replaced in YAML")
    ascii_only = writes_ascii(data)
    if node.style == "block" and node.key_end is not None:
        return _behind_colon(data, node.key_end), node.end, f" {flow_text(value, ascii_only=ascii_only)}".encode()
    if node.style in ("block", "flow"):
        return node.content, node.end, flow_text(value, ascii_only=ascii_only).encode()
    text = scalar_text(data[node.content : node.end], value, ascii_only=ascii_only).encode()
    if node.content == node.end:  # nothing stands there yet
        at = _behind_colon(data, node.key_end) if node.key_end is not None else node.end
        return at, at, b" " + text
    return node.content, node.end, text


def _behind_colon(data: bytes, key_end: int) -> int:
    colon = data.find(b":", key_end)
    if data[key_end:colon].strip():
        raise PatchError("the key has no colon behind it")
    return colon + 1


# Blocks


class _Line(Struct):
    """An entry of a block: where its dash or its key stands, and where its characters end."""

    start: int
    end: int
    key: str | None


def block_changes(layer: Layer, pointer: str, value: Any, plan: Plan) -> list[Change]:
    """The changes of a list or mapping of a YAML document."""
    if type(value) not in (dict, list):
        raise PatchError(f"there is no list or object at {pointer!r}")
    keys = list(value) if type(value) is dict else range(len(value))
    steps = [pointer + join([key]) for key in keys]
    root = wanted_tree([pointer, *steps])
    scan_yaml(layer, root)
    container = _at(root, pointer)
    if container.content < 0 or container.style not in ("block", "flow"):
        raise PatchError(f"the place of {pointer!r} in the text is not to be had")
    if container.style == "flow":
        return _flow_changes(layer, container, pointer, plan)
    nodes = [_at(root, step) for step in steps]
    if type(value) is dict:
        lines = [_Line(node.key_start or 0, node.end, key) for key, node in zip(value, nodes, strict=True)]
    else:
        lines = [_Line(_dash(layer.data, node.start), node.end, None) for node in nodes]
    return _Block(layer.data, container, lines, pointer).changes(plan)


def _at(root: Wanted, pointer: str) -> Wanted:
    node, is_found = find(root, pointer)
    if not is_found:
        raise PatchError(f"the place of {pointer!r} in the text is not to be had")
    return node


def _flow_changes(layer: Layer, container: Wanted, pointer: str, plan: Plan) -> list[Change]:
    """In flow style a list or mapping that is JSON as it stands, as in JSON."""
    from turnlint.source.decode import decode
    from turnlint.source.patch import change_entries
    from turnlint.source.scan import entries

    _, faults = decode(layer.data[container.content : container.end])
    if faults:
        raise PatchError("a list or mapping in flow style that is no JSON is not edited")
    found, close = entries(layer.data, container.content)
    style = Style(ascii_only=writes_ascii(layer.data))
    return change_entries(layer.data, container.content, close, found, pointer, plan, style)


def _dash(data: bytes, start: int) -> int:
    """The offset of the dash before an item."""
    dash = data.rfind(b"-", 0, start)
    if dash < 0 or data[dash + 1 : start].strip() or start == dash + 1:
        raise PatchError("an item of a list without its dash")
    return dash


class _Block:
    """A list or mapping written with an entry a line, or several lines an entry."""

    def __init__(self, data: bytes, container: Wanted, lines: list[_Line], pointer: str) -> None:
        self._data = data
        self._container = container
        self._lines = lines
        self._pointer = pointer
        self._column = lines[0].start - (data.rfind(b"\n", 0, lines[0].start) + 1)
        self.ascii_only = writes_ascii(data)
        self._newline = b"\r\n" if b"\r\n" in data else b"\n"

    def changes(self, plan: Plan) -> list[Change]:
        from turnlint.source.patch import Change, inserts_by_index

        before = inserts_by_index([line.key for line in self._lines], plan)
        gone = [(line.key if line.key is not None else str(at)) in plan.removed for at, line in enumerate(self._lines)]
        if all(gone) and not before:
            return [Change(*self._emptied(), self._pointer)]
        changes: list[Change] = []
        at = 0
        while at <= len(gone):
            stop = at
            new = list(before.get(at, ()))
            while stop < len(gone) and gone[stop]:
                stop += 1
                new += before.get(stop, ())
            if at < stop or new:
                changes.append(Change(*self._gap(at, stop, new), self._pointer))
            at = stop + 1
        return changes

    def _gap(self, at: int, stop: int, new: list[tuple[str | None, Any]]) -> tuple[int, int, list[bytes | Moved]]:
        """The change that takes out the entries from `at` to `stop` and puts in new ones."""
        lines, margin = self._lines, self._newline + b" " * self._column
        texts: list[list[bytes | Moved]] = [self._entry(key, value) for key, value in new]
        if stop < len(lines):  # up to the next entry, which stands in the same column
            start = lines[at].start
            return start, lines[stop].start, [part for text in texts for part in (*text, margin)]
        # At the end of the block, from behind the line of the last entry that stays.
        if at == 0:  # none stays: the first place is taken again
            joined = [part for text in texts for part in (margin, *text)]
            return lines[0].start, self._line_end(lines[-1]), joined[1:]
        start = self._line_end(lines[at - 1])
        end = self._line_end(lines[-1]) if at < stop else start
        return start, end, [part for text in texts for part in (margin, *text)]

    def _line_end(self, line: _Line) -> int:
        """The end of the line that an entry ends on, without its line feed."""
        end = self._data.find(b"\n", line.end)
        end = len(self._data) if end < 0 else end
        return end - 1 if self._data[end - 1 : end] == b"\r" else end

    def _entry(self, key: str | None, value: Any) -> list[bytes | Moved]:
        from turnlint.source.patch import Moved

        if isinstance(value, Moved):
            value.indent = b" " * (self._column + 2)
            return [b"- ", value]
        return [_block_text(value if key is None else {key: value}, self, is_item=key is None)]

    def _emptied(self) -> tuple[int, int, list[bytes | Moved]]:
        container = self._container
        text = b"[]" if self._lines[0].key is None else b"{}"
        if container.key_end is not None:
            return _behind_colon(self._data, container.key_end), container.end, [b" " + text]
        return container.content, container.end, [text]

    def written(self, lines: str) -> bytes:
        """The lines of a dump, the further ones indented as the block's."""
        margin = self._newline.decode() + " " * self._column
        return margin.join(lines.rstrip("\n").split("\n")).encode()


def _block_text(value: Any, block: _Block, *, is_item: bool) -> bytes:
    """An item with its dash, or a mapping of one member, as a block."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
            return True

    try:
        text = yaml.dump(
            [value] if is_item else value,
            Dumper=Dumper,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=not block.ascii_only,
            width=sys.maxsize,
        )
    except yaml.YAMLError:
        raise PatchError("the new value cannot be written in YAML") from None
    return block.written(text)
