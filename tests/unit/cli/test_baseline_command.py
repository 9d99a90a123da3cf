from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Run = Any


def entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "turnlint-baseline.json").read_text())["entries"]
    return found


def test_create_check_prune(run: Run, folder: Path) -> None:
    (folder / "chats").mkdir()
    for name in "ab":
        (folder / "chats" / f"{name}.json").write_text("bad")
    made = run("baseline", "create", "chats")
    assert (made.status, made.out) == (0, "")
    assert "2 known findings" in made.err
    assert [(entry["path"], entry["rule"]) for entry in entries(folder)] == [
        ("chats/a.json", "orphan-result"),
        ("chats/b.json", "orphan-result"),
    ]

    known = ("--baseline", "turnlint-baseline.json", "--output-format", "concise", "chats")
    assert run("check", *known).status == 0
    (folder / "chats" / "c.json").write_text("bad")
    new = run("check", *known)
    assert new.status == 1
    assert new.out.startswith("chats/c.json:1:1: ")

    (folder / "chats" / "a.json").write_text("mended")
    (folder / "chats" / "c.json").unlink()
    mended = run("check", *known)
    assert mended.status == 0
    assert mended.out.startswith("turnlint-baseline.json:2:1: warning unused-baseline orphan-result in chats/a.json")
    assert "unused" not in run("check", "--ignore", "TL014", *known).out

    (folder / "chats" / "d.json").write_text("bad")
    assert run("baseline", "prune", "chats").status == 0
    assert [entry["path"] for entry in entries(folder)] == ["chats/b.json"], "pruning takes nothing in"


def test_a_baseline_is_not_written_over(run: Run, folder: Path) -> None:
    (folder / "turnlint-baseline.json").write_text("{}")
    ran = run("baseline", "create", ".")
    assert ran.status == 2
    assert "exists" in ran.err
    assert (folder / "turnlint-baseline.json").read_text() == "{}"


def test_nothing_is_written_if_not_everything_could_be_checked(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("crash")
    assert run("baseline", "create", ".").status == 2
    assert run("baseline", "create", "gone.json").status == 2
    (folder / "a.json").write_text("interrupt")
    assert run("baseline", "create", ".").status == 130
    assert not (folder / "turnlint-baseline.json").exists()


def test_a_baseline_that_is_none(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    assert "cannot be read" in run("baseline", "prune", ".").err
    assert run("check", "a.json", "--baseline", "gone.json").status == 2


def test_without_a_subcommand_help_is_shown(run: Run) -> None:
    ran = run("baseline")
    assert ran.status == 2
    assert "create" in ran.out + ran.err
    assert run("baseline", "prun").status == 2
