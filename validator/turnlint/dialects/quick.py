"""What the quick passes of the dialects share: cheap looks at many IDs, names and texts at once.

A quick pass proves nothing but what it says.  Every bit of `Signal` that it leaves unset is a fact about the whole
list, and tests hold it against the rules.  It may set a bit too many: that costs time, and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

TOO_MANY = 16  # calls of one turn: more is `Signal.MANY`
LONG = 100_000  # characters of one result: more is `Signal.LONG_RESULT`
MAX_VALUES = 20_000  # lists and objects of one answer that are looked into for references

_LONGEST_ID = 40
_ID_CHARACTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz"
_EVERYDAY_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII).fullmatch
_MOST_NAMES = 4096
_names: set[str] = set()  # everyday ones that were met: the same few come again and again

#: What a text that hides a call contains, whatever else it says: with a bracket, with a low line.
_CALL_TAGS = ("<tool_call", "<function", "<|tool", "<｜tool", "<invoke")
_CALL_WORDS = ("[TOOL_CALLS]", "tool_use", "function_call")


class _Object(msgspec.Struct, gc=False):
    """Any JSON object: what it holds is checked and passed over."""


decode_object = msgspec.json.Decoder(_Object).decode
"""Raises where a text is no JSON object (ValueError) or nested too deep to tell (RecursionError)."""


def everyday_ids(ids: list[Any]) -> bool:
    """Whether all are letters, digits, _ and -, up to 40 of them, and none looks like that of a hosted call."""
    if not ids:
        return True
    try:
        joined = "".join(ids).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    if joined.translate(None, _ID_CHARACTERS) or b"srvtoolu_" in joined:
        return False
    return len(max(ids, key=len)) <= _LONGEST_ID and "" not in ids


def everyday_names(names: Collection[Any]) -> bool:
    """Whether all are letters, digits, _ and -, up to 64 of them."""
    try:
        if _names.issuperset(names):
            return True
    except TypeError:
        return False
    if not all(type(name) is str and _EVERYDAY_NAME(name) for name in names):
        return False
    if len(_names) < _MOST_NAMES:
        _names.update(names)
    return True


def repeats(ids: list[str]) -> bool:
    """Whether any stands there twice."""
    return len(set(ids)) != len(ids)


def may_hide_call(text: str) -> bool:
    """Whether an assistant text may be a call in disguise: cheap, and never False for one that is.

    Single characters are looked for first: that is many times faster than looking for words.
    """
    if "<" in text:
        for tag in _CALL_TAGS:
            if tag in text:
                return True
    if "_" in text:
        for word in _CALL_WORDS:
            if word in text:
                return True
    return (text[:1] in "{[" or "`" in text) and '"name"' in text


def references(value: dict[str, Any]) -> Iterator[str]:
    """What `$ref` says, anywhere in a decoded value; the walk is bounded."""
    waiting: list[Any] = [value]
    seen = 0
    while waiting and seen < MAX_VALUES:
        node = waiting.pop()
        seen += 1
        if type(node) is dict:
            name = node.get("$ref")
            if type(name) is str:
                yield name
            waiting.extend(inner for inner in node.values() if type(inner) is dict or type(inner) is list)
        else:
            waiting.extend(inner for inner in node if type(inner) is dict or type(inner) is list)
