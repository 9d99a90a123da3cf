"""The cache as a command uses it: the second run finds the same without checking, and it can be switched off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.cli import backend, keeping, main
from turnlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

USER = {"role": "user", "content": "a"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "b"}
SHAPES = ([USER, ASKED, RESULT], [USER, RESULT], [USER, RESULT, ASKED], {"name": "no conversation"})


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TURNLINT_NO_CACHE", raising=False)
    monkeypatch.delenv("TURNLINT_CACHE_DIR", raising=False)
    for number in range(keeping._MANY + 4):
        (tmp_path / f"{number:02}.json").write_text(json.dumps(SHAPES[number % len(SHAPES)]))
    return tmp_path


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were really checked."""
    names: list[str] = []
    engine = backend.engine()

    class Watched:
        Settings = engine.Settings

        @staticmethod
        def check_source(*args: Any, **more: Any) -> Any:
            names.append(more["name"])
            return engine.check_source(*args, **more)

    monkeypatch.setattr(backend, "engine", lambda: Watched)
    return names


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(*arguments: str) -> tuple[int, str]:
        status = main(["check", "--jobs", "1", *arguments])
        out, err = capsys.readouterr()
        assert err == ""
        return status, out

    return call


Run = Any


@pytest.mark.parametrize("name", FORMATS)
def test_the_second_run_finds_the_same_without_checking(run: Run, tree: Path, checks: list[str], name: str) -> None:
    first = run("--output-format", name)
    assert len(checks) == keeping._MANY + 4
    assert run("--output-format", name) == first
    assert run("--output-format", name, "--no-cache") == first
    assert len(checks) == 2 * (keeping._MANY + 4)


def test_only_what_changed_is_checked(run: Run, tree: Path, checks: list[str]) -> None:
    assert run()[0] == 1
    checks.clear()
    (tree / "01.json").write_text(json.dumps(SHAPES[0]))
    before = run("--output-format", "concise")[1]
    assert checks == ["01.json"]
    assert "01.json" not in before
    assert run("--target", "anthropic")[0] == 1
    assert len(checks) == keeping._MANY + 5


def test_fixing_goes_by_what_is_there(run: Run, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    assert main(["fix", "--unsafe-fixes"]) == 0
    capsys.readouterr()
    assert run()[0] == 0


def test_other_processes_find_the_same(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for jobs in ("2", "1", "2"):
        main(["check", "--jobs", jobs, "--output-format", "json"])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize(
    ("settings", "arguments", "environment", "folder"),
    [
        ("", (), {}, ".turnlint_cache"),
        ("cache-dir = 'kept/here'", (), {}, "kept/here"),
        ("", ("--cache-dir", "there"), {}, "there"),
        ("cache = false", ("--cache-dir", "there"), {}, "there"),
        ("cache-dir = 'kept'", (), {"TURNLINT_CACHE_DIR": "elsewhere"}, "elsewhere"),
        ("cache = false", (), {}, None),
        ("", ("--no-cache",), {}, None),
        ("", (), {"TURNLINT_NO_CACHE": "1"}, None),
    ],
)
def test_where_it_is(
    run: Run,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    folder: str | None,
) -> None:
    (tree / "turnlint.toml").write_text(settings)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run(*arguments)
    assert [path.parent.relative_to(tree).as_posix() for path in tree.rglob("reports")] == ([folder] if folder else [])


def test_beside_the_configuration(run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree.parent / "turnlint.toml").write_text("")
    (tree / "sub").mkdir()
    monkeypatch.chdir(tree / "sub")
    run("..")
    assert (tree.parent / ".turnlint_cache/reports").is_file()
    (tree.parent / "turnlint.toml").unlink()


def test_few_small_files_are_simply_checked(run: Run, tree: Path) -> None:
    run("01.json", "02.json")
    assert not (tree / ".turnlint_cache").exists()
    (tree / "large.json").write_text(json.dumps([{**USER, "content": "a" * (1 << 20)}, ASKED, RESULT]))
    run("large.json")
    assert (tree / ".turnlint_cache/reports").is_file()


def test_a_damaged_cache_is_written_anew(run: Run, tree: Path, checks: list[str]) -> None:
    first = run()
    (tree / ".turnlint_cache/reports").write_bytes(b"turnlint reports 1\n nothing")
    checks.clear()
    assert run() == first
    assert len(checks) == keeping._MANY + 4
    assert run() == first
    assert len(checks) == keeping._MANY + 4


def test_the_cache_itself_is_not_checked(run: Run, tree: Path) -> None:
    (tree / ".turnlint_cache").mkdir()
    (tree / ".turnlint_cache/a.json").write_text("[")
    assert ".turnlint_cache" not in run("--show-files")[1]
