"""Checking in several processes: many files, and slices of large ones, with the reports in the order of the files."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from turnlint.cli.checking import Source, check_one
from turnlint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from turnlint.diagnostic import Report
    from turnlint.slices import Part, Slice

    Item = tuple[Source, Any]  # with the engine's settings for it
    Outcome = Report | Exception

_WORTH: Final = 8 << 20  # bytes in all, from which on other processes save more than they cost
_LARGE: Final = 8 << 20  # bytes of one file that is cut into slices
_GROUP: Final = 1 << 20  # bytes of small files that one process gets at once
_GROUP_FILES: Final = 64
_AHEAD: Final = 4  # pieces of work for each process that are given out before the first is done
_SLICES: Final = 4  # of a large file for each process: some lines take longer than others


def wanted(sources: Sequence[Source], asked: int | None) -> int:
    """How many processes are worth it: those asked for, or as many as there are cores where there is much to do."""
    if asked is not None:
        return asked
    total = 0
    for source in sources:
        total += _size(source)
        if total >= _WORTH:
            return _cores()
    return 1


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _size(source: Source) -> int:
    """Bytes of a file; 0 for what is no file, or cannot be asked."""
    try:
        return 0 if source.data is not None else Path(source.name).stat().st_size
    except OSError:
        return 0


def run(work: Iterable[Item], jobs: int) -> Iterator[Outcome]:
    """The outcome of each piece of work, in order; in this process where one is enough."""
    return check(work, jobs) if jobs > 1 else (check_one(*item) for item in work)


def check(work: Iterable[Item], jobs: int) -> Iterator[Outcome]:
    """The outcome of each piece of work, in order.  Processes are ended at once when nobody asks for the rest."""
    import multiprocessing
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    pool = ProcessPoolExecutor(jobs, initializer=_begin)
    units = _units(work, jobs)
    waiting: deque[_Unit] = deque()
    done = False
    try:
        while True:
            while sum(len(unit.futures) for unit in waiting) < jobs * _AHEAD and (unit := next(units, None)):
                waiting.append(unit)
                unit.submit(pool)
            if not waiting:
                done = True
                break
            yield from waiting[0].outcomes()
            waiting.popleft()
    except BrokenExecutor:
        pass  # a process was killed from outside, or had no memory left: what is left is done here
    finally:
        thread = getattr(pool, "_executor_manager_thread", None)
        pool.shutdown(wait=done, cancel_futures=True)
        if not done:
            for process in multiprocessing.active_children():
                process.terminate()
            if thread is not None:
                thread.join(2)  # an interpreter that ends while it closes the pool says so on standard error
    for unit in (*waiting, *units):
        yield from (check_one(*item) for item in unit.items)


def _begin() -> None:
    """What each process does first.  Ctrl-C reaches all of them, and only the one that started them speaks of it."""
    import signal

    from turnlint.cli import collect_seldom

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()


class _Unit:
    """Some small files, or one large one in slices."""

    def __init__(self, items: list[Item], slices: Sequence[Slice] = ()) -> None:
        self.items = items
        self.slices = slices
        self.futures: list[Future[Any]] = []

    def submit(self, pool: Executor) -> None:
        if self.slices:
            ((source, how),) = self.items
            self.futures = [pool.submit(_check_slice, piece, source.name, how) for piece in self.slices]
        else:
            self.futures = [pool.submit(_check_group, self.items)]

    def outcomes(self) -> Iterator[Outcome]:
        if not self.slices:
            yield from self.futures[0].result()
            return
        from concurrent.futures import BrokenExecutor

        from turnlint.slices import join

        ((source, how),) = self.items
        try:
            parts = (future.result() for future in self.futures)
            report = join(parts, list(self.slices), source.name, how, named=source.named)
        except (BrokenExecutor, UsageError):
            raise
        except Exception:  # the file went away, or something is wrong inside turnlint: one process alone will tell
            report = None
        yield report if report is not None else check_one(source, how)


def _check_group(items: list[Item]) -> list[Outcome]:
    return [check_one(*item) for item in items]


def _check_slice(piece: Slice, name: str, how: Any) -> Part:
    from turnlint import slices

    return slices.check(piece, name, how)


def _units(work: Iterable[Item], jobs: int) -> Iterator[_Unit]:
    group: list[Item] = []
    size = 0
    for source, how in work:
        bytes_of = _size(source)
        slices = _cut(source, how, jobs) if bytes_of >= _LARGE else []
        if slices or size + bytes_of > _GROUP or len(group) >= _GROUP_FILES:
            if group:
                yield _Unit(group)
            group, size = [], 0
        if slices:
            yield _Unit([(source, how)], slices)
        else:
            group.append((source, how))
            size += bytes_of
    if group:
        yield _Unit(group)


def _cut(source: Source, how: Any, jobs: int) -> list[Slice]:
    from turnlint import slices

    return slices.cut(Path(source.name), how, jobs * _SLICES)
