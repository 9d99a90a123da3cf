"""Batch files: requests with IDs, judged each by itself and against the lines before it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint import check_path

if TYPE_CHECKING:
    from pathlib import Path

ASK = [{"role": "user", "content": "Hi"}]


def line(number: int, url: Any = "/v1/chat/completions", **changed: Any) -> dict[str, Any]:
    body = {"model": "gpt-4o-mini", "messages": ASK}
    return {"custom_id": f"r{number}", "method": "POST", "url": url, "body": body, **changed}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in lines), encoding="utf-8")
    return path


def found(path: Path) -> list[tuple[str, int | None, str]]:
    return [(d.rule, d.line, d.pointer) for d in check_path(path).diagnostics]


def test_a_good_file_is_clean(tmp_path: Path) -> None:
    report = check_path(write(tmp_path / "b.jsonl", *(line(n) for n in range(100))))
    assert report.diagnostics == []
    assert report.transcripts == 100
    assert report.files[0].container == "batch"
    assert {t.mode for t in report.files[0].transcripts} == {"request"}


def test_what_lines_may_not_share(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.jsonl", *(line(n) for n in range(60)), line(3), line(61, body={"model": "o3", "messages": ASK})
    )
    assert found(path) == [("duplicate-custom-id", 61, "/custom_id"), ("mixed-models", 62, "/body/model")]
    [first, _] = check_path(path).diagnostics
    assert first.related[0].pointer == "/custom_id"


def test_lines_without_a_history_have_an_id_all_the_same(tmp_path: Path) -> None:
    embed = {"custom_id": "e", "method": "POST", "url": "/v1/embeddings", "body": {"model": "m", "input": "text"}}
    assert found(write(tmp_path / "b.jsonl", embed, {**embed, "custom_id": "f"})) == []
    assert found(write(tmp_path / "b.jsonl", embed, embed)) == [("duplicate-custom-id", 2, "/custom_id")]


def test_envelopes(tmp_path: Path) -> None:
    lacking = {"custom_id": "r2", "url": "/v1/chat/completions", "body": {"model": "gpt-4o-mini", "messages": ASK}}
    assert found(write(tmp_path / "b.jsonl", line(1), lacking)) == [("schema-violation", 2, "")]
    foreign = {"custom_id": "r1", "params": {"model": "gpt-4o-mini", "messages": ASK}}
    assert found(write(tmp_path / "b.jsonl", foreign)) == [("schema-violation", 1, "")]


def test_other_services(tmp_path: Path) -> None:
    claude = {"custom_id": "r1", "params": {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": ASK}}
    report = turnlint.check({"requests": [claude, {**claude, "custom_id": "r2"}]})
    assert report.diagnostics == []
    assert [t.targets for t in report.files[0].transcripts] == [("anthropic",), ("anthropic",)]
    mistral = {"custom_id": "0", "body": {"messages": ASK}}
    assert found(write(tmp_path / "b.jsonl", mistral, {**mistral, "custom_id": "1"})) == []


def test_answers_are_no_requests(tmp_path: Path) -> None:
    answer = {"id": "x", "custom_id": "r1", "response": {"status_code": 200, "body": {"choices": []}}, "error": None}
    report = check_path(write(tmp_path / "b.jsonl", answer, answer))
    assert report.diagnostics == []
    assert report.transcripts == 0


@pytest.mark.parametrize("odd", [None, 1, "x", [], [1], {}, {"custom_id": []}, {"custom_id": "a", "body": []}])
def test_odd_lines(odd: object, tmp_path: Path) -> None:
    check_path(
        write(tmp_path / "b.jsonl", line(1), odd, line(2, url=[]), line(3, body=odd), line(4, body={"messages": odd}))
    )
