from __future__ import annotations

import io
import json
import re
import sys
import unicodedata
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.cli import main
from turnlint.report.terminal import width

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def call(number: int) -> dict[str, Any]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": "get_time", "arguments": '{"in": "Oslo"}'}}


HISTORY: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What time\nis it?\x1b[2J"},
    {"role": "assistant", "content": "I look.", "tool_calls": [call(1), call(2)]},
    {"role": "tool", "tool_call_id": "call_2", "content": "second"},
    {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "first"}]},
    {"role": "assistant", "content": None, "tool_calls": [call(3)]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}, {"type": "odd"}]},
]


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def shown(document: Any, *arguments: str) -> str:
        (tmp_path / "a.json").write_text(json.dumps(document))
        assert main(["show", "a.json", *arguments]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return shown


def test_results_stand_under_their_calls(show: Callable[..., str]) -> None:
    lines = [line.strip() for line in show(HISTORY).splitlines()]
    first = lines.index('[1] call get_time (call_1) {"in": "Oslo"}')
    assert lines[first : first + 6] == [
        '[1] call get_time (call_1) {"in": "Oslo"}',
        "[1] result (call_1)",
        "first",
        '[2] call get_time (call_2) {"in": "Oslo"}',
        "[2] result (call_2)",
        "second",
    ]
    assert "3  tool" not in lines


def test_what_is_wrong_stands_out(show: Callable[..., str]) -> None:
    lines = [line.strip() for line in show(HISTORY).splitlines()]
    assert lines[lines.index('[3] call get_time (call_3) {"in": "Oslo"}') + 1] == "[3] no result"
    pending = show(HISTORY[:6])
    assert "[3] not answered yet" in pending
    orphan = show([HISTORY[1], HISTORY[3]])
    assert "result of no call (call_2)" in orphan
    late = show([*HISTORY[1:4], {"role": "user", "content": "?"}, HISTORY[4], HISTORY[0]])
    assert "[1] result (call_1), too late: something stands between (message 4)" in late
    assert "error interrupted-results (TL105) in message 4: " in late


def test_numbers_have_colours_that_no_finding_has(show: Callable[..., str]) -> None:
    out = show(HISTORY, "--color", "always")
    assert out.count("\x1b[1;34m[1]\x1b[0m") == 2
    assert out.count("\x1b[1;36m[2]\x1b[0m") == 2
    assert "\x1b[1;31mno result\x1b[0m" in out


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_nothing_is_wider_than_the_terminal(
    show: Callable[..., str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    long = [*HISTORY, {"role": "user", "content": "日本 " * 80 + "x" * 300}]
    for options in ((), ("--full",)):
        out = show(long, *options)
        assert max(map(width, out.splitlines())) <= min(columns, 110)
    assert show(HISTORY).split() == show(HISTORY).replace("\n", " ").split()


def test_findings_stand_where_they_belong(show: Callable[..., str]) -> None:
    out = show(HISTORY)
    assert out.index("call_3) {") < out.index("unanswered-call (TL101)") < out.index("6  user")
    assert "openai answers 400" in out


def test_nothing_steers_the_terminal(show: Callable[..., str]) -> None:
    out = show(HISTORY)
    assert "is it?\\x1b[2J" in out
    assert "\x1b" not in out
    assert "\x1b[1m" in show(HISTORY, "--color", "always")


HOSTILE = [
    "\x1b[31m\x1b]8;;http://example.com\x07click\x1b[0m",
    "\n::error::owned\r\n##[error]owned",
    "[bold red]markup[/] [link=http://example.com]x[/link]",
    "<script>alert(1)</script>",
    "\x00\x08\x0b\x7f\x85\x9b31m\u2028\u2029\u202egnp.exe",
    "\ud800 half \udfff \ufffe",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_text_in_every_field_stays_text(show: Callable[..., str], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = {"id": text, "type": "function", "function": {"name": text, "arguments": text}}
    media = {"type": "image_url", "image_url": {"url": f"data:{text};base64,AA=="}}
    history = [
        {"role": "user", "name": text, "content": text},
        {"role": text, "content": text},
        {"role": "user", "content": [{"type": text, "text": text}, {"type": "text", "text": text}, media]},
        {"role": "assistant", "content": text, "refusal": text, "reasoning_content": text, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": text, "content": text},
        {"role": "tool", "tool_call_id": f"{text}2", "content": [{"type": "text", "text": text}], text: text},
    ]
    plain = show({"id": text, "model": text, "messages": history})
    plain.encode()
    assert not [char for char in plain if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert "\u202e" not in plain
    assert not [line for line in plain.splitlines() if line.startswith(("::", "##["))]
    painted = show({"id": text, "model": text, "messages": history}, "--color", "always")
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain


def test_long_texts_are_cut_unless_asked_for(show: Callable[..., str]) -> None:
    long = [{"role": "user", "content": "word " * 1_000}, {"role": "assistant", "content": "line\n" * 50}]
    out = show(long)
    assert "… 4600 more characters" in out
    assert "… 44 more lines" in out
    assert "…" not in show(long, "--full")


def test_several_conversations(show: Callable[..., str]) -> None:
    out = show([{"messages": HISTORY[:2]}, {"messages": HISTORY[:2]}])
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("conversation")] == [
        "conversation 1",
        "conversation 2",
    ]


def test_another_dialect(show: Callable[..., str]) -> None:
    out = show(
        {
            "system": "Be brief.",
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "x"}]},
            ],
        },
        "--target",
        "anthropic",
    )
    assert "system\n       Be brief." in out
    assert '[1] call f (toolu_1) {"a": 1}' in out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(HISTORY).encode())))
    assert main(["show", "-"]) == 0
    assert "get_time" in capsys.readouterr().out


def test_what_is_no_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": 1}')
    assert main(["show", str(file)]) == 1
    assert "no conversation" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "gone.json")]) == 2
