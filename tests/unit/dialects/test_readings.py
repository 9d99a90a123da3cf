"""What is special to one dialect: hosted tools, doubled forms, states, marks in texts, what lies with the provider."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnlint import check, dialects
from turnlint.diagnostic import Place
from turnlint.model import Call, Candidate, Kind, Media, Reasoning, Result, Speaker, State, Transcript

Json = Any


def read(dialect: str, messages: Json, **body: Json) -> Transcript:
    """`messages` read as a bare list, or as the `messages` of a body where more is given."""
    if body:
        body["messages"] = messages
        candidate = Candidate(messages, Place() / "messages", body=body)
    else:
        candidate = Candidate(messages)
    return dialects.get(dialect).read(candidate)


def loud(document: Json, **settings: Any) -> list[tuple[str, str]]:
    found = check(document, **settings).diagnostics
    return [(d.rule, d.pointer) for d in found if d.severity != "info"]


# -- OpenAI Chat


def test_chat_functions_pair_by_place() -> None:
    call = {"name": "f", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "function_call": call},
        {"role": "function", "name": "f", "content": "1"},
        {"role": "assistant", "content": "done"},
    ]
    transcript = read("openai-chat", messages)
    assert [c.legacy for c in transcript.calls()] == [True]
    assert [(r.legacy, r.name) for r in transcript.results()] == [(True, "f")]
    rules = {d.rule for d in check(messages, mode="saved").diagnostics}
    assert not rules & {"unanswered-call", "orphan-result", "missing-call-id", "missing-result-id"}


def test_chat_result_with_a_list_of_ids() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [call, {**call, "id": "b"}]},
        {"role": "tool", "tool_call_ids": ["a", "b"], "content": "1"},
    ]
    results = list(read("openai-chat", messages).results())
    assert [(r.id, r.id_at and r.id_at.pointer) for r in results] == [
        ("a", "/2/tool_call_ids/0"),
        ("b", "/2/tool_call_ids/1"),
    ]


def test_chat_call_without_the_level_between() -> None:
    messages = [{"role": "assistant", "tool_calls": [{"id": "a", "name": "f", "arguments": "{}"}]}]
    (call,) = read("openai-chat", messages).calls()
    assert (call.name, call.arguments, call.arguments_form) == ("f", "{}", "text")


# -- OpenAI Responses


@pytest.mark.parametrize(
    ("call", "output", "name"),
    [
        ({"type": "custom_tool_call", "name": "n", "input": "x"}, {"type": "custom_tool_call_output"}, "n"),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, {"type": "shell_call_output"}, "shell"),
        ({"type": "local_shell_call", "action": {}}, {"type": "local_shell_call_output"}, "local_shell"),
        ({"type": "apply_patch_call", "operation": {}}, {"type": "apply_patch_call_output"}, "apply_patch"),
        ({"type": "computer_call", "action": {}}, {"type": "computer_call_output"}, "computer"),
    ],
)
def test_responses_calls_of_every_type(call: Json, output: Json, name: str) -> None:
    items = [{"role": "user", "content": "go"}, {**call, "call_id": "c", "id": "i"}, {**output, "call_id": "c"}]
    transcript = read("openai-responses", items)
    (made,), (answer,) = transcript.calls(), transcript.results()
    assert (made.id, made.name, made.hosted, answer.id, answer.hosted) == ("c", name, False, "c", False)
    assert transcript.messages[1].id == "i"
    assert [m.item for m in transcript.messages] == ["", call["type"], output["type"]]


def test_responses_first_local_shell_output_names_the_call_by_id() -> None:
    (result,) = read("openai-responses", [{"type": "local_shell_call_output", "id": "c", "output": "x"}]).results()
    assert result.id == "c"


@pytest.mark.parametrize("kind", ["web_search_call", "file_search_call", "code_interpreter_call", "mcp_call"])
def test_responses_hosted_items_want_no_answer(kind: str) -> None:
    items = [{"role": "user", "content": "go"}, {"type": kind, "id": "x_1", "status": "completed"}]
    (call,) = read("openai-responses", items).calls()
    assert call.kind is Kind.HOSTED_CALL
    assert call.id is None


def test_responses_tool_search_is_the_clients_only_where_it_says_so() -> None:
    server = {"type": "tool_search_call", "execution": "server", "arguments": {}}
    client = {"type": "tool_search_call", "execution": "client", "call_id": "c", "arguments": {}}
    assert [c.hosted for c in read("openai-responses", [server, client]).calls()] == [True, False]


def test_responses_approval_pairs_by_its_own_id() -> None:
    items = [
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "n", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    ]
    transcript = read("openai-responses", items)
    assert [c.id for c in transcript.calls()] == ["mcpr_1"] == [r.id for r in transcript.results()]


def test_responses_input_as_text() -> None:
    candidate = Candidate("hello", Place() / "input", body={"model": "m", "input": "hello"})
    (message,) = dialects.get("openai-responses").read(candidate).messages
    assert (message.speaker, message.text, message.at.pointer) == (Speaker.USER, "hello", "/input")


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_responses_chained_request_has_no_head(key: str) -> None:
    items = [{"type": "function_call_output", "call_id": "c", "output": "1"}]
    candidate = Candidate(items, Place() / "input", body={"model": "m", "input": items, key: "x_1"})
    assert dialects.get("openai-responses").read(candidate).state is State.PARTIAL_HEAD
    assert loud({"model": "gpt-4.1", "input": items, key: "x_1"}) == []


def test_responses_reference_may_be_the_call() -> None:
    items = [{"id": "fc_1"}, {"type": "function_call_output", "call_id": "c", "output": "1"}]
    transcript = read("openai-responses", items)
    assert transcript.messages[0].item == "item_reference"
    assert transcript.state is State.PARTIAL_HEAD
    whole = [{"id": "rs_1"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, items[1]]
    assert read("openai-responses", whole).state is State.COMPLETE


def test_responses_reasoning() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}]}
    (part,) = read("openai-responses", [{**item, "encrypted_content": "e"}]).parts()
    assert isinstance(part, Reasoning)
    assert (part.id, part.text, part.encrypted) == ("rs_1", "a", "e")


def test_responses_tools_of_items_count_as_declared() -> None:
    added = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "g"}]}
    space = {"type": "namespace", "name": "s", "tools": [{"type": "function", "name": "h"}]}
    candidate = Candidate([added], Place() / "input", body={"tools": [{"type": "custom", "name": "f"}, space]})
    tools = dialects.get("openai-responses").read(candidate).tools
    assert tools is not None
    assert [t.name for t in tools] == ["f", "s", "h", "g"]


# -- Anthropic by way of others


@pytest.mark.parametrize("version", ["bedrock-2023-05-31", "vertex-2023-10-16"])
def test_anthropic_bodies_for_bedrock_and_vertex(version: str) -> None:
    body = {"anthropic_version": version, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    report = check(body)
    assert [t.dialect for f in report.files for t in f.transcripts] == ["anthropic"]


# -- Bedrock Converse


def test_converse_call_and_result_in_one_message_are_hosted() -> None:
    use = {"toolUse": {"toolUseId": "t", "name": "n", "input": {}}}
    result = {"toolResult": {"toolUseId": "t", "content": [{"text": "1"}], "type": "nova_code_interpreter_result"}}
    transcript = read("bedrock-converse", [{"role": "assistant", "content": [use, result, {"text": "x"}]}])
    assert [p.kind for p in transcript.parts()] == [Kind.HOSTED_CALL, Kind.HOSTED_RESULT, Kind.TEXT]


def test_converse_media_and_reasoning() -> None:
    blocks = [
        {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
        {"document": {"format": "pdf", "name": "a", "source": {"bytes": "AAAA"}}},
        {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}},
        {"reasoningContent": {"redactedContent": "AAAA"}},
        {"guardContent": {"text": {"text": "g"}}},
        {"cachePoint": {"type": "default"}},
    ]
    image, document, reasoning, redacted, guarded, cache = read(
        "bedrock-converse", [{"role": "user", "content": blocks}]
    ).parts()
    assert isinstance(image, Media)
    assert (image.media_type, image.data) == ("image/png", "AAAA")
    assert isinstance(document, Media)
    assert (document.media_type, document.name) == ("application/pdf", "a")
    assert isinstance(reasoning, Reasoning)
    assert (reasoning.text, reasoning.signature) == ("t", "s")
    assert isinstance(redacted, Reasoning)
    assert redacted.redacted
    assert (guarded.text, cache.kind) == ("g", Kind.CONTROL)


def test_nova_body() -> None:
    body = {"schemaVersion": "messages-v1", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}
    assert [t.dialect for f in check(body).files for t in f.transcripts] == ["bedrock-converse"]


# -- Mistral, Cohere, Ollama


def test_mistral_thinking_is_told_from_anthropics() -> None:
    def told(words: Json) -> str | None:
        content = [{"type": "thinking", "thinking": words}, {"type": "text", "text": "x"}]
        dialect, _ = dialects.recognise(dialects.marks_of([{"role": "assistant", "content": content}]))
        return None if dialect is None else dialect.name

    assert told([{"type": "text", "text": "hm"}]) == "mistral"
    assert told("hm") == "anthropic"


@pytest.mark.parametrize(
    ("model", "name", "more"),
    [
        ("mistral-large-latest", "mistral", {}),
        ("mistral-small-2503", "mistral", {}),
        ("open-mixtral-8x7b-2312", "mistral", {}),
        ("mistral-nemo:12b", "openai-chat", {}),
        ("mistralai/mistral-large", "openai-chat", {}),
        ("command-a-03-2025", "cohere", {}),
        ("command-r:35b", "openai-chat", {}),
        ("claude-sonnet-4-5", "anthropic", {"max_tokens": 9}),
        ("claude-sonnet-4-5", "openai-chat", {}),
        ("gpt-4.1", "openai-chat", {"max_tokens": 9}),
    ],
)
def test_plain_text_messages_are_told_by_the_model_where_only_one_service_has_it(
    model: str, name: str, more: Json
) -> None:
    messages = [{"role": "user", "content": "hi"}]
    dialect, _ = dialects.recognise(dialects.marks_of(messages, {"model": model, "messages": messages, **more}))
    assert dialect is not None
    assert dialect.name == name


def test_cohere_name_stands_for_both_versions() -> None:
    def told(message: Json) -> list[str]:
        return [t.dialect for f in check([message], dialect="cohere").files for t in f.transcripts]

    assert told({"role": "USER", "message": "hi"}) == ["cohere-v1"]
    assert told({"role": "user", "content": "hi"}) == ["cohere"]


def test_cohere_v1_results_and_message_of_the_request_follow_the_history() -> None:
    call = {"name": "f", "parameters": {"a": 1}}
    history = [{"role": "USER", "message": "go"}, {"role": "CHATBOT", "message": "well", "tool_calls": [call]}]
    body = {"chat_history": history, "message": "", "tool_results": [{"call": call, "outputs": [{"b": 2}]}]}
    candidate = Candidate(history, Place() / "chat_history", body=body)
    transcript = dialects.get("cohere-v1").read(candidate)
    assert [m.speaker for m in transcript.messages] == [Speaker.USER, Speaker.ASSISTANT, Speaker.TOOL]
    assert transcript.messages[-1].at.pointer == "/tool_results"
    assert loud(body) == []


def test_ollama_images() -> None:
    (text, image) = read("ollama", [{"role": "user", "content": "x", "images": ["AAAA"]}]).parts()
    assert text.text == "x"
    assert isinstance(image, Media)
    assert (image.data, image.at.pointer) == ("AAAA", "/0/images/0")


# -- frameworks


def test_langchain_call_that_only_the_content_shows_is_hidden() -> None:
    block = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    message: Json = {"type": "ai", "data": {"content": [block], "tool_calls": []}}
    (call,) = read("langchain", [message]).calls()
    assert (call.id, call.hidden, call.at.pointer) == ("c", True, "/0/data/content/0")
    shown = {"name": "f", "args": {}, "id": "c", "type": "tool_call"}
    message["data"]["tool_calls"] = [shown]
    calls = list(read("langchain", [message]).calls())
    assert [(c.hidden, c.at.pointer) for c in calls] == [(False, "/0/data/tool_calls/0")]


def test_langchain_raw_calls_count_where_its_own_lists_are_empty() -> None:
    raw = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"type": "ai", "content": "", "tool_calls": [], "additional_kwargs": {"tool_calls": [raw]}}
    (call,) = read("langchain", [message]).calls()
    assert (call.id, call.name, call.at.pointer) == ("c", "f", "/0/additional_kwargs/tool_calls/0")


@pytest.mark.parametrize(
    ("state", "kinds"),
    [
        ("input-streaming", [Kind.CONTROL]),
        ("input-available", [Kind.CALL]),
        ("approval-requested", [Kind.CALL]),
        ("approval-responded", [Kind.CALL]),
        ("output-available", [Kind.CALL, Kind.RESULT]),
        ("output-error", [Kind.CALL, Kind.RESULT]),
        ("output-denied", [Kind.CALL, Kind.RESULT]),
    ],
)
def test_ui_states(state: str, kinds: list[Kind]) -> None:
    part = {"type": "tool-f", "toolCallId": "c", "state": state, "input": {}, "output": 1, "errorText": "e"}
    transcript = read("ai-sdk-ui", [{"role": "assistant", "parts": [part]}])
    assert [p.kind for p in transcript.parts()] == kinds
    for result in transcript.results():
        assert result.message.speaker is Speaker.TOOL
        assert result.is_error == (state != "output-available")


def test_ui_steps_become_messages_of_one_index() -> None:
    def tool(n: str) -> Json:
        return {"type": "dynamic-tool", "toolName": "f", "toolCallId": n, "state": "output-available", "output": 1}

    step = {"type": "step-start"}
    parts = [step, tool("a"), tool("b"), step, tool("c"), step, {"type": "text", "text": "x"}]
    messages = read("ai-sdk-ui", [{"role": "assistant", "parts": parts}]).messages
    kinds = [(m.index, m.speaker.value, len(m.calls), len(m.results)) for m in messages]
    assert kinds == [
        (0, "assistant", 2, 0),
        (0, "tool", 0, 2),
        (0, "assistant", 1, 0),
        (0, "tool", 0, 1),
        (0, "assistant", 0, 0),
    ]


def test_ui_tools_that_the_provider_ran() -> None:
    part = {"type": "tool-f", "toolCallId": "c", "state": "output-available", "output": 1, "providerExecuted": True}
    transcript = read("ai-sdk-ui", [{"role": "assistant", "parts": [part]}])
    assert [p.kind for p in transcript.parts()] == [Kind.HOSTED_CALL, Kind.HOSTED_RESULT]
    assert len(transcript.messages) == 1


def test_model_message_results_in_assistant_messages_are_hosted() -> None:
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": {"type": "error-text", "value": "e"}}
    transcript = read("ai-sdk-model", [{"role": "assistant", "content": [call, result]}])
    assert [p.kind for p in transcript.parts()] == [Kind.HOSTED_CALL, Kind.HOSTED_RESULT]
    (made,) = transcript.results()
    assert (made.is_error, made.text) == (True, "e")


def test_pydantic_ai_request_is_read_by_speaker() -> None:
    parts = [
        {"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "c", "content": "1"},
        {"part_kind": "retry-prompt", "content": "again"},
        {"part_kind": "user-prompt", "content": ["and", {"url": "x"}]},
    ]
    messages = read("pydantic-ai", [{"kind": "request", "parts": parts}]).messages
    assert [(m.index, m.speaker.value) for m in messages] == [(0, "tool"), (0, "user")]
    assert [p.text for p in messages[1].parts] == ["again", "and"]


def test_pydantic_ai_builtin_tools_are_hosted() -> None:
    call = {"part_kind": "builtin-tool-call", "tool_name": "f", "tool_call_id": "c", "args": None}
    result = {"part_kind": "native-tool-return", "tool_name": "f", "tool_call_id": "c", "content": {}}
    transcript = read("pydantic-ai", [{"kind": "response", "parts": [call, result]}])
    assert [p.kind for p in transcript.parts()] == [Kind.HOSTED_CALL, Kind.HOSTED_RESULT]


def test_otel_item_ids_pair_by_order() -> None:
    messages: Json = [
        {"role": "user", "parts": [{"type": "text", "content": "go"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "fc_1", "name": "f", "arguments": {}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "result": "1"}]},
    ]
    transcript = read("otel-genai", messages)
    assert [c.id for c in transcript.calls()] == [None] == [r.id for r in transcript.results()]
    assert "by order" in (transcript.candidate.notice or "")
    assert loud(messages) == []
    messages[2]["parts"][0]["id"] = "fc_1"
    assert [c.id for c in read("otel-genai", messages).calls()] == ["fc_1"]


def test_sharegpt_forms_of_calls() -> None:
    def calls(value: str, role: str = "gpt") -> list[tuple[Any, Any]]:
        return [(c.name, c.arguments) for c in read("sharegpt", [{"from": role, "value": value}]).calls()]

    call = json.dumps({"name": "f", "arguments": {"a": 1}})
    assert calls(call, "function_call") == [("f", {"a": 1})]
    assert calls(f"[{call}, {call}]", "function_call") == [("f", {"a": 1})] * 2
    assert calls("g(a='b')", "tool_call") == [("g", "g(a='b')")]
    assert calls(f"hm <tool_call>{call}</tool_call><tool_call>{call}") == [("f", {"a": 1})] * 2
    assert calls(f"<functioncall> {call} <|endoftext|>") == [("f", {"a": 1})]
    assert calls(call) == []


def test_sharegpt_one_observation_answers_all_calls_of_a_turn() -> None:
    calls = json.dumps([{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}])
    messages = [{"from": "human", "value": "go"}, {"from": "function_call", "value": calls}]
    messages.append({"from": "observation", "value": "[1, 2]"})
    assert len(list(read("sharegpt", messages).results())) == 2
    assert loud(messages) == []


def test_inspect_names_its_tools() -> None:
    call = {"id": "c", "function": "f", "arguments": {"a": 1}, "type": "function"}
    answer = {
        "role": "tool",
        "tool_call_id": "c",
        "function": "f",
        "content": "",
        "error": {"type": "x", "message": "y"},
    }
    transcript = read("inspect", [{"role": "assistant", "content": "", "tool_calls": [call]}, answer])
    (made,), (result,) = transcript.calls(), transcript.results()
    assert isinstance(made, Call)
    assert isinstance(result, Result)
    assert (made.name, result.name, result.is_error) == ("f", "f", True)
