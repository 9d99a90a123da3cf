"""Edges of the rules about roles and content: who has the word, what is no fault, and what a fix may do."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from turnlint.diagnostic import Diagnostic, Safety
from turnlint.engine import Settings, check_document
from turnlint_rules.media import sides_of, type_of
from turnlint_rules.wording import brief

USER = {"role": "user", "content": "Hello"}
ANSWER = {"role": "assistant", "content": "Hello."}


def found(
    document: Any, target: str, dialect: str | None = None, *, mode: str = "request", as_of: str | None = None
) -> list[Diagnostic]:
    return list(check_document(document, Settings((target,), dialect=dialect, mode=mode, as_of=as_of)).diagnostics)


def rules(*args: Any, **kwargs: Any) -> list[str]:
    return [d.rule for d in found(*args, **kwargs)]


def said(*args: Any, **kwargs: Any) -> list[tuple[str, str]]:
    return [(d.rule, d.severity.value) for d in found(*args, **kwargs)]


# -- one role, one word


def test_a_role_of_nobody_is_unknown_and_not_unsupported() -> None:
    assert rules([{"role": "narrator", "content": "Once"}, USER], "deepseek", "openai-chat") == ["unknown-role"]


def test_a_role_of_the_dialect_that_the_target_refuses_is_unsupported() -> None:
    assert rules([{"role": "developer", "content": "x"}, USER], "deepseek", "openai-chat") == ["unsupported-role"]


def test_all_messages_of_one_unknown_role_are_one_diagnostic() -> None:
    one, *rest = found([{"role": "human", "content": "a"}, ANSWER] * 3 + [USER], "openai", "openai-chat")
    assert (one.rule, one.pointer, rest) == ("unknown-role", "/0/role", [])
    assert [r.pointer for r in one.related] == ["/2/role", "/4/role"]
    assert one.fix is not None
    assert len(one.fix.verbs) == 3


def test_a_misplaced_system_is_not_also_one_of_several() -> None:
    history = [{"role": "system", "content": "a"}, USER, {"role": "system", "content": "b"}, USER]
    assert rules(history, "chat-template:qwen3.5-27b") == ["misplaced-system"]


def test_a_leading_run_of_system_messages_is_one_diagnostic() -> None:
    history = [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}, USER]
    assert rules(history, "anthropic", "anthropic") == ["misplaced-system"]


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock"])
def test_the_system_prompt_of_another_shape_is_converted(target: str) -> None:
    history = [{"role": "system", "content": "a"}, USER, {"role": "developer", "content": "b"}, USER]
    assert not {"misplaced-system", "multiple-systems", "unsupported-role"} & set(rules(history, target, "openai-chat"))


@pytest.mark.parametrize("role", [5, True, [], {"a": 1}, ""])
def test_a_role_that_is_no_text_is_unknown(role: Any) -> None:
    (one,) = found([{"role": role, "content": "x"}, USER], "openai", "openai-chat")
    assert (one.rule, one.pointer) == ("unknown-role", "/0/role")


# -- system messages inside a conversation with Claude: by model and month


@pytest.mark.parametrize(
    ("model", "as_of", "expected"),
    [
        ("claude-opus-4-8", "2026-06-01", []),
        ("claude-haiku-4-5", "2026-06-01", [("unsupported-role", "error")]),
        ("claude-haiku-4-5", "2025-06-01", [("misplaced-system", "error")]),
        (None, "2026-06-01", [("unsupported-role", "warning")]),
    ],
)
def test_an_instruction_at_the_end(model: str | None, as_of: str, expected: list[tuple[str, str]]) -> None:
    document = {"messages": [USER, {"role": "system", "content": "Answer in French."}]}
    target = f"anthropic:{model}" if model else "anthropic"
    assert said(document, target, "anthropic", as_of=as_of) == expected


def test_settings_without_words_may_stand_anywhere() -> None:
    directive = {"role": "system", "content": [], "output_config": {"effort": "low"}}
    history = [directive, USER, ANSWER, directive, USER]
    assert rules(history, "anthropic:claude-opus-4-8", "anthropic") == []


def test_after_a_hosted_result_an_instruction_may_stand() -> None:
    hosted = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    ]
    history = [USER, {"role": "assistant", "content": hosted}, {"role": "system", "content": "Be brief."}]
    assert "misplaced-system" not in rules(history, "anthropic:claude-opus-4-8", "anthropic")


# -- ends


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-4-5", []),
        ("claude-sonnet-4-6", ["trailing-assistant"]),
        ("claude-opus-5", ["trailing-assistant"]),
    ],
)
def test_a_prefill_by_model(model: str, expected: list[str]) -> None:
    assert rules([USER, {"role": "assistant", "content": "{"}], f"anthropic:{model}", "anthropic") == expected


def test_without_a_model_a_refused_prefill_is_a_warning_that_says_so() -> None:
    (one,) = found([USER, ANSWER], "anthropic", "anthropic")
    assert (one.rule, one.severity) == ("trailing-assistant", "warning")
    assert any("model" in note for note in one.notes)


def test_a_finished_conversation_at_rest_is_fine() -> None:
    assert rules([USER, ANSWER], "anthropic:claude-opus-5", "anthropic", mode="saved") == []


def test_a_paused_turn_goes_on() -> None:
    paused = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    history = [USER, {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, paused]}]
    assert "trailing-assistant" not in rules(history, "anthropic:claude-opus-5", "anthropic")


def test_open_calls_at_the_end_are_unanswered_and_not_trailing_besides() -> None:
    call = {"id": "aB3dE5fG7", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    (one,) = found([USER, {"role": "assistant", "content": "", "tool_calls": [call]}], "mistral", "openai-chat")
    assert one.rule == "unanswered-call"
    assert "trailing-assistant" in one.also


def test_white_space_at_the_end_is_moot_where_no_prefill_is_taken() -> None:
    history = [USER, {"role": "assistant", "content": "Sure: "}]
    assert rules(history, "anthropic:claude-opus-5", "anthropic") == ["trailing-assistant"]
    assert rules(history, "anthropic:claude-sonnet-4-5", "anthropic") == ["trailing-whitespace"]


# -- nothing in many forms


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("", "empty-content"),
        ([], "empty-content"),
        (" \n", "blank-text"),
        ([{"type": "text", "text": ""}], "blank-text"),
    ],
)
def test_one_rule_for_each_kind_of_nothing(content: Any, rule: str) -> None:
    assert rules([USER, {"role": "assistant", "content": content}, USER], "anthropic", "anthropic") == [rule]


@pytest.mark.parametrize("content", [None, ...])
def test_null_is_null_content_and_nothing_else(content: Any) -> None:
    message = {"role": "assistant"} if content is ... else {"role": "assistant", "content": content}
    assert rules([USER, message, USER], "openai", "openai-chat") == ["null-content"]
    assert rules([USER, message, USER], "xai", "openai-chat") == ["empty-content"]


def test_audio_and_refusals_are_words_enough() -> None:
    history = [USER, {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}, USER]
    assert rules(history, "openai", "openai-chat") == []


def test_an_empty_error_result_is_not_an_empty_result_besides() -> None:
    history = [
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True}]},
    ]
    assert rules(history, "anthropic", "anthropic") == ["empty-error-result"]


def test_the_system_prompt_beside_the_list_is_looked_at() -> None:
    body = {"system": [{"type": "text", "text": ""}], "messages": [USER]}
    (one,) = found(body, "anthropic", "anthropic")
    assert (one.rule, one.pointer) == ("blank-text", "/system/0/text")
    assert rules({"system": "", "messages": [USER]}, "anthropic", "anthropic") == []


def test_an_empty_message_of_a_user_is_removed_only_on_request() -> None:
    (one,) = found([USER, ANSWER, {"role": "user", "content": ""}, ANSWER, USER], "xai", "openai-chat")
    assert one.fix is not None
    assert one.fix.safety is Safety.UNSAFE


# -- media


def _png(width: int, height: int) -> str:
    return base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)).decode()


def _jpeg(width: int, height: int) -> str:
    exif = b"\xff\xe1" + struct.pack(">H", 2 + 5000) + b"\0" * 5000
    frame = b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\0" * 10
    return base64.b64encode(b"\xff\xd8" + exif + frame).decode()


@pytest.mark.parametrize(
    ("data", "name", "sides"),
    [
        (_png(9000, 10), "image/png", (9000, 10)),
        (_jpeg(640, 480), "image/jpeg", (640, 480)),
        (base64.b64encode(b"GIF89a" + struct.pack("<HH", 3, 4)).decode(), "image/gif", (3, 4)),
        (base64.b64encode(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x07\0\0\x08\0\0").decode(), "image/webp", (8, 9)),
        (base64.b64encode(b"%PDF-1.7").decode(), "application/pdf", None),
        ("iVBORw0=", "image/png", None),
        ("/9j/", "image/jpeg", None),
        ("AAAA", None, None),
        ("", None, None),
        ("<redacted>", None, None),
        ("éé", None, None),
    ],
)
def test_first_bytes(data: str, name: str | None, sides: tuple[int, int] | None) -> None:
    assert type_of(data) == name
    assert sides_of(data) == sides


def test_a_long_picture_is_not_decoded_whole() -> None:
    assert type_of(_png(1, 1) + "A" * 10_000_000) == "image/png"


def test_a_picture_of_another_kind_in_a_data_url_has_no_fix_that_would_lose_it() -> None:
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,/9j/4AAQ"}}
    (one,) = found([{"role": "user", "content": [url]}], "anthropic", "openai-chat")
    assert (one.rule, one.fix) == ("mismatched-media", None)


def test_media_that_a_user_may_send_is_fine() -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
    ]
    assert rules([{"role": "user", "content": parts}], "openai", "openai-chat") == []


# -- texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb\x1b[0m", "a b [0m"),
        ("x" * 100, "x" * 59 + "…"),
        ([[[]]], "a list"),
        ({"a": 1}, "an object"),
        pytest.param(10**6000, "a large number", id="large"),
        (None, "None"),
        (7, "7"),
    ],
)
def test_brief(value: object, text: str) -> None:
    assert brief(value) == text


def test_deep_values_are_not_written_out() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    history = [
        {"role": deep, "content": deep, "name": deep},
        {"role": "assistant", "content": [{"type": deep, "text": deep}], "tool_calls": [{"id": deep, "type": deep}]},
        {"role": "tool", "tool_call_id": deep, "content": deep},
    ]
    for target in ("openai", "anthropic", "deepseek", "mistral"):
        found(history, target, "openai-chat")
