"""Edits of a tree as edits of its bytes, which change no byte that they need not.

Everything is computed against the original text.  Each edit is made in the text its place is in: the document,
or the decoded content of a string.  From there it is carried outwards, escaped anew for every string it is in.
At the end the edited text is decoded and compared with the same edits made on the value; where they differ,
nothing is done.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from turnlint.source.decode import decode
from turnlint.source.document import MISSING
from turnlint.source.pointer import around, join, split
from turnlint.source.scan import Entry, Layer, Wanted, entries, find, scan_json, wanted_tree
from turnlint.source.spelling import (
    Style,
    begins_line,
    json_escaped,
    line_indent,
    reindented,
    writes_ascii,
)
from turnlint.source.tree import (
    Insert,
    Move,
    PatchError,
    Quote,
    Remove,
    Rename,
    Replace,
    TreeEdit,
    apply_tree,
    looked_up,
    place_of,
    resolve,
    same,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ByteEdit",
    "Insert",
    "Move",
    "PatchError",
    "Quote",
    "Remove",
    "Rename",
    "Replace",
    "TreeEdit",
    "apply",
    "apply_tree",
    "edits_for",
    "write_atomic",
]

ByteEdit = tuple[int, int, bytes]
"""From, to (exclusive), and the bytes that go there."""


def apply(data: bytes, edits: Sequence[ByteEdit]) -> bytes:
    """The text with the edits made; they must be in order and must not overlap."""
    pieces: list[bytes] = []
    last = 0
    for start, end, text in edits:
        if not last <= start <= end <= len(data):
            raise PatchError("edits of the text overlap, or lie outside of it")
        pieces += (data[last:start], text)
        last = end
    pieces.append(data[last:])
    return b"".join(pieces)


def edits_for(data: bytes, edits: Sequence[TreeEdit], format: Literal["json", "yaml"] = "json") -> list[ByteEdit]:  # noqa: A002
    """The edits of the bytes that make these edits of the tree.

    Raises PatchError where they contradict each other, name places that do not exist, or cannot be made without
    changing something else.
    """
    value = _decoded(data, format)
    expected = apply_tree(value, edits)
    try:
        made = _Patcher(data, value, edits, format).byte_edits()
        changed = _decoded(apply(data, made), format)
    except RecursionError:
        raise PatchError("the edits go too deep") from None
    if not same(changed, expected):
        raise PatchError("the text cannot be edited there without changing something else")
    return made


def _decoded(data: bytes, format: str) -> Any:  # noqa: A002
    if format == "yaml":
        from turnlint.source.yamltext import decode_yaml

        value, _ = decode_yaml(data)
    else:
        value, _ = decode(data)
    if value is MISSING:
        raise PatchError("the text cannot be read")
    return value


# One text


class Moved(Struct):
    """A piece of the original text that goes elsewhere, with what is edited in it; or a copy of it as it was."""

    pointer: str
    node: Wanted
    indent: bytes | None = None
    """What its further lines are to be indented by; None to leave them."""
    is_copy: bool = False


class Quoting(Struct):
    """A new value with places of the original text in it (`Quote`), and where these are."""

    value: Any
    nodes: dict[tuple[str, str], Wanted]  # by pointer and form

    def parts(self, style: Style, indent: str | None) -> list[bytes | Moved]:
        """The text of the value, as `Style.text` writes it, with the pieces that come from elsewhere."""
        pieces: list[Quote] = []

        def marked(value: Any) -> Any:
            if type(value) is Quote:
                pieces.append(value)
                return f"{_MARK}{len(pieces)}{_MARK}"
            if type(value) is dict:
                return {key: marked(child) for key, child in value.items()}
            return [marked(child) for child in value] if type(value) is list else value

        text = style.text(marked(self.value), indent).encode()
        parts: list[bytes | Moved] = []
        for number, quote in enumerate(pieces, 1):
            before, found, text = text.partition(f'"{_MARK}{number}{_MARK}"'.encode())
            if not found:
                raise PatchError("what is quoted is not found again")
            parts.append(before)
            node = self.nodes[quote.pointer, quote.form]
            if quote.form == "text":
                raw = _on_one_line(_layer(node).data[node.start : node.end])
                parts.append(b'"' + json_escaped(raw, ascii_only=style.ascii_only) + b'"')
                continue
            lead = line_indent(before, len(before)) if b"\n" in before else (indent or "").encode()
            parts.append(Moved(quote.pointer, node, None if indent is None else lead, is_copy=True))
        return [*parts, text]


_MARK = "@turnlint:quote@"


def _quotes(value: Any) -> list[Quote]:
    """What a new value quotes."""
    if type(value) is Quote:
        return [value]
    children = value.values() if type(value) is dict else value if type(value) is list else ()
    return [quote for child in children for quote in _quotes(child)]


def _on_one_line(text: bytes) -> bytes:
    """JSON without its line ends and indentation."""
    return _BREAK.sub(lambda match: match[1] or (b", " if match[2] else b""), text)


_BREAK = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|(,)?\s*\n\s*', re.DOTALL)


class Change(Struct):
    """An edit of one layer's text."""

    start: int
    end: int
    parts: list[bytes | Moved]
    owner: str
    """The pointer of the value or container whose text it edits."""


