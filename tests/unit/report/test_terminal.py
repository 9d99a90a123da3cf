from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.report.terminal import Paint, clean, clean_lines, clean_path, wants_color, wants_links, width, wrap

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_clean_text_steers_nothing(text: str) -> None:
    for char in clean(text):
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(ANY_TEXT)
def test_clean_text_stays_as_it_is(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(ANY_TEXT)
def test_clean_text_can_be_written(text: str) -> None:
    clean(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("ab\u202edc", "ab\\u202edc"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\U000e0041"),
        ("日本 é 🙂", "日本 é 🙂"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_clean_lines_keeps_line_ends() -> None:
    assert clean_lines("a\x07\nb") == "a\\x07\nb"


@pytest.mark.parametrize("name", ["::error::x.json", "##[error]x.json", "-x.json"])
def test_a_file_name_is_no_command(name: str) -> None:
    assert clean_path(name) == f"./{name}"


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("choice", "environ", "is_tty", "wanted"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ("auto", {"FORCE_COLOR": "0", "CLICOLOR_FORCE": "1"}, True, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_when_to_colour(choice: str, environ: dict[str, str], is_tty: bool, wanted: bool) -> None:
    assert wants_color(choice, environ, is_tty=is_tty) is wanted


@pytest.mark.parametrize(
    ("environ", "is_tty", "expected"),
    [
        ({}, True, False),
        ({"TERM_PROGRAM": "WezTerm"}, True, True),
        ({"TERM_PROGRAM": "WezTerm"}, False, False),
        ({"TERM_PROGRAM": "Apple_Terminal"}, True, False),
        ({"TERM": "xterm-kitty"}, True, True),
        ({"VTE_VERSION": "7200"}, True, True),
        ({"VTE_VERSION": "4999"}, True, False),
        ({"VTE_VERSION": "²"}, True, False),
        ({"WT_SESSION": "x"}, True, True),
        ({"WT_SESSION": "x", "CI": "true"}, True, False),
        ({"WT_SESSION": "x", "TMUX": "/tmp/x"}, True, False),
        ({"WT_SESSION": "x", "TERM": "dumb"}, True, False),
        ({"FORCE_HYPERLINK": "1"}, False, True),
        ({"FORCE_HYPERLINK": "0", "WT_SESSION": "x"}, True, False),
        ({"FORCE_HYPERLINK": "1", "NO_HYPERLINK": "1"}, True, False),
    ],
)
def test_where_links_are_made(environ: dict[str, str], is_tty: bool, expected: bool) -> None:
    assert wants_links(environ, is_tty=is_tty) is expected


def test_a_link() -> None:
    page = "https://turnlint.readthedocs.io/en/latest/rules/orphan-result/"
    assert Paint(color=False).link(page, "TL102") == "TL102"
    assert Paint(color=False, links=True).link(page, "TL102") == f"\x1b]8;;{page}\x1b\\TL102\x1b]8;;\x1b\\"


NO_PAGES = [
    "",
    "http://a.com/",
    "javascript:1",
    "https://a.com/\x1b[31m",
    "https://a.com/\x07",
    "https://é.com/",
    "https://" + "a" * 999,
]


@pytest.mark.parametrize("address", NO_PAGES)
def test_no_link_to_what_is_no_page(address: str) -> None:
    assert Paint(color=False, links=True).link(address, "x") == "x"


@given(ANY_TEXT, st.integers(2, 30))
def test_wrapped_text_has_room(text: str, room: int) -> None:
    lines = wrap(clean(text), room)
    assert lines
    assert all(width(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == clean(text).replace(" ", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one two", ["one two"]),
        ("one two three", ["one two", "three"]),
        ("  in  dented words", ["  in  ", "dented", "words"]),
        ("abcdefghijk l", ["abcdefgh", "ijk l"]),
        ("日本語の文", ["日本語の", "文"]),
    ],
)
def test_where_text_is_wrapped(text: str, lines: list[str]) -> None:
    assert [line.rstrip() for line in wrap(text, 8)] == [line.rstrip() for line in lines]
