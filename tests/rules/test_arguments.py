"""What is wrong with arguments, and where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint_rules.arguments import broken


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"), (" \n", "empty"), ("[]", "not-object"), ('"x"', "not-object"), ("null", "not-object"),
        ('{"a": 1}{"a": 1}', "trailing"), ("{} x", "trailing"), ('{"a": ', "not-json"), ("{'a': 1}", "not-json"),
        ('{"a": NaN}', "not-json"), ('{"a": "\n"}', "not-json"), ("x", "not-json"),
    ],
)  # fmt: skip
def test_kinds(text: str, kind: str) -> None:
    fault = broken(text)
    assert fault is not None
    assert fault.kind == kind


@pytest.mark.parametrize(
    "text", ["{}", ' {"a": 1}\n', '{"a": "\\ud83d"}', '{"n": ' + "9" * 5000 + "}", '{"x": 1e999}', "[" * 100_000]
)
def test_what_is_no_fault(text: str) -> None:
    assert broken(text) is None


def test_details() -> None:
    cut = broken('{"command": "echo hel')
    assert cut is not None
    assert (cut.cut, cut.python, cut.column) == (True, "Unterminated string starting at", 13)
    twice = broken('{"a":1} {"a":1}')
    assert twice is not None
    assert (twice.equal, twice.first, twice.offset) == (True, '{"a":1}', 8)
    two = broken('{"path":"a"}{"path":"b"}')
    assert two is not None
    assert (two.doubled, two.equal) == (True, False)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_every_object_is_sound_and_no_beginning_of_it_is(value: dict[str, object]) -> None:
    text = json.dumps(value)
    assert broken(text) is None
    for end in range(len(text)):
        assert broken(text[:end]) is not None


@given(st.text())
def test_any_text(text: str) -> None:
    broken(text)