class Plan(Struct):
    """What happens to the entries of one list or object."""

    removed: set[str] = field(default_factory=set)
    inserts: list[tuple[int | str, str | None, Any]] = field(default_factory=list)
    """Position, the member to come behind, and the value, which may be `Moved`."""


class _Patcher:
    def __init__(self, data: bytes, value: Any, edits: Sequence[TreeEdit], format: str) -> None:  # noqa: A002
        self._value = value
        plain = zip(edits, unquoted(value, edits), strict=True)
        self._edits = [edit for edit, as_value in plain if not _is_idle(value, as_value)]
        self._root = wanted_tree(self._wanted())
        self._is_yaml = format == "yaml"
        self._file = Layer(data)
        if format == "yaml":
            from turnlint.source.yamltext import scan_yaml

            scan_yaml(self._file, self._root)
        else:
            scan_json(self._file, self._root)
        self._layers: dict[int, Layer] = {}
        self._changes: dict[int, list[Change]] = defaultdict(list)  # by the identity of their layer

    def byte_edits(self) -> list[ByteEdit]:
        plans: dict[str, Plan] = defaultdict(Plan)
        for edit in self._edits:
            if isinstance(edit, Replace):
                self._replace(edit)
            elif isinstance(edit, Rename):
                self._rename(edit)
            elif isinstance(edit, Insert):
                new = self._quoting(_layer(_settled(self._node(edit.pointer))), edit.value)
                plans[edit.pointer].inserts.append((edit.position, edit.after, new))
            else:
                *way, last = split(place_of(edit))
                plans[join(way)].removed.add(last)
                if isinstance(edit, Move):
                    moved = Moved(edit.source, self._node(edit.source))
                    plans[edit.target].inserts.append((edit.index, None, moved))
        for pointer, plan in plans.items():
            container = _settled(self._node(pointer))
            if self._is_yaml and container.layer is self._file:
                from turnlint.source.yamlpatch import block_changes

                for change in block_changes(self._file, pointer, resolve(self._value, pointer), plan):
                    self._change(self._file, change)
            else:
                self._change_container(container, pointer, plan)
        return self._carried_out()

    def _wanted(self) -> set[str]:
        pointers: set[str] = set()
        for edit in self._edits:
            pointers.add(place_of(edit))
            if isinstance(edit, Move):
                pointers.add(edit.target)
            if isinstance(edit, Insert | Replace):
                pointers.update(q.pointer + "/" * (q.form == "inside") for q in _quotes(edit.value))
            if isinstance(edit, Insert | Move):
                # A step that leads nowhere, for strings to be walked into.
                pointers.add((edit.target if isinstance(edit, Move) else edit.pointer) + "/")
        return pointers

    def _node(self, pointer: str) -> Wanted:
        node, is_found = find(self._root, pointer)
        if not is_found:
            where = "inside a folded, tagged or repeated scalar of YAML" if self._is_yaml else "nowhere in the text"
            raise PatchError(f"{pointer!r} is {where}, where nothing can be changed")
        return node

    def _change(self, layer: Layer, change: Change) -> None:
        self._layers[id(layer)] = layer
        self._changes[id(layer)].append(change)

    # Values and keys

    def _replace(self, edit: Replace) -> None:
        node = self._node(edit.pointer)
        layer = _layer(node)
        new = self._quoting(layer, edit.value)
        if self._is_yaml and layer is self._file:
            from turnlint.source.yamlpatch import value_change

            parts: list[bytes | Moved]
            start, end, *parts = value_change(layer, node, new)
        else:
            start, end, parts = node.start, node.end, _value_parts(layer, node, new)
        self._change(layer, Change(start, end, parts, edit.pointer))

    def _quoting(self, layer: Layer, new: Any) -> Any:
        """A new value for a layer with what it quotes as pieces of text; as values where one of the two is no JSON."""
        quotes = _quotes(new)
        if not quotes:
            return new
        nodes: dict[tuple[str, str], Wanted] = {}
        for quote in quotes:
            node = self._node(quote.pointer)
            nodes[quote.pointer, quote.form] = _settled(node) if quote.form == "inside" else node
        layers = [layer, *(_layer(node) for node in nodes.values())]
        if self._is_yaml and any(one is self._file for one in layers):
            return looked_up(self._value, new)
        return Quoting(new, nodes)

    def _rename(self, edit: Rename) -> None:
        node = self._node(edit.pointer)
        layer = _layer(node)
        if node.key_start is None or node.key_end is None:
            raise PatchError(f"an item of a list has no key: {edit.pointer!r}")
        if self._is_yaml and layer is self._file:
            from turnlint.source.yamlpatch import key_text

            text = key_text(layer.data, node.key_start, node.key_end, edit.key)
        else:
            text = Style.of(layer.data, node.key_start, node.key_end).text(edit.key).encode()
        self._change(layer, Change(node.key_start, node.key_end, [text], edit.pointer))

    # Lists and objects in JSON

    def _change_container(self, container: Wanted, pointer: str, plan: Plan) -> None:
        layer = _layer(container)
        data, start = layer.data, container.start
        if data[start : start + 1] not in (b"[", b"{"):
            raise PatchError(f"there is no list or object at {pointer!r}")
        found, close = entries(data, start)
        style = Style.of(data, start, close + 1)
        for change in change_entries(data, start, close, found, pointer, plan, style):
            self._change(layer, change)

    # From the innermost text outwards

    def _carried_out(self) -> list[ByteEdit]:
        while deepest := max(self._layers.values(), key=lambda layer: layer.depth, default=None):
            made = self._resolved(deepest)
            del self._layers[id(deepest)]
            if deepest.parent is None:
                return [(start, end, text) for start, end, text, _ in made]
            for start, end, text, owner in made:
                escaped = _escaped(deepest, text)
                lifted = Change(deepest.to_parent(start), deepest.to_parent(end), [escaped], owner)
                self._change(deepest.parent, lifted)
        return []

    def _resolved(self, layer: Layer) -> list[tuple[int, int, bytes, str]]:
        """The changes of a layer in order, with the text of what is moved put in."""
        changes = self._changes.pop(id(layer))
        inside: dict[str, list[Change]] = {
            part.pointer: []
            for change in changes
            for part in change.parts
            if isinstance(part, Moved) and not part.is_copy
        }
        if inside:
            for change in changes:
                for pointer in around(change.owner):
                    if pointer in inside:
                        inside[pointer].append(change)
            if any(p in inside for other in self._changes.values() for change in other for p in around(change.owner)):
                raise PatchError("an edit inside of what is moved to another text")
        carried = {id(change) for taken in inside.values() for change in taken}
        made = [
            (change.start, change.end, self._text(layer, change, inside), change.owner)
            for change in changes
            if id(change) not in carried
        ]
        made.sort(key=lambda edit: edit[:2])
        return made

    def _text(self, layer: Layer, change: Change, inside: dict[str, list[Change]]) -> bytes:
        return b"".join(
            part if isinstance(part, bytes) else self._moved_text(layer, part, inside) for part in change.parts
        )

    def _moved_text(self, layer: Layer, moved: Moved, inside: dict[str, list[Change]]) -> bytes:
        node = moved.node
        source = _layer(node)
        taken = () if moved.is_copy else inside[moved.pointer]
        if taken and source is not layer:
            raise PatchError("an edit inside of what is moved to another text")
        local = sorted(
            ((change.start, change.end, self._text(layer, change, inside)) for change in taken),
            key=lambda edit: edit[:2],
        )
        raw = apply(
            source.data[node.start : node.end],
            [(start - node.start, end - node.start, text) for start, end, text in local],
        )
        if moved.indent is None:
            return raw
        if self._is_yaml and source is self._file:
            indent = b" " * (node.start - source.data.rfind(b"\n", 0, node.start) - 1)
        else:
            indent = line_indent(source.data, node.start)
        return reindented(raw, indent, moved.indent)


