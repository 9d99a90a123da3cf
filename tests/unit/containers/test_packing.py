"""What histories are packed in comes off, and nothing makes the unpacking fail."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.containers import packing
from turnlint.source.document import MISSING

PLAIN = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["stringValue", "intValue", "arrayValue", "kvlistValue", "values", "key", "value", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=10,
)


def as_any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [as_any_value(item) for item in value]}}
    return {"kvlistValue": {"values": [{"key": key, "value": as_any_value(inner)} for key, inner in value.items()]}}


@given(PLAIN)
def test_any_values_come_back(value: Any) -> None:
    assert packing.any_value(as_any_value(value)) == value


@given(ANY)
def test_nothing_makes_unpacking_fail(value: Any) -> None:
    packing.any_value(value)
    packing.key_values(value)
    packing.unwrap(value)
    packing.as_list(value)
    packing.encode(value)
    list(packing.texts(value))
    if isinstance(value, dict):
        packing.unflatten(value, "x")


@pytest.mark.parametrize("layers", [0, 1, 2, 3])
def test_json_in_strings(layers: int) -> None:
    value: Any = [{"role": "user"}]
    for _ in range(layers):
        value = json.dumps(value)
    assert packing.unwrap(value) == [{"role": "user"}]


@pytest.mark.parametrize("text", ["hello", "12", "", '"hello', "{", "null"])
def test_texts_that_hold_nothing_stay(text: str) -> None:
    assert packing.unwrap(text) == text


def test_a_text_that_was_cut_is_told_from_one_that_is_no_json() -> None:
    assert packing.is_cut('{"city": "Os')
    assert not packing.is_cut('{"city": "Oslo"}')
    assert not packing.is_cut("Oslo")


def test_one_value_behind_another_is_no_value() -> None:
    assert packing.parse('{"a": 1}{"b": 2}') is MISSING
    assert packing.parse('{"a": 1}') == {"a": 1}
    assert packing.parse("12") is MISSING


@given(st.binary(max_size=300))
def test_packed_bytes_come_back(data: bytes) -> None:
    assert packing.expand(gzip.compress(data)) == data
    assert packing.expand(zlib.compress(data)) == data
    packing.expand(data)
    packing.expand(b"\x1f\x8b" + data)
    packing.expand(b"\x28\xb5\x2f\xfd" + data)


def test_a_packed_body_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_UNPACKED", 1000)
    assert packing.expand(gzip.compress(b"a" * 2000)) is None
    assert packing.expand(gzip.compress(b"a" * 900)) == b"a" * 900


def test_flat_keys_make_lists_and_show_holes() -> None:
    tree, origin = packing.unflatten({"p.1.b": "x", "p.0.a.c": "y", "q.0": "z"}, "p")
    assert packing.as_list(tree) == ([(0, {"a": {"c": "y"}}), (1, {"b": "x"})], True)
    assert origin[("0", "a", "c")] == "p.0.a.c"
    tree, _ = packing.unflatten({"p.2.b": "x"}, "p")
    assert packing.as_list(tree) == ([(2, {"b": "x"})], False)
