"""Files read into the neutral model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import turnlint
from turnlint import UsageError

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "3"},
]  # fmt: skip


def test_every_transcript_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text("".join(json.dumps({"messages": MESSAGES[:n]}) + "\n" for n in (3, 1)))
    first, second = turnlint.load(file)
    assert [c.name for c in first.calls()] == ["add"]
    assert [r.content for r in first.results()] == ["3"]
    assert first.dialect == "openai-chat"
    assert len(second.messages) == 1
    assert second.at.document == 1


def test_a_dialect_can_be_named(tmp_path: Path) -> None:
    file = tmp_path / "plain.json"
    file.write_text(json.dumps(MESSAGES[:1]))
    assert turnlint.load(str(file), dialect="anthropic")[0].dialect == "anthropic"
    with pytest.raises(UsageError, match="did you mean 'anthropic'"):
        turnlint.load(file, dialect="antropic")


def test_a_broken_history_is_loaded_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text(json.dumps(MESSAGES[2:]))
    assert [m.role for m in turnlint.load(file)[0].messages] == ["tool"]


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        turnlint.load(tmp_path / "nothing.json")
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    with pytest.raises(UsageError, match="no transcript"):
        turnlint.load(other)
    torn = tmp_path / "torn.json"
    torn.write_text('{"a": ')
    with pytest.raises(UsageError, match=r"torn\.json"):
        turnlint.load(torn)
