"""Production logs: requests and replies joined, each conversation once, and what limits left of it."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint.containers import pairs
from turnlint.diagnostic import Place
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

USER = {"role": "user", "content": "Weather in Oslo?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "4 degrees"}
ANSWER = {"role": "assistant", "content": "It is 4 degrees."}


def body(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "gpt-4o-mini", "messages": list(messages)}


# Pairs


@pytest.mark.parametrize(
    ("reply", "pointer"),
    [
        ({"choices": [{"message": ANSWER}]}, "/r/choices/0/message"),
        ([{"message": ANSWER}], "/r/0/message"),
        (ANSWER, "/r"),
        ([ANSWER], "/r/0"),
        (json.dumps(json.dumps({"choices": [{"message": ANSWER}]})), "/r/choices/0/message"),
        ({"generations": [[{"text": "", "message": ANSWER}]]}, "/r/generations/0/0/message"),
        ({"generations": [{"text": "", "message": ANSWER}]}, "/r/generations/0/message"),
    ],
)
def test_replies_in_every_wrapping(reply: Any, pointer: str) -> None:
    candidate = pairs.joined(body(USER), Place(("q",)), reply, Place(("r",)))
    assert candidate is not None
    assert [m["content"] for m in candidate.messages] == ["Weather in Oslo?", "It is 4 degrees."]
    assert candidate.place(1).pointer == pointer
    assert candidate.sent == 1


@pytest.mark.parametrize("asked", [None, "text", {}, [], {"messages": {}}, {"input": ["a"]}, 3, [[]], '{"messages": ['])
def test_requests_without_a_history(asked: Any) -> None:
    assert pairs.joined(asked, Place()) is None


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("openai", "openai"),
        ("azure", "azure-openai"),
        ("aws.bedrock", "bedrock"),
        ("nobody", None),
        (None, None),
        ([], None),
    ],
)
def test_names_of_providers(name: Any, target: str | None) -> None:
    assert pairs.provider(name).get("target") == target


def test_states_from_texts() -> None:
    def state(*contents: str) -> State | None:
        return pairs.completeness([{"role": "user", "content": text} for text in contents]).get("state")

    assert state("Hello", "How are you?") is None
    assert state("Hello", "Look: ... (litellm_truncated skipped 100 chars) ...") is State.TRUNCATED_VALUES
    assert state("redacted-by-litellm") is State.REDACTED
    assert state("The word [REDACTED] may be talked about at length.") is None
    cut = '{"city": "City number 0 '
    assert state(*[cut] * 4) is State.TRUNCATED_VALUES
    assert state(cut, "Hello") is None


# OpenTelemetry


def span(attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    pairs_of = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1", "attributes": pairs_of, **more}]}]}]}


def part(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


SEMANTIC = [
    part("user", {"type": "text", "content": "Weather?"}),
    part("assistant", {"type": "tool_call", "id": "c1", "name": "f", "arguments": {}}),
    part("tool", {"type": "tool_call_response", "id": "c1", "response": "4"}),
]


def test_only_the_longest_span_of_a_conversation(find: Callable[..., Any]) -> None:
    spans = [span({"gen_ai.input.messages": json.dumps(SEMANTIC[:count])}) for count in (1, 2, 3)]
    [candidate], _ = find("otlp", *spans)
    assert candidate.dialect == "otel-genai"
    assert len(candidate.messages) == 3
    assert candidate.place(1).pointer.endswith("/attributes/0/value/stringValue/1")


def test_a_list_of_messages_that_was_cut_is_not_judged(find: Callable[..., Any]) -> None:
    [candidate], _ = find("otlp", span({"gen_ai.input.messages": json.dumps(SEMANTIC)[:60]}))
    assert candidate.state is State.NOT_RECORDED
    assert "cut off" in candidate.notice


def test_the_native_request_is_preferred(find: Callable[..., Any]) -> None:
    native = {"input.value": json.dumps(body(USER, ASKED)), "llm.input_messages.0.message.role": "user"}
    [candidate], _ = find("otlp", span(native))
    assert candidate.dialect is None
    assert len(candidate.messages) == 2


def flat(*messages: dict[str, Any], start: int = 0) -> dict[str, Any]:
    attributes = {}
    for number, message in enumerate(messages, start):
        base = f"llm.input_messages.{number}.message"
        attributes[f"{base}.role"] = message["role"]
        if message.get("content"):
            attributes[f"{base}.content"] = message["content"]
        if "tool_call_id" in message:
            attributes[f"{base}.tool_call_id"] = message["tool_call_id"]
        for index, call in enumerate(message.get("tool_calls", ())):
            attributes[f"{base}.tool_calls.{index}.tool_call.id"] = call["id"]
            attributes[f"{base}.tool_calls.{index}.tool_call.function.name"] = call["function"]["name"]
    return attributes


def test_flat_attributes_keep_their_places(find: Callable[..., Any]) -> None:
    [candidate], _ = find("otlp", span(flat(USER, ASKED, RESULT)))
    assert candidate.dialect == "openinference"
    assert candidate.state is State.COMPLETE
    place = candidate.place(1) / "message" / "tool_calls" / 0 / "tool_call" / "id"
    assert candidate.real(place).pointer.endswith("/attributes/3/value/stringValue")


def test_dropped_attributes_at_the_head_and_at_the_tail(find: Callable[..., Any]) -> None:
    [candidate], _ = find("otlp", span(flat(RESULT, USER, start=39), droppedAttributesCount=117))
    assert candidate.state is State.PARTIAL_HEAD
    [candidate], _ = find("otlp", span(flat(USER, ASKED), droppedAttributesCount=4))
    assert candidate.state is State.PARTIAL_TAIL


def test_a_message_whose_role_was_dropped_is_left_out(find: Callable[..., Any]) -> None:
    attributes = flat(RESULT, USER)
    del attributes["llm.input_messages.0.message.role"]
    [candidate], _ = find("otlp", span(attributes))
    assert candidate.state is State.PARTIAL_HEAD
    assert len(candidate.messages) == 1


def test_prompts_with_blocks_as_text(find: Callable[..., Any]) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}
    attributes = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hello",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.content": json.dumps([{"type": "text", "text": "Well."}, use]),
        "gen_ai.prompt.2.role": "user",
        "gen_ai.prompt.2.content": json.dumps([result]),
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Four.",
    }
    [candidate], _ = find("otlp", span(attributes))
    assert [m["role"] for m in candidate.messages] == ["user", "assistant", "tool", "assistant"]
    assert candidate.messages[1]["tool_calls"][0]["id"] == candidate.messages[2]["tool_call_id"] == "t1"
    assert candidate.sent == 3


def event(name: str, content: dict[str, Any], span_id: str = "1") -> dict[str, Any]:
    return {"eventName": name, "spanId": span_id, "body": content}


def test_events_are_grouped_by_span_and_roles_are_in_their_names(find: Callable[..., Any]) -> None:
    records = [
        event("gen_ai.user.message", {"content": "Hello"}),
        event("gen_ai.user.message", {"content": "Elsewhere"}, "2"),
        event("gen_ai.assistant.message", {"tool_calls": [CALL]}),
        event("gen_ai.tool.message", {"id": "call_1", "content": "4"}),
        event("gen_ai.choice", {"message": {"content": "Four."}}),
    ]
    export = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    one, two = find("otlp", export)[0]
    assert [m["role"] for m in one.messages] == ["user", "assistant", "tool", "assistant"]
    assert one.state is State.COMPLETE
    assert len(two.messages) == 1
    records[0]["body"] = {}
    assert find("otlp", export)[0][0].state is State.REDACTED


def test_spans_of_something_else_are_named(find: Callable[..., Any]) -> None:
    candidates, [skipped] = find("otlp", span({"http.route": "/"}))
    assert candidates == []
    assert skipped.known


# LiteLLM, Bedrock, LangSmith


def test_a_failed_call_is_a_recorded_refusal(find: Callable[..., Any]) -> None:
    row = {
        "call_type": "acompletion",
        "hidden_params": {},
        "status": "failure",
        "custom_llm_provider": "anthropic",
        "messages": [USER, ASKED, USER],
        "response": {},
        "error_str": "tool_use ids were found without tool_result",
        "error_information": {"error_code": "400"},
    }
    [candidate], _ = find("litellm", row)
    assert candidate.recorded.refused
    assert (candidate.mode, candidate.target) == ("request", "anthropic")
    assert "tool_use ids" in candidate.recorded.text


def test_a_call_whose_messages_were_not_logged(find: Callable[..., Any]) -> None:
    row = {"call_type": "acompletion", "request_id": "1", "spend": 0.0, "messages": {}, "response": {}}
    candidates, [skipped] = find("litellm", row)
    assert candidates == []
    assert skipped.known


def test_a_run_is_joined_from_its_start_and_its_end(find: Callable[..., Any]) -> None:
    start = {"id": "r", "run_type": "llm", "dotted_order": "1", "inputs": body(USER), "outputs": {}}
    end = {"id": "r", "dotted_order": "1", "outputs": {"choices": [{"message": ANSWER}]}}
    [candidate], _ = find("langsmith", {"post": [start], "patch": [end]})
    assert candidate.place(0).pointer == "/post/0/inputs/messages/0"
    assert candidate.place(1).pointer == "/patch/0/outputs/choices/0/message"


def test_langchain_messages_in_a_batch_of_one(find: Callable[..., Any]) -> None:
    human = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {}}
    human["kwargs"] = {"content": "Hello", "type": "human"}
    run = {"id": "r", "run_type": "llm", "dotted_order": "1", "inputs": {"messages": [[human]]}, "outputs": None}
    [candidate], _ = find("langsmith", run)
    assert candidate.at.pointer == "/inputs/messages/0"


# Files that are no text


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def test_an_evaluation_archive(tmp_path: Path) -> None:
    call = {"id": "c1", "function": "f", "arguments": {}, "type": "function"}
    messages = [USER, {"role": "assistant", "content": "", "tool_calls": [call]}, USER, ANSWER]
    sample = {"id": 1, "epoch": 1, "input": "", "messages": messages}
    members = {
        "header.json": b'{"eval": {"model": "openai/gpt-4o"}, "plan": {}}',
        "samples/1_epoch_1.json": json.dumps(sample).encode(),
    }
    report = turnlint.check_path(archive(tmp_path / "log.eval", members))
    assert report.files[0].container == "inspect-log"
    assert [(d.rule, d.pointer) for d in report.diagnostics] == [("unanswered-call", "/messages/1/tool_calls/0")]


def test_archives_that_are_none(tmp_path: Path) -> None:
    other = archive(tmp_path / "other.zip", {"readme.txt": b"Hello"})
    report = turnlint.check_path(other)
    assert [d.rule for d in report.diagnostics] == ["unreadable-file"]
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(other.read_bytes()[:40])
    assert [d.rule for d in turnlint.check_path(damaged).diagnostics] == ["unreadable-file"]
    cut = archive(tmp_path / "cut.eval", {"header.json": b"{}", "samples/1_epoch_1.json": b'{"id": 1, "mess'})
    assert "unreadable-file" in [d.rule for d in turnlint.check_path(cut).diagnostics]


def test_tables(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    messages = json.dumps([USER, ASKED, USER])
    table = pyarrow.table({"session_id": ["a", "b"], "messages": [messages, None], "size": [1, 2]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    report = turnlint.check_path(tmp_path / "rows.parquet")
    assert [(d.rule, d.pointer) for d in report.diagnostics] == [("unanswered-call", "/messages/1/tool_calls/0")]
    with pyarrow.OSFile(str(tmp_path / "rows.arrow"), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert [d.rule for d in turnlint.check_path(tmp_path / "rows.arrow").diagnostics] == ["unanswered-call"]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + b"\x00" * 40)
    assert [d.rule for d in turnlint.check_path(tmp_path / "bad.parquet").diagnostics] == ["unreadable-file"]


@pytest.mark.parametrize(
    "value",
    [
        [{"title": "Chat", "mapping": {}, "current_node": "1"}],
        [{"uuid": "1", "name": "Chat", "chat_messages": []}],
        [{"id": "1", "chat": {"history": {"messages": {}, "currentId": "1"}}}],
    ],
)
def test_exports_of_chat_apps_are_named(find: Callable[..., Any], value: Any) -> None:
    candidates, [skipped] = find("chat-exports", value)
    assert candidates == []
    assert skipped.known
