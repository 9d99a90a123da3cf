"""Time of turnlint's check against `json.loads` over the same bytes, in one run.

    python benchmarks/run.py                              # every kind of file, small
    python benchmarks/run.py --megabytes 50 --wall --peers --plot benchmarks/ratios.svg
    python benchmarks/run.py --compare benchmarks/baseline.json   # fails where something got slower
    python benchmarks/run.py --write benchmarks/baseline.json     # the new baseline

Ratios are what to compare between machines; seconds are not.  What each column is, and what was tried, is in
README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate import DIALECTS, KINDS, write
from inside import PEERS
from msgspec import Struct, field
from plot import svg

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
PYTHON = ".".join(map(str, sys.version_info[:2]))
TOLERANCE = 1.3  # times the baseline
_MEASURABLE = 0.02  # seconds of json.loads below which a ratio swings by more than the tolerance from run to run
_STEP_MEGABYTES = 0.2  # of the file whose lines of Python are counted
_STEP_COUNT = 500  # messages, or calls
_TRIES = 6  # measurements of a ratio before it counts as slower


class Row(Struct):
    """What was measured of one file: ratios to json.loads, megabytes, seconds of json.loads."""

    name: str
    megabytes: float
    parse: float
    findings: int
    peak: float  # MB of the process that checks alone
    ratios: dict[str, float] = field(default_factory=dict)
    wall: dict[int, float] = field(default_factory=dict)  # by the number of processes
    parse_wall: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)


def _inside(paths: list[Path], **given: Any) -> Any:
    """What `inside.py` prints of these files."""
    request = json.dumps({"paths": [str(p) for p in paths], **given})
    done = subprocess.run([sys.executable, HERE / "inside.py", request], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout) if done.stdout else None


def _wall(command: list[Any], repeat: int) -> float:
    """Seconds by the clock of a command, the fastest of several runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"TURNLINT_NO_CACHE": "1"})
        best = min(best, time.perf_counter() - start)
    return best


def measure(paths: list[Path], name: str, given: argparse.Namespace) -> Row:
    found = _inside(paths, repeat=given.repeat, peers=given.peers)
    seconds = found["seconds"]
    parse = seconds.pop("json.loads")
    size = sum(path.stat().st_size for path in paths) / 1e6
    row = Row(name, round(size, 1), parse, found["findings"], found["peak"], failed=found["failed"])
    row.ratios = {side: round(time / parse, 3) for side, time in seconds.items()}
    if given.wall:
        target = paths[0] if len(paths) == 1 else paths[0].parent
        request = json.dumps({"paths": [str(p) for p in paths], "parse": True})
        row.parse_wall = _wall([sys.executable, HERE / "inside.py", request], given.repeat)
        for jobs in sorted({1, os.cpu_count() or 1}):
            command = [sys.executable, "-m", "turnlint", "check", "--isolated", "--exit-zero", "--jobs", str(jobs)]
            row.wall[jobs] = _wall([*command, "--output-format", "concise", target], given.repeat)
    return row


HEAD = f"{'file':28} {'MB':>6} {'json.loads':>10} {'turnlint':>9} {'findings':>8} {'peak MB':>7}"


def told(row: Row) -> str:
    """A line of the table."""
    line = (
        f"{row.name:28} {row.megabytes:6.1f} {row.parse:9.3f}s {row.ratios['turnlint']:8.2f}x "
        f"{row.findings:8d} {row.peak:7.0f}"
    )
    for jobs, seconds in row.wall.items():
        line += f"  {jobs} process{'es' if jobs > 1 else ''} {seconds:.2f}s = {seconds / row.parse_wall:.2f}x"
    for peer in PEERS:
        if peer in row.ratios:
            line += f"  {peer} {row.ratios[peer]:.2f}x"
        elif peer in row.failed:
            line += f"  {peer}: {row.failed[peer]}"
    return line


