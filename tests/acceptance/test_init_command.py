"""``turnlint init`` on real trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from turnlint.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"role": "user", "content": "a"}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "b"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "tests/fixtures/good.json", [USER, ASKED, RESULT])
    put(tmp_path, "tests/broken/orphan.json", [USER, RESULT])
    put(tmp_path, "package.json", {"name": "x"})
    return tmp_path


def put(root: Path, name: str, value: object) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value))


def test_a_first_configuration(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        "Found 2 conversations in 2 files of 3:",
        "  openai-chat    2 files  tests/broken/, tests/fixtures/",
        "1 file in no known format.",
        "1 file with errors, broken on purpose by their names: see [expect].",
        "Wrote turnlint.toml.",
        "Next: turnlint check",
    ]
    text = (tree / "turnlint.toml").read_text()
    assert '"/tests/",' in text
    assert '"/tests/broken/orphan.json" = ["orphan-result"]' in text
    assert main(["check"]) == 0
    assert "no problems" in capsys.readouterr().out
    put(tree, "tests/broken/orphan.json", [USER, ASKED, RESULT])
    assert main(["check"]) == 1
    assert "unmet-expectation" in capsys.readouterr().out


def test_a_diff_writes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--diff"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("--- /dev/null\n+++ turnlint.toml\n+# Written by")
    assert "Found 2 conversations" in err
    assert not (tree / "turnlint.toml").exists()


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("turnlint.toml", "mine = 1", True),
        (".turnlint.toml", "", True),
        ("pyproject.toml", "[tool.turnlint]", True),
        ("pyproject.toml", "[tool.other]", False),
    ],
)
def test_it_never_overwrites(tree: Path, name: str, text: str, there: bool, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / name).write_text(text)
    assert main(["init"]) == (2 if there else 0)
    assert (tree / name).read_text() == text
    assert (tree / "turnlint.toml").exists() is (not there or name == "turnlint.toml")
    assert ("there is a configuration already" in capsys.readouterr().err) is there


def test_a_configuration_above_is_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "turnlint.toml").write_text("ignore = ['ALL']")
    assert main(["init", "tests"]) == 0
    assert f"It holds here instead of {tree / 'turnlint.toml'}" in capsys.readouterr().out
    assert '"/broken/orphan.json" = ["orphan-result"]' in (tree / "tests/turnlint.toml").read_text()


def test_errors_elsewhere_are_told(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "logs/a.json", [USER, RESULT])
    assert main(["init", "--exclude", "tests"]) == 0
    out = capsys.readouterr().out
    assert "1 error: `turnlint check` shows them;" in out
    assert "baseline create" in out


def test_nothing_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "package.json", {})
    assert main(["init", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "turnlint: no conversation found in 1 file, so nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["package.json"]


def test_wrong_usage(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "gone"]) == 2
    assert main(["init", "tests", "logs"]) == 2
    assert main(["init", "package.json"]) == 2
    assert capsys.readouterr().err.count("no such folder") == 2
