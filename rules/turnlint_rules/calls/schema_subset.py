"""Where the parameters of a tool go beyond the part of JSON Schema that a target takes.

Gemini reads parameters as a message of its own with a closed list of fields: what is not one of them refuses the whole
request.  OpenAI and Anthropic want an object at the top, told by its properties alone.  The walk is iterative and
bounded, as the schema comes from a stranger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MAX_NODES = 20_000

_MAPS = ("properties", "$defs", "definitions")
_LISTS = ("anyOf", "any_of", "oneOf", "allOf")
_ONE = ("items", "additionalProperties")
#: Any of these tells what a property is, where its type is left out.
_TELLING = frozenset({"type", "anyOf", "any_of", "oneOf", "allOf", "$ref", "ref", "enum"})
_CHOICES = ("anyOf", "oneOf", "allOf")
#: Any of these tells what an array holds.
_ELEMENTS = frozenset({"items", "prefixItems", "prefix_items", "$ref", "ref", *_LISTS})


class Beyond(NamedTuple):
    """One place: the variants of `invalid-tool-schema`, the path inside the schema, the word at fault."""

    variant: str | tuple[str, ...]
    path: tuple[str | int, ...]
    word: str


def beyond(schema: Any, keywords: Collection[str]) -> Iterator[Beyond]:
    """Every place where `schema` goes beyond the subset; `keywords` are those that the target does not know."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), schema)]
    seen = 0
    if isinstance(schema, dict):
        yield from _top(schema)
    while waiting and seen < MAX_NODES:
        path, node = waiting.pop()
        seen += 1
        if not isinstance(node, dict):
            continue
        yield from (Beyond("keyword", (*path, key), key) for key in node if key in keywords)
        kind = node.get("type")
        if isinstance(kind, list):
            yield Beyond("type-list", (*path, "type"), "type")
        elif isinstance(kind, str):
            if kind.lower() == "array" and not _ELEMENTS & node.keys():
                yield Beyond("array-without-items", path, str(path[-1]) if path else "")
            if kind.lower() != "object":
                yield from (
                    Beyond("only-of-objects", (*path, key), key) for key in ("properties", "required") if key in node
                )
        properties = node.get("properties")
        declared = properties if isinstance(properties, dict) else {}
        for name in node["required"] if isinstance(node.get("required"), list) else ():
            if isinstance(name, str) and name not in declared:
                yield Beyond("unknown-required", (*path, "required"), name)
        for name, inner in declared.items():
            if isinstance(inner, dict) and inner and not _TELLING & inner.keys():
                yield Beyond("untyped", (*path, "properties", name), str(name))
        waiting.extend(_inner(path, node))


def _top(schema: dict[str, Any]) -> Iterator[Beyond]:
    """What may not stand at the top, the first alone: the rest follows from it."""
    choice = next((key for key in _CHOICES if key in schema), None)
    kind = schema.get("type")
    if choice is not None:
        yield Beyond("choice-at-top", (choice,), choice)
    elif schema and "$ref" not in schema and (kind is None or (isinstance(kind, str) and kind.lower() != "object")):
        yield Beyond(("no-type", "not-object"), (), "None") if kind is None else Beyond("not-object", ("type",), kind)
    elif kind == "object" and "properties" not in schema and "$ref" not in schema:
        yield Beyond("no-properties", (), "properties")


def _inner(path: tuple[str | int, ...], node: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    for key in _MAPS:
        if isinstance(node.get(key), dict):
            yield from (((*path, key, name), inner) for name, inner in node[key].items())
    for key in _LISTS:
        if isinstance(node.get(key), list):
            yield from (((*path, key, number), inner) for number, inner in enumerate(node[key]))
    for key in _ONE:
        if key in node:
            yield (*path, key), node[key]
