"""YAML values are plain and safe, and places in YAML are those an independent reader finds."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from turnlint.source import pointer as pointers
from turnlint.source.document import MISSING
from turnlint.source.scan import Layer, find, locate_yaml, wanted_tree
from turnlint.source.yamltext import decode_yaml, read_yaml, scan_yaml

TEXT = st.text(st.sampled_from("ab \n\t'\"\\:#-é😀\x85\u2028{}[],&*!|>%@0é1"), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT, inner, max_size=4)
        | st.builds(json.dumps, inner, indent=st.sampled_from([None, 2]), ensure_ascii=st.booleans())
    ),
    max_leaves=12,
)
STYLES = st.fixed_dictionaries(
    {
        "default_flow_style": st.sampled_from([True, False, None]),
        "default_style": st.sampled_from([None, "'", '"', "|"]),
        "allow_unicode": st.booleans(),
        "indent": st.sampled_from([2, 4]),
        "width": st.sampled_from([20, 80, sys.maxsize]),
        "line_break": st.sampled_from(["\n", "\r\n"]),
        "explicit_start": st.booleans(),
    }
)


def dumped(value: Any, style: dict[str, Any]) -> bytes:
    """A dump that the library reads back as the same value: some styles lose some strings."""
    data = yaml.dump(value, Dumper=NoAliases, sort_keys=False, encoding="utf-8", **style)
    assert isinstance(data, bytes)
    return data


class NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def places(value: Any, at: str = "") -> list[tuple[str, Any]]:
    found = [(at, value)]
    if isinstance(value, dict):
        for key, child in value.items():
            found += places(child, at + pointers.join([key]))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            found += places(child, f"{at}/{index}")
    return found


@given(VALUES, STYLES)
def test_values_are_those_of_the_library(value: Any, style: dict[str, Any]) -> None:
    data = dumped(value, style)
    expected = yaml.safe_load(data)
    if repr(expected) == repr(value):
        assert (repr(decode_yaml(data)[0]), decode_yaml(data)[1]) == (repr(value), ())


@given(VALUES, STYLES)
def test_places(value: Any, style: dict[str, Any]) -> None:
    data = dumped({"top": value}, style)
    if "\x85" in data.decode() or "\u2028" in data.decode():
        return  # line ends to YAML, but not to the reading of a piece below
    value = yaml.safe_load(data)
    for pointer, expected in places(value)[1:]:
        span = locate_yaml(data, [pointer])[pointer]
        raw = data[span.start : span.end].decode()
        if isinstance(expected, (dict, list)) and raw[:1] not in "[{":
            column = len(data[: span.start].decode()) - len(data[: data.rfind(b"\n", 0, span.start) + 1].decode())
            raw = " " * column + raw  # a block needs its own indentation
        elif raw[:1] in "|>":
            continue  # is read below, where its text is
        # The line end behind a piece is not in it, and is a part of the text where a block scalar at its end keeps all.
        assert repr(expected) in (repr(yaml.safe_load(raw)), repr(yaml.safe_load(f"{raw}\n")))
        key = data[span.key_start : span.key_end]
        if span.key_start is not None and key[:1] not in (b"|", b"?", b"!"):
            assert yaml.safe_load(key) == pointers.split(pointer)[-1]


INSIDE = st.dictionaries(TEXT, st.lists(st.integers() | TEXT, min_size=1, max_size=3), min_size=1, max_size=3)


@given(INSIDE, STYLES, st.booleans(), st.sampled_from([None, 2, "\t"]))
def test_places_in_json_in_a_string(inside: Any, style: dict[str, Any], ascii_only: bool, indent: Any) -> None:
    text = json.dumps(inside, ensure_ascii=ascii_only, indent=indent)
    data = dumped({"list": [{"body": text}, 1]}, style)
    if yaml.safe_load(data) != {"list": [{"body": text}, 1]}:
        return
    for pointer, expected in places(inside)[1:]:
        pointer = "/list/0/body" + pointer
        root = wanted_tree([pointer])
        scan_yaml(Layer(data), root)
        node, is_found = find(root, pointer)
        assert is_found
        assert node.layer is not None
        assert json.loads(node.layer.data[node.start : node.end]) == expected
        # The way back to the file: in the styles that spell it out, the bytes there are the value.
        span = node.span()
        assert 0 <= span.start < span.end <= len(data)
        if type(expected) is int:
            assert data[span.start : span.end] == str(expected).encode()


@given(st.text(st.sampled_from("ab:\n -[]{}&*!|>'\"\\#%?,<é\x00\x85\t")) | st.text(), st.booleans())
def test_reading_never_raises(text: str, crlf: bool) -> None:
    data = text.replace("\n", "\r\n" if crlf else "\n").encode("utf-8", "replace")
    value, faults = decode_yaml(data)
    assert (value is MISSING) == any(fault.fatal for fault in faults)
    for span in locate_yaml(data, ["", "/a", "/0/0", "/a/b/c"]).values():
        assert 0 <= span.start <= span.end <= len(data)


def test_plain_values_whatever_the_tag() -> None:
    text = b"""
    date: 2024-01-02
    object: !!python/object/apply:os.system [echo]
    regexp: !ruby/regexp /x/
    bytes: !!binary aGk=
    tuple: !!python/tuple [1, 2]
    number: 0x10
    quoted: "no"
    plain: no
    200: ok
    yes: key
    """
    assert decode_yaml(text) == (
        {
            "date": "2024-01-02",
            "object": ["echo"],
            "regexp": "/x/",
            "bytes": b"hi",
            "tuple": [1, 2],
            "number": 16,
            "quoted": "no",
            "plain": False,
            "200": "ok",
            "yes": "key",
        },
        (),
    )


def test_anchors_aliases_and_merging() -> None:
    text = b"a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {y: 4, <<: [{y: 5, z: 6}, {z: 7, w: 8}]}\n"
    assert decode_yaml(text)[0] == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 2},
        "c": {"x": 1, "y": 3},
        "d": {"y": 4, "z": 6, "w": 8},
    }


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("a: b: c", "syntax", "no YAML: mapping values are not allowed in this context"),
        ("a: &x [*x]", "syntax", "an alias stands inside what it names"),
        ("a: *x", "syntax", "an alias names an anchor that is not there"),
        ("? [1]\n: 2", "syntax", "a key that is a list or a mapping"),
        ("a: !!binary x", "syntax", "!!binary holds no base64"),
        ("a: {<<: 1}", "syntax", "<< takes a mapping, or a list of mappings"),
        ("a: \x00", "syntax", "no YAML: control characters are not allowed"),
        ("a: " + "[" * 5000, "syntax", "no YAML: exceeded maximum nesting depth"),
    ],
)
def test_faults(text: str, kind: str, message: str) -> None:
    value, (fault,) = decode_yaml(text.encode())
    assert value is MISSING
    assert (fault.kind, fault.message, fault.fatal) == (kind, message, True)


def test_the_place_of_a_fault_is_in_bytes() -> None:
    text = "é: 😀\nb: c: d\n".encode()
    fault = decode_yaml(text)[1][0]
    assert text[fault.start : fault.end] == b":"
    assert text[: fault.start].endswith(b"b: c")


def test_few_lines_do_not_make_billions_of_values() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (fault,) = decode_yaml("\n".join(lines).encode())[1]
    assert (fault.kind, fault.fatal) == ("unreadable", True)


def test_numbers_that_would_take_for_ever() -> None:
    value, faults = decode_yaml(b"a: " + b"1:" * 100_000 + b"1\nb: " + b"9" * 10_000)
    assert not faults
    assert type(value["a"]) is str
    assert value["b"] == float("inf")


def test_documents() -> None:
    text = "# comment\n---\na: é\n---\n# nothing\n---\nb: |\n  text\n...\n---\n- c\n".encode()
    found = list(read_yaml(text))
    assert [(document.value, document.line, document.number) for document in found] == [
        ({"a": "é"}, 1, 0),
        ({"b": "text\n"}, 6, 1),
        (["c"], 10, 2),
    ]
    for document in found:
        assert text[document.offset :].startswith(document.data)


def test_places_below_what_is_not_walked_into() -> None:
    text = b'a: &a \'{"x": 1}\'\nb: *a\nc: >\n  {"x":\n  1}\nd: !!binary eyJ4IjogMX0=\n'
    spans = locate_yaml(text, ["/a/x", "/b/x", "/c/x", "/d/x"])
    pieces = {pointer: text[span.start : span.end] for pointer, span in spans.items()}
    assert pieces == {
        "/a/x": b"1",
        "/b/x": b"*a",
        "/c/x": b'>\n  {"x":\n  1}',
        "/d/x": b"!!binary eyJ4IjogMX0=",
    }


def test_blocks_end_with_their_last_value() -> None:
    text = "a:\n  - b: é 1\n    c: |\n      d\n\n  # comment\n  - e:\n\n# end\n".encode()
    spans = locate_yaml(text, ["", "/a", "/a/0", "/a/1"])
    assert text[spans["/a/0"].start : spans["/a/0"].end].decode() == "b: é 1\n    c: |\n      d"
    assert text[spans["/a/1"].start : spans["/a/1"].end] == b"e:" or text[spans["/a/1"].start :].startswith(b"e")
    assert text[spans["/a"].start :].startswith(b"- b")
    assert text[spans[""].start :].startswith(b"a:")
