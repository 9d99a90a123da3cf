"""Time of turnlint's check against `json.loads` over the same bytes, in one run.

    python benchmarks/run.py                  # the quick set
    python benchmarks/run.py --megabytes 50   # large files

Every row is one file: the fastest of `--repeat` runs of each side, taken in turn so that a busy machine hurts both,
and their ratio.  Ratios are what to compare between machines; seconds are not.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from generate import DIALECTS, make

from turnlint.engine import Settings, check_source

KINDS = ("realistic", "long", "wide", "texts", "dirty")


def parse(path: Path) -> float:
    """Seconds that `json.loads` of every line takes."""
    start = time.perf_counter()
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)
    return time.perf_counter() - start


def row(path: Path, repeat: int) -> tuple[float, float, int]:
    """The best time of `json.loads`, of the check, and the number of findings."""
    settings = Settings()
    best_parse = best_check = float("inf")
    findings = 0
    for _ in range(repeat):
        best_parse = min(best_parse, parse(path))
        start = time.perf_counter()
        report = check_source(path, name=path.name, settings=settings)
        best_check = min(best_check, time.perf_counter() - start)
        findings = len(report.diagnostics)
    return best_parse, best_check, findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dialect", action="append", choices=DIALECTS)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--json", action="store_true", help="one JSON object a row instead of the table")
    given = parser.parse_args()
    if not given.json:
        print(f"{'file':32} {'MB':>7} {'json.loads':>11} {'turnlint':>10} {'ratio':>6} {'findings':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kind or KINDS:
            for dialect in given.dialect or (DIALECTS if kind == "realistic" else DIALECTS[:1]):
                path = Path(folder) / f"{kind}-{dialect}.jsonl"
                with path.open("wb") as out:
                    out.writelines(make(kind, dialect, given.megabytes, None))
                size = path.stat().st_size / 1e6
                reference, check, findings = row(path, given.repeat)
                ratio = check / reference
                if given.json:
                    print(json.dumps({"kind": kind, "dialect": dialect, "megabytes": size, "ratio": round(ratio, 3)}))
                else:
                    print(
                        f"{path.stem:32} {size:7.1f} {reference:10.3f}s {check:9.3f}s {ratio:6.2f} {findings:9d}",
                        flush=True,
                    )
                path.unlink()
    if not given.json:
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