def change_entries(
    data: bytes, start: int, close: int, found: Sequence[Entry], pointer: str, plan: Plan, style: Style
) -> list[Change]:
    """The changes of a JSON list or object that begins at `start` and whose bracket closes at `close`."""
    before = inserts_by_index([entry.key for entry in found], plan)
    is_removed = [(entry.key if entry.key is not None else str(at)) in plan.removed for at, entry in enumerate(found)]
    writer = _EntryWriter(data, start, close, found, style)
    changes: list[Change] = []
    at = 0
    while at <= len(found):
        # A gap: entries that go, and the inserts among them, between two that stay.
        stop = at
        new = list(before.get(at, ()))
        while stop < len(found) and is_removed[stop]:
            stop += 1
            new += before.get(stop, ())
        if change := writer.gap(at, stop, new):
            changes.append(Change(*change, pointer))
        at = stop + 1
    return changes


def inserts_by_index(keys: Sequence[str | None], plan: Plan) -> dict[int, list[tuple[str | None, Any]]]:
    """Index of the entry before which to insert, to the new keys (None in a list) and values.

    `keys` are those of the entries there are.
    """
    before: dict[int, list[tuple[str | None, Any]]] = defaultdict(list)
    places = {key: at for at, key in enumerate(keys)}
    at_the_end: list[tuple[str | None, Any]] = []
    for position, after, value in plan.inserts:
        if isinstance(position, int):
            before[position].append((None, value))
        elif after is None:
            at_the_end.append((position, value))
        else:
            before[places[after] + 1].append((position, value))
    if at_the_end:
        before[len(keys)] += at_the_end
    return before


