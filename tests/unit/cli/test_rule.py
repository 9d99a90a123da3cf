from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from turnlint import registry
from turnlint.cli import main
from turnlint.cli.rule import known_texts, verdicts_of

if TYPE_CHECKING:
    from turnlint.rule import Entry

ERROR = (
    "Error code: 400 - {'error': {'message': \"An assistant message with 'tool_calls' must be followed by tool "
    "messages responding to each 'tool_call_id'. The following tool_call_ids did not have response "
    'messages: call_x, call_y"}}'
)


@pytest.mark.parametrize("name", ["unanswered-call", "TL101", "tl101"])
def test_a_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith("unanswered-call (TL101)\n\nA tool call without its result")
    assert "Example" in out
    assert "openai refuses it with 400" in out
    assert "did not have response messages: {ids}" in out


def test_every_rule_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [entry.code for entry in registry.entries()]


def test_all_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all"]) == 0
    out = capsys.readouterr().out
    for entry in registry.entries():
        assert f"{entry.name} ({entry.code})\n" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "orphan-result", "--output-format", "json"]) == 0
    (rule,) = json.loads(capsys.readouterr().out)
    assert (rule["code"], rule["name"]) == ("TL102", "orphan-result")
    assert any(verdict["target"] == "openai" and verdict["texts"] for verdict in rule["verdicts"])
    assert main(["rule", "--all", "--output-format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(registry.entries())


def test_a_rule_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "orphan-results"]) == 2
    assert "did you mean 'orphan-result'" in capsys.readouterr().err


def test_several_wishes_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "TL101", "--all"]) == 2
    assert "not several of them" in capsys.readouterr().err


def test_the_rule_behind_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--error", ERROR]) == 0
    out = capsys.readouterr().out
    assert out.startswith("unanswered-call (TL101): ")
    assert 'openai answers 400: "An assistant message' in out
    assert "It may also be" in out


def test_the_rule_behind_an_error_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--error", ERROR, "--output-format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["rule"], first["score"]) == ("unanswered-call", 1.0)


def test_an_error_of_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--error", "connection reset by peer"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no known error" in captured.err


@pytest.mark.parametrize("entry", registry.entries(), ids=lambda entry: entry.name)
def test_every_page_can_be_shown(entry: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", entry.code]) == 0
    out = capsys.readouterr().out
    for verdict in verdicts_of(entry.name):
        assert f"{verdict.target} " in out


def test_texts_come_in_the_order_of_codes() -> None:
    codes = {entry.name: entry.code for entry in registry.entries()}
    seen = [codes.get(text.rule, "~") for text in known_texts()]
    assert seen == sorted(seen)
