"""Decoding agrees with the standard library on JSON, says what is wrong with anything else, and never raises."""

from __future__ import annotations

import gc
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.source.decode import MAX_DEPTH, decode
from turnlint.source.document import MISSING
from turnlint.source.scanner import find_duplicate_keys, scan

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_decode_and_scan_agree_with_the_standard_library(
    value: Any, ascii_only: bool, indent: int | str | None
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert decode(data) == (value, ())
    outcome = scan(data, duplicates=True)  # all of it by the scanner, without the fast decoder's help
    assert (outcome.value, outcome.faults, outcome.end) == (value, [], len(data))


PIECES = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"1",
    b"-",
    b".",
    b"e",
    b"tru",
    b"null",
    b"NaN",
    b"\\u",
    b"d8",
]
PIECES += [b"00", b"\x00", b"\n", b"\xff", b"\xc3", b"\xa9", b" ", b"'", b"/", b"\xef\xbb\xbf"]


@given(st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_decode_never_raises_and_faults_lie_inside_the_text(data: bytes) -> None:
    value, faults = decode(data)
    assert (value is MISSING) == any(fault.fatal for fault in faults)
    for fault in faults:
        assert 0 <= fault.start <= fault.end <= len(data)
        assert fault.message
        assert fault.message.isprintable()
    try:
        expected = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return
    assert value is not MISSING
    assert repr(value) == repr(expected)


@given(VALUES, st.data())
def test_every_beginning_of_a_record_is_cut(value: Any, data: st.DataObject) -> None:
    text = json.dumps({"key": [value]}).encode()
    outcome = scan(text[: data.draw(st.integers(0, len(text) - 1))])
    assert outcome.cut
    assert outcome.value is MISSING


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        (b'{"a": 1 "b": 2}', "a comma is missing between two members of an object", b'"b": 2}'),
        (b"[1 2]", "a comma is missing between two items of a list", b"2]"),
        (b'{"a": 1,}', "a comma stands before the closing }", b",}"),
        (b'{"a" 1}', "a colon is missing between a key and its value; found '1'", b"1}"),
        (b"{'a': 1}", "a key in other than double quotes", b"'a': 1}"),
        (b"{a: 1}", "a key without quotes: 'a'", b"a: 1}"),
        (b"{\"a\": 'x'}", "a string in other than double quotes", b"'x'}"),
        (b'{"a": True}', "True is Python; JSON writes true", b"True}"),
        (b"[1, // no\n2]", "a comment, which JSON does not have", b"// no\n2]"),
        (b"[01]", "'01' is no JSON number", b"01]"),
        (b'["\\d"]', "'\\d' is no escape that JSON knows", b'\\d"]'),
        (b"[1}", "a list is closed by }", b"}"),
        (b'{"a": "x', "the text ends inside a string", b""),
        (b'{"a": [1,', "the text ends inside a list", b""),
        (b"<html>", "a value is expected, found '<'", b"<html>"),
        (b"[" * (MAX_DEPTH + 1), "lists and objects are nested deeper than 10,000 levels", b"["),
    ],
)
def test_a_syntax_error_says_what_and_where(data: bytes, message: str, place: bytes) -> None:
    value, (fault,) = decode(data)
    assert value is MISSING
    assert (fault.kind, fault.message, data[fault.start :], fault.fatal) == ("syntax", message, place, True)


@pytest.mark.parametrize(
    ("data", "value", "kind", "pointer", "place"),
    [
        (b'{"a": ["\\ud800x"]}', {"a": ["\ud800x"]}, "unicode", "/a/0", b"\\ud800"),
        (b'["\\ud83d\\ude00\\udc00"]', ["😀\udc00"], "unicode", "/0", b"\\udc00"),
        (b'{"\\ud800": 1}', {"\ud800": 1}, "unicode", "", b"\\ud800"),
        (b'["x", 1e999]', ["x", math.inf], "non-finite", "/1", b"1e999"),
        (b"[-Infinity]", [-math.inf], "non-finite", "/0", b"-Infinity"),
        (b"9" * 5000, math.inf, "non-finite", "", b"9" * 5000),
        (b'["a\tb"]', ["a\tb"], "syntax", "/0", b"\t"),
        (b'["a\nb"]', ["a\nb"], "torn", "/0", b"\n"),
        (b'["a\x00b"]', ["a\x00b"], "torn", "/0", b"\x00"),
        (b'["a\xffb"]', ["a\ufffdb"], "encoding", "/0", b"\xff"),
        (b"[1] x", [1], "syntax", None, b"x"),
        (b"[1]]", [1], "syntax", None, b"]"),
        (b"[1]\x00\x00", [1], "torn", None, b"\x00\x00"),
    ],
)
def test_what_can_be_read_is_read(data: bytes, value: Any, kind: str, pointer: str | None, place: bytes) -> None:
    decoded, (fault,) = decode(data)
    assert decoded == value
    assert (fault.kind, fault.pointer, data[fault.start : fault.end], fault.fatal) == (kind, pointer, place, False)


def test_depth_up_to_the_bound_is_read() -> None:
    value, faults = decode(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert not faults
    for _ in range(MAX_DEPTH - 1):
        (value,) = value
    assert value == []


def test_faults_of_one_document_are_bounded() -> None:
    value, faults = decode(b"[" + b",".join([b"NaN"] * 1000) + b"]")
    assert len(value) == 1000
    assert len(faults) < 1000


def test_duplicate_keys() -> None:
    data = b'{"a": 1, "b": [{"c": 1, "\\u0063": 2, "d": 3}], "a": 4}'
    faults = find_duplicate_keys(data)
    assert [(fault.pointer, data[fault.start : fault.end]) for fault in faults] == [
        ("/b/0/c", b'"\\u0063"'),
        ("/a", b'"a"'),
    ]
    assert {fault.kind for fault in faults} == {"duplicate-key"}
    assert find_duplicate_keys(b'{"a": {"a": 1}, "b": {"a": 1}}') == []


def test_a_large_text_leaves_the_collector_as_it_was() -> None:
    large = b"[" + b"[],\n" * 300_000 + b"[]]"
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            assert len(decode(large)[0]) == 300_001
            assert decode(large[:-1])[1][0].fatal
            assert gc.isenabled() is enabled
        finally:
            gc.enable()
