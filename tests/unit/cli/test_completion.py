"""Completion: what is offered where, and that real shells take the scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from turnlint.cli import COMMANDS, main
from turnlint.cli.completing import SHELLS, complete

if TYPE_CHECKING:
    from collections.abc import Callable

    Offered = Callable[[str], list[str]]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Offered:
    def call(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        assert complete("bash_complete") == 0
        return [answer.partition(",")[2] for answer in capsys.readouterr().out.splitlines()]

    return call


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("turnlint ", {"check", "fix", "show", "rule", "init"}),
        ("turnlint che", {"check"}),
        ("turnlint check --out", {"--output", "--output-format"}),
        ("turnlint check --select orphan", {"orphan-result"}),
        ("turnlint check --select tl10", {"TL101", "TL102"}),
        ("turnlint check --select TL101,orphan", {"TL101,orphan-result"}),
        ("turnlint check --ignore A", {"ALL", "arguments-not-string"}),
        ("turnlint fix --target anth", {"anthropic"}),
        ("turnlint check --target=mist", {"mistral"}),
        ("turnlint check --target openai,mist", {"openai,mistral"}),
        ("turnlint check --dialect c", {"cohere", "claude-code", "codex"}),
        ("turnlint show --dialect openai-", {"openai-chat", "openai-responses"}),
        ("turnlint targets --dialect gem", {"gemini"}),
        ("turnlint check --output-format s", {"sarif"}),
        ("turnlint check --mode ", {"auto", "saved", "request"}),
        ("turnlint rule orphan", {"orphan-result"}),
        ("turnlint rule --output-format ", {"text", "json"}),
        ("turnlint baseline ", {"create", "prune"}),
        ("turnlint baseline create --ignore orphan", {"orphan-result"}),
        ("turnlint completion ", set(SHELLS)),
    ],
)
def test_words_that_are_offered(offered: Offered, line: str, some: set[str]) -> None:
    answers = offered(line)
    assert some <= set(answers)
    last = line.split(" ")[-1].partition("=")[2] or line.split(" ")[-1]
    assert all(answer.lower().startswith(last.lower()) for answer in answers)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_its_options_are_offered(offered: Offered, name: str) -> None:
    assert name in offered("turnlint ")
    assert "--help" in offered(f"turnlint {name} --h")


@pytest.mark.parametrize("line", ["turnlint check sam", "turnlint show sam", "turnlint check --config sam"])
def test_files_are_left_to_the_shell(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    complete("bash_complete")
    assert capsys.readouterr().out == "file,sam\n"


@pytest.mark.parametrize("line", ["turnlint nothing ", "turnlint check --nothing ", "turnlint check --mode"])
def test_a_line_that_is_wrong_is_no_error(offered: Offered, line: str) -> None:
    offered(line)


@pytest.mark.parametrize("instruction", ["", "bash", "bash_source", "tcsh_complete"])
def test_other_instructions(instruction: str) -> None:
    assert complete(instruction) == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell(shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert f"_TURNLINT_COMPLETE={shell}_complete" in out
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert main(["completion"]) == 0
    assert capsys.readouterr().out == out


def test_other_shells(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bsh"]) == 2
    assert "did you mean 'bash'" in capsys.readouterr().err
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert main(["completion"]) == 2
    assert "no completion for the shell 'tcsh'" in capsys.readouterr().err


def in_shell(shell: str, tmp_path: Path, code: str) -> str:
    """What a shell prints that has read the script and finds turnlint in its path."""
    program = tmp_path / "turnlint"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m turnlint "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'validator'}{os.pathsep}{ROOT / 'rules'}",
    }
    ran = subprocess.run([shell, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    return ran.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash(tmp_path: Path) -> None:
    code = """
eval "$(turnlint completion bash)"
COMP_WORDS=(turnlint check --select orph); COMP_CWORD=3
_turnlint_completion turnlint
echo "${COMPREPLY[@]}"
"""
    assert in_shell("bash", tmp_path, code) == "orphan-result\n"


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish(tmp_path: Path) -> None:
    out = in_shell("fish", tmp_path, "turnlint completion fish | source; complete -C 'turnlint check --select orph'")
    assert out.split() == ["orphan-result"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_zsh_takes_the_script(tmp_path: Path) -> None:
    code = 'autoload -U compinit; compinit -u -D; eval "$(turnlint completion zsh)"; whence -w _turnlint_completion'
    assert in_shell("zsh", tmp_path, code) == "_turnlint_completion: function\n"
