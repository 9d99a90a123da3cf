"""Message objects of SDKs and frameworks made plain, without importing any of them."""

from __future__ import annotations

import base64
import datetime as dt
import enum
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = (str, int, float, bool, type(None))
_MAX_DEPTH = 200
_MAX_LEVEL = 1_000_000  # values side by side
#: Members that tell what an object is: sent even where their value is a default that nobody set.
_NAMING = ("role", "type", "kind", "part_kind")


def plain(value: Any) -> Any:
    """`value` as dicts, lists and scalars.  What is plain already is returned as it is, uncopied.

    Objects are asked for `to_input_item` (OpenAI Agents), `model_dump` (pydantic: openai, anthropic, google-genai,
    mistralai, cohere, ollama, LangChain, LiteLLM), `to_dict`, `_asdict` or `dict`, or are read as dataclasses
    (pydantic-ai).  An object inside itself becomes None.
    """
    return value if _is_plain(value) else _plain(value, 0, set())


def _is_plain(value: Any) -> bool:
    """Whether a value is made of dicts, lists and scalars alone; False, too, where it is so deep or large that a closer
    look must tell.  Nearly every value is: asking that is a quarter of the work of making one.
    """
    level = [value]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                below += [v for v in item.values() if type(v) is not str]
            elif kind is list:
                below += item
            elif kind not in _PLAIN:
                return False
        if not below:
            return True
        if len(below) > _MAX_LEVEL:
            return False
        level = below
    return False


def _plain(value: Any, depth: int, inside: set[int]) -> Any:
    if type(value) in _PLAIN or depth > _MAX_DEPTH:
        return value
    if type(value) is list:
        for number, item in enumerate(value):
            made = _plain(item, depth + 1, inside)
            if made is not item:
                rest = [_plain(other, depth + 1, inside) for other in value[number + 1 :]]
                return [*value[:number], made, *rest]
        return value
    if type(value) is dict:
        for item in value.values():
            if type(item) is not str and _plain(item, depth + 1, inside) is not item:
                return {k: _plain(v, depth + 1, inside) for k, v in value.items()}
        return value
    if id(value) in inside:
        return None
    inside.add(id(value))
    try:
        return _object(value, depth, inside)
    finally:
        inside.discard(id(value))


def _object(value: Any, depth: int, inside: set[int]) -> Any:
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    if not isinstance(value, type):
        made = _asked(value)
        if made is not None:
            return _plain(made, depth + 1, inside)
        if hasattr(type(value), "__dataclass_fields__"):
            import dataclasses

            return {f.name: _plain(getattr(value, f.name), depth + 1, inside) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {k: _plain(v, depth + 1, inside) for k, v in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [_plain(item, depth + 1, inside) for item in value]
    return value


def _scalar(value: Any) -> Any:
    """An everyday object that JSON writes as one scalar; None for any other."""
    if isinstance(value, enum.Enum):
        return value.value if type(value.value) in _PLAIN else value.name
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    return None


def _asked(value: Any) -> Any:
    """What an object says itself to be, in its own way; None where it has none."""
    item = _call(value, "to_input_item")
    if item is not None:
        return item
    if callable(getattr(value, "model_dump", None)):
        return _dump(value)
    if hasattr(value, "keys"):
        return None
    for name in ("to_dict", "_asdict", "dict"):
        made = _call(value, name)
        if made is not None:
            return made
    return None


def _call(value: Any, name: str, **options: Any) -> Any:
    method = getattr(value, name, None)
    if not callable(method):
        return None
    try:
        return method(**options)
    except Exception:
        return None


def _dump(value: Any) -> Any:
    """A pydantic object as it would be sent: by alias, in JSON's own types, without what was never set.

    What names a thing (`role`, `type`) is often a default that counts as not set; it is taken from a second dump.
    """
    sent = _call(value, "model_dump", mode="json", by_alias=True, exclude_unset=True)
    whole = _call(value, "model_dump", mode="json", by_alias=True, exclude_none=True)
    if sent is None:
        sent = whole if whole is not None else _call(value, "model_dump")
    return {} if sent is None else _without_unset(_with_names(sent, whole), value)


def _without_unset(dumped: Any, value: Any) -> Any:
    """`dumped`, without the nulls that a serializer of its own (mistralai) puts for members that nobody set."""
    given = getattr(value, "model_fields_set", None)
    fields = getattr(type(value), "model_fields", None)
    if not (isinstance(dumped, dict) and isinstance(given, set) and isinstance(fields, dict)):
        return dumped
    names = given | {getattr(field, "alias", None) for name, field in fields.items() if name in given}
    return {k: v for k, v in dumped.items() if v is not None or k in names}


def _with_names(sent: Any, whole: Any) -> Any:
    """`sent`, with the naming members that only `whole` has."""
    if isinstance(sent, dict) and isinstance(whole, dict):
        names = {k: whole[k] for k in _NAMING if k in whole and sent.get(k) is None}
        return {**{k: _with_names(v, whole.get(k)) for k, v in sent.items()}, **names}
    if isinstance(sent, list) and isinstance(whole, list) and len(sent) == len(whole):
        return [_with_names(a, b) for a, b in zip(sent, whole, strict=True)]
    return sent
