"""`turnlint fix`, `check --fix` and `--diff`, as a user runs them."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from turnlint.cli import main
from turnlint.engine import Settings
from turnlint.fixing import fix_source

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
ASK = {"role": "user", "content": "What time is it?"}
TURN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "14:02"}
SWAPPED = [ASK, RESULT, TURN]
LOST = [ASK, TURN, ASK]


def write(path: Path, messages: list[object]) -> bytes:
    """One message a line, with odd spacing that a fix must keep."""
    text = "[\n" + ",\n".join("    " + json.dumps(m, separators=(" ,", ":  ")) for m in messages) + "\n]"
    path.write_bytes(text.encode())
    return text.encode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_safe_fix_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = write(folder / "a.json", SWAPPED)
    assert main(["check", "a.json", "--fix"]) == 0
    after = (folder / "a.json").read_bytes()
    assert json.loads(after) == [ASK, TURN, RESULT]
    assert {x.rstrip(b",") for x in after.splitlines()} == {x.rstrip(b",") for x in before.splitlines()}
    shown = capsys.readouterr()
    assert "fixed a.json:3: result-before-call" in shown.err
    assert "no problems" in shown.out
    assert main(["fix", "a.json"]) == 0
    assert (folder / "a.json").read_bytes() == after


def test_an_unsafe_fix_waits_to_be_asked_for(folder: Path) -> None:
    before = write(folder / "a.json", LOST)
    assert main(["fix", "a.json"]) == 1
    assert (folder / "a.json").read_bytes() == before
    assert main(["fix", "a.json", "--unsafe-fixes"]) == 0
    fixed = json.loads((folder / "a.json").read_bytes())
    assert fixed[2]["role"] == "tool"
    assert "unknown" in fixed[2]["content"]


def test_a_diff_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = write(folder / "a.json", SWAPPED)
    assert main(["check", "a.json", "--diff"]) == 1
    assert (folder / "a.json").read_bytes() == before
    out = capsys.readouterr().out
    assert out.startswith("--- a.json (as it is)\n+++ a.json (fixed)\n")
    write(folder / "b.json", [ASK])
    assert main(["check", "b.json", "--diff"]) == 0


def test_a_backup_is_kept(folder: Path) -> None:
    before = write(folder / "a.json", SWAPPED)
    assert main(["fix", "a.json", "--backup"]) == 0
    assert (folder / "a.json.bak").read_bytes() == before


def test_an_earlier_backup_stays(folder: Path) -> None:
    first = write(folder / "a.json", SWAPPED)
    (folder / "a.json").chmod(0o600)
    assert main(["fix", "a.json", "--backup"]) == 0
    again = write(folder / "a.json", [*SWAPPED, ASK])
    assert main(["fix", "a.json", "--backup"]) == 0
    assert (folder / "a.json.bak").read_bytes() == first
    assert (folder / "a.json.bak.2").read_bytes() == again
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()} == {0o600}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_is_not_replaced(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    made = fix_source(folder / "pipe.json", name="pipe.json", settings=Settings(), unsafe=False)
    assert made.encoded is None
    assert "no regular file" in made.outcome.refused[0]


def test_a_folded_block_is_not_edited(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = json.dumps({"model": "gpt-4o", "messages": SWAPPED}, indent=1).replace("\n", "\n      ")
    request = "method: POST\n    uri: https://api.openai.com/v1/chat/completions"
    text = f"interactions:\n- request:\n    {request}\n    body: >-\n      {body}\n  response: {{}}\nversion: 1\n"
    (folder / "a.yaml").write_text(text)
    assert main(["fix", "a.yaml"]) == 1
    assert (folder / "a.yaml").read_text() == text
    assert "inside a folded" in capsys.readouterr().err


def test_mode_and_links_stay(folder: Path) -> None:
    write(folder / "real.json", SWAPPED)
    (folder / "real.json").chmod(0o640)
    (folder / "link.json").symlink_to("real.json")
    assert main(["fix", "link.json"]) == 0
    assert (folder / "link.json").is_symlink()
    assert stat.S_IMODE((folder / "real.json").stat().st_mode) == 0o640
    assert json.loads((folder / "real.json").read_bytes()) == [ASK, TURN, RESULT]
    assert sorted(p.name for p in folder.iterdir()) == ["link.json", "real.json"]


def test_standard_input_is_a_filter(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    given = json.dumps(SWAPPED).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    assert main(["fix", "-"]) == 0
    shown = capsysbinary.readouterr()
    assert json.loads(shown.out) == [ASK, TURN, RESULT]
    assert b"result-before-call" in shown.err


def test_what_is_clean_passes_through(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    given = b'[ {"role":"user","content":"h\\u00e9"} ]\r\n'
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    assert main(["fix", "-"]) == 0
    assert capsysbinary.readouterr().out == given


def test_two_targets_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "a.json", SWAPPED)
    assert main(["fix", "a.json", "--target", "openai,mistral"]) == 2
    assert "exactly one target" in capsys.readouterr().err


def test_only_the_line_at_fault_changes(folder: Path) -> None:
    lines = [json.dumps({"messages": m}).encode() for m in ([ASK], SWAPPED, [ASK, TURN, RESULT])]
    (folder / "a.jsonl").write_bytes(b"\r\n".join(lines) + b"\r\n\r\n")
    assert main(["fix", "a.jsonl"]) == 0
    after = (folder / "a.jsonl").read_bytes().split(b"\r\n")
    assert (after[0], after[2], after[3:]) == (lines[0], lines[2], [b"", b""])
    assert json.loads(after[1]) == {"messages": [ASK, TURN, RESULT]}


@pytest.mark.skipif(os.name != "posix", reason="permissions of files")
def test_unsafe_fixes_needs_fix(folder: Path) -> None:
    write(folder / "a.json", LOST)
    assert main(["check", "a.json", "--unsafe-fixes"]) == 2
