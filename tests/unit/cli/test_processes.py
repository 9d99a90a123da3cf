"""Several processes: what they are used for, and that none is left behind."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from turnlint import slices
from turnlint.cli import main, processes
from turnlint.cli.checking import Source, check_one
from turnlint.diagnostic import Report
from turnlint.engine import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ASK = {"role": "user", "content": "Weather in Oslo?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
_LOST = json.dumps({"messages": [_ASK, {"role": "assistant", "content": None, "tool_calls": [_CALL]}, _ASK]})


@pytest.fixture
def work(tmp_path: Path) -> list[tuple[Source, Settings]]:
    """Files with one finding each, and one of lines with as many as lines."""
    found = []
    for number in range(6):
        file = tmp_path / f"{number}.json"
        file.write_text(_LOST)
        found.append((Source(str(file)), Settings()))
    lines = tmp_path / "lines.jsonl"
    lines.write_text(f"{_LOST}\n" * 300)
    return [*found[:3], (Source(str(lines)), Settings()), *found[3:]]


def _counts(outcomes: Any) -> list[int]:
    return [len(outcome.diagnostics) for outcome in outcomes if isinstance(outcome, Report)]


def test_reports_come_in_order(work: list[tuple[Source, Settings]], small: None) -> None:
    assert _counts(processes.check(work, 2)) == [1, 1, 1, 300, 1, 1, 1]
    assert multiprocessing.active_children() == []


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is large enough to be cut or given away."""
    monkeypatch.setattr(processes, "_LARGE", 1000)
    monkeypatch.setattr(processes, "_WORTH", 1000)
    monkeypatch.setattr(processes, "_GROUP_FILES", 1)
    monkeypatch.setattr(slices, "SMALLEST", 1000)


def test_nobody_is_left_when_the_rest_is_not_wanted(work: list[tuple[Source, Settings]], small: None) -> None:
    outcomes = processes.check(work, 2)
    assert next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    for process in multiprocessing.active_children():
        process.join(10)
        assert process.exitcode is not None


def test_what_a_killed_process_leaves_is_done_here(
    work: list[tuple[Source, Settings]], small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()

    def deadly(source: Source, how: Any) -> Any:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return check_one(source, how)

    monkeypatch.setattr(processes, "check_one", deadly)
    if multiprocessing.get_start_method() == "fork":  # else the others do not know of it
        assert _counts(processes.check(work, 2)) == [1, 1, 1, 300, 1, 1, 1]


def test_only_large_inputs_are_given_away(work: list[tuple[Source, Settings]], monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [source for source, _ in work]
    assert processes.wanted(sources, None) == 1
    assert processes.wanted(sources, 3) == 3
    monkeypatch.setattr(processes, "_WORTH", 1000)
    monkeypatch.setattr(processes, "_cores", lambda: 5)
    assert processes.wanted(sources, None) == 5
    assert processes.wanted([Source("<stdin>", data=b" " * 5000), Source("gone")], None) == 1


@pytest.mark.parametrize("output_format", ["full", "json", "concise"])
def test_output_is_the_same_whatever_the_number(
    work: list[tuple[Source, Settings]],
    small: None,
    capfd: pytest.CaptureFixture[str],
    output_format: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = [source.name for source, _ in work]
    printed = set()
    for jobs in ("1", "2", "3"):
        status = main(["check", "--isolated", "--jobs", jobs, "--output-format", output_format, *paths])
        printed.add((status, *capfd.readouterr()))
    assert len(printed) == 1


def test_an_interrupt_is_told_once(
    work: list[tuple[Source, Settings]],
    small: None,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    interrupted: Callable[[], None],
) -> None:
    paths = [source.name for source, _ in work]
    assert main(["check", "--isolated", "--jobs", "2", *paths]) == 130
    out, err = capfd.readouterr()
    assert out == ""
    assert err == "turnlint: interrupted: 1 of 7 files checked, findings so far: 1\n"


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody presses Ctrl-C when the second report is waited for."""
    real = processes.check

    def check(work: Any, jobs: int) -> Any:
        outcomes = real(work, jobs)
        yield next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "check", check)


_STUCK = """
import os, signal, sys
from turnlint.cli import main, processes

def stuck(items):
    os.kill(os.getppid(), signal.SIGINT)
    signal.pause()

processes._check_group = stuck
sys.exit(main(["check", "--isolated", "--jobs", "2", *sys.argv[1:]]))
"""


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="the other processes know no patches")
def test_an_interrupt_waits_for_nobody(work: list[tuple[Source, Settings]]) -> None:
    """Ctrl-C while the other processes are busy for ever: all end, and what was done is said."""
    paths = [source.name for source, _ in work]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _STUCK, *paths],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "turnlint: interrupted: 0 of 7 files checked, findings so far: 0\n"
