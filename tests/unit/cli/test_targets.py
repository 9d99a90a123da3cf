from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from turnlint import containers, dialects, targets
from turnlint.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
OPEN = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "well?"},
]


def test_every_target_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["name", "data"]
    assert [line.split()[0] for line in lines[1:]] == list(targets.names())


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "--output-format", "json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(targets.names())


def test_who_would_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(OPEN))
    assert main(["targets", str(file), "--output-format", "json"]) == 0
    rows = {row["target"]: row for row in json.loads(capsys.readouterr().out)}
    row = rows["openai"]
    assert (row["outcome"], row["first reason"], row["status"]) == ("refuses it", "unanswered-call", "400")
    assert "did not have response messages: call_1" in row["its words"]
    assert rows["groq"]["outcome"] == "takes it, but"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.dumps(OPEN[:1]).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert main(["targets", "-"]) == 0
    assert "refuses" not in capsys.readouterr().out


def test_what_is_no_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": 1}')
    assert main(["targets", str(file)]) == 0
    assert capsys.readouterr().out.count("unknown") == len(targets.names())


def test_a_path_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "gone.json"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_every_format_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    titles = [(shape.name, shape.title) for shape in dialects.all()]
    titles += [(shape.name, shape.title) for shape in containers.all()]
    for name, title in titles:
        assert f"  {name} - {title}\n" in out
