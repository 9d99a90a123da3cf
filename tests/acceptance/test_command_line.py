"""The command line as somebody uses it: real files, the real engine, real processes where that matters."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import turnlint
from turnlint.cli import main
from turnlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
ASKED = {"role": "user", "content": "What time is it?"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "14:02"}
ANSWER = {"role": "assistant", "content": "It is 14:02."}
VALID = [ASKED, CALLED, RESULT, ANSWER]
BROKEN = [ASKED, CALLED, ASKED, ANSWER]


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


Run = Any


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "TURNLINT_OUTPUT_FORMAT",
        "TURNLINT_DEBUG",
        "NO_HYPERLINK",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: str) -> Ran:
        status = main(arguments)
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return call


def process(folder: Path, *arguments: str, **given: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'validator'}{os.pathsep}{ROOT / 'rules'}",
        **given.pop("env", {}),
    }
    command = [sys.executable, "-m", "turnlint", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, **given)


def test_a_valid_history(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(VALID))
    ran = run("check", "a.json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith("1 file, 1 transcript, 4 messages: no problems\n")


def test_a_broken_history(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN, indent=2))
    ran = run("check", "a.json")
    assert ran.status == 1
    assert ran.out.startswith("a.json:10:7: error unanswered-call (TL101): the call get_time (call_1) has no result\n")
    assert "openai answers 400: \"An assistant message with 'tool_calls' must be followed by" in ran.out
    assert "did not have response messages: call_1" in ran.out
    assert "judged as openai: the file is in openai-chat\n" in ran.out


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(name: str, run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    ran = run("check", "--output-format", name, ".")
    assert (ran.status, ran.err) == (1, "")
    assert "unanswered-call" in ran.out
    assert run("check", "--output-format", name, "--exit-zero", ".").status == 0


def test_the_json_report_follows_its_schema(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    (folder / "b.jsonl").write_text(f"{json.dumps({'messages': VALID})}\n{json.dumps({'messages': BROKEN})}\n")
    (folder / "c.json").write_text('{"a": 1}')
    (folder / "d.json").write_text('[{"role": "user"')
    report = json.loads(run("check", "--output-format", "json", ".").out)
    schema = Path(turnlint.__path__[0]) / "report" / "report.schema.json"
    jsonschema.validate(report, json.loads(schema.read_text(encoding="utf-8")))
    assert report["summary"]["unrecognised"] >= 1
    found = [(d["path"], d["rule"], d["line"], d["pointer"]) for d in report["diagnostics"]]
    assert ("b.jsonl", "unanswered-call", 2, "/messages/1/tool_calls/0") in found
    assert ("d.json", "syntax-error") in [place[:2] for place in found]


def test_what_is_no_conversation(run: Run, folder: Path) -> None:
    (folder / "package.json").write_text('{"name": "x", "version": "1.0.0"}')
    assert run("check", "package.json").status == 1
    walked = run("check", ".")
    assert walked.status == 0
    assert "1 file not recognised" in walked.out


def test_standard_input_of_a_process(folder: Path) -> None:
    ran = process(folder, "check", "-", input=json.dumps(BROKEN).encode())
    assert ran.returncode == 1
    assert ran.stdout.startswith(b"<stdin>:1:")


def test_a_compressed_file_is_quoted_too(run: Run, folder: Path) -> None:
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps({"messages": BROKEN}).encode()))
    ran = run("check", ".")
    assert ran.status == 1
    assert "\n1 | …" in ran.out


def test_a_very_long_line_is_cut(run: Run, folder: Path) -> None:
    long = {"role": "user", "content": "x" * 100_000}
    (folder / "a.jsonl").write_text(json.dumps({"messages": [long, *BROKEN, long]}) + "\n")
    ran = run("check", "a.jsonl")
    assert ran.status == 1
    quoted = [line for line in ran.out.splitlines() if line.startswith("1 | ")]
    assert [len(line) < 130 for line in quoted] == [True]


def test_the_reader_of_the_output_goes_away(folder: Path) -> None:
    rows = "".join(f"{json.dumps({'messages': BROKEN})}\n" for _ in range(2_000))
    (folder / "a.jsonl").write_text(rows)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'validator'}{os.pathsep}{ROOT / 'rules'}"}
    command = [sys.executable, "-m", "turnlint", "check", "a.jsonl"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1


@pytest.mark.parametrize("name", ["full", "json", "junit"])
def test_an_output_that_takes_only_ascii(name: str, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps([{"role": "user", "content": "時"}, CALLED, ASKED]))
    ran = process(folder, "check", "--output-format", name, "a.json", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
@pytest.mark.parametrize(
    "name", [b"::error::x.json", b"\x1b[31m.json", b"a\nb.json", b"caf\xe9.json", b"<script>.json"]
)
def test_names_of_files_are_hostile_too(name: bytes, run: Run, folder: Path) -> None:
    (folder / os.fsdecode(name)).write_text(json.dumps(BROKEN))
    for output_format in FORMATS:
        ran = run("check", "--output-format", output_format, ".")
        assert (ran.status, ran.err) == (1, "")
        assert "\x1b" not in ran.out
        assert "<script>" not in ran.out or output_format not in ("html", "junit")
        assert not [line for line in ran.out.splitlines() if line.startswith("::error::")]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe\x00",
        b"[" * 50_000,
        b'{"messages": ' * 20_000,
        b'[{"role": "user", "content": "\xff"}]',
    ],
    ids=lambda data: ascii(data[:12]),
)
def test_no_input_makes_a_traceback(data: bytes, run: Run, folder: Path) -> None:
    (folder / "a.json").write_bytes(data)
    ran = run("check", "a.json")
    assert ran.status in (0, 1)
    assert ran.err == ""


def test_a_path_that_is_missing_among_others(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    ran = run("check", "gone.json", "a.json")
    assert ran.status == 2
    assert "unanswered-call" in ran.out
    assert "gone.json: no such file" in ran.err


def test_no_quotes_of_a_real_history(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    for name in FORMATS:
        out = run("check", "--no-quotes", "--output-format", name, "a.json").out
        assert "unanswered-call" in out
        assert "call_1" not in out
        assert "get_time" not in out


def test_several_targets(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    report = json.loads(run("check", "--target", "openai,anthropic", "--output-format", "json", "a.json").out)
    (found,) = report["diagnostics"]
    assert [verdict["target"] for verdict in found["verdicts"]] == ["openai", "anthropic"]


def test_a_baseline_of_a_real_history(run: Run, folder: Path) -> None:
    (folder / "chats").mkdir()
    file = folder / "chats" / "a.jsonl"
    file.write_text(json.dumps({"messages": BROKEN}) + "\n")
    assert run("baseline", "create", "chats").status == 0
    file.write_text(f"{json.dumps({'messages': VALID})}\n{json.dumps({'messages': [ASKED, ANSWER, *BROKEN]})}\n")
    assert run("check", "--baseline", "turnlint-baseline.json", "chats").status == 0


@pytest.mark.parametrize("path", ["a.json", "-"])
def test_reports_for_programs_have_the_edits_of_fixes(
    run: Run, folder: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps([ASKED, RESULT, CALLED, ANSWER])
    (folder / "a.json").write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    document = json.loads(run("check", "--output-format", "json", path).out)
    edits = document["diagnostics"][0]["fix"]["edits"]
    for edit in reversed(edits):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    assert json.loads(text) == VALID
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps([ASKED, RESULT, CALLED]).encode())))
    sarif = json.loads(run("check", "--output-format", "sarif", path).out)
    (change,) = sarif["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]
    assert len(change["replacements"]) == len(edits)


def test_links_are_for_terminals(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.json").write_text(json.dumps(BROKEN))
    monkeypatch.setenv("WT_SESSION", "x")
    assert "\x1b]8" not in run("check", "a.json").out
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    assert "\x1b]8;;https://turnlint.readthedocs.io/" in run("check", "a.json").out
    assert "\x1b]8" not in run("check", "--output-format", "json", "a.json").out
    run("check", "--output", "out.txt", "a.json")
    assert "\x1b" not in (folder / "out.txt").read_text()
    monkeypatch.setenv("NO_HYPERLINK", "1")
    assert "\x1b]8" not in run("check", "a.json").out
