"""Finds what is to be checked and checks it: settings for each source, progress, and what must not stop the rest."""

from __future__ import annotations

import sys
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct, field

from turnlint.cli import backend
from turnlint.cli.run import internal_error, say
from turnlint.diagnostic import Report, Severity
from turnlint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnlint.cli.options import Choices
    from turnlint.config import Config, Configs
    from turnlint.diagnostic import Diagnostic, FileInfo

STDIN = "<stdin>"


class Source(Struct, frozen=True):
    """One thing to check: a file, or bytes that came from standard input.  `named` on the command line, or found."""

    name: str
    named: bool = True
    data: bytes | None = None


class Outcome(Struct):
    """The reports of all sources as one, what was checked, and whether anything could not be."""

    sources: list[Source] = field(default_factory=list)
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


def standard_input() -> bytes:
    """All of standard input.  Raises UsageError where there is none."""
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer.read()


def find(choices: Choices, configs: Configs) -> tuple[list[Source], bool]:
    """What there is to check, each once, and whether every path that was named exists."""
    sources: list[Source] = []
    all_found = True
    if "-" in choices.paths:
        sources.append(Source(choices.stdin_filename or STDIN, data=standard_input()))
    config = configs.of_run()
    paths = [Path(path) for path in choices.paths if path != "-"]
    exclude = (*config.exclude, *choices.exclude)
    for found in backend.walk(paths, config.include, exclude, config.folder, force=choices.force_exclude):
        if found.missing:
            say(f"turnlint: {found.path}: no such file or folder")
            all_found = False
        else:
            sources.append(Source(str(found.path), named=found.named))
    if not sources and all_found:
        say("turnlint: warning: nothing to check here")
    return sources, all_found


def check(choices: Choices, configs: Configs, given: tuple[list[Source], bool] | None = None) -> Outcome:
    """Check everything that was asked for (or that was `given`), and settle what was expected of single files.

    An error of turnlint's own in one source is told and remembered; the others are still checked.  Raises Interrupted,
    and UsageError for arguments or settings that cannot be used.
    """
    sources, all_found = given or find(choices, configs)
    outcome = Outcome(sources, failed=not all_found)
    progress = Progress(sys.stderr)
    done = 0
    try:
        for report in _reports(outcome, choices, configs):
            outcome.add(report)
            done += 1
            progress.step(done, len(sources))
    except KeyboardInterrupt:
        found = len(outcome.diagnostics)
        raise Interrupted(f"interrupted: {done} of {len(sources)} files checked, findings so far: {found}") from None
    finally:
        progress.end()
    _settle_expectations(outcome, choices, configs)
    return outcome


def settings(source: Source, choices: Choices, config: Config) -> Any:
    """The engine's settings for one source.  What the command line says of unrecognised files outweighs `severity`."""
    severity = config.severities()
    if choices.unrecognised is not None:
        severity.pop("unrecognised-format", None)
    return backend.engine().Settings(
        targets=choices.target or config.targets_for(source.name),
        dialect=choices.dialect,
        mode=choices.mode or config.mode or "auto",
        select=choices.select or config.select,
        ignore=(*config.ignore, *config.ignored_in(source.name), *choices.ignore),
        severity=severity,
        packs=config.packs,
        recorded_verdicts=config.recorded_verdicts is not False,
        as_of=config.as_of,
        limits=config.limits(),
        unrecognised=choices.unrecognised or ("error" if source.named else "count"),
    )


def _reports(outcome: Outcome, choices: Choices, configs: Configs) -> Iterator[Report]:
    work = ((source, settings(source, choices, configs.of_file(source.name))) for source in outcome.sources)
    from turnlint.cli import keeping, processes

    folder = keeping.folder_for(outcome.sources, choices, configs.of_run())
    if folder is not None:
        checked = keeping.check(work, folder, choices.jobs)
    else:
        checked = processes.run(work, processes.wanted(outcome.sources, choices.jobs))
    for source, report in zip(outcome.sources, checked, strict=True):
        if isinstance(report, Report):
            yield report
        else:
            say(f"turnlint: {internal_error(report, f' while checking {source.name}')}")
            outcome.failed = True


def check_one(source: Source, how: Any) -> Report | Exception:
    """The engine's report on one source, or what went wrong inside turnlint: one odd file must not hide the others."""
    stream = None if source.data is None else BytesIO(source.data)
    path = None if source.data is not None else Path(source.name)
    try:
        report = backend.engine().check_source(path, stream, name=source.name, settings=how, named=source.named)
    except UsageError:
        raise
    except Exception as error:
        return error
    assert isinstance(report, Report)
    return report


def _settle_expectations(outcome: Outcome, choices: Choices, configs: Configs) -> None:
    from turnlint import expectations

    expected = {}
    for file in outcome.files:
        config = configs.of_file(file.path)
        selectors = config.expected_in(file.path)
        if selectors:
            names = backend.names_in_force(choices.select or config.select, (*config.ignore, *choices.ignore))
            meant = [(selector, backend.names_of(selector) & names) for selector in selectors]
            expected[file.path] = [(selector, rules) for selector, rules in meant if rules]
    config = configs.of_run()
    severity = own_severity(expectations.UNMET[1], choices, config)
    outcome.diagnostics = list(expectations.apply(outcome.report(), expected, severity).diagnostics)


def own_severity(rule: str, choices: Choices, config: Config) -> Severity | None:
    """The severity of a rule that the command line itself raises; None where it is not in force."""
    if rule not in backend.names_in_force(choices.select or config.select, (*config.ignore, *choices.ignore)):
        return None
    return Severity(config.severities().get(rule, backend.entry(rule).own or Severity.ERROR))
