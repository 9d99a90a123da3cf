"""The pre-commit hooks and the GitHub action: what they would run is run, as far as that goes without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from turnlint.cli import check, fix
from turnlint.cli.options import read

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, Any] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
STEPS: dict[str, Any] = {
    step["name"]: step for step in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
}
BROKEN = ROOT / "sample_transcripts/invalid/openai-chat/result-before-call.json"
CLEAN = ROOT / "sample_transcripts/valid/openai-chat/parallel-calls.json"


def test_there_are_two_hooks_and_one_of_them_writes() -> None:
    assert set(HOOKS) == {"turnlint", "turnlint-fix"}
    commands = {name: hook["entry"].split()[1] for name, hook in HOOKS.items()}
    assert commands == {"turnlint": "check", "turnlint-fix": "fix"}
    assert HOOKS["turnlint-fix"]["require_serial"] is True


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_a_hook_names_options_that_there_are(hook: dict[str, Any]) -> None:
    _, command, *arguments = hook["entry"].split()
    options = {"check": check, "fix": fix}[command].OPTIONS
    parsed = read([*arguments, "a.json"], options)
    assert parsed is not None
    assert parsed[1]["force_exclude"] is True
    assert parsed[1]["unrecognised"] == "count"


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/fixtures/a.json", True),
        ("logs/a.jsonl", True),
        ("cassettes/a.yaml", True),
        ("a.har", True),
        ("package.json", False),
        ("web/package-lock.json", False),
        ("web/tsconfig.build.json", False),
        (".github/workflows/ci.yml", False),
        (".pre-commit-config.yaml", False),
        ("a.py", False),
    ],
)
def test_the_files_of_a_hook(hook: dict[str, Any], path: str, expected: bool) -> None:
    wanted = re.search(hook["files"], path) is not None and re.search(hook["exclude"], path) is None
    assert wanted is expected


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """What a runner has after the step that installs: turnlint in its place."""
    program = tmp_path / "turnlint/bin/turnlint"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m turnlint "$@"\n')
    program.chmod(0o755)
    (tmp_path / "fixtures").mkdir()
    shutil.copy(BROKEN, tmp_path / "fixtures/broken.json")
    shutil.copy(CLEAN, tmp_path / "fixtures/clean.json")
    return tmp_path


def step(name: str, runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as GitHub does, with bash."""
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(runner),
        "PYTHONPATH": f"{ROOT / 'validator'}{os.pathsep}{ROOT / 'rules'}",
        **inputs,
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(
        command, cwd=runner, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


@bash
def test_the_action_annotates(runner: Path) -> None:
    ran = step("Check", runner, PATHS="fixtures", ARGS="")
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error title=turnlint (result-before-call),file=fixtures/broken.json,line=4,")
    ran = step("Check", runner, PATHS="fixtures/clean.json", ARGS="--target openai")
    assert (ran.returncode, ran.stderr) == (0, "")


@bash
def test_the_action_writes_sarif_whatever_is_found(runner: Path) -> None:
    ran = step("Write SARIF", runner, PATHS="fixtures", ARGS="", SARIF="out.sarif")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert '"result-before-call"' in (runner / "out.sarif").read_text()


@bash
@pytest.mark.parametrize("hostile", ["$(touch owned)", "; touch owned", "`touch owned`", "--output=owned"])
def test_an_input_of_the_action_is_no_command(runner: Path, hostile: str) -> None:
    assert step("Check", runner, PATHS=hostile, ARGS="").returncode == 2
    assert not (runner / "owned").exists()


def test_inputs_reach_the_action_by_its_environment_alone() -> None:
    for one in STEPS.values():
        assert "${{" not in one["run"]
