"""Watching: checked again after every change that matters, and nothing but Ctrl-C ends it."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.cli.watching import is_worth_a_look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Run = Any


class Watchfiles(ModuleType):
    """Stands in for the package: each of `steps` is done, and told as one change."""

    def __init__(self) -> None:
        super().__init__("watchfiles")
        self.steps: list[Callable[[], object]] = []
        self.asked: SimpleNamespace | None = None

    def watch(self, *roots: Path, **options: Any) -> Iterator[set[tuple[int, str]]]:
        self.asked = SimpleNamespace(roots=[str(root) for root in roots], **options)
        for number, step in enumerate(self.steps):
            step()
            yield {(1, str(number))}
        raise KeyboardInterrupt


@pytest.fixture
def watchfiles(monkeypatch: pytest.MonkeyPatch) -> Watchfiles:
    module = Watchfiles()
    monkeypatch.setitem(sys.modules, "watchfiles", module)
    return module


def test_checked_again_after_a_change(run: Run, folder: Path, watchfiles: Watchfiles) -> None:
    file = folder / "a.json"
    file.write_text("[]")
    watchfiles.steps = [lambda: file.write_text("bad"), lambda: file.write_text("[]")]
    ran = run("check", "--watch", "--output-format", "concise")
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["1", "a.json:1:1:", "Found", "1"]
    assert ran.err.splitlines() == [
        "turnlint: watching; Ctrl-C ends it",
        "turnlint: 1 change, checking again",
        "turnlint: watching; Ctrl-C ends it",
        "turnlint: 1 change, checking again",
        "turnlint: watching; Ctrl-C ends it",
        "turnlint: no longer watching",
    ]


def test_a_slip_in_the_configuration_does_not_end_it(run: Run, folder: Path, watchfiles: Watchfiles) -> None:
    (folder / "a.json").write_text("bad")
    settings = folder / "turnlint.toml"
    watchfiles.steps = [lambda: settings.write_text("fail-on = "), lambda: settings.write_text("fail-on = 'error'")]
    ran = run("check", "--watch")
    assert ran.status == 0
    assert "not TOML" in ran.err
    assert ran.out.count("orphan-result (TL102)") == 2


def test_what_is_watched(run: Run, folder: Path, watchfiles: Watchfiles) -> None:
    (folder / "sub").mkdir()
    (folder / "a.json").write_text("[]")
    run("check", "--watch", "sub", "a.json")
    assert watchfiles.asked is not None
    assert (watchfiles.asked.roots, watchfiles.asked.recursive) == (["sub", "."], True)
    run("check", "--watch", "a.json")
    assert (watchfiles.asked.roots, watchfiles.asked.recursive) == (["."], False)
    assert watchfiles.asked.watch_filter(1, str(folder / "a.json"))
    assert not watchfiles.asked.watch_filter(1, str(folder / "b.json"))


@pytest.mark.parametrize(
    ("path", "everything", "expected"),
    [
        ("/x/a.json", True, True),
        ("/x/a.JSONL.gz", True, True),
        ("/x/turnlint.toml", False, True),
        ("/x/pyproject.toml", True, True),
        ("/x/named.txt", False, True),
        ("/x/a.json", False, False),
        ("/x/a.py", True, False),
        ("/x/.turnlint_cache/reports", True, False),
        ("/x/.git/a.json", True, False),
        ("/x/node_modules/y/a.json", True, False),
    ],
)
def test_what_matters(path: str, everything: bool, expected: bool) -> None:
    assert is_worth_a_look(path, frozenset({"/x/named.txt"}), everything=everything) is expected


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--fix"], "--watch does not go with --fix"),
        (["--output", "x"], "--watch does not go with --output"),
        (["--show-files"], "--watch does not go with --show-files"),
        (["-"], "standard input cannot be watched"),
        (["gone"], "gone: no such file or folder"),
    ],
)
def test_what_cannot_be_watched(run: Run, watchfiles: Watchfiles, arguments: list[str], says: str) -> None:
    ran = run("check", "--watch", *arguments)
    assert (ran.status, ran.err) == (2, f"turnlint: {says}\n")


def test_without_the_package(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    ran = run("check", "--watch")
    assert ran.status == 2
    assert "pip install 'turnlint[watch]'" in ran.err


def test_the_screen_is_wiped_on_a_terminal(
    run: Run, folder: Path, watchfiles: Watchfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    watchfiles.steps = [lambda: None]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("check", "--watch", "--color", "never").out.count("\x1b[2J") == 1
