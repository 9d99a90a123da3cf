"""Message objects of SDKs and frameworks made plain, without importing any of them."""

from __future__ import annotations

from typing import Any

_PLAIN = (str, int, float, bool, type(None))
_MAX_DEPTH = 200


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as dicts, lists and scalars.  What is plain already is returned as it is, uncopied.

    Objects are asked for `model_dump` (pydantic: openai, anthropic, google-genai, mistralai, cohere, ollama),
    `to_dict`, `_asdict`, or are read as dataclasses.
    """
    if type(value) in _PLAIN or depth > _MAX_DEPTH:
        return value
    if type(value) is list:
        for number, item in enumerate(value):
            made = plain(item, depth + 1)
            if made is not item:
                return [*value[:number], made, *(plain(other, depth + 1) for other in value[number + 1 :])]
        return value
    if type(value) is dict:
        for item in value.values():
            if type(item) is not str:
                made = plain(item, depth + 1)
                if made is not item:
                    return {k: plain(v, depth + 1) for k, v in value.items()}
        return value
    return _object(value, depth)


def _object(value: Any, depth: int) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return plain(_dump(value), depth + 1)
    for name in ("to_dict", "_asdict", "dict"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type) and not hasattr(value, "keys"):
            try:
                return plain(method(), depth + 1)
            except TypeError:
                continue
    import dataclasses
    from collections.abc import Mapping, Sequence

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name), depth + 1) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {k: plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (tuple, set, frozenset)) or (
        isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, str))
    ):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, (bytes, bytearray)):
        import base64

        return base64.b64encode(bytes(value)).decode("ascii")
    import enum

    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1)
    return value


def _dump(value: Any) -> Any:
    """A pydantic object as it would be sent: by alias, in JSON's own types, without what was never set."""
    for options in ({"mode": "json", "by_alias": True, "exclude_unset": True}, {"exclude_none": True}, {}):
        try:
            dumped = value.model_dump(**options)
        except Exception:  # noqa: S112 - a foreign object's own dump may fail in any way
            continue
        if isinstance(dumped, dict) and isinstance(value, object) and "role" not in dumped:
            role = getattr(value, "role", None)  # a default that exclude_unset drops, and the message needs
            if isinstance(role, str):
                dumped = {"role": role, **dumped}
        if isinstance(dumped, dict) and "type" not in dumped and isinstance(getattr(value, "type", None), str):
            dumped["type"] = value.type
        return dumped
    return {}
