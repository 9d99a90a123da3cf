"""Schemas of strangers: what they say is checked, and nothing that they hold can hang, fetch or crash."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnlint_rules.json_schema import UnusableError, compiled, safe_pattern

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "$ref",
    "allOf",
    "anyOf",
    "pattern",
    "$defs",
    "not",
    "if",
]


def problems(schema: Any, value: Any) -> list[str]:
    return [v.message for v in compiled(schema).violations(value)]


def test_what_does_not_fit() -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
    assert problems(schema, {"city": "Oslo", "unit": "c"}) == []
    found = compiled(schema).violations({"city": 1, "unit": "k", "x": 0})
    assert {v.path for v in found} == {(), ("city",), ("unit",)}
    assert problems(schema, {}) == ["'city' is a required property"]


def test_other_spellings_mean_the_same() -> None:
    assert problems({"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}, {"a": None}) == []
    assert problems({"type": 6, "properties": {"a": {"type": 1}}}, {"a": 1}) == ["a: integer where string is wanted"]
    assert problems({"type": "OBJECT"}, []) == ["array where object is wanted"]
    assert compiled({"type": "number", "minimum": 0, "exclusiveMinimum": True}).problem is None  # draft 4


@pytest.mark.parametrize("schema", ["x", 1, None, [], {"type": "dict"}, {"properties": {"a": {"required": True}}}])
def test_what_is_no_schema(schema: object) -> None:
    assert compiled(schema).problem is not None
    assert problems(schema, {}) == []


def test_references_inside_are_followed_and_others_are_not_fetched() -> None:
    inside = {"properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}
    assert problems(inside, {"n": "1"}) == ["n: string where integer is wanted"]
    for address in ("https://example.com/s.json", "other.json", "file:///etc/passwd"):
        with pytest.raises(UnusableError):
            compiled({"$ref": address})


def test_references_that_never_end() -> None:
    assert problems({"$ref": "#"}, 1) == []
    wide: dict[str, Any] = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 3} for n in range(40)}
    assert len(problems({"$ref": "#/$defs/a0", "$defs": {**wide, "a40": {"type": "string"}}}, 1)) <= 5
    assert problems({"$ref": "#/$defs/a0", "$defs": {**wide, "a40": {}}}, 1) == []


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "a*a*a*b", "(a*){9}", "(.)\\1", "a?" * 30, "x" * 400, "(?=a)", "["]
)
def test_patterns_that_could_run_away(pattern: str) -> None:
    assert safe_pattern(pattern) is None
    assert problems({"pattern": pattern}, "a" * 40 + "!") == []


def test_patterns_that_cannot() -> None:
    assert problems({"pattern": "^[a-z]+$"}, "OSLO") == ["it does not satisfy pattern"]
    assert problems({"pattern": "^[a-z]+$"}, "X" * 1000) == []  # too long to look at


def test_large_and_deep_schemas_are_left_alone() -> None:
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"items": deep}
    with pytest.raises(UnusableError):
        compiled(deep)
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    assert problems({"type": "object"}, value) == []
    assert problems({"items": {"type": "string"}}, [1] * 100_000) == []


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYWORDS), ANY, max_size=4), ANY)
def test_any_schema_and_any_value(schema: dict[str, Any], value: Any) -> None:
    with contextlib.suppress(UnusableError):
        compiled(schema).violations(value)


EVERYDAY = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "number", "boolean", "null"])})
    | st.just({"enum": ["a", "b"]}),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3)},
            optional={
                "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
                "additionalProperties": st.booleans(),
            },
        )
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([1.0, 0.5, "a", "b", "x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(EVERYDAY, VALUES)
def test_the_short_way_says_what_a_validator_says(schema: dict[str, Any], value: Any) -> None:
    from jsonschema import Draft202012Validator

    assert bool(compiled(schema).violations(value)) is not Draft202012Validator(schema).is_valid(value)
