from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.cli.error_search import Text, search
from turnlint.cli.rule import known_texts

TEXTS = [
    Text(
        "a", "one", "messages.{message}: `tool_use` ids were found without `tool_result` blocks: {ids}. Each must", 400
    ),
    Text("b", "two", "Bad Request", 400),
    Text("c", "two", "The roles must alternate between user and assistant", 400),
    Text("d", "one", "{ids}", 400),
]
KNOWN = list(known_texts())


def found(text: str) -> list[str]:
    return [match.text.rule for match in search(text, TEXTS)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("messages.3: `tool_use` ids were found without `tool_result` blocks: toolu_1. Each must", ["a"]),
        (
            '400 {"message":"MESSAGES.12: `TOOL_USE` ids were\\n found without `tool_result` blocks: x, y. Each must"}',
            ["a"],
        ),
        ("messages.3: 'tool_use' ids were found without \\\"tool_result\\\" blocks: . Each must", ["a"]),
        ("roles must alternate between user and", ["c"]),
        ("roles should alternate between the user and the assistant", ["c"]),
        ("Bad Request", ["b"]),
        ("it was a bad request, to be sure", []),
        ("", []),
        ("nothing of the kind", []),
    ],
)
def test_what_is_found(text: str, rules: list[str]) -> None:
    assert found(text) == rules


FILL = {"{message}": "3", "{ids}": "call_1, call_2", "{id}": "call_1", "{n}": "2", "{part}": "0", "{tool}": "get"}


def test_every_known_text_finds_its_rule() -> None:
    for text in known_texts():
        pasted = text.text
        for placeholder, value in FILL.items():
            pasted = pasted.replace(placeholder, value)
        rules = {match.text.rule for match in search(f"HTTP 400: {pasted}", KNOWN)}
        assert text.rule in rules or len(text.text) < 20, text


@given(st.text())
def test_any_text_is_searched(text: str) -> None:
    for match in search(text, TEXTS):
        assert 0 < match.score <= 1


def test_a_long_text_takes_no_time() -> None:
    assert search("ids were found without " * 50_000, TEXTS) is not None
