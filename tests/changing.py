"""Valid histories with a few random changes: what the oracles are asked about."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROLES = ("user", "assistant", "tool", "system", "model", "developer")
_VALUES: tuple[Any, ...] = (
    None,
    "",
    " ",
    "x",
    "call_1",
    0,
    1.5,
    True,
    [],
    {},
    ["x"],
    {"a": 1},
    [{"type": "text", "text": "x"}],
    [{}],
)


@st.composite
def changed(draw: st.DrawFn, histories: st.SearchStrategy[Any], *, most: int = 3) -> list[Any]:
    """A history with up to `most` changes: messages lost, doubled or swapped, values lost or replaced anywhere."""
    messages: list[Any] = copy.deepcopy(draw(histories))
    for _ in range(draw(st.integers(0, most))):
        if messages:
            _change(draw, messages)
    return messages


def _change(draw: st.DrawFn, messages: list[Any]) -> None:
    at = draw(st.integers(0, len(messages) - 1))
    match draw(st.sampled_from(("drop", "double", "swap", "role", "lose", "set", "copy"))):
        case "drop":
            del messages[at]
        case "double":
            messages.insert(at, copy.deepcopy(messages[at]))
        case "swap":
            other = draw(st.integers(0, len(messages) - 1))
            messages[at], messages[other] = messages[other], messages[at]
        case "role" if isinstance(messages[at], dict):
            messages[at]["role"] = draw(st.sampled_from(_ROLES))
        case "lose":
            holder, key = draw(st.sampled_from(places(messages[at]) or [(messages, at)]))
            del holder[key]
        case "copy":
            holder, key = draw(st.sampled_from(places(messages[at]) or [(messages, at)]))
            source, step = draw(st.sampled_from(places(messages)))
            holder[key] = copy.deepcopy(source[step])
        case _:
            holder, key = draw(st.sampled_from(places(messages[at]) or [(messages, at)]))
            holder[key] = copy.deepcopy(draw(st.sampled_from(_VALUES)))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every list or object in a value with each of its keys."""
    places: list[tuple[Any, Any]] = []
    rest = [value]
    while rest:
        holder = rest.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ():
            places.append((holder, key))
            rest.append(holder[key])
    return places


def every_change(messages: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The history with each of its values lost, or replaced by one of each kind, or by another role; one at a time."""
    for path in _paths(messages):
        for value in ("lose", *_VALUES):
            yield f"{'/'.join(map(str, path))}: {value!r}", _with(messages, path, value)
    for number in range(len(messages)):
        for role in _ROLES:
            yield f"{number}/role: {role}", _with(messages, (number, "role"), role)


def _paths(value: Any) -> list[tuple[Any, ...]]:
    paths: list[tuple[Any, ...]] = []
    rest: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while rest:
        path, found = rest.pop()
        steps = list(found) if isinstance(found, dict) else range(len(found)) if isinstance(found, list) else ()
        for step in steps:
            paths.append((*path, step))
            rest.append((paths[-1], found[step]))
    return paths


def _with(messages: list[Any], path: tuple[Any, ...], value: Any) -> list[Any]:
    made = copy.deepcopy(messages)
    holder: Any = made
    for step in path[:-1]:
        holder = holder[step]
    if value == "lose":
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(value)
    return made
