"""Checks many sources one after the other: settings for each, progress, and what must not stop the rest."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from turnlint.cli.backend import engine
from turnlint.cli.run import internal_error, say
from turnlint.diagnostic import Report
from turnlint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from turnlint.config import Config, Configs
    from turnlint.diagnostic import Diagnostic, FileInfo

STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to check: a file, or bytes that came from standard input.  `named` on the command line, or found."""

    name: str
    named: bool = True
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command line says about judging; it holds for every source and goes before configuration."""

    target: tuple[str, ...] = ()
    dialect: str | None = None
    mode: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unrecognised: str | None = None

    def settings(self, config: Config, source: Source) -> Any:
        """The engine's settings for one source."""
        return engine().Settings(
            targets=self.target or config.targets_for(source.name),
            dialect=self.dialect,
            mode=self.mode or config.mode or "auto",
            select=self.select or config.select,
            ignore=(*config.ignore, *config.ignored_in(source.name), *self.ignore),
            severity=config.severities(),
            unrecognised=self.unrecognised or ("error" if source.named else "count"),
            recorded_verdicts=config.recorded_verdicts is not False,
            as_of=config.as_of,
            limits=config.limits(),
        )


@dataclass(slots=True)
class Outcome:
    """The reports of all sources as one, and whether turnlint itself failed on any."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: list[FileInfo] = field(default_factory=list)
    messages: int = 0
    transcripts: int = 0
    failed: bool = False

    def add(self, report: Report) -> None:
        self.diagnostics.extend(report.diagnostics)
        self.files.extend(report.files)
        self.messages += report.messages
        self.transcripts += report.transcripts

    def report(self) -> Report:
        return Report(self.diagnostics, self.files, self.messages, self.transcripts)


class Interrupted(Exception):  # noqa: N818  # it is no error
    """Somebody pressed Ctrl-C; the text says what was done until then."""


class Progress:
    """A line on a terminal that tells how far the work is, once it has lasted a second."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream if stream.isatty() else None
        self._clock = clock
        self._next = clock() + 1.0
        self._shown = False

    def step(self, done: int, total: int) -> None:
        if self._stream is None or self._clock() < self._next:
            return
        self._next = self._clock() + 0.1
        self._shown = True
        print(f"\r\x1b[Kchecked {done} of {total} files", end="", file=self._stream, flush=True)

    def end(self) -> None:
        if self._stream is not None and self._shown:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


def check_all(sources: Sequence[Source], choices: Choices, configs: Configs) -> Outcome:
    """Check every source.  An error of turnlint's own in one is told and remembered; the others are still checked."""
    outcome = Outcome()
    progress = Progress(sys.stderr)
    done = 0
    try:
        for report in _reports(sources, choices, configs, outcome):
            outcome.add(report)
            done += 1
            progress.step(done, len(sources))
    except KeyboardInterrupt:
        found = len(outcome.diagnostics)
        raise Interrupted(f"interrupted: {done} of {len(sources)} files checked, {found} findings so far") from None
    finally:
        progress.end()
    return outcome


def _reports(sources: Sequence[Source], choices: Choices, configs: Configs, outcome: Outcome) -> Iterable[Report]:
    for source in sources:
        try:
            yield check_one(source, choices.settings(configs.of_file(source.name), source))
        except UsageError:
            raise
        except Exception as error:  # one odd file must not hide what is wrong with the others
            say(f"turnlint: {internal_error(error, f' while checking {source.name}')}")
            outcome.failed = True


def check_one(source: Source, settings: Any) -> Report:
    """The engine's report on one source."""
    stream = None if source.data is None else BytesIO(source.data)
    path = None if source.data is not None else Path(source.name)
    report = engine().check_source(path, stream=stream, name=source.name, settings=settings, named=source.named)
    assert isinstance(report, Report)
    return report
