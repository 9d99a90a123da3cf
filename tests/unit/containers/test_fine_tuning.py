"""Training files: recognised by what they say, never by being a list of conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint import check_path

if TYPE_CHECKING:
    from pathlib import Path

ASK: dict[str, Any] = {"role": "user", "content": "What time is it?"}
ANSWER: dict[str, Any] = {"role": "assistant", "content": "14:02"}


def rules(document: object, **settings: Any) -> list[str]:
    return [d.rule for d in turnlint.check(document, **settings).diagnostics]


def test_conversations_are_no_training_data_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text((json.dumps({"messages": [ASK]}) + "\n") * 3, encoding="utf-8")
    report = check_path(path)
    assert (report.files[0].container, report.diagnostics) == ("plain", [])
    asked = check_path(path, dialect="fine-tuning")
    assert [d.rule for d in asked.diagnostics] == ["no-assistant-message"] * 3
    assert [d.line for d in asked.diagnostics] == [1, 2, 3]


def test_one_weight_makes_the_whole_file_training_data(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [{"messages": [ASK, {**ANSWER, "weight": 1}]}, {"messages": [ASK]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [(d.rule, d.line) for d in check_path(path).diagnostics] == [("no-assistant-message", 2)]


def test_lines_that_are_no_objects_and_keys_that_training_does_not_take() -> None:
    line = {"messages": [ASK, {**ANSWER, "weight": 1}], "metadata": {"source": "x"}}
    [found] = turnlint.check(line).diagnostics
    assert (found.rule, found.pointer) == ("unknown-key", "/metadata")
    assert 'Example 0 contains an extra "metadata"' in (found.provider_error or "")
    assert rules("a text", dialect="fine-tuning") == ["schema-violation"]


def test_an_answer_without_its_tool_message_is_still_found() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
    line = {"messages": [ASK, {"role": "assistant", "tool_calls": [call]}, {**ANSWER, "weight": 1}]}
    assert "unanswered-call" in rules(line)


@pytest.mark.parametrize("odd", [None, 1, "x", [], [1], {}, {"messages": 1}, {"role": "user", "weight": {}}])
def test_odd_lines(odd: object) -> None:
    turnlint.check({"messages": [ASK, odd, {**ANSWER, "weight": odd}]})
    turnlint.check({"input": odd, "preferred_output": odd, "non_preferred_output": [odd]})
    turnlint.check({"messages": odd, "reference": odd})
    turnlint.check(odd, dialect="fine-tuning")
