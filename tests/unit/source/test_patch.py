"""Edits of bytes make the same of a text as edits of a tree make of its value, and touch nothing else."""

from __future__ import annotations

import copy
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from turnlint.source import pointer as pointers
from turnlint.source.decode import decode
from turnlint.source.patch import (
    Insert,
    Move,
    PatchError,
    Quote,
    Remove,
    Rename,
    Replace,
    TreeEdit,
    apply,
    apply_tree,
    edits_for,
    write_atomic,
)
from turnlint.source.tree import same
from turnlint.source.yamltext import decode_yaml

if TYPE_CHECKING:
    from pathlib import Path

KEYS = st.sampled_from(["a", "b", "role", "é", "a/b", "~", '"', "\\n", "😀", "content", ""])
SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from([1.5, 1e100]) | st.text(max_size=5)
SMALL = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=5
)
FORMS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 2, "\t"]),
        "separators": st.sampled_from([None, (",", ":"), (", ", ": ")]),
    }
)
INNER = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.builds(lambda value, form: json.dumps(value, **form), st.dictionaries(KEYS, inner, max_size=3), FORMS)
    ),
    max_leaves=12,
)
VALUES = st.lists(INNER, min_size=1, max_size=4) | st.dictionaries(KEYS, INNER, min_size=1, max_size=4)


def opened(value: Any) -> Any:
    """A value with its strings that hold objects or lists parsed: what pointers walk through."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return value
        return opened(inner) if isinstance(inner, (dict, list)) else value
    if isinstance(value, dict):
        return {key: opened(child) for key, child in value.items()}
    if isinstance(value, list):
        return [opened(child) for child in value]
    return value


def places(value: Any, at: str = "") -> list[tuple[str, Any, bool]]:
    """Every pointer, what is there, and whether it is a member of an object."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        pointer = at + pointers.join([key])
        found.append((pointer, child, isinstance(value, dict)))
        found += places(child, pointer)
    return found


@st.composite
def edits(draw: st.DrawFn, value: Any) -> list[TreeEdit]:
    """Edits that do not lie inside each other."""
    tree = opened(value)
    known = [("", tree, False), *places(tree)]
    new: st.SearchStrategy[Any] = SMALL
    if quotable := [Quote(at) for at, there, _ in known if at and isinstance(there, (dict, list))]:
        new = SMALL | st.sampled_from(quotable) | st.sampled_from(quotable).map(lambda quote: {"": [quote, 0]})
    made: list[TreeEdit] = []
    taken: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["replace", "rename", "remove", "insert", "move"]))
        pointer, child, is_member = draw(st.sampled_from(known))
        free = not any(
            pointer == other or pointer.startswith(other + "/") or other.startswith(pointer + "/") for other in taken
        )
        if kind == "insert":
            if isinstance(child, list):
                made.append(Insert(pointer, draw(new), draw(st.integers(0, len(child)))))
            elif isinstance(child, dict):
                after = draw(st.sampled_from([None, *child]))
                made.append(Insert(pointer, draw(new), draw(st.sampled_from(["new", "nëw"])), after))
        elif not pointer or not free:
            continue
        elif kind == "replace":
            made.append(Replace(pointer, draw(new)))
            taken.append(pointer)
        elif kind == "rename" and is_member:
            made.append(Rename(pointer, draw(st.sampled_from(["other", "öther"]))))
            taken.append(pointer)
        elif kind == "remove":
            made.append(Remove(pointer))
            taken.append(pointer)
        elif kind == "move":
            targets = [(at, there) for at, there, _ in known if isinstance(there, list)]
            if targets:
                target, there = draw(st.sampled_from(targets))
                made.append(Move(pointer, target, draw(st.integers(0, len(there)))))
                taken.append(pointer)
    return made


