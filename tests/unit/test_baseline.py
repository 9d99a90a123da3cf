from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from turnlint.baseline import (
    Baseline,
    Entry,
    apply,
    create,
    fingerprint,
    load,
    numbered_fingerprints,
    prune,
    relative,
    write,
)
from turnlint.diagnostic import Diagnostic, FileInfo, Report, Severity
from turnlint.errors import UsageError

BASE = Path("/project")
FOUND = Diagnostic(
    rule="orphan-result",
    code="TL102",
    severity=Severity.ERROR,
    message="the result for call_9 in message 3 answers no call",
    pointer="/messages/3/content/0",
    transcript="session-1",
    path="chats/a.json",
    line=4,
    column=2,
)


@pytest.mark.parametrize(
    "same",
    [
        replace(FOUND, line=90, column=1, message_index=7),
        replace(FOUND, pointer="/messages/12/content/4"),
        replace(FOUND, message="message 8 holds a result for call_9 that answers nothing"),
        replace(FOUND, severity=Severity.INFO),
        replace(FOUND, path="/project/chats/a.json"),
    ],
)
def test_what_moves_keeps_its_fingerprint(same: Diagnostic) -> None:
    assert fingerprint(same, BASE) == fingerprint(FOUND, BASE)


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUND, rule="unanswered-call"),
        replace(FOUND, path="chats/b.json"),
        replace(FOUND, message="the result for call_10 answers no call"),
        replace(FOUND, message="the result for toolu-9b answers no call"),
        replace(FOUND, transcript="session-2"),
        replace(FOUND, pointer="/messages/3/tool_calls/0"),
    ],
)
def test_what_is_something_else_has_another(other: Diagnostic) -> None:
    assert fingerprint(other, BASE) != fingerprint(FOUND, BASE)


def test_an_id_that_is_a_place_does_not_count() -> None:
    assert fingerprint(replace(FOUND, transcript="3"), BASE) == fingerprint(replace(FOUND, transcript="4"), BASE)


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_fingerprint(message: str, pointer: str) -> None:
    assert len(fingerprint(replace(FOUND, message=message, pointer=pointer), BASE)) == 16


def test_findings_that_are_alike_are_numbered() -> None:
    marks = numbered_fingerprints([FOUND, FOUND, replace(FOUND, rule="x"), FOUND], BASE)
    assert len(set(marks)) == 4
    assert marks[1].endswith("-2")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.json", "a/b.json"),
        ("/project/a.json", "a.json"),
        ("/other/a.json", "/other/a.json"),
        ("<stdin>", "<stdin>"),
    ],
)
def test_relative(path: str, name: str) -> None:
    assert relative(path, BASE) == name


def report_of(*found: Diagnostic, files: tuple[str, ...] = ("chats/a.json",)) -> Report:
    return Report(list(found), [FileInfo(path, "checked") for path in files])


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "a.json").touch()
    (tmp_path / "chats" / "b.json").touch()
    return Path("known.json")


def test_what_is_written_is_read(file: Path) -> None:
    made = create(report_of(FOUND, FOUND, replace(FOUND, path="chats/b.json")), file)
    write(made)
    read = load(file)
    assert [(entry.path, entry.count, entry.line) for entry in read.entries] == [
        ("chats/a.json", 2, 2),
        ("chats/b.json", 1, 3),
    ]
    assert "call_9" not in file.read_text()


def test_an_empty_baseline(file: Path) -> None:
    write(Baseline(file))
    assert load(file).entries == ()


def test_known_findings_are_left_out_as_often_as_they_are_known(file: Path) -> None:
    known = create(report_of(FOUND, FOUND), file)
    assert not apply(report_of(FOUND, FOUND), known, Severity.WARNING).diagnostics
    assert apply(report_of(FOUND, FOUND, FOUND), known, Severity.WARNING).diagnostics == [FOUND]


def test_what_does_not_occur_any_more_is_told(file: Path) -> None:
    known = create(report_of(FOUND, FOUND), file)
    (unused,) = apply(report_of(FOUND), known, Severity.WARNING).diagnostics
    assert (unused.rule, unused.code, unused.path) == ("unused-baseline", "TL014", "known.json")
    assert unused.message == "orphan-result in chats/a.json is listed: it does not occur any more"
    (unused,) = apply(report_of(), known, Severity.WARNING).diagnostics
    assert "listed 2 times too often" in unused.message
    assert not apply(report_of(), known, None).diagnostics


def test_files_that_were_not_looked_at_are_left_alone(file: Path) -> None:
    known = create(report_of(FOUND), file)
    elsewhere = report_of(files=("chats/b.json",))
    assert not apply(elsewhere, known, Severity.WARNING).diagnostics
    assert prune(elsewhere, known) == known


def test_a_file_that_is_gone_is_pruned(file: Path) -> None:
    known = create(report_of(replace(FOUND, path="chats/gone.json")), file)
    assert prune(report_of(), known).entries == ()


def test_pruning_takes_nothing_in(file: Path) -> None:
    known = create(report_of(FOUND, FOUND), file)
    pruned = prune(report_of(FOUND, replace(FOUND, rule="new")), known)
    assert [(entry.rule, entry.count) for entry in pruned.entries] == [("orphan-result", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 2, "entries": []}',
        '{"version": 1}',
        '{"version": 1, "entries": 3}',
        '{"version": 1, "entries": [{}]}',
        '{"version": 1, "entries": [3]}',
        '{"version": 1, "entries": [{"path": "a", "rule": "b", "fingerprint": "c", "count": 0}]}',
        '{"version": 1, "entries": [{"path": "a", "rule": "b", "fingerprint": [], "count": 1}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_baseline(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError, match="baseline"):
        load(file)


def test_a_baseline_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write(Baseline(tmp_path / "gone" / "known.json", (Entry("a", "b", "c", 1),)))
