"""What is plainly sound or plainly fits needs no validator: a validator says the same."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnlint.declared import all_fit, plainly_sound, surely_fits

_NAMES = st.sampled_from(("city", "days", "type", "items", ""))
_ODD = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.just([]), st.just({}), st.just(["city", "city"]))
_TYPES = st.sampled_from(("string", "object", "array", "boolean", "integer", "number", "null", "STRING", "dict"))
_DRAFT = jsonschema.Draft202012Validator


def _keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.lists(_NAMES, max_size=3)
    known = {
        "type": st.one_of(_TYPES, st.lists(_TYPES, max_size=2), _ODD),
        "properties": st.one_of(st.dictionaries(_NAMES, inner, max_size=3), _ODD),
        "items": st.one_of(inner, _ODD),
        "required": st.one_of(names, _ODD),
        "enum": st.one_of(names, st.lists(_ODD, max_size=3), _ODD),
        "additionalProperties": st.one_of(inner, st.booleans(), _ODD),
        "description": st.one_of(st.just("words"), _ODD),
        "default": _ODD,
        "minimum": _ODD,
        "title": st.just("words"),
    }
    return st.fixed_dictionaries({}, optional=known)


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.just({}), st.booleans(), _keywords(st.just({}))), _keywords, max_leaves=8
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.floats(-1, 1), _NAMES),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=400)
@given(schema=SCHEMAS)
def test_what_is_plainly_sound_is_sound(schema: Any) -> None:
    if plainly_sound(schema):
        _DRAFT.check_schema(schema)


@settings(max_examples=600)
@given(schema=SCHEMAS, value=VALUES)
def test_what_surely_fits_is_valid(schema: Any, value: Any) -> None:
    try:
        _DRAFT.check_schema(schema)
    except jsonschema.SchemaError:
        return
    if surely_fits(schema, value):
        _DRAFT(schema).validate(value)


_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.parametrize(
    ("name", "arguments", "fits"),
    [
        ("look", {"city": "Oslo"}, True),
        ("look", '{"city": "Oslo"}', True),
        ("look", '{"city": 1}', False),
        ("look", "{", False),
        ("look", "[]", False),
        ("look", None, False),
        ("search", {"city": "Oslo"}, False),
        (["look"], {"city": "Oslo"}, False),
    ],
)
def test_calls(name: Any, arguments: Any, fits: bool) -> None:
    assert all_fit([(name, arguments)], {"look": _SCHEMA}) is fits