@given(st.data())
def test_bytes_and_tree_agree(data: st.DataObject) -> None:
    value = data.draw(VALUES)
    text = json.dumps(value, **data.draw(FORMS)).encode()
    text = data.draw(st.sampled_from([text, text.replace(b"\n", b"\r\n"), b" " + text + b"\n"]))
    todo = data.draw(edits(value))
    untouched = copy.deepcopy(value)
    try:
        expected = apply_tree(value, todo)
    except PatchError:
        with pytest.raises(PatchError):
            edits_for(text, todo)
        return
    finally:
        assert value == untouched
    made = edits_for(text, todo)
    changed, faults = decode(apply(text, made))
    assert not faults
    assert same(changed, expected)
    assert b"\r\r" not in apply(text, made)


@given(st.data())
def test_one_edit_leaves_every_other_value_as_it_was_written(data: st.DataObject) -> None:
    value = data.draw(VALUES)
    text = json.dumps(value, **data.draw(FORMS)).encode()
    pointer, _, _ = data.draw(st.sampled_from(places(value) or [("", None, False)]))
    if not pointer:
        return
    choices: list[TreeEdit] = [Replace(pointer, "new"), Remove(pointer)]
    edit = data.draw(st.sampled_from(choices))
    (start, end, new), *others = edits_for(text, [edit]) or [(0, 0, b"")]
    assert not others
    if isinstance(edit, Replace):
        assert (start, end) == (0, 0) or json.loads(text[start:end]) == resolved(value, pointer)
    else:
        assert new == b""


YAML_WORDS = st.sampled_from(
    ["a", "b c", "é", "x: y", "- z", "it's", '"q"', "no", "1", "", " pad ", "two\nlines", "😀", "#c", "\\"]
)
YAML_SCALARS = st.none() | st.booleans() | st.integers(-9, 99) | st.just(1.5) | YAML_WORDS
YAML_KEYS = st.sampled_from(["role", "content", "a b", "é", "0", "it's"])
JSON_STRINGS = st.builds(
    lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent),
    st.dictionaries(YAML_KEYS, YAML_SCALARS | st.lists(YAML_SCALARS, max_size=3), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from([None, 2]),
)
YAML_VALUES = st.recursive(
    YAML_SCALARS | JSON_STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(YAML_KEYS, inner, max_size=4),
    max_leaves=12,
)
YAML_FORMS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "default_flow_style": st.sampled_from([False, False, None]),
        "default_style": st.sampled_from([None, None, "'", '"', "|"]),
        "allow_unicode": st.booleans(),
        "width": st.sampled_from([20, 80, sys.maxsize]),
        "line_break": st.sampled_from(["\n", "\r\n"]),
    }
)


class NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


@given(st.data())
def test_bytes_and_tree_agree_in_yaml(data: st.DataObject) -> None:
    value = data.draw(
        st.dictionaries(YAML_KEYS, YAML_VALUES, min_size=1, max_size=3) | st.lists(YAML_VALUES, min_size=1, max_size=3)
    )
    text = yaml.dump(value, Dumper=NoAliases, sort_keys=False, encoding="utf-8", **data.draw(YAML_FORMS))
    if not same(decode_yaml(text)[0], value):
        return
    todo = data.draw(edits(value))
    try:
        expected = apply_tree(value, todo)
    except PatchError:
        with pytest.raises(PatchError):
            edits_for(text, todo, "yaml")
        return
    try:
        made = edits_for(text, todo, "yaml")
    except PatchError:
        return  # a style that cannot hold the new text
    assert same(decode_yaml(apply(text, made))[0], expected)


POINTERS = st.lists(KEYS | st.sampled_from(["0", "1", "-", "01"]), max_size=3).map(pointers.join)
WILD: st.SearchStrategy[list[TreeEdit]] = st.lists(
    st.builds(Replace, POINTERS, SMALL)
    | st.builds(Rename, POINTERS, KEYS)
    | st.builds(Remove, POINTERS)
    | st.builds(Insert, POINTERS, SMALL, KEYS | st.integers(-1, 3), st.none() | KEYS)
    | st.builds(Move, POINTERS, POINTERS, st.integers(-1, 3)),
    max_size=3,
)