def pictured(rows: list[Row]) -> dict[str, dict[str, float]]:
    """The ratios of each row in the order in which the plot shows them."""
    shown = {}
    for row in rows:
        most = max(row.wall, default=0)
        cores = {"turnlint, all cores": row.wall[most] / row.parse_wall} if most > 1 else {}
        shown[row.name] = {
            "turnlint": row.ratios["turnlint"],
            **cores,
            **{k: row.ratios[k] for k in PEERS if k in row.ratios},
        }
    return shown


def _ratio(paths: list[Path], name: str, given: argparse.Namespace) -> float:
    return measure(paths, name, given).ratios["turnlint"]


def compare(row: Row, steps: int, baseline: dict[str, Any], again: Callable[[], float]) -> list[str]:
    """What got slower by more than the tolerance, in words.  `again` measures the ratio once more.

    Ratios hang on the version of Python, and are held against the baseline only where it was made with the same, and
    where json.loads takes long enough to be measured, which it does not for files of one megabyte.
    """
    known = baseline["rows"].get(row.name)
    if known is None:
        return [f"{row.name}: the baseline does not know it"]
    slower = []
    if steps > known["steps"] * TOLERANCE:
        slower.append(f"{row.name}: {steps} lines of Python are executed, {known['steps']} in the baseline")
    if baseline["python"] != PYTHON or row.parse < _MEASURABLE:
        return slower
    ratio = row.ratios["turnlint"]
    for _ in range(_TRIES - 1):
        if ratio <= known["ratio"] * TOLERANCE:
            break
        ratio = min(ratio, again())
    if ratio > known["ratio"] * TOLERANCE:
        slower.append(f"{row.name}: {ratio:.2f} times json.loads, {known['ratio']:.2f} in the baseline")
    return slower


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dialect", action="append", choices=DIALECTS)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--count", type=int, help="messages of the long conversation, and calls of the wide turn")
    parser.add_argument("--wall", action="store_true", help="also the command line by the clock, with 1 and all cores")
    parser.add_argument("--peers", action="store_true", help="also the peers that are installed")
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    parser.add_argument("--plot", type=Path, help="draw the ratios to this file (SVG)")
    parser.add_argument("--compare", type=Path, help="exit with 1 where this baseline was faster by more than 30 %%")
    parser.add_argument("--write", type=Path, help="write the baseline to this file")
    given = parser.parse_args()
    baseline = json.loads(given.compare.read_text()) if given.compare else {}
    rows: list[Row] = []
    written: dict[str, Any] = {}
    slower: list[str] = []
    print(HEAD)
    for kind in given.kind or KINDS:
        for dialect in given.dialect or (DIALECTS if kind == "realistic" else DIALECTS[:1]):
            with tempfile.TemporaryDirectory() as folder:
                paths = write(Path(folder), kind, dialect, given.megabytes, given.count)
                row = measure(paths, f"{kind}-{dialect}", given)
                rows.append(row)
                print(told(row), flush=True)
                if given.compare or given.write:
                    (Path(folder) / "small").mkdir()
                    small = write(Path(folder) / "small", kind, dialect, _STEP_MEGABYTES, _STEP_COUNT)
                    steps = _inside(small, steps=True)["steps"]
                    written[row.name] = {"ratio": row.ratios["turnlint"], "steps": steps}
                    if given.compare:
                        slower += compare(row, steps, baseline, partial(_ratio, paths, row.name, given))
    if given.peers and (missing := [peer for peer in PEERS if not any(peer in (*r.ratios, *r.failed) for r in rows)]):
        print(f"not installed, and left out: {', '.join(missing)} (pip install 'turnlint[peers]')")
    if given.json:
        given.json.write_text(json.dumps([_plain(row) for row in rows], indent=1) + "\n")
    if given.plot:
        given.plot.write_text(svg(pictured(rows)), encoding="utf-8")
    if given.write:
        made = {"python": PYTHON, "megabytes": given.megabytes, "rows": written}
        given.write.write_text(json.dumps(made, indent=1) + "\n")
    for line in slower:
        print(f"slower: {line}", file=sys.stderr)
    return 1 if slower else 0


def _plain(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


if __name__ == "__main__":
    sys.exit(main())
