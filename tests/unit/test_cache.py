"""The cache: what it gives back is what a check would say, and whatever is wrong with it, it only gives nothing."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import cache
from turnlint.cache import Cache
from turnlint.engine import Settings, check_source

if TYPE_CHECKING:
    from turnlint.diagnostic import Report

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
BROKEN = json.dumps([{"role": "tool", "tool_call_id": "call_1", "content": "\ud800 é"}])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_text(BROKEN)
    return path


def checked(path: Path, how: Settings | None = None) -> Report:
    return check_source(path, name=str(path), settings=how or Settings())


def kept(folder: Path, path: Path, how: Settings | None = None, *, named: bool = True) -> Report | None:
    """What a process that starts now finds in the cache."""
    here = Cache(folder)
    key = here.key(path, str(path), how or Settings(), named=named)
    return None if key is None else here.find(key)


def keep(folder: Path, path: Path, how: Settings | None = None) -> None:
    here = Cache(folder)
    key = here.key(path, str(path), how or Settings(), named=True)
    if key is not None:
        here.keep(key, path, checked(path, how))
        here.save()


def plain(report: Report) -> Any:
    return list(report.diagnostics), list(report.files), report.messages, report.transcripts


def test_what_is_given_back_is_what_a_check_says(tmp_path: Path) -> None:
    here = Cache(tmp_path)
    reports = {path: checked(path) for path in FILES}
    keys = {path: here.key(path, str(path), Settings(), named=True) for path in FILES}
    for path, key in keys.items():
        if key is not None:
            here.keep(key, path, reports[path])
    here.save()
    again = Cache(tmp_path)
    given_back = {path: again.find(key) for path, key in keys.items() if key is not None}
    for path, found in given_back.items():
        assert found is None or plain(found) == plain(reports[path]), path
    missing = [path for path in FILES if given_back.get(path) is None]
    assert {path.parent.name for path in missing} <= {"sqlite", "inspect", "inspect-log", "harmony", "tables"}


def test_nothing_is_kept_of_another_file(tmp_path: Path, file: Path) -> None:
    keep(tmp_path, file)
    assert kept(tmp_path, file) is not None
    file.write_text(BROKEN + " ")
    assert kept(tmp_path, file) is None
    other = file.with_name("b.json")
    other.write_text(BROKEN)
    assert kept(tmp_path, other) is None


@pytest.mark.parametrize(
    "how",
    [
        Settings(targets=("anthropic",)),
        Settings(select=("TL1",)),
        Settings(severity={"orphan-result": "info"}),
        Settings(limits={"max-tool-rounds": 3}),
        Settings(as_of="2025-01-01"),
        Settings(unrecognised="count"),
    ],
)
def test_nothing_is_kept_of_other_settings(tmp_path: Path, file: Path, how: Settings) -> None:
    keep(tmp_path, file)
    assert kept(tmp_path, file, how) is None


def test_a_file_that_was_named_is_another_matter(tmp_path: Path, file: Path) -> None:
    keep(tmp_path, file)
    assert kept(tmp_path, file, named=False) is None


def test_other_code_finds_nothing(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, file)
    monkeypatch.setattr(cache, "_mark", lambda: b"another")
    assert kept(tmp_path, file) is None


def test_the_mark_of_the_code_is_that_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub/__pycache__").mkdir(parents=True)
    (tmp_path / "sub/rule.py").write_text("1")
    before = sorted(cache._files(str(tmp_path)))
    (tmp_path / "sub/__pycache__/rule.pyc").write_text("1")
    assert sorted(cache._files(str(tmp_path))) == before
    os.utime(tmp_path / "sub/rule.py", (1, 1))
    assert sorted(cache._files(str(tmp_path))) != before


def test_a_file_that_changed_meanwhile_is_not_kept(tmp_path: Path, file: Path) -> None:
    here = Cache(tmp_path)
    key = here.key(file, str(file), Settings(), named=True)
    assert key is not None
    file.write_text("[]")
    here.keep(key, file, checked(file))
    assert here.find(key) is None


def test_what_hangs_on_more_than_the_file_is_not_kept(tmp_path: Path, file: Path) -> None:
    assert Cache(tmp_path).key(file, str(file), Settings(packs=("others",)), named=True) is None
    file.write_bytes(b"SQLite format 3\x00" + bytes(100))
    assert kept(tmp_path, file) is None
    assert Cache(tmp_path).key(file, str(file), Settings(), named=True) is None
    assert Cache(tmp_path).key(tmp_path, str(tmp_path), Settings(), named=True) is None
    assert Cache(tmp_path).key(tmp_path / "gone", "gone", Settings(), named=True) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_left_to_the_check(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert Cache(tmp_path).key(tmp_path / "pipe", "pipe", Settings(), named=True) is None


def test_code_whose_files_cannot_be_told_keeps_nothing(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_an_archive() -> bytes:
        raise NotADirectoryError

    monkeypatch.setattr(cache, "_mark", in_an_archive)
    assert Cache(tmp_path).key(file, str(file), Settings(), named=True) is None


def test_unreadable_files_are_not_kept(tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"\x1f\x8b damaged")
    keep(tmp_path, file)
    assert kept(tmp_path, file) is None


def test_git_does_not_see_it(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "sub" / cache.FOLDER
    keep(folder, file)
    assert "*" in (folder / ".gitignore").read_text().splitlines()
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "reports"]
    (folder / ".gitignore").write_text("mine")
    file.write_text("[]")
    keep(folder, file)
    assert (folder / ".gitignore").read_text() == "mine"


def test_an_empty_run_writes_nothing(tmp_path: Path, file: Path) -> None:
    Cache(tmp_path / "new").save()
    assert not (tmp_path / "new").exists()
    keep(tmp_path, file)
    before = (tmp_path / "reports").stat().st_mtime_ns
    here = Cache(tmp_path)
    key = here.key(file, str(file), Settings(), named=True)
    assert key is not None
    assert here.find(key) is not None
    here.save()
    assert (tmp_path / "reports").stat().st_mtime_ns == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_cache_is_as_good_as_none(tmp_path: Path, data: st.DataObject) -> None:
    file = tmp_path / "a.json"
    file.write_text(BROKEN)
    keep(tmp_path, file)
    store = tmp_path / "reports"
    whole = store.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.binary(max_size=4))
    store.write_bytes(whole[:at] + new + data.draw(st.sampled_from([whole[at + 1 :], whole[at + len(new) :], b""])))
    found = kept(tmp_path, file)
    assert found is None or plain(found) == plain(checked(file))


@pytest.mark.parametrize(
    "body", [b"", b"\x80", b"\x81\xa1a\xa1b", b"\x93\x01\x02\x03", b"\x81\xc4\x10" + bytes(16) + b"\xc4\x01\x80"]
)
def test_a_cache_of_another_shape_is_as_good_as_none(tmp_path: Path, file: Path, body: bytes) -> None:
    import zlib

    (tmp_path / "reports").write_bytes(cache._MAGIC + zlib.crc32(body).to_bytes(4, "big") + body)
    assert kept(tmp_path, file) is None
    keep(tmp_path, file)
    assert kept(tmp_path, file) is not None


def test_an_entry_of_another_shape_is_none(tmp_path: Path, file: Path) -> None:
    here = Cache(tmp_path)
    key = here.key(file, str(file), Settings(), named=True)
    assert key is not None
    for raw in (b"", b"\x80", b"\x94\x90\x90\xa1a\x00", b"\x91" * 5000):
        here._used[key.digest] = raw
        assert here.find(key) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, file: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    keep(tmp_path / "taken", file)
    keep(tmp_path / "taken" / "below", file)
    assert (tmp_path / "taken").read_text() == "a file"
    (tmp_path / "reports").mkdir()
    keep(tmp_path, file)
    assert [path.name for path in tmp_path.glob("reports*")] == ["reports"]


def test_two_processes_keep_what_both_found(tmp_path: Path, file: Path) -> None:
    other = file.with_name("b.json")
    other.write_text("[]")
    first, second = Cache(tmp_path), Cache(tmp_path)
    for here, path in ((first, file), (second, other)):
        key = here.key(path, str(path), Settings(), named=True)
        assert key is not None
        here.keep(key, path, checked(path))
    first.save()
    second.save()
    assert kept(tmp_path, file) is not None
    assert kept(tmp_path, other) is not None


def test_many_at_once_leave_a_whole_cache(tmp_path: Path) -> None:
    files = []
    for number in range(12):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(BROKEN)
    workers = [threading.Thread(target=keep, args=(tmp_path, path)) for path in files]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert any(kept(tmp_path, path) is not None for path in files)
    assert not list(tmp_path.glob("*.tmp"))


def test_it_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_BYTES", 6_000)
    files = []
    for number in range(12):
        path = tmp_path / f"{number}.json"
        path.write_text(BROKEN)
        files.append(path)
        keep(tmp_path, path)
        kept(tmp_path, path)
    there = [path for path in files if kept(tmp_path, path) is not None]
    assert (tmp_path / "reports").stat().st_size < 7_000
    assert 0 < len(there) < len(files)
    assert files[-1] in there
    monkeypatch.setattr(cache, "_MOST_OF_ONE", 10)
    files[0].write_text("[]")
    keep(tmp_path, files[0])
    assert kept(tmp_path, files[0]) is None
