"""The bytes behind a pointer are those that an independent parser reads the pointer's value from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.source import pointer as pointers
from turnlint.source.scan import locate

KEYS = st.text(max_size=4) | st.sampled_from(["a", "a/b", "~", "0", "é", "😀", '"', "\\", "\n"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)


class Nested(str):
    """A string that holds JSON, with the value in it."""

    __slots__ = ("value",)
    value: Any


@st.composite
def nested(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Nested:
    value = draw(st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
    text = Nested(draw(spelled(value)))
    text.value = value
    return text


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4) | nested(inner),
    max_leaves=15,
)


def spelled(value: Any) -> st.SearchStrategy[str]:
    """Some of the ways to write a value as JSON."""
    return st.builds(
        lambda ascii_only, indent, separators, around: (
            around + json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators) + around
        ),
        st.booleans(),
        st.sampled_from([None, 0, 2, "\t"]),
        st.sampled_from([None, (",", ":"), (" ,\r\n ", "\t: ")]),
        st.sampled_from(["", " ", "\r\n"]),
    )


def places(value: Any, at: str = "") -> list[tuple[str, Any]]:
    """Every pointer into a value, with what it names; through strings that hold JSON too."""
    found = [(at, value)]
    inside = value.value if isinstance(value, Nested) else value
    if isinstance(inside, dict):
        for key, child in inside.items():
            found += places(child, at + pointers.join([key]))
    elif isinstance(inside, list):
        for index, child in enumerate(inside):
            found += places(child, f"{at}/{index}")
    return found


def unescaped(raw: str, levels: int) -> str:
    for _ in range(levels):
        raw = json.loads(f'"{raw}"')
    return raw


def levels(value: Any, pointer: str) -> int:
    """How many strings that hold JSON lie on the way to a pointer."""
    count = 0
    for token in pointers.split(pointer):
        if isinstance(value, Nested):
            count += 1
            value = value.value
        value = value[int(token)] if isinstance(value, list) else value[token]
    return count


@given(st.data())
def test_locate_agrees_with_the_standard_library(data: st.DataObject) -> None:
    value = data.draw(VALUES)
    text = data.draw(spelled(value)).encode()
    wanted = places(value)
    spans = locate(text, [pointer for pointer, _ in wanted])
    for pointer, expected in wanted:
        span = spans[pointer]
        depth = levels(value, pointer)
        found = json.loads(unescaped(text[span.start : span.end].decode(), depth))
        assert repr(found) == repr(json.loads(json.dumps(expected)))
        if span.key_start is not None:
            key = json.loads(unescaped(text[span.key_start : span.key_end].decode(), depth))
            assert key == pointers.split(pointer)[-1]


@given(st.data())
def test_one_pointer_at_a_time_gives_the_same_as_all_at_once(data: st.DataObject) -> None:
    value = data.draw(VALUES)
    text = data.draw(spelled(value)).encode()
    wanted = [pointer for pointer, _ in places(value)]
    together = locate(text, wanted)
    pointer = data.draw(st.sampled_from(wanted))
    assert locate(text, [pointer])[pointer] == together[pointer]


@given(
    st.binary()
    | st.lists(st.sampled_from([b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"1", b'"a"'])).map(b"".join)
)
def test_locate_never_raises(data: bytes) -> None:
    for span in locate(data, ["", "/a", "/0", "/a/0/a", "/1/1/1"]).values():
        assert 0 <= span.start <= span.end <= len(data)


def piece(text: bytes, pointer: str) -> bytes:
    span = locate(text, [pointer])[pointer]
    return text[span.start : span.end]


def test_the_last_of_two_keys_counts() -> None:
    text = b'{"a": {"x": 1}, "b": 2, "\\u0061": {"y": 3}}'
    assert piece(text, "/a/y") == b"3"
    assert piece(text, "/a/x") == b'{"y": 3}'


@pytest.mark.parametrize("padding", [0, 5000])
def test_small_and_large_texts_are_read_alike(padding: int) -> None:
    # Large containers are cut up by the fast decoder: duplicates and values of equal beginning are its traps.
    filler = "x" * padding
    text = (
        json.dumps({"a": 1, "b": [1, 12, {"c": "1"}], "z": filler})[:-1].encode()
        + b', "a": 12, "b": [11, [2]] , "e": 1 }'
    )
    assert piece(text, "/a") == b"12"
    assert piece(text, "/b/1/0") == b"2"
    assert piece(text, "/b/2") == b"[11, [2]]"
    assert piece(text, "/e") == b"1"
    assert piece(text, "/z") == f'"{filler}"'.encode()
    assert piece(b" " + text + b"\n", "") == text


def test_a_tail_that_does_not_exist_gives_its_deepest_ancestor() -> None:
    text = b'{"a": [1, {"b": "no json"}], "c": {}}'
    assert piece(text, "/a/1/b/c/d") == b'"no json"'
    assert piece(text, "/a/7") == b'[1, {"b": "no json"}]'
    assert piece(text, "/a/01") == b'[1, {"b": "no json"}]'
    assert piece(text, "/c/d") == b"{}"
    assert piece(text, "/x") == text


def test_through_strings_that_hold_json() -> None:
    text = json.dumps({"body": json.dumps({"messages": [{"arguments": json.dumps({"é😀\n": [1, "x"]})}]})}).encode()
    raw = piece(text, "/body/messages/0/arguments/é😀\n/1")
    assert unescaped(raw.decode(), 2) == '"x"'
    # A string in a string has no step of its own.
    assert piece(json.dumps({"a": json.dumps(json.dumps([7]))}).encode(), "/a/0") == b"7"
    # What is cut off is followed as far as it goes.
    assert piece(json.dumps({"a": '{"b": [1, {"c": "cut'}).encode(), "/a/b/0") == b"1"


def test_a_cut_text_is_followed_as_far_as_it_goes() -> None:
    text = b'{"a": {"b": [10, 20, {"c": "cut'
    assert piece(text, "/a/b/1") == b"20"
    assert piece(text, "/a/b/2/c") == b'"cut'
    assert piece(text, "/a/b/2/d") == b'{"c": "cut'


def test_strings_in_strings_without_end_are_not_followed_for_ever() -> None:
    text = "1"
    for _ in range(200):
        text = '"' + text.replace("\\", "\\u005c").replace('"', "\\u0022") + '"'
    span = locate(text.encode(), ["/a"])["/a"]
    assert (span.start, span.end) == (0, len(text))
