"""The HTML page of `turnlint show`: whole, escaped, and looked at in a browser where one is installed."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from turnlint.cli import main

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e&amp;\"'"


class Reader(HTMLParser):
    """Notes which elements are there, and whether they are closed in order."""

    VOID = frozenset({"meta", "br", "img", "input", "link", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(str(given["id"]))
        if given.get("href"):
            self.links.add(str(given["href"]))
        assert not any(name.startswith("on") for name in given)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page_of(path: Path, tmp_path: Path, *options: str) -> str:
    out = tmp_path / "page.html"
    assert main(["show", str(path), "--html", "--output", str(out), *options]) == 0
    return out.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["interrupted-results", "unanswered-call", "orphan-result"])
def test_the_page_is_whole(name: str, tmp_path: Path) -> None:
    html = page_of(SAMPLES / "invalid/openai-chat" / f"{name}.json", tmp_path)
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    assert {link[1:] for link in reader.links} <= reader.ids
    assert not re.search(r"(src|href)=\"(?!#)", html)
    assert f" {name}: " in html
    assert name in html.split('<main id="conversations">')[1]


def test_calls_and_results_lead_to_each_other(tmp_path: Path) -> None:
    html = page_of(SAMPLES / "invalid/openai-chat/interrupted-results.json", tmp_path)
    for number in (1, 2, 3):
        call, result = f'id="k0-{number}"', f'id="r0-{number}"'
        assert html.count(call) == html.count(result) == 1
        assert html.index(call) < html.index(f'href="#r0-{number}"') < html.index(result)
        assert html.index(result) < html.index(f'href="#k0-{number}"')
    html = page_of(SAMPLES / "invalid/openai-chat/unanswered-call.json", tmp_path)
    assert "– no result" in html
    assert 'href="#r0-1"' not in html


def test_findings_are_listed_as_they_come(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    orphan = {"role": "tool", "tool_call_id": "x", "content": "a"}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    user = {"role": "user", "content": "b"}
    file.write_text(json.dumps([user, {"role": "assistant", "tool_calls": [call]}, user, orphan, user]))
    html = page_of(file, tmp_path)
    listed = re.findall(r'<li><a href="#(f[\d-]+)">', html)
    assert len(listed) == 2
    places = [html.index(f'id="{name}"') for name in listed]
    assert places == sorted(places)


def test_before_and_after(tmp_path: Path) -> None:
    html = page_of(SAMPLES / "invalid/openai-chat/result-before-call.json", tmp_path)
    assert '<span class="plus">+' in html
    assert '<span class="minus">-' in html


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    call = {"id": HOSTILE, "type": "function", "function": {"name": HOSTILE, "arguments": HOSTILE}}
    history = [
        {"role": HOSTILE, "content": HOSTILE},
        {"role": "user", "content": [{"type": HOSTILE, "text": HOSTILE}, {"type": "text", "text": HOSTILE}]},
        {"role": "assistant", "content": HOSTILE, "tool_calls": [call], "reasoning_content": HOSTILE},
        {"role": "tool", "tool_call_id": HOSTILE, "content": HOSTILE},
    ]
    (tmp_path / "a.json").write_text(json.dumps(history))
    html = page_of(tmp_path / "a.json", tmp_path)
    reader = Reader()
    reader.feed(html)
    assert not reader.seen & {"script", "img"}
    assert "\x1b" not in html


def test_a_part_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = SAMPLES / "valid/openai-chat/parallel-calls.json"
    assert main(["show", str(path), "--from", "4", "--to", "5"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^ +(\d+)  ", out, re.MULTILINE) == ["4", "5"]


SWITCHES = (
    "headless",
    "no-sandbox",
    "disable-gpu",
    "no-first-run",
    "disable-background-networking",
    "disable-quic",
    "disable-component-update",
    "disable-sync",
    "hide-scrollbars",
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="no browser is installed")
@pytest.mark.parametrize(("width", "height"), [(1200, 1500), (390, 1100)])
def test_in_a_browser(width: int, height: int, tmp_path: Path) -> None:
    page_of(SAMPLES / "invalid/openai-chat/interrupted-results.json", tmp_path)
    shot = tmp_path / "page.png"
    options = [f"--{name}" for name in SWITCHES]
    subprocess.run(
        [
            str(CHROMIUM),
            *options,
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={width},{height}",
            f"--screenshot={shot}",
            (tmp_path / "page.html").as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    picture = shot.read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (width, height)
    assert len(picture) > 20_000, "the page is blank"
