"""A command line over an engine that finds one error in every file with the word "bad" in it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from turnlint.cli import main
from turnlint.diagnostic import Diagnostic, Edit, FileInfo, Fix, Report, Severity, TranscriptInfo
from turnlint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class FakeSettings:
    """The engine's, as far as the command line sets them."""

    targets: tuple[str, ...] = ()
    dialect: str | None = None
    mode: str = "auto"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, str] = field(default_factory=dict)
    recorded_verdicts: bool = True
    as_of: str | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    packs: tuple[str, ...] = ()
    unrecognised: str = "error"


class Engine(ModuleType):
    """Stands in for turnlint.engine, and remembers what it was asked."""

    Settings = FakeSettings

    def __init__(self) -> None:
        super().__init__("turnlint.engine")
        self.asked: list[tuple[str, bool, FakeSettings]] = []

    def check_source(
        self,
        path: Path | None,
        stream: BinaryIO | None = None,
        *,
        name: str,
        settings: FakeSettings,
        named: bool = True,
    ) -> Report:
        self.asked.append((name, named, settings))
        if path is not None:
            text = path.read_text()
        else:
            assert stream is not None
            text = stream.read().decode()
        if "crash" in text:
            raise RuntimeError("the \x1b[31m engine broke")
        if "interrupt" in text:
            raise KeyboardInterrupt
        if settings.targets == ("opnai",):
            raise UsageError("unknown target 'opnai'; did you mean 'openai'?")
        found = [
            Diagnostic(
                rule="orphan-result",
                code="TL102",
                severity=Severity(settings.severity.get("orphan-result", "error")),
                message="the result for call_9 answers no call",
                target="openai",
                provider_error="secret call_9",
                path=name,
                line=1,
                column=1,
                end_line=1,
                end_column=4,
                fix=Fix("remove call_9", edits=(Edit(0, 3, ""),)),
            )
        ]
        transcript = TranscriptInfo("0", "", 1, "openai-chat", ("openai",), "saved", 2)
        return Report(found if "bad" in text else [], [FileInfo(name, "checked", "plain", (transcript,))], 2, 1)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    fake = Engine()
    monkeypatch.setitem(sys.modules, "turnlint.engine", fake)
    return fake


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, with nothing of the caller's environment that counts."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TURNLINT_OUTPUT_FORMAT", "TURNLINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


@pytest.fixture
def run(engine: Engine, folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line in an empty folder."""

    def call(*arguments: str) -> Ran:
        status = main(arguments)
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return call
