"""Transcripts and cassettes as pytest items: one item a transcript, judged as the command line would."""

from __future__ import annotations

import itertools
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from turnlint import registry
from turnlint.config import Configs
from turnlint.configured import settings_for, without_known
from turnlint.diagnostic import Severity
from turnlint.engine import check_source
from turnlint.errors import UsageError
from turnlint.report import Context
from turnlint.report.full import describe
from turnlint.report.sources import SourceLines
from turnlint.report.terminal import Paint
from turnlint.source.walk import walk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from turnlint.config import Config
    from turnlint.diagnostic import Diagnostic, Report, TranscriptInfo
    from turnlint.source.walk import Found


class Collecting:
    """Adds the files that ``--turnlint`` names, or that lie below what it names, to what pytest collects."""

    def __init__(self, config: pytest.Config, paths: Iterable[str]) -> None:
        self.configs = Configs()
        start = config.invocation_params.dir
        self.named: dict[Path, bool] = {}  # each file, and whether it was named itself
        for path in paths:
            for found in self._below(start / path):
                if found.missing:
                    raise UsageError(f"{path}: no such file or folder")
                self.named.setdefault(found.path.absolute(), found.named)
        # Whoever selects one of these by its node ID wants that one alone.
        self.selected = any((start / arg.partition("::")[0]).absolute() in self.named for arg in config.args)

    def _below(self, path: Path) -> Iterator[Found]:
        config = self.configs.of_file(str(path / "_"))
        return walk([path], include=config.include, exclude=config.exclude, exclude_root=config.folder)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        # Not by adding to the arguments: a cassette's name may hold the brackets and colons of a test's ID.
        report = yield
        if isinstance(collector, pytest.Session) and not self.selected and report.passed:
            report.result = [*report.result, *(self._file(collector, path) for path in self.named)]
        return report

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return self._file(parent, file_path) if self.selected and file_path in self.named else None

    def _file(self, parent: pytest.Collector, path: Path) -> TranscriptFile:
        made = TranscriptFile.from_parent(parent, path=path)
        made.configs, made.named = self.configs, self.named[path]
        return made


class TranscriptFile(pytest.File):
    """One file.  It is checked when it is collected: only then is it known what transcripts it holds."""

    configs: Configs
    named: bool

    def collect(self) -> Iterator[TranscriptItem]:
        try:
            config = self.configs.of_file(str(self.path))
            threshold = Severity(config.fail_on or "error")
            report = checked(self.path, config, named=self.named)
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        shown = _shown(self.path)
        found = [_with_path(d, shown) for d in report.diagnostics if d.severity.reaches(threshold)]
        file = report.files[0] if report.files else None
        transcripts = file.transcripts if file is not None else ()
        groups, rest = _by_transcript(found, transcripts)
        if rest or (self.named and not transcripts):
            yield TranscriptItem.of(self, "file", rest, 1)
        for name, info, group in zip(_names(transcripts), transcripts, groups, strict=True):
            yield TranscriptItem.of(self, name, group, info.line)


class TranscriptItem(pytest.Item):
    """One transcript; it fails if anything in it reaches the project's `fail-on`."""

    diagnostics: list[Diagnostic]
    line: int

    @classmethod
    def of(cls, parent: TranscriptFile, name: str, diagnostics: list[Diagnostic], line: int | None) -> TranscriptItem:
        made = cls.from_parent(parent, name=name)
        made.diagnostics, made.line = diagnostics, line or 1
        return made

    def runtest(self) -> None:
        if self.diagnostics:
            raise InvalidTranscriptError(self.diagnostics)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        if isinstance(excinfo.value, InvalidTranscriptError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, f"turnlint: {self.name}"


class InvalidTranscriptError(AssertionError):
    """A transcript has findings; the text is that of the command line."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        context, paint = Context(source_line=SourceLines()), Paint(color=False)
        return "\n\n".join("\n".join(describe(d, context, paint)) for d in self.diagnostics)


def checked(path: Path, config: Config, *, named: bool) -> Report:
    """The report on a file with everything that the project's configuration says of it."""
    name = str(path)
    report = check_source(path, name=name, settings=settings_for(name, config, named=named), named=named)
    return without_known(report, name, config)


def _by_transcript(
    diagnostics: list[Diagnostic], transcripts: tuple[TranscriptInfo, ...]
) -> tuple[list[list[Diagnostic]], list[Diagnostic]]:
    """The findings of each transcript, and those that are about the file."""
    groups: list[list[Diagnostic]] = [[] for _ in transcripts]
    rest: list[Diagnostic] = []
    for diagnostic in diagnostics:
        number = _holder(diagnostic, transcripts)
        (rest if number is None else groups[number]).append(diagnostic)
    return groups, rest


def _holder(diagnostic: Diagnostic, transcripts: tuple[TranscriptInfo, ...]) -> int | None:
    """The transcript that a finding is about: in its document, the one whose pointer has most in common with it."""
    if _is_about_the_file(diagnostic.rule) or not transcripts:
        return None
    line = diagnostic.line
    begun = [t.line for t in transcripts if t.line is not None and line is not None and t.line <= line]
    steps = diagnostic.pointer.split("/")
    best, number = -1, None
    for index, info in enumerate(transcripts):
        if begun and info.line != max(begun):
            continue
        common = sum(1 for _ in itertools.takewhile(bool, map(eq, steps, info.pointer.split("/"))))
        if common > best:
            best, number = common, index
    return number


def _is_about_the_file(rule: str) -> bool:
    """Whether a rule is about the text of the file, and not about a transcript in it."""
    return registry.entry(rule).engine and rule != "unexplained-refusal"


def _names(transcripts: tuple[TranscriptInfo, ...]) -> list[str]:
    """A name for each transcript: its ID where it has one of its own, else its number."""
    ids = [t.id for t in transcripts]
    return [
        info.id if info.id and ids.count(info.id) == 1 else f"conversation {number}"
        for number, info in enumerate(transcripts, start=1)
    ]


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _with_path(diagnostic: Diagnostic, path: str) -> Diagnostic:
    from msgspec.structs import replace

    return replace(diagnostic, path=path)
