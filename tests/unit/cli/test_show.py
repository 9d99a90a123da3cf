from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.cli import main

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
    first = lines.index('call get_time (call_1) {"in": "Oslo"}')
    assert lines[first : first + 6] == [
        'call get_time (call_1) {"in": "Oslo"}',
        "result (call_1)",
        "first",
        'call get_time (call_2) {"in": "Oslo"}',
        "result (call_2)",
        "second",
    ]
    assert "3  tool" not in lines


def test_findings_stand_where_they_belong(show: Callable[..., str]) -> None:
    out = show(HISTORY)
    assert out.index("call_3) {") < out.index("unanswered-call (TL101)") < out.index("6  user")
    assert "openai answers 400" in out


def test_nothing_steers_the_terminal(show: Callable[..., str]) -> None:
    out = show(HISTORY)
    assert "is it?\\x1b[2J" in out
    assert "\x1b" not in out
    assert "\x1b[1m" in show(HISTORY, "--color", "always")


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
    assert 'call f (toolu_1) {"a": 1}' in out


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
