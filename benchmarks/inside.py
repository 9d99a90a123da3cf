"""One row of the benchmark, measured in a process of its own: `json.loads`, turnlint and peers over the same files.

    python benchmarks/inside.py '{"paths": ["chat.jsonl"], "repeat": 3, "peers": true, "steps": false}'

Prints one JSON object.  Times are seconds of this process (user and system), the fastest of all rounds; the sides take
turns in each round, so that a busy machine hurts all of them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import resource
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Module and function of each peer.  They take a list of messages, in the shape of Chat Completions or Anthropic.
PEERS = {
    "turnsafe": ("turnsafe", "validate"),
    "tessera-transcript": ("tessera", "inspect"),
    "tool-call-repair": ("toolrepair", "validate"),
}
_SHORTEST = 0.15  # seconds of one measurement
_LONGEST = 30  # seconds of one measurement
_PEERS_READ = ("openai-chat", "anthropic")


def _texts(path: Path) -> Iterator[bytes]:
    """The JSON texts of a file: its lines, or the whole."""
    if path.suffix == ".jsonl":
        with path.open("rb") as lines:
            yield from lines
    else:
        yield path.read_bytes()


def parse(paths: list[Path]) -> None:
    """What everything is compared with."""
    for path in paths:
        for text in _texts(path):
            with contextlib.suppress(ValueError):
                json.loads(text)


def check(paths: list[Path]) -> int:
    """The number of findings."""
    from turnlint.engine import Settings, check_source

    return sum(len(check_source(path, name=path.name, settings=Settings()).diagnostics) for path in paths)


def _validate(paths: list[Path], validate: Callable[[Any], Any]) -> None:
    for path in paths:
        for text in _texts(path):
            validate(json.loads(text)["messages"])


def _peers(paths: list[Path]) -> dict[str, Callable[[], Any]]:
    """What each peer that is installed does with these files; none where they do not read the dialect."""
    if not any(f"-{dialect}" in str(paths[0]) for dialect in _PEERS_READ) or "cassettes-" in str(paths[0]):
        return {}
    found: dict[str, Callable[[], Any]] = {}
    for name, (module, function) in PEERS.items():
        try:
            validate = getattr(importlib.import_module(module), function)
        except ImportError:
            continue
        found[name] = partial(_validate, paths, validate)
    return found


def _seconds(work: Callable[[], Any]) -> float:
    """What the work takes; short work is done again and again, as some clocks tick only every 4 ms."""
    start = time.process_time()
    times = 0
    while (taken := time.process_time() - start) < _SHORTEST:
        work()
        times += 1
    return taken / times


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    """Ends work that takes for ever: a peer that is quadratic in something."""

    def give_up(_signal: int, _frame: Any) -> None:
        raise TimeoutError(f"more than {_LONGEST} s")

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def steps(paths: list[Path]) -> int:
    """Lines of Python that a check executes: the same on every run, on every machine."""
    check(paths[:1])  # what is loaded once and kept
    count = 0

    def trace(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        check(paths)
    finally:
        sys.settrace(None)
    return count


def _peak() -> float:
    """Megabytes that this process has held at most."""
    status = Path("/proc/self/status")  # the other figure begins with that of the process that started this one
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(paths: list[Path], *, repeat: int, peers: bool) -> dict[str, Any]:
    sides: dict[str, Callable[[], Any]] = {"json.loads": lambda: parse(paths), "turnlint": lambda: check(paths)}
    if peers:
        sides |= _peers(paths)
    findings = check(paths)
    peak = _peak()
    best: dict[str, float] = {}
    failed: dict[str, str] = {}
    for _ in range(repeat):
        for name, work in sides.items():
            if name in failed:
                continue
            try:
                with _patience():
                    best[name] = min(best.get(name, float("inf")), _seconds(work))
            except Exception as error:  # what a peer does with odd input is its own affair
                failed[name] = str(error) if isinstance(error, TimeoutError) else type(error).__name__
    return {"seconds": best, "failed": failed, "findings": findings, "peak": round(peak, 1)}


def main() -> None:
    given = json.loads(sys.argv[1])
    paths = [Path(path) for path in given["paths"]]
    if given.get("steps"):
        print(json.dumps({"steps": steps(paths)}))
    elif given.get("parse"):
        parse(paths)
    else:
        print(json.dumps(row(paths, repeat=given["repeat"], peers=given["peers"])))


if __name__ == "__main__":
    main()
