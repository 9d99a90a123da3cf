"""How grave a rule is, said in the settings: for what rules find, and for what the engine finds itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint.cli import main

if TYPE_CHECKING:
    from turnlint.diagnostic import Report

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGES: list[Any] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "b"},
]
REFUSED = {
    "interactions": [
        {
            "request": {
                "method": "POST",
                "uri": "https://api.openai.com/v1/chat/completions",
                "body": json.dumps({"model": "gpt-4o", "messages": MESSAGES}),
            },
            "response": {
                "status": {"code": 400, "message": "Bad Request"},
                "body": {"string": json.dumps({"error": {"message": "Invalid 'messages[1]': nobody knows why."}})},
            },
        }
    ],
    "version": 1,
}


def claude(number: int, parent: int | None, message: dict[str, Any]) -> dict[str, Any]:
    kind = message["role"]
    before = None if parent is None else f"u{parent}"
    return {"type": kind, "uuid": f"u{number}", "parentUuid": before, "sessionId": "s", "message": message}


def said(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"id": "m1", "type": "message", "role": "assistant", "model": "claude-opus-4-6", "content": content}


CUT_APART = [
    claude(1, None, {"role": "user", "content": "a"}),
    claude(2, 1, said("b")),
    claude(3, 2, {"role": "user", "content": "c"}),
    claude(4, 3, said("d")),
]
TEXTS = {
    "orphan-result": json.dumps(MESSAGES[::2]),
    "syntax-error": '{"messages": [}',
    "torn-line": json.dumps(MESSAGES[0]) * 2 + "\n" + json.dumps(MESSAGES[0]),
    "invalid-unicode": json.dumps([{"role": "user", "content": "\ud800"}]),
    "unrecognised-format": '{"a": 1}',
    "unexplained-refusal": json.dumps(REFUSED),
    "split-message": "\n".join(map(json.dumps, CUT_APART)),
    "unterminated-stream": (SAMPLES / "invalid/vcr/unterminated-stream.yaml").read_text(encoding="utf-8"),
}


def checked(folder: Path, rule: str, **settings: Any) -> Report:
    file = folder / "a.json"
    file.write_text(TEXTS[rule], encoding="utf-8")
    return turnlint.check_path(file, **settings)


@pytest.mark.parametrize("rule", TEXTS)
def test_any_rule_can_be_made_as_grave_as_one_likes(rule: str, tmp_path: Path) -> None:
    plain = [d for d in checked(tmp_path, rule).diagnostics if d.rule == rule]
    assert plain
    for level in ("error", "warning", "info"):
        found = [d for d in checked(tmp_path, rule, severity={rule: level}).diagnostics if d.rule == rule]
        assert {d.severity for d in found} == {level}
        assert len(found) == len(plain)
    by_code = checked(tmp_path, rule, severity={plain[0].code: "info"}).diagnostics
    assert {d.severity for d in by_code if d.rule == rule} == {"info"}


@pytest.mark.parametrize("rule", TEXTS)
def test_any_rule_can_be_off(rule: str, tmp_path: Path) -> None:
    assert rule not in {d.rule for d in checked(tmp_path, rule, severity={rule: "off"}).diagnostics}


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(turnlint.UsageError, match=r"severity of orphan-result: 'warn' is none; did you mean 'warning'"):
        turnlint.check(MESSAGES, severity={"orphan-result": "warn"})


def test_the_command_line_says_what_an_unknown_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "turnlint.toml").write_text('severity = {unrecognised-format = "info"}')
    (tmp_path / "a.json").write_text("1")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "a.json"]) == 0
    assert main(["check", "a.json", "--unrecognised", "error"]) == 1
