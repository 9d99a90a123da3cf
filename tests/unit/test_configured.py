"""A file checked from Python with a configuration: what the command line leaves out, this leaves out too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint.cli import main

if TYPE_CHECKING:
    from pathlib import Path

USER = {"role": "user", "content": "a"}
ORPHAN = {"role": "tool", "tool_call_id": "call_1", "content": "b"}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps([USER, ORPHAN]))
    return tmp_path / "a.json"


def found(file: Path, **more: Any) -> list[tuple[str, str]]:
    return [(d.rule, d.severity.value) for d in turnlint.check_path(file, **more).diagnostics]


def test_only_where_it_is_asked_for(file: Path) -> None:
    file.with_name("turnlint.toml").write_text("ignore = ['orphan-result']")
    assert found(file) == [("orphan-result", "error")]
    assert found(file, config=True) == []
    other = file.with_name("other.toml")
    other.write_text("severity = {orphan-result = 'info'}")
    assert found(file, config=other) == [("orphan-result", "info")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[per-file-ignores]\n'a.json' = ['orphan-result']", []),
        ("[per-file-ignores]\n'b.json' = ['orphan-result']", [("orphan-result", "error")]),
        ("[expect]\n'*.json' = ['orphan-result']", []),
        ("[expect]\n'*.json' = ['empty-result']", [("orphan-result", "error"), ("unmet-expectation", "error")]),
        ("target = 'groq'", [("orphan-result", "warning")]),
    ],
)
def test_what_it_says_of_the_file(file: Path, text: str, expected: list[tuple[str, str]]) -> None:
    file.with_name("turnlint.toml").write_text(text)
    assert found(file, config=True) == expected


def test_arguments_go_before(file: Path) -> None:
    file.with_name("turnlint.toml").write_text("target = 'groq'\nselect = ['empty-result']")
    assert found(file, config=True) == []
    assert found(file, config=True, select=("orphan-result",)) == [("orphan-result", "warning")]
    assert found(file, config=True, select="orphan-result", target="openai") == [("orphan-result", "error")]


def test_a_baseline(file: Path) -> None:
    assert main(["baseline", "create"]) == 0
    file.with_name("turnlint.toml").write_text("baseline = 'turnlint-baseline.json'")
    assert found(file, config=True) == []
    file.write_text(json.dumps([USER, ORPHAN, USER, {**ORPHAN, "tool_call_id": "call_2"}]))
    assert found(file, config=True) == [("orphan-result", "error")]


def test_a_configuration_that_is_none(file: Path) -> None:
    with pytest.raises(turnlint.UsageError, match=r"gone\.toml"):
        turnlint.check_path(file, config="gone.toml")


def test_targets_are_looked_up_at_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, where in (("target = 'opnai'", "target"), ("[per-file-targets]\n'x' = 'opnai'", "per-file-targets: x")):
        file.with_name("turnlint.toml").write_text(text)
        assert main(["check"]) == 2
        err = capsys.readouterr().err
        assert f"turnlint.toml: {where}: there is no target 'opnai'; did you mean 'openai'" in err