@given(VALUES, FORMS, WILD, st.sampled_from(["json", "yaml"]))
def test_edits_are_made_exactly_or_refused(value: Any, form: dict[str, Any], todo: list[TreeEdit], kind: Any) -> None:
    text = json.dumps(value, **form).encode()
    read = decode if kind == "json" else decode_yaml
    if not same(read(text)[0], value):
        return
    try:
        made = edits_for(text, todo, kind)
    except PatchError:
        return
    assert same(read(apply(text, made))[0], apply_tree(value, todo))


def test_objects_of_python_that_are_no_json_are_passed_through() -> None:
    class Mapping(dict[str, Any]):
        pass

    marker = object()
    value = Mapping(a=(1, marker), b=b"x")
    assert apply_tree(value, [Insert("/a", 2, 1), Rename("/b", "c")]) == {"a": [1, 2, marker], "c": b"x"}


def resolved(value: Any, pointer: str) -> Any:
    for token in pointers.split(pointer):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def edited(text: str, *todo: TreeEdit) -> str:
    return apply(text.encode(), edits_for(text.encode(), todo)).decode()


PRETTY = """{
  "messages": [
    {
      "role": "user",
      "n": 1.0e2
    },
    {"role": "tool"},
    "x"
  ],
  "é": "\\u00e9"
}
"""


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Remove("/messages/1"), '    {"role": "tool"},\n', ""),
        (Remove("/messages/2"), ',\n    "x"\n', "\n"),
        (Remove("/messages/0/role"), '      "role": "user",\n', ""),
        (Remove("/messages/0/n"), ',\n      "n": 1.0e2\n', "\n"),
        (Remove("/messages/1/role"), '{"role": "tool"}', "{}"),
        (Replace("/messages/1/role", "ü"), '"tool"', '"ü"'),
        (Replace("/messages/2", {"a": [1, {}]}), '"x"', '{\n      "a": [\n        1,\n        {}\n      ]\n    }'),
        (Replace("/messages/1", {"a": [1]}), '{"role": "tool"}', '{"a": [1]}'),
        (Rename("/messages", "history"), '"messages"', '"history"'),
        (Insert("/messages", "y", 3), '"x"\n', '"x",\n    "y"\n'),
        (Insert("/messages", "y", 0), "[\n    {", '[\n    "y",\n    {'),
        (Insert("/messages/1", 1, "b"), '"tool"}', '"tool", "b": 1}'),
        (Insert("/messages/1", 1, "b", "role"), '"tool"}', '"tool", "b": 1}'),
        (Insert("", {"k": []}, "new", "messages"), '  "é"', '  "new": {\n    "k": []\n  },\n  "é"'),
        (Insert("/messages/0", None, "b", "role"), '"user",\n', '"user",\n      "b": null,\n'),
    ],
)
def test_edits_look_like_their_neighbourhood(edit: TreeEdit, old: str, new: str) -> None:
    assert PRETTY.count(old) == 1
    assert edited(PRETTY, edit) == PRETTY.replace(old, new)


def test_moves_take_their_bytes_along() -> None:
    first = '    {\n      "n": 1.0e2,\n      "s": "\\u00e9"\n    }'
    text = '{\n  "a": [\n' + first + ',\n    2\n  ],\n  "b": {\n    "c": [\n      0\n    ]\n  }\n}'
    assert edited(text, Move("/a/0", "/a", 2)) == text.replace(first + ",\n    2", "    2,\n" + first)
    deeper = edited(text, Move("/a/0", "/b/c", 1))
    assert '      0,\n      {\n        "n": 1.0e2,\n        "s": "\\u00e9"\n      }\n    ]' in deeper
    assert '"a": [\n    2\n  ]' in deeper


