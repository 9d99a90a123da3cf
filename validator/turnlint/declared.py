"""Whether calls plainly fit the tools that a request declares: what is left to ask where the declaration is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DEEPEST = 20  # schemas inside each other
_REMARKS = frozenset({"description", "title", "default", "examples", "$schema", "$defs", "definitions", "$comment"})
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "object": dict, "array": list, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip


def plainly_sound(schema: Any, depth: int = 0) -> bool:
    """Whether a schema is made of everyday keywords alone, each in its right form; False where that is not plain."""
    if type(schema) is not dict or depth > _DEEPEST:
        return False
    for key, value in schema.items():
        if key == "type":
            fine = isinstance(value, str) and value in _TYPES
        elif key in ("description", "title"):
            fine = isinstance(value, str)
        elif key == "properties":
            fine = isinstance(value, dict) and all(plainly_sound(inner, depth + 1) for inner in value.values())
        elif key == "items":
            fine = plainly_sound(value, depth + 1)
        elif key == "additionalProperties":
            fine = isinstance(value, bool) or plainly_sound(value, depth + 1)
        elif key == "required":
            fine = _are_names(value)
        elif key == "enum":
            fine = _are_names(value) and len(value) > 0
        else:
            fine = key == "default"
        if not fine:
            return False
    return True


def _are_names(value: Any) -> bool:
    """Whether it is a list of texts, none of them twice."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) == len(value)


def surely_fits(schema: Any, value: Any, depth: int = 0) -> bool:
    """Whether a value fits by the everyday keywords alone; False where it does not, or where another keyword decides.

    Most tools have no more than that, and most calls fit: a validator is asked about the others.
    """
    if depth > _DEEPEST or not isinstance(schema, dict):
        return schema is True
    for key, wanted in schema.items():
        if key in _REMARKS:
            continue
        if key == "type":
            kind = _TYPES.get(wanted) if isinstance(wanted, str) else None
            if kind is None or not isinstance(value, kind) or (isinstance(value, bool) and wanted != "boolean"):
                return False
        elif key == "properties" and isinstance(wanted, dict):
            for name, inner in wanted.items() if isinstance(value, dict) else ():
                if name in value and not surely_fits(inner, value[name], depth + 1):
                    return False
        elif key == "required" and isinstance(wanted, list):
            if isinstance(value, dict) and any(name not in value for name in wanted):
                return False
        elif key == "enum" and isinstance(wanted, list):
            if not isinstance(value, str) or value not in wanted:
                return False
        elif key == "items" and isinstance(wanted, dict):
            if isinstance(value, list) and not all(surely_fits(wanted, item, depth + 1) for item in value):
                return False
        elif key == "additionalProperties" and wanted is False and isinstance(schema.get("properties"), dict):
            if isinstance(value, dict) and not value.keys() <= schema["properties"].keys():
                return False
        else:
            return False
    return True


def all_fit(calls: Iterable[tuple[Any, Any]], schemas: Mapping[str, Any]) -> bool:
    """Whether each call, as name and arguments (an object or its text), is one of these tools and fits its schema.

    False, too, where that is not plain.
    """
    try:
        for name, arguments in calls:
            value = msgspec.json.decode(arguments) if type(arguments) is str else arguments
            if type(value) is not dict or not surely_fits(schemas[name], value):
                return False
    except (KeyError, TypeError, ValueError, RecursionError):
        return False
    return True