class _EntryWriter:
    """Writes entries of one JSON list or object as its others are written."""

    def __init__(self, data: bytes, start: int, close: int, found: Sequence[Entry], style: Style) -> None:
        self._data = data
        self._start = start
        self._close = close
        self._found = found
        self._style = style

    def gap(self, at: int, stop: int, new: list[tuple[str | None, Any]]) -> tuple[int, int, list[bytes | Moved]] | None:
        """The change that takes out the entries from `at` to `stop` and puts in new ones; None for none."""
        found = self._found
        before = found[at - 1] if at else None
        behind = found[stop] if stop < len(found) else None
        if not new:
            if at == stop:
                return None
            if behind:
                return found[at].start, behind.start, []
            if before:
                return before.end, found[stop - 1].end, []
            return self._start + 1, self._close, []
        separator, indent = self._separator(at)
        parts: list[bytes | Moved] = []
        for key, value in new:
            if parts:
                parts.append(separator)
            parts += self._entry(key, value, indent)
        if at < stop:
            return found[at].start, found[stop - 1].end, parts
        if behind:
            return behind.start, behind.start, [*parts, separator]
        if before:
            return before.end, before.end, [separator, *parts]
        if indent is None:
            return self._start + 1, self._close, parts
        newline = self._style.newline.encode()
        outer = line_indent(self._data, self._start)
        return self._start + 1, self._close, [newline + indent, *parts, newline + outer]

    def _separator(self, at: int) -> tuple[bytes, bytes | None]:
        """What stands between two entries about there, and the indentation of entries on lines of their own."""
        data, found = self._data, self._found
        if len(found) > 1:
            at = min(max(at, 1), len(found) - 1)
            separator = data[found[at - 1].end : found[at].start]
        elif found:
            lead = data[self._start + 1 : found[0].start]
            separator = b"," + lead if b"\n" in lead else self._style.comma.encode()
        elif self._style.unit:
            indent = line_indent(data, self._start) + self._style.unit.encode()
            return f",{self._style.newline}".encode() + indent, indent
        else:
            separator = self._style.comma.encode()
        return separator, separator[separator.rfind(b"\n") + 1 :] if b"\n" in separator else None

    def _entry(self, key: str | None, value: Any, indent: bytes | None) -> list[bytes | Moved]:
        parts: list[bytes | Moved] = []
        if key is not None:
            parts.append((self._style.text(key) + self._style.colon).encode())
        if isinstance(value, Moved):
            value.indent = indent
            parts.append(value)
            return parts
        lead = indent.decode() if indent is not None and self._neighbours_take_lines() else None
        if isinstance(value, Quoting):
            parts += value.parts(self._style, lead)
        else:
            parts.append(self._style.text(value, lead).encode())
        return parts

    def _neighbours_take_lines(self) -> bool:
        """Whether lists and objects in here are written on several lines."""
        for entry in self._found:
            raw = self._data[entry.value : entry.end]
            if raw[:1] in (b"[", b"{") and raw[1:-1].strip():
                return b"\n" in raw
        return True


