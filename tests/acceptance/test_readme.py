"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from turnlint.cli import main

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> list[str]:
    found = re.search(rf"<!-- ci: {marker} -->\n```\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1].strip().splitlines()


def test_the_five_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    shutil.copy(ROOT / "sample_transcripts/invalid/openai-chat/orphan-result.json", fixtures / "orphan.json")
    shutil.copy(ROOT / "sample_transcripts/valid/openai-chat/parallel-calls.json", fixtures)
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line, comments=True) for line in block("five")]
    assert [main(command[1:]) for command in commands] == [1, 0, 1, 0, 0]
    assert "no problems" in capsys.readouterr().out


def test_the_output_it_shows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    shown = re.search(r"```\n\$ (turnlint check [^\n]*)\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    assert main(shlex.split(shown[1])[1:]) == 1
    assert capsys.readouterr().out == shown[2]


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link
