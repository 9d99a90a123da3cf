"""A conversation, and the name of its file, may hold anything: whatever a command prints, it stays text."""

from __future__ import annotations

import json
import os
import unicodedata
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from turnlint.cli import main
from turnlint.report import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "\x1b[31m\x1b]8;;http://example.com\x07click\x1b[0m",
    "\n::error::owned\r\n##[error]owned\n##vso[task.complete]",
    "[bold red]markup[/] [link=http://example.com]x[/link]",
    "</pre><script>alert(1)</script>]]>&xxe;' onmouseover='alert(1)",
    "\x00\x08\x0b\x7f\x85\x9b31m\u2028\u2029\u202egnp.exe\U000e0041",
    "\ud800 half \udfff \ufffe",
]
COMMANDS = [
    *(("check", "--output-format", name) for name in FORMATS),
    ("check", "--statistics"),
    ("check", "--target", "openai,anthropic,gemini,mistral"),
    ("check", "--diff", "--unsafe-fixes"),
    ("check", "--show-settings"),
    ("show",),
    ("show", "--full", "--target", "anthropic"),
    ("show", "--html"),
    ("targets",),
    ("targets", "--output-format", "json"),
    ("fix", "--unsafe-fixes"),
    ("baseline", "create"),
]


def history(text: str) -> Any:
    """A history that is broken in several ways, with `text` in every field that can hold one."""
    asked = {"id": text, "type": "function", "function": {"name": text, "arguments": text}, text: text}
    media = {"type": "image_url", "image_url": {"url": f"data:{text};base64,AA=="}}
    return {
        "id": text,
        "model": text,
        "tools": [{"type": "function", "function": {"name": text, "description": text, "parameters": {text: text}}}],
        "messages": [
            {"role": text, "content": text},
            {"role": "user", "name": text, "content": [{"type": text, "text": text}, {"type": "text", "text": text}]},
            {"role": "tool", "tool_call_id": f"{text}0", "content": text, text: text},
            {"role": "assistant", "content": text, "refusal": text, "reasoning_content": text, "tool_calls": [asked]},
            {"role": "user", "content": [media]},
            {"role": "tool", "tool_call_id": text, "content": text},
            {"role": "assistant", "content": None, "tool_calls": [{**asked, "id": f"{text}3"}, {**asked, "id": text}]},
            {"role": "user", "content": ""},
        ],
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "FORCE_HYPERLINK", "TURNLINT_OUTPUT_FORMAT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text_stays_text(command: tuple[str, ...], text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.json").write_text(json.dumps(history(text)))
    status = main([*command, "a.json"])
    out, err = capsys.readouterr()
    assert status in (0, 1)
    assert "internal error" not in err
    for printed in (out, err):
        printed.encode("utf-8")
        steering = {c for c in printed if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
        assert not steering
        assert "\u202e" not in printed
        commands = [line for line in printed.splitlines() if line.lstrip().startswith(("::", "##["))]
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in commands)
        assert not commands or "github" in command
    if "html" in command or "--html" in command:
        assert "<script>" not in out
        assert "onmouseover='" not in out
    elif "junit" in command:
        assert {element.tag for element in ET.fromstring(out).iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "system-out",
        }  # fmt: skip
    elif {"json", "sarif", "gitlab", "rdjson"} & set(command):
        json.loads(out)


NAMES = [b"\x1b[31m.json", b"a\nb.json", b"::error::x.json", b"caf\xe9.json", "\u202ea.json".encode()]


ABOUT_FILES = [
    ("check", "--show-files"),
    ("check", "--statistics"),
    ("check", "--diff"),
    ("fix",),
    ("init",),
    ("init", "--diff"),
]


@pytest.mark.parametrize("command", ABOUT_FILES, ids=" ".join)
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_files_stay_text(
    command: tuple[str, ...], name: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = os.fsdecode(name)
    (folder / path).write_text(json.dumps(history("x")))
    assert main([*command, "."]) in (0, 1)
    for printed in capsys.readouterr():
        printed.encode("utf-8", "surrogateescape")
        assert not {c for c in printed if c != "\n" and unicodedata.category(c) in ("Cc", "Zl", "Zp")}
        assert "\u202e" not in printed
        assert "a\nb.json" not in printed
