"""Edits of a tree of values: what they are, and what they make of a decoded copy.

All pointers and indexes of one list of edits name places in the original, whatever the other edits do.  A
pointer walks through a string that holds JSON as if it were parsed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from turnlint.source.decode import decode
from turnlint.source.document import MISSING
from turnlint.source.pointer import index, join, split

if TYPE_CHECKING:
    from collections.abc import Sequence


class PatchError(Exception):
    """The edits cannot be made without changing something else, or contradict each other."""


class Replace(Struct, frozen=True):
    """Put another value in the place of one."""

    pointer: str
    value: Any


class Rename(Struct, frozen=True):
    """Give a member of an object another key."""

    pointer: str
    key: str


class Remove(Struct, frozen=True):
    """Take out an item of a list or a member of an object."""

    pointer: str


class Insert(Struct, frozen=True):
    """Add to the list or object at `pointer`.

    For a list `position` is the index of the item before which to insert, its length for the end; several
    inserts at one index come in the order given.  For an object it is the new key, put behind the member
    `after`, or at the end.
    """

    pointer: str
    value: Any
    position: int | str
    after: str | None = None


class Move(Struct, frozen=True):
    """Take a value out of its place and put it into a list, before the item at `index`."""

    source: str
    target: str
    """Pointer of the list."""
    index: int


TreeEdit = Replace | Rename | Remove | Insert | Move


class Quote(Struct, frozen=True):
    """Somewhere in a new value: the list or object that stands at `pointer`, as it is written there.

    It is copied as it was before any edit.  The place itself stays unless another edit takes it out.  The form
    ``inside`` is the JSON that the string there holds, and ``text`` a string that holds what stands there as JSON; then
    `value` is what it comes to where there are no bytes.
    """

    pointer: str
    form: Literal["whole", "inside", "text"] = "whole"
    value: Any = None


def unquoted(value: Any, edits: Sequence[TreeEdit]) -> list[TreeEdit]:
    """The edits with all that they quote looked up in `value`."""
    return [
        replace(edit, value=looked_up(value, edit.value)) if isinstance(edit, Replace | Insert) else edit
        for edit in edits
    ]


def looked_up(document: Any, new: Any) -> Any:
    """A new value with the values that it quotes."""
    if type(new) is Quote:
        return resolve(document, new.pointer) if new.form == "whole" else new.value
    if type(new) is dict:
        return {key: looked_up(document, child) for key, child in new.items()}
    if type(new) is list:
        return [looked_up(document, child) for child in new]
    return new


def apply_tree(value: Any, edits: Sequence[TreeEdit]) -> Any:
    """The value with the edits made; the original is not touched, and shares what did not change."""
    try:
        return _apply(value, _out_of_strings(value, unquoted(value, edits)))
    except RecursionError:
        raise PatchError("the edits go too deep") from None


def resolve(value: Any, pointer: str) -> Any:
    """The value at a pointer; raises PatchError where there is none."""
    for token in split(pointer):
        value = _child(_parsed(value), token, pointer)
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two decoded values are the same: types, order of keys and NaN included.

    Strings that differ are the same if both hold JSON that is: a moved piece keeps its spelling in the bytes.
    """
    if _same_text(one, other):
        return True
    pending = [(one, other)]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return False
        if type(one) is dict:
            if list(one) != list(other):
                return False
            pending += [(child, other[key]) for key, child in one.items()]
        elif type(one) is list:
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif type(one) is str and one != other:
            inner = _parsed(one), _parsed(other)
            if inner[0] is one or inner[1] is other:
                return False
            pending.append(inner)
        elif one != other and not (type(one) is float and math.isnan(one) and math.isnan(other)):
            return False
    return True


def _same_text(one: Any, other: Any) -> bool:
    """Whether two values are written alike: quick, and in doubt no."""
    try:
        return msgspec.json.encode(one) == msgspec.json.encode(other)
    except (ValueError, TypeError, RecursionError):
        return False


def place_of(edit: TreeEdit) -> str:
    """The pointer that an edit is about: of the value, or of the container that it adds to."""
    return edit.source if isinstance(edit, Move) else edit.pointer


