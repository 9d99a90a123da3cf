from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from turnlint import __version__
from turnlint.cli import COMMANDS, main
from turnlint.cli.checking import Progress

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_project_files() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.parametrize("arguments", [["--version"], ["-V"]])
def test_version(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"turnlint {__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for name, (_, line) in COMMANDS.items():
        assert f"  {name}" in out
        assert line in out


def test_without_arguments_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "Usage:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("chek", "did you mean 'check'"),
        (".", "turnlint check ."),
        ("-", "turnlint check -"),
        ("--select", "options follow a command"),
        ("\x1b[2J", "\\x1b[2J"),
    ],
)
def test_what_is_no_command(word: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"Usage: turnlint {name}" in capsys.readouterr().out


COSTLY = (
    "click",
    "rich",
    "jsonschema",
    "yaml",
    "msgspec",
    "tomllib",
    "importlib.metadata",
    "difflib",
    "turnlint.engine",
)


def test_the_version_costs_next_to_nothing() -> None:
    code = f"""
import sys
from turnlint.cli import main
main(["--version"])
print([name for name in {COSTLY!r} if name in sys.modules])
"""
    environment = {"PYTHONPATH": f"{ROOT / 'validator'}:{ROOT / 'rules'}"}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert out.splitlines()[-1] == "[]"


def test_python_m() -> None:
    environment = {"PYTHONPATH": f"{ROOT / 'validator'}:{ROOT / 'rules'}"}
    ran = subprocess.run(
        [sys.executable, "-m", "turnlint", "--version"], env=environment, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"turnlint {__version__}\n", "")


class Terminal:
    def __init__(self, *, tty: bool) -> None:
        self.text = ""
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def progress_at(times: list[float], *, tty: bool = True) -> str:
    stream: Any = Terminal(tty=tty)
    clock = iter([0.0, *(moment for moment in times for _ in range(2))])
    progress = Progress(stream, lambda: next(clock, 99.0))
    for number, _ in enumerate(times, start=1):
        progress.step(number, 9)
    progress.end()
    return str(stream.text)


def test_progress_waits_a_second() -> None:
    assert progress_at([0.5]) == ""


def test_progress_is_shown_and_wiped_away() -> None:
    assert progress_at([1.5]) == "\r\x1b[Kchecked 1 of 9 files\r\x1b[K"


def test_progress_is_only_for_terminals() -> None:
    assert progress_at([5.0], tty=False) == ""