def test_what_is_quoted_keeps_its_bytes() -> None:
    text = '[{"n": 1.10, "k": 1, "k": 2, "s": "\\u00e9\\/"}, 0]'
    piece = text[1 : text.index("}") + 1]
    assert edited(text, Remove("/0"), Insert("", {"new": [Quote("/0")]}, 2)) == '[0, {"new": [' + piece + "]}]"
    assert edited(text, Replace("/0", {"output": Quote("/0")})) == '[{"output": ' + piece + "}, 0]"
    changed = edited(text, Replace("/0/n", 3), Insert("", Quote("/0"), 0))
    assert changed == f"[{piece}, " + text[1:].replace("1.10", "3")
    written = '{"n": 1.10, "k": 1, "k": 2}'
    text = f'[{json.dumps(written)}, {written}, {{\n  "a": [\n    1.0, 2\n  ],\n  "b": {{}}\n}}]'
    assert edited(text, Replace("/0", Quote("/0", "inside", json.loads(written)))) == text.replace(
        json.dumps(written), written
    )
    assert edited(text, Replace("/1", Quote("/1", "text", written))) == text.replace(
        f", {written}", f", {json.dumps(written)}"
    )
    several = edited(text, Replace("/2", Quote("/2", "text", json.dumps({"a": [1.0, 2], "b": {}}))))
    assert several.endswith(', "{\\"a\\": [1.0, 2], \\"b\\": {}}"]')
    text = f"[{piece}, 0]"
    inside = json.dumps({"body": text})
    moved = edited(inside, Remove("/body/0"), Insert("/body", [Quote("/body/0")], 1))
    assert json.loads(moved) == {"body": f"[[{piece}], 0]"}


def test_what_is_quoted_is_indented_as_its_neighbours() -> None:
    first = '{\n  "a": [\n    {\n      "n": 1.0\n    }\n  ],\n'
    text = first + '  "b": [\n    {\n      "c": [\n        1\n      ]\n    }\n  ]\n}'
    new = edited(text, Insert("/b", {"c": [Quote("/a/0")]}, 1))
    added = ',\n    {\n      "c": [\n        {\n          "n": 1.0\n        }\n      ]\n    }\n  ]\n}'
    assert new == text.removesuffix("\n  ]\n}") + added


def test_what_is_moved_is_edited_too() -> None:
    text = '[{"id": 1.0, "x": [0]}, {"id": 2}]'
    assert edited(text, Move("/0", "", 2), Replace("/0/x/0", 7), Rename("/0/id", "call")) == (
        '[{"id": 2}, {"call": 1.0, "x": [7]}]'
    )


def test_several_edits_of_one_list() -> None:
    text = "[1, 2, 3, 4]"
    assert edited(text, *(Remove(f"/{at}") for at in range(4))) == "[]"
    assert edited(text, Remove("/0"), Remove("/1")) == "[3, 4]"
    assert edited(text, Remove("/2"), Remove("/3")) == "[1, 2]"
    assert edited(text, Insert("", 9, 1), Insert("", 8, 1), Remove("/1")) == "[1, 9, 8, 3, 4]"
    assert edited(text, *(Remove(f"/{at}") for at in range(4)), Insert("", 5, 4)) == "[5]"
    assert edited(text, Move("/3", "", 0), Move("/0", "", 4)) == "[4, 2, 3, 1]"
    assert edited("[ ]", Insert("", 1, 0), Insert("", 2, 0)) == "[1, 2]"


def test_strings_that_hold_json_keep_their_escapes() -> None:
    first = '{\\"content\\": \\"\\u00e9 \\\\u00e9\\"}'
    second = '{\\"a\\": \\"{\\\\\\"x\\\\\\":1}\\"}'
    text = '{"body":"{\\"messages\\": [' + first + ", " + second + ']}","n":1}'
    assert json.loads(json.loads(json.loads(text)["body"])["messages"][1]["a"]) == {"x": 1}
    assert edited(text, Replace("/body/messages/1/a/x", "é")) == text.replace(
        ':1}\\"', ':\\\\\\"\\\\\\\\u00e9\\\\\\"}\\"'
    )
    assert edited(text, Remove("/body/messages/0")) == text.replace(first + ", ", "")
    assert edited(text, Move("/body/messages/0", "/body/messages", 2)) == text.replace(
        f"{first}, {second}", f"{second}, {first}"
    )


