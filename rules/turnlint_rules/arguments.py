"""The arguments of a call as JSON: parsed, or what is wrong with them and where."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from turnlint.model import Call

Kind = Literal["empty", "trailing", "not-object", "not-json"]

MAX_CHARS = 8_000_000  # longer arguments are taken as they are


class Broken(Struct, frozen=True):
    """Why a text is no JSON object.  `line`, `column` from 1 and `offset` from 0 as JSON parsers print them.

    `cut` tells that the text ends in the middle of a value, `doubled` that another value follows the first, `equal`
    that it is the same again; `first` is the text of the first.  `python` is what Python's parser says.
    """

    kind: Kind
    line: int = 1
    column: int = 1
    offset: int = 0
    reason: str = ""
    cut: bool = False
    doubled: bool = False
    equal: bool = False
    first: str = ""
    python: str = "Expecting value"


def _number(text: str) -> float:
    return 0.0 if len(text) > 300 else float(text)


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON value")


_quick = msgspec.json.Decoder().decode
_decoder = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_constant)


@lru_cache(maxsize=512)
def broken(text: str) -> Broken | None:
    """What is wrong with arguments given as text; None where they are a JSON object (or too long or deep to tell)."""
    if len(text) > MAX_CHARS:
        return None
    try:
        if type(_quick(text)) is dict:
            return None
    except Exception:  # noqa: S110 - whatever the quick decoder dislikes is looked at again below
        pass
    start = len(text) - len(text.lstrip(" \t\n\r"))
    if start == len(text):
        return Broken("empty", 1, 1, 0, "an empty text")
    try:
        value, end = _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return Broken(
            "not-json", error.lineno, error.colno, error.pos, _reason(error), cut=_is_cut(text, error), python=error.msg
        )
    except (RecursionError, OverflowError):
        return None
    except ValueError as error:
        return Broken("not-json", reason=str(error)[:80])
    rest = text[end:].lstrip(" \t\n\r")
    if rest:
        return _trailing(text, start, end, rest)
    if not isinstance(value, dict):
        what = {list: "a list", str: "a text", bool: "a boolean", float: "a number", type(None): "null"}.get(
            type(value), ""
        )
        return Broken("not-object", reason=what)
    return None


def _trailing(text: str, start: int, end: int, rest: str) -> Broken:
    at = len(text) - len(rest)
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    first = text[start:end]
    doubled = equal = False
    try:
        _, stop = _decoder.raw_decode(rest)
        doubled = True
        equal = rest[:stop] == first and not rest[stop:].strip(" \t\n\r")
    except (ValueError, RecursionError, OverflowError):
        doubled = rest[:1] in "{["
    return Broken(
        "trailing",
        line,
        column,
        at,
        "something follows the first JSON value",
        False,
        doubled,
        equal,
        first,
        "Extra data",
    )


def _reason(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:].removesuffix(" at")


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text stops inside a value: the parser ran off its end, or into a string that never closes."""
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


_MAX_OBJECTS = 64  # in one text
_MAX_LITERAL = 100_000  # characters of a Python literal that are read


def objects_in(text: str) -> list[str]:
    """The texts of the JSON objects that a text is made of; none where there is anything else in it."""
    found: list[str] = []
    position = 0
    while True:
        position += len(text[position:]) - len(text[position:].lstrip(" \t\n\r"))
        if position == len(text):
            return found
        try:
            value, end = _decoder.raw_decode(text, position)
        except (ValueError, RecursionError, OverflowError):
            return []
        if not isinstance(value, dict) or len(found) == _MAX_OBJECTS:
            return []
        found.append(text[position:end])
        position = end


def as_json(text: str) -> str | None:
    """The JSON of a Python dict that was written out with str(); None where the text is none."""
    if len(text) > _MAX_LITERAL or not text.lstrip().startswith("{"):
        return None
    import ast

    try:
        value = ast.literal_eval(text.strip())
        return json.dumps(value, ensure_ascii=False, allow_nan=False) if type(value) is dict else None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError):
        return None


def value_of(call: Call) -> Any:
    """The arguments of a call as a Python value; None where there are none or they are no JSON."""
    if call.arguments_form in ("object", "other"):
        return call.arguments
    if call.arguments_form != "text" or call.custom:
        return None
    text: str = call.arguments
    if not text.strip():
        return {}
    if len(text) > MAX_CHARS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError, OverflowError):
        return None