# Strings that hold JSON


def _parsed(value: Any) -> Any:
    """What a pointer walks into: the JSON in a string, a string in a string included; else the value itself."""
    inner = value
    while type(inner) is str:
        inner, _ = decode(inner.encode("utf-8", "surrogatepass"))
    return value if inner is MISSING or type(inner) not in (dict, list) else inner


def _out_of_strings(value: Any, edits: Sequence[TreeEdit]) -> list[TreeEdit]:
    """The edits, with those inside of a string made, so that the whole string is replaced."""
    plain: list[TreeEdit] = []
    inside: dict[str, list[TreeEdit]] = {}
    for edit in edits:
        if isinstance(edit, Move):
            source = _first_string(value, edit.source, itself=False)
            target = _first_string(value, edit.target, itself=True)
            if source != target:
                _sort_in(value, Remove(edit.source), plain, inside)
                _sort_in(value, Insert(edit.target, resolve(value, edit.source), edit.index), plain, inside)
                continue
        _sort_in(value, edit, plain, inside)
    for pointer, inner in inside.items():
        plain.append(Replace(pointer, _edited_text(resolve(value, pointer), inner)))
    return plain


def _sort_in(value: Any, edit: TreeEdit, plain: list[TreeEdit], inside: dict[str, list[TreeEdit]]) -> None:
    string = _first_string(value, place_of(edit), itself=isinstance(edit, Insert))
    if string is None:
        plain.append(edit)
    else:
        inside.setdefault(string, []).append(_below(edit, len(string)))


def _first_string(value: Any, pointer: str, *, itself: bool) -> str | None:
    """The pointer of the first string on the way; `itself` if the last step counts too."""
    tokens = split(pointer)
    for depth, token in enumerate(tokens):
        if type(value) is str:
            return join(tokens[:depth])
        value = _child(value, token, pointer)
    return pointer if itself and type(value) is str else None


def _below(edit: TreeEdit, length: int) -> TreeEdit:
    """The edit with its pointers seen from a place on their way, whose own pointer has that length."""
    if isinstance(edit, Move):
        return Move(edit.source[length:], edit.target[length:], edit.index)
    if isinstance(edit, Replace):
        return Replace(edit.pointer[length:], edit.value)
    if isinstance(edit, Rename):
        return Rename(edit.pointer[length:], edit.key)
    if isinstance(edit, Remove):
        return Remove(edit.pointer[length:])
    return Insert(edit.pointer[length:], edit.value, edit.position, edit.after)


def _edited_text(text: str, edits: Sequence[TreeEdit]) -> str:
    """A string that holds JSON with edits made in it, everything else as it was written."""
    from turnlint.source.patch import apply, edits_for

    data = text.encode("utf-8", "surrogatepass")
    changed = apply(data, edits_for(data, edits))
    return changed.decode("utf-8", "surrogatepass")


# Lists and objects


def _child(value: Any, token: str, pointer: str) -> Any:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list | tuple):
        at = index(token)
        if at is not None and at < len(value):
            return value[at]
    raise PatchError(f"there is nothing at {pointer!r}")


class _Plan(Struct):
    """What happens at one place, and below it."""

    children: dict[str, _Plan] = field(default_factory=dict)
    replace: Replace | None = None
    rename: Rename | None = None
    removed: bool = False
    moved: bool = False
    """Removed from here to come elsewhere."""
    inserts: list[tuple[int | str, str | None, Any]] = field(default_factory=list)
    """Position, the member to come behind, and the value; a `_Moved` stands for one that is moved here."""


class _Moved(Struct):
    source: str


