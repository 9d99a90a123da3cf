from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from turnlint.diagnostic import Diagnostic, Related, Report
from turnlint.report import Context, render
from turnlint.report.full import excerpt
from turnlint.report.terminal import clean


def test_a_short_line_is_shown_whole() -> None:
    assert excerpt('    {"a": 1}', 5, 8, 80) == ("{", '"a"', ": 1}")


def test_a_long_line_is_cut_on_both_sides() -> None:
    line = "x" * 50_000 + "HERE" + "y" * 50_000
    head, marked, tail = excerpt(line, 50_000, 50_004, 60)
    assert head.startswith("…x")
    assert marked == "HERE"
    assert tail.endswith("y…")
    assert len(head + marked + tail) <= 62


def test_a_place_longer_than_the_window_is_marked_to_its_edge() -> None:
    _, marked, tail = excerpt("a" * 1000, 10, 990, 60)
    assert (len(marked), tail) == (50, "…")


def test_a_place_at_the_end_of_a_line() -> None:
    assert excerpt("abc", 3, 3, 60) == ("abc", "", "")


def test_what_stands_in_front_is_cleaned_before_it_is_measured() -> None:
    assert excerpt("\x1b[0mX", 4, 5, 60) == ("\\x1b[0m", "X", "")


@given(st.text(max_size=200), st.integers(0, 250), st.integers(0, 250), st.integers(20, 120))
def test_the_place_is_always_in_the_window(line: str, start: int, end: int, room: int) -> None:
    head, marked, tail = excerpt(line, start, end, room)
    assert "\n" not in head + marked + tail
    if start < min(end, len(line)):
        assert clean(line[start]) == marked[: len(clean(line[start]))]


def test_wide_characters_keep_the_caret_in_place(orphan: Diagnostic) -> None:
    text = shown(replace(orphan, column=6, end_column=7), source_line=lambda path, line: '"日本": 1')
    assert '| "日本": 1\n  |        ^\n' in text


def shown(diagnostic: Diagnostic, **context: object) -> str:
    return "".join(render("full", Report([diagnostic]), Context(**context)))  # type: ignore[arg-type]


def test_without_source_the_rest_is_still_said(orphan: Diagnostic) -> None:
    text = shown(orphan)
    assert "|" not in text
    assert "openai answers 400" in text


def test_a_history_that_was_no_file_is_named_by_its_pointer(orphan: Diagnostic) -> None:
    text = shown(replace(orphan, path=None, line=None, column=None, pointer="/messages/3"))
    assert text.startswith("/messages/3: error orphan-result (TL102): ")


def test_related_places_are_counted_where_there_are_too_many(orphan: Diagnostic) -> None:
    many = tuple(Related(f"/{number}", "the same call") for number in range(100))
    text = shown(replace(orphan, related=many))
    assert "… and 94 more places" in text


def test_provider_text_without_verdicts(orphan: Diagnostic) -> None:
    text = shown(replace(orphan, verdicts=(), status=None))
    assert 'openai answers: "Invalid parameter' in text


def test_colour_only_when_asked_for(orphan: Diagnostic) -> None:
    assert "\x1b" not in shown(orphan)
    assert "\x1b[1;31merror\x1b[0m" in shown(orphan, color=True)


@pytest.mark.parametrize("end_line", [5, None])
def test_a_place_over_several_lines_is_marked_on_its_first(orphan: Diagnostic, end_line: int | None) -> None:
    text = shown(
        replace(orphan, line=4, column=3, end_line=end_line, end_column=2 if end_line else None),
        source_line=lambda path, line: "  {abc",
    )
    assert ("^^^^" in text) is (end_line is not None)


def test_severity_of_each_target_where_one_has_no_words(orphan: Diagnostic) -> None:
    assert "mistral: warning" in shown(orphan)


def test_the_next_lines_of_a_place_are_shown_too(orphan: Diagnostic) -> None:
    source = {
        8: "    {",
        9: '      "role": "tool",',
        10: '      "content": "' + "x" * 200 + '"',
        11: "    }",
        12: "  ]",
    }
    over_lines = replace(orphan, line=8, column=5, end_line=11, end_column=6)
    lines = shown(over_lines, source_line=lambda path, line: source.get(line)).splitlines()
    assert lines[1:7] == [
        "   |",
        " 8 | {",
        "   | ^",
        ' 9 |   "role": "tool",',
        '10 |   "content": "' + "x" * 90 + "…",
        "11 | }",
    ]


def test_no_more_than_a_few_of_them(orphan: Diagnostic) -> None:
    lines = shown(replace(orphan, line=8, end_line=900), source_line=lambda path, line: "text").splitlines()
    assert sum(" | text" in line for line in lines) == 5
