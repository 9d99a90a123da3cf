"""Edits of YAML: in blocks, in scalars, and in the JSON that scalars hold."""

from __future__ import annotations

import pytest

from turnlint.source.patch import (
    Insert,
    Move,
    PatchError,
    Remove,
    Rename,
    Replace,
    TreeEdit,
    apply,
    edits_for,
)
from turnlint.source.yamltext import decode_yaml


def edited(text: str, *todo: TreeEdit) -> str:
    return apply(text.encode(), edits_for(text.encode(), todo, "yaml")).decode()


BLOCK = """# recorded
interactions:
- request:
    body: '{"messages": [{"role": "user", "content": "it''s é"}, {"role": "x"}]}'
    parsed_body:
      messages:
        - role: user   # who
          content: "a\\nb"

        - role: tool
          content: |
            literal
          n: 1.0e+2
      empty: []
      flow: {"a": 1, "b": [1, 2]}
  response:
    ok: yes
"""
BODY = "/interactions/0/request/body/messages"
PARSED = "/interactions/0/request/parsed_body"
FIRST = '- role: user   # who\n          content: "a\\nb"'
LIST = PARSED + "/messages"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Replace(BODY + "/0/content", "so 'tis"), '"it\'\'s é"', '"so \'\'tis"'),
        (Remove(BODY + "/0"), '{"role": "user", "content": "it\'\'s é"}, ', ""),
        (Insert(BODY, {"role": "é"}, 2), '"x"}]', '"x"}, {"role": "é"}]'),
        (Replace(LIST + "/0/role", "system"), "role: user ", "role: system "),
        (Replace(LIST + "/0/content", "ü\n"), '"a\\nb"', '"ü\\n"'),
        (Replace(LIST + "/0/role", "no"), "role: user ", 'role: "no" '),
        (Replace(LIST + "/1/content", "new"), "|\n            literal", '"new"'),
        (Replace(PARSED + "/empty", {"a": None}), "empty: []", 'empty: {"a": null}'),
        (Rename(LIST + "/0/content", "text"), 'content: "a', 'text: "a'),
        (Remove(LIST + "/0"), FIRST + "\n\n        - role: tool", "- role: tool"),
        (
            Remove(LIST + "/1"),
            '"a\\nb"\n\n        - role: tool\n          content: |\n            literal\n          n: 1.0e+2\n',
            '"a\\nb"\n',
        ),
        (Remove(LIST + "/0/role"), "- role: user   # who\n          content", "- content"),
        (Remove(LIST + "/1/n"), "            literal\n          n: 1.0e+2\n", "            literal\n"),
        (Remove("/interactions/0/response/ok"), "response:\n    ok: yes\n", "response: {}\n"),
        (Insert(LIST, {"role": "a", "c": [1]}, 1), "\n        - role: tool",
         "\n        - role: a\n          c:\n          - 1\n        - role: tool"),
        (Insert(LIST, "x", 2), "n: 1.0e+2\n", "n: 1.0e+2\n        - x\n"),
        (Insert(LIST + "/1", 5, "m", "role"), "role: tool\n", "role: tool\n          m: 5\n"),
        (Insert("/interactions/0/response", {}, "z"), "ok: yes\n", "ok: yes\n    z: {}\n"),
        (Insert(PARSED + "/flow/b", 3, 2), "[1, 2]", "[1, 2, 3]"),
        (Remove(PARSED + "/flow/a"), '{"a": 1, "b"', '{"b"'),
        (Insert(PARSED + "/empty", 1, 0), "[]", "[1]"),
    ],
)  # fmt: skip
def test_edits_look_like_their_neighbourhood(edit: TreeEdit, old: str, new: str) -> None:
    assert BLOCK.count(old) == 1
    assert edited(BLOCK, edit) == BLOCK.replace(old, new)
    crlf = BLOCK.replace("\n", "\r\n")
    assert edited(crlf, edit) == crlf.replace(old.replace("\n", "\r\n"), new.replace("\n", "\r\n"))


def test_moves() -> None:
    second = "- role: tool\n          content: |\n            literal\n          n: 1.0e+2"
    moved = edited(BLOCK, Move(LIST + "/1", LIST, 0))
    assert f"        {second}\n        {FIRST}\n      empty" in moved
    inside = edited(BLOCK, Move(BODY + "/1", BODY, 0), Replace(LIST + "/1/n", 7))
    assert '[{"role": "x"}, {"role": "user", "content": "it\'\'s é"}]' in inside
    assert "          n: 7\n" in inside


def test_a_list_that_is_emptied() -> None:
    assert edited("a:\n- 1\n- 2\nb: 3\n", Remove("/a/0"), Remove("/a/1")) == "a: []\nb: 3\n"
    assert edited("- 1\n", Remove("/0")) == "[]\n"
    assert edited("a:\n- 1\n- 2\n", Remove("/a/0"), Remove("/a/1"), Insert("/a", 5, 0)) == "a:\n- 5\n"


def test_a_text_without_a_last_line_end() -> None:
    assert edited("a:\n- 1", Insert("/a", 2, 1)) == "a:\n- 1\n- 2"
    assert edited("a:\n- 1\n- 2", Remove("/a/1")) == "a:\n- 1"


def test_literal_blocks() -> None:
    text = 'body: |-\n    {\n      "a": [\n        1\n      ]\n    }\nn: 1\n'
    assert edited(text, Insert("/body/a", {"x": 2}, 1)) == text.replace(
        "        1\n", '        1,\n        {\n          "x": 2\n        }\n'
    )
    assert edited(text, Remove("/body/a/0")) == text.replace("[\n        1\n      ]", "[]")


def test_folded_quotes() -> None:
    text = 'body: "{\\"a\\": [1,\n  2], \\\n  \\"b\\": \\"\\xe9\\"}"\n'
    assert decode_yaml(text.encode())[0] == {"body": '{"a": [1, 2], "b": "é"}'}
    assert edited(text, Replace("/body/a/1", 3)) == text.replace("2]", "3]")
    assert edited(text, Replace("/body/b", "ü")) == text.replace("\\xe9", "\\u00fc")


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("a: &a {x: 1}\nb: *a\n", Replace("/b", 1)),
        ("a: &a {x: 1}\nb: *a\n", Replace("/b/x", 2)),
        ("a: &a {x: 1}\nb: *a\n", Replace("/a/x", 2)),
        ('a: >\n  {"x": 1}\n', Replace("/a/x", 2)),
        ("a: !!binary eyJ4IjogMX0=\n", Replace("/a", 2)),
        ("a: !x {b: 1}\n", Remove("/a/b")),
        ("a: {b: c, d: e}\n", Remove("/a/b")),
        ("a: 1\nb: {<<: {c: 1}}\n", Replace("/b/c", 2)),
        ("a: '{\"x\": 1}'\n", Replace("/a/x", "\x85\u2028") if False else Rename("/b", "c")),
        ('a: "x"\n', Replace("/a", "\ud800")),
    ],
)
def test_what_cannot_be_edited(text: str, edit: TreeEdit) -> None:
    with pytest.raises(PatchError):
        edited(text, edit)