def test_duplicate_keys() -> None:
    text = '{"a": 1, "b": 2, "a": 3}'
    assert edited(text, Replace("/a", 4)) == '{"a": 1, "b": 2, "a": 4}'
    assert edited(text, Remove("/a")) == '{"b": 2}'
    with pytest.raises(PatchError):
        edited(text, Rename("/a", "c"))  # the first one would come to light


def test_nothing_to_do_changes_nothing() -> None:
    text = '{"a": 1.0e2, "b": "\\u0041", "c": {"x": [1]}}'
    assert (
        edits_for(
            text.encode(), [Replace("/b", "A"), Replace("/a", 100.0), Rename("/a", "a"), Replace("/c", {"x": [1]})]
        )
        == []
    )
    assert edited(text, Replace("/a", 100)) == text.replace("1.0e2", "100")


@pytest.mark.parametrize(
    "todo",
    [
        [Replace("/no", 1)],
        [Remove("/a/9")],
        [Remove("/a/01")],
        [Remove("")],
        [Rename("/a/0", "x")],
        [Rename("/a", "b")],
        [Insert("/a", 1, 9)],
        [Insert("/a", 1, "key")],
        [Insert("/o", 1, 0)],
        [Insert("/o", 1, "x")],
        [Insert("/o", 1, "y", "no")],
        [Insert("/b", 1, 0)],
        [Move("/o", "/o/x", 0)],
        [Move("/a/0", "/o", 0)],
        [Move("/o/x", "/a", 0), Move("/a", "/o/x", 0)],
        [Remove("/a"), Remove("/a/0")],
        [Remove("/a"), Replace("/a", 1)],
        [Replace("/a", 1), Replace("/a", 2)],
        [Replace("/a", 1), Remove("/a/0")],
    ],
)
def test_edits_that_cannot_be_made(todo: list[TreeEdit]) -> None:
    value = {"a": [1, 2], "b": "text", "o": {"x": []}}
    for attempt in (lambda: apply_tree(value, todo), lambda: edits_for(json.dumps(value).encode(), todo)):
        with pytest.raises(PatchError):
            attempt()


def test_a_text_that_cannot_be_read_is_not_edited() -> None:
    with pytest.raises(PatchError):
        edits_for(b'{"a": 1', [Replace("/a", 2)])


def test_half_surrogates_are_written_as_escapes() -> None:
    assert edited('{"a": "é"}', Replace("/a", "\ud800é")) == '{"a": "\\ud800é"}'


def test_apply_refuses_edits_that_overlap() -> None:
    assert apply(b"abcd", [(0, 1, b""), (1, 1, b"x"), (3, 4, b"y")]) == b"xbcy"
    for edits_ in ([(1, 3, b""), (2, 4, b"")], [(0, 9, b"")], [(2, 1, b"")]):
        with pytest.raises(PatchError):
            apply(b"abcd", edits_)


# Files


def test_a_file_is_replaced_with_its_mode_and_through_links(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    write_atomic(link, b"new", expected=b"old")
    assert link.is_symlink()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    status = path.stat()
    signature = (status.st_size, status.st_mtime_ns)
    write_atomic(path, b"new", expected=signature)
    for expected in (signature, b"old"):
        with pytest.raises(PatchError):
            write_atomic(path, b"newer", expected=expected)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_may_not_be_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr("os.access", lambda _path, _mode: False)  # as it is for all but the superuser
    with pytest.raises(PermissionError):
        write_atomic(path, b"new", expected=b"old")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_gone_stays_gone(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_atomic(tmp_path / "x", b"new", expected=b"old")
    assert list(tmp_path.iterdir()) == []