def _apply(value: Any, edits: Sequence[TreeEdit]) -> Any:
    root = _Plan()
    for edit in edits:
        if not place_of(edit) and isinstance(edit, (Remove, Rename, Move)):
            raise PatchError("the whole document has no place to be taken from")
        plan = _plan_at(root, place_of(edit))
        if isinstance(edit, Insert):
            plan.inserts.append((edit.position, edit.after, edit.value))
            continue
        is_move = isinstance(edit, Move)
        if isinstance(edit, Replace):
            clash = plan.replace is not None or (plan.removed and not plan.moved)
            plan.replace = edit
        elif isinstance(edit, Rename):
            clash = plan.rename is not None or plan.removed
            plan.rename = edit
        else:
            clash = plan.removed or plan.rename is not None or (plan.replace is not None and not is_move)
            plan.removed, plan.moved = True, is_move
        if clash:
            raise PatchError(f"two edits of {place_of(edit)!r}")
        if isinstance(edit, Move):
            _plan_at(root, edit.target).inserts.append((edit.index, None, _Moved(edit.source)))
    maker = _Maker(value, root)
    made = maker.make(value, root, "")
    if maker.arrived != sum(isinstance(edit, Move) for edit in edits):
        raise PatchError("values are moved into each other")
    return made


def _plan_at(root: _Plan, pointer: str) -> _Plan:
    plan = root
    for token in split(pointer):
        plan = plan.children.setdefault(token, _Plan())
    return plan


class _Maker:
    def __init__(self, value: Any, root: _Plan) -> None:
        self._value = value
        self._root = root
        self.arrived = 0
        """How many moved values have come to their new places."""

    def make(self, value: Any, plan: _Plan, at: str) -> Any:
        """The new value of a place; whether it stays there at all is its container's matter."""
        if plan.replace is not None:
            if plan.children or plan.inserts:
                raise PatchError(f"an edit inside of what is replaced: {at!r}")
            return plan.replace.value
        if not plan.children and not plan.inserts:
            return value
        if isinstance(value, dict):
            return self._object(value, plan, at)
        if isinstance(value, list | tuple):
            return self._list(list(value), plan, at)
        raise PatchError(f"there is no list or object at {at!r}")

    def _object(self, value: dict[str, Any], plan: _Plan, at: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        behind: dict[str | None, list[tuple[Any, Any]]] = {}
        for position, after, inserted in plan.inserts:
            if type(position) is not str or (after is not None and after not in value):
                raise PatchError(f"no such position in the object at {at!r}")
            behind.setdefault(after, []).append((position, inserted))
        for token in plan.children:
            _child(value, token, f"{at}{join([token])}")
        members: list[tuple[Any, Any]] = []
        for key, child in value.items():
            below = plan.children.get(key)
            if below is None:
                members.append((key, child))
            elif self._stays(below, at + join([key])):
                name = below.rename.key if below.rename else key
                members.append((name, self.make(child, below, at + join([key]))))
            members += behind.get(key, [])
        for key, child in members + behind.get(None, []):
            if key in made:
                raise PatchError(f"two members of one key in the object at {at!r}")
            made[key] = self._arrived(child)
        return made

    def _list(self, value: list[Any], plan: _Plan, at: str) -> list[Any]:
        before: dict[int, list[Any]] = {}
        for position, _, inserted in plan.inserts:
            if type(position) is not int or not 0 <= position <= len(value):
                raise PatchError(f"no such position in the list at {at!r}")
            before.setdefault(position, []).append(inserted)
        for token in plan.children:
            _child(value, token, f"{at}{join([token])}")
        made: list[Any] = []
        for position, child in enumerate(value):
            made += map(self._arrived, before.get(position, ()))
            below = plan.children.get(str(position))
            if below is None:
                made.append(child)
                continue
            if below.rename is not None:
                raise PatchError(f"an item of a list has no key: {at!r}")
            if self._stays(below, f"{at}/{position}"):
                made.append(self.make(child, below, f"{at}/{position}"))
        made += map(self._arrived, before.get(len(value), ()))
        return made

    def _stays(self, plan: _Plan, at: str) -> bool:
        if plan.removed and not plan.moved and (plan.children or plan.inserts):
            raise PatchError(f"an edit inside of what is removed: {at!r}")
        return not plan.removed

    def _arrived(self, value: Any) -> Any:
        """An inserted value; one that was moved comes with the edits made in it."""
        if type(value) is not _Moved:
            return value
        self.arrived += 1
        return self.make(resolve(self._value, value.source), _plan_at(self._root, value.source), value.source)
