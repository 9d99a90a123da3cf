"""The first configuration: its patterns match what was found, and its text is TOML, whatever files are called."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from turnlint.config import KEYS, load
from turnlint.diagnostic import Diagnostic, FileInfo, Report, Severity, TranscriptInfo
from turnlint.initial import MOST_EXPECTED, MOST_PATTERNS, First, escaped, is_broken_on_purpose, patterns, survey, toml

if TYPE_CHECKING:
    from pathlib import Path

names = st.text(st.characters(exclude_characters="/\x00"), min_size=1, max_size=6).filter(
    lambda n: n not in (".", "..")
)
plain_names = st.sampled_from(["a", "b", "c.json", "d.jsonl", "e.json", "#x", "!y", "[z]", "tail ", "wild*"])
paths = st.lists(st.one_of(plain_names, names), min_size=1, max_size=4).map("/".join)


def matched(spec: list[str], path: str) -> bool:
    return GitIgnoreSpec.from_lines(spec).match_file(path.encode("utf-8", "replace").decode())


def is_tree(files: set[str]) -> bool:
    """Whether no file stands where another one needs a folder."""
    return not any(other.startswith(f"{file}/") for file in files for other in files)


@given(st.sets(paths, min_size=1, max_size=12), st.sets(paths, max_size=12))
def test_patterns_match_what_is_wanted(wanted: set[str], others: set[str]) -> None:
    others -= wanted
    if not is_tree(wanted | others):
        return
    found = patterns(wanted, others)
    assert len(found) <= MOST_PATTERNS
    if found:
        assert all(matched(found, path) for path in wanted)


@pytest.mark.parametrize(
    ("wanted", "others", "found"),
    [
        ({"logs/a.json", "logs/b/c.json"}, set(), ["/logs/"]),
        ({"a.json"}, {"package.json"}, ["/a.json"]),
        ({"a.jsonl", "b.jsonl"}, {"package.json"}, ["/*.jsonl"]),
        ({"t/x/a.json", "t/y/b.yaml"}, {"t/x/b.json", "t/z/c.json"}, ["/t/x/a.json", "/t/y/"]),
        ({f"t/{n}.json" for n in range(9)}, {"t/other.json"}, ["/t/*.json"]),
        ({f"t/{n}/a.json" for n in range(30)}, {f"t/{n}/b.json" for n in range(30)}, ["/t/"]),
        ({f"{n}/a.json" for n in range(30)}, {f"{n}/b.json" for n in range(30)}, []),
        (set(), {"a.json"}, []),
    ],
)
def test_few_patterns(wanted: set[str], others: set[str], found: list[str]) -> None:
    assert patterns(wanted, others) == found


@given(names)
def test_a_name_is_matched_by_its_pattern(name: str) -> None:
    assert matched([f"/{escaped(name)}"], name)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/broken/a.json", True),
        ("invalid/openai/a.json", True),
        ("a/bad-history.json", True),
        ("a/history_malformed.json", True),
        ("a/Broken.json", True),
        ("badge/a.json", False),
        ("unbroken/a.json", False),
        ("a/b.json", False),
    ],
)
def test_what_is_broken_on_purpose(path: str, expected: bool) -> None:
    assert is_broken_on_purpose(path) is expected


def file_of(path: str, dialect: str | None = "openai-chat", container: str = "plain") -> FileInfo:
    info = (TranscriptInfo("", "", 1, dialect, ("openai",), "saved", 2),) if dialect else ()
    return FileInfo(path, "checked" if dialect else "unrecognised", container, info)


def error_in(path: str, rule: str = "orphan-result", severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(rule, "TL102", severity, "wrong", path=path)


def test_a_survey() -> None:
    warning = error_in("broken/b.json", severity=Severity.WARNING)
    empty = error_in("broken/a.json", "empty-result")
    cassette = file_of("vcr/a.yaml", "anthropic", "vcr")
    chats = [file_of("broken/a.json"), file_of("broken/b.json"), file_of("logs/a.json")]
    report = Report(
        [error_in("broken/a.json"), empty, error_in("logs/a.json"), warning],
        [*chats, cassette, file_of("package.json", None)],
    )
    first = survey(report)
    assert [(seen.dialect, seen.container, seen.files, seen.folders) for seen in first.seen] == [
        ("openai-chat", "plain", 3, ("broken/", "logs/")),
        ("anthropic", "vcr", 1, ("vcr/",)),
    ]
    assert first.include == ("/broken/", "/logs/", "/vcr/")
    assert first.expect == {"/broken/a.json": ("empty-result", "orphan-result")}
    assert (first.unknown, first.left) == (1, 1)


def test_very_many_files_are_not_listed_one_by_one() -> None:
    files = [f"broken/{number}.json" for number in range(MOST_EXPECTED + 1)]
    first = survey(Report([error_in(file) for file in files], [file_of(file) for file in files]))
    assert (first.expect, first.left) == ({}, len(files))


@given(st.lists(paths, max_size=5), st.dictionaries(paths, st.just(("orphan-result",)), max_size=5))
def test_the_text_is_a_configuration(include: list[str], expect: dict[str, tuple[str, ...]]) -> None:
    first = First((), 0, tuple(map(escaped, include)), {escaped(path): rules for path, rules in expect.items()}, 0)
    table = tomllib.loads(toml(first).encode().decode())
    assert table.get("include", []) == list(first.include)
    assert {path: tuple(rules) for path, rules in table.get("expect", {}).items()} == first.expect
    assert set(table) <= set(KEYS)


def test_what_is_commented_out_is_a_configuration_too(tmp_path: Path) -> None:
    lines = toml(survey(Report([], [file_of("a.json")]))).splitlines()
    file = tmp_path / "turnlint.toml"
    file.write_text("\n".join(line.removeprefix("# ") for line in lines if "=" in line or not line.startswith("#")))
    assert load(file).target == ("openai", "anthropic")
