"""Killed at any moment, `--fix` leaves the old file or the new one.

`TURNLINT_KILLS` is the number of runs, 30 by default.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import turnlint
import turnlint_rules
from shapes import WIRES, broken
from turnlint.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

KILLS = int(os.environ.get("TURNLINT_KILLS", "30"))
PATHS = os.pathsep.join(str(Path(p).parent.parent) for p in (turnlint.__file__, turnlint_rules.__file__) if p)

#: Writes the two texts into the file in turn until it is killed.
REWRITE = """
import sys
from pathlib import Path
from turnlint.source.patch import write_atomic
path, texts = Path(sys.argv[1]), [Path(p).read_bytes() for p in sys.argv[2:4]]
print(flush=True)
while True:
    for one, other in (texts, texts[::-1]):
        write_atomic(path, other, expected=one)
"""


@pytest.fixture
def texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[bytes, bytes]:
    """A file that is broken in many places, and the same file fixed."""
    wire = WIRES["openai-chat"]
    before = "".join(json.dumps(broken(wire, "early")) + "\n" for _ in range(40)).encode()
    path = tmp_path / "once.jsonl"
    path.write_bytes(before)
    assert main(["fix", str(path)]) == 0
    capsys.readouterr()
    assert path.read_bytes() != before
    return before, path.read_bytes()


def start(arguments: Sequence[str | Path]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": PATHS},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def kill_after(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Kill a process that has not ended by then, without a chance to tidy up."""
    with process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()


def test_a_killed_fix_leaves_a_whole_file(tmp_path: Path, texts: tuple[bytes, bytes]) -> None:
    path = tmp_path / "log.jsonl"
    moment = random.Random(0)
    path.write_bytes(texts[0])
    began = time.monotonic()
    with start(["-m", "turnlint", "fix", path]) as process:
        process.wait()
    whole_run = time.monotonic() - began
    assert path.read_bytes() == texts[1]
    for _ in range(max(KILLS // 4, 1)):
        path.write_bytes(texts[0])
        kill_after(start(["-m", "turnlint", "fix", path]), moment.uniform(0, whole_run))
        assert path.read_bytes() in texts


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path, texts: tuple[bytes, bytes]) -> None:
    path = tmp_path / "log.jsonl"
    moment = random.Random(1)
    for name, text in zip(("before", "after"), texts, strict=True):
        (tmp_path / name).write_bytes(text)
    for _ in range(KILLS - KILLS // 4):
        path.write_bytes(texts[0])
        process = start(["-c", REWRITE, path, tmp_path / "before", tmp_path / "after"])
        assert process.stdout is not None
        process.stdout.readline()  # it writes from here on
        kill_after(process, moment.uniform(0, 0.05))
        assert path.read_bytes() in texts