def _value_parts(layer: Layer, node: Wanted, value: Any) -> list[bytes | Moved]:
    """A value as it is written in the place of another."""
    data = layer.data
    start = node.key_start if node.key_start is not None else node.start
    old = data[node.start : node.end]
    style = Style.of(data, node.start, node.end)
    is_filled = old[:1] in (b"[", b"{") and bool(old[1:-1].strip())
    several = b"\n" in old if is_filled else begins_line(data, start) and start > 0
    lead = line_indent(data, start).decode() if several else None
    return value.parts(style, lead) if isinstance(value, Quoting) else [style.text(value, lead).encode()]


def _escaped(layer: Layer, text: bytes) -> bytes:
    """A text of a layer as its parent spells it."""
    assert layer.parent is not None
    if layer.style != "json":
        from turnlint.source.yamlpatch import scalar_escaped

        return scalar_escaped(layer, text)
    raw = layer.parent.data[layer.outer[0] : layer.outer[-1] + len(layer.data) - layer.inner[-1]]
    return json_escaped(text, ascii_only=writes_ascii(raw, layer.parent.data))


def _settled(node: Wanted) -> Wanted:
    """The list or object that a node is, or that the string it is holds."""
    while node.inner is not None:
        node = node.inner
    return node


def _layer(node: Wanted) -> Layer:
    assert node.layer is not None
    return node.layer


def _is_idle(value: Any, edit: TreeEdit) -> bool:
    """Whether an edit leaves everything as it is, spelling included."""
    if isinstance(edit, Replace):
        old = resolve(value, edit.pointer)
        return (type(old) is not str or old == edit.value) and same(old, edit.value)
    if isinstance(edit, Rename):
        return edit.key == split(edit.pointer)[-1]
    return False


# Files


def write_atomic(path: Path, data: bytes, *, expected: bytes | tuple[int, int]) -> None:
    """Put `data` into a file, all of it or nothing.

    `expected` is what the file must still be: its bytes, or its size and modification time (in ns).  A link
    stays, and the file that it leads to is written.  Raises PatchError if the file changed since it was read, and
    OSError if it cannot be written; both leave it as it was.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode & 0o7777
    if not os.access(target, os.W_OK):  # replacing it would get round that
        raise PermissionError(errno.EACCES, "it may not be written", str(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        status = target.stat()
        Path(name).chmod(mode)
        with contextlib.suppress(OSError, AttributeError):  # only the superuser may give files away
            os.chown(name, status.st_uid, status.st_gid)
        if not _is_unchanged(target, expected):
            raise PatchError(f"{path} has changed since it was read")
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_unchanged(path: Path, expected: bytes | tuple[int, int]) -> bool:
    if isinstance(expected, bytes):
        return hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(expected).digest()
    status = path.stat()
    return (status.st_size, status.st_mtime_ns) == expected
