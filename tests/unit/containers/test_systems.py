"""One small export of each system that logs conversations: a whole one is quiet, a call without its result is found."""

from __future__ import annotations

import copy
import io
import json
from json import dumps
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.engine import Settings, check_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnlint.diagnostic import Report

    Export = Callable[[bool], Any]

ASK = {"role": "user", "content": "Is the ferry on time?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "ferry", "arguments": '{"line": 4}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "ten minutes late"}
MORE = {"role": "user", "content": "And the next one?"}
SAID = {"role": "assistant", "content": "It is late."}
REPLY = {"id": "c1", "object": "chat.completion", "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}]}


def chat(whole: bool) -> list[dict[str, Any]]:
    return [ASK, CALLED, RESULT, SAID, MORE] if whole else [ASK, CALLED, MORE]


def body(whole: bool) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": chat(whole)}


def observation(whole: bool) -> dict[str, Any]:
    return {"id": "o1", "traceId": "t1", "type": "GENERATION", "model": "gpt-4o", "input": chat(whole), "output": SAID}


def datadog(whole: bool) -> dict[str, Any]:
    call = {"name": "ferry", "arguments": {"line": 4}, "tool_id": "call_1", "type": "function"}
    result = {"name": "ferry", "result": "late", "tool_id": "call_1", "type": "tool_result"}
    messages = [ASK, {"role": "assistant", "content": "", "tool_calls": [call]}]
    messages += [{"role": "tool", "content": "", "tool_results": [result]}] if whole else []
    return {
        "span_id": "1",
        "trace_id": "2",
        "meta": {"kind": "llm", "input": {"messages": [*messages, MORE]}, "output": {"messages": [SAID]}},
        "ml_app": "ferries",
    }


def llama_index(call: dict[str, Any], whole: bool) -> list[dict[str, Any]]:
    def block(text: str) -> list[dict[str, str]]:
        return [{"block_type": "text", "text": text}]

    result = {"role": "tool", "additional_kwargs": {"tool_call_id": "call_1"}, "blocks": block("late")}
    user = {"role": "user", "additional_kwargs": {}, "blocks": block("Is the ferry on time?")}
    return [user, {"role": "assistant", "additional_kwargs": {}, "blocks": [], **call}, *([result] * whole), user]


def lobe_chat(whole: bool) -> dict[str, Any]:
    call = {"id": "call_1", "identifier": "ferries", "apiName": "ferry", "arguments": "{}", "type": "builtin"}
    result = {"role": "tool", "content": "late", "tool_call_id": "call_1", "plugin": {"apiName": "ferry"}, "id": "3"}
    asked = {"role": "assistant", "content": "", "id": "2", "tools": [call]}
    return {"messages": [{**ASK, "id": "1"}, asked, *([result] * whole), {**MORE, "id": "4"}]}


def letta(whole: bool) -> list[dict[str, Any]]:
    call = {"name": "ferry", "arguments": "{}", "tool_call_id": "call_1"}
    result = {"message_type": "tool_return_message", "tool_return": "late", "tool_call_id": "call_1"}
    return [
        {"id": "1", "message_type": "user_message", "content": "Is the ferry on time?"},
        {"id": "2", "message_type": "tool_call_message", "tool_call": call},
        *([result] * whole),
        {"id": "4", "message_type": "user_message", "content": "And the next one?"},
    ]


def open_webui(whole: bool) -> dict[str, Any]:
    call = {"type": "function_call", "call_id": "call_1", "name": "ferry", "arguments": "{}", "id": "fc_1"}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "late"}
    messages = {
        "a": {"id": "a", "parentId": None, "childrenIds": ["b", "x"], **ASK},
        "x": {"id": "x", "parentId": "a", "childrenIds": [], "role": "assistant", "content": "another branch"},
        "b": {
            "id": "b",
            "parentId": "a",
            "childrenIds": ["c"],
            "role": "assistant",
            "output": [call, *[result] * whole],
        },
        "c": {"id": "c", "parentId": "b", "childrenIds": [], **MORE},
    }
    return {"id": "1", "chat": {"history": {"messages": messages, "currentId": "c"}, "messages": []}}


def prompts(whole: bool) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for number, message in enumerate(chat(whole)):
        start = f"gen_ai.prompt.{number}"
        flat |= {f"{start}.role": message["role"], f"{start}.content": message["content"] or ""}
        if message is CALLED:
            call = {"id": "call_1", "name": "ferry", "arguments": "{}"}
            flat |= {f"{start}.tool_calls.0.{key}": value for key, value in call.items()}
        if message is RESULT:
            flat[f"{start}.tool_call_id"] = "call_1"
    return {"name": "openai.chat", "attributes": flat}


def phoenix(whole: bool) -> dict[str, Any]:
    def flat(message: dict[str, Any]) -> dict[str, Any]:
        saved = {f"message.{key}": message[key] for key in ("role", "content", "tool_call_id") if key in message}
        if message is CALLED:
            call = {"id": "call_1", "function.name": "ferry", "function.arguments": "{}"}
            saved["message.tool_calls"] = [{f"tool_call.{key}": value for key, value in call.items()}]
        return saved

    columns = {"input": [flat(m) for m in chat(whole)], "output": [flat(SAID)]}
    return {"name": "llm", **{f"attributes.llm.{side}_messages": messages for side, messages in columns.items()}}


def sdk_messages(whole: bool) -> list[dict[str, Any]]:
    call = {"type": "tool-call", "toolCallId": "call_1", "toolName": "ferry", "input": {}}
    output = {"type": "text", "value": "late"}
    result = {"type": "tool-result", "toolCallId": "call_1", "toolName": "ferry", "output": output}
    answered = [{"role": "tool", "content": [result]}] if whole else []
    user = {"role": "user", "content": [{"type": "text", "text": "Is the ferry on time?"}]}
    return [user, {"role": "assistant", "content": [call]}, *answered, user]


def gemini(whole: bool) -> dict[str, Any]:
    call = {"role": "model", "parts": [{"functionCall": {"name": "ferry", "args": {}}}]}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "ferry", "response": {"late": True}}}]}
    user = {"role": "user", "parts": [{"text": "Is the ferry on time?"}]}
    return {"contents": [user, call, *([result] if whole else [user])]}


def items(whole: bool) -> list[dict[str, Any]]:
    call = {"type": "function_call", "call_id": "call_1", "name": "ferry", "arguments": "{}"}
    return [ASK, call, *([{"type": "function_call_output", "call_id": "call_1", "output": "late"}] * whole), MORE]


def parts(whole: bool) -> list[dict[str, Any]]:
    ask = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Is the ferry on time?"}]}
    link = {"tool_name": "ferry", "tool_call_id": "call_1"}
    call = {"kind": "response", "parts": [{"part_kind": "tool-call", "args": "{}", **link}]}
    result = {"kind": "request", "parts": [{"part_kind": "tool-return", "content": "late", **link}]}
    return [ask, call, *([result] * whole), ask]


def continue_dev(whole: bool) -> dict[str, Any]:
    asked = {"role": "assistant", "content": "", "toolCalls": CALLED["tool_calls"]}
    result = {"role": "tool", "content": "late", "toolCallId": "call_1"}
    history = [ASK, asked, *([result] * whole), MORE]
    return {"sessionId": "s", "title": "t", "history": [{"message": m, "contextItems": []} for m in history]}


def opencode(whole: bool) -> dict[str, Any]:
    state: dict[str, Any] = {"status": "completed" if whole else "running", "input": {}, "output": "late"}
    call = {"type": "tool", "tool": "ferry", "callID": "call_1", "state": state}
    user = {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "Is the ferry on time?"}]}
    asked = {"info": {"id": "m2", "role": "assistant"}, "parts": [{"type": "step-start"}, call]}
    return {"info": {"id": "s"}, "messages": [user, asked, user]}


def amp(whole: bool) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "toolu_1", "name": "ferry", "input": {}}
    result = {"type": "tool_result", "toolUseID": "toolu_1", "run": {"status": "done", "result": "late"}}
    asked = [ASK, {"role": "assistant", "content": [{"type": "text", "text": "I will ask."}, call]}]
    other = {"type": "tool_use", "id": "toolu_0", "name": "ferry", "input": {}}
    earlier = [
        {"role": "assistant", "content": [other]},
        {"role": "user", "content": [{**result, "toolUseID": "toolu_0"}]},
    ]
    return {"v": 1, "messages": [ASK, *earlier, *asked, *([{"role": "user", "content": [result]}] * whole), MORE]}


def goose(whole: bool) -> list[dict[str, Any]]:
    call = {"status": "success", "value": {"name": "ferry", "arguments": {}}}
    result = {"status": "success", "value": [{"type": "text", "text": "late"}]}
    user = {"role": "user", "created": 1, "content": [{"type": "text", "text": "Is the ferry on time?"}]}
    return [
        user,
        {"role": "assistant", "created": 2, "content": [{"type": "toolRequest", "id": "c1", "toolCall": call}]},
        *(
            [{"role": "user", "created": 3, "content": [{"type": "toolResponse", "id": "c1", "toolResult": result}]}]
            * whole
        ),
        user,
    ]


def agent_data(whole: bool) -> dict[str, Any]:
    user = {"class_": "text_observation", "source": "user", "content": "Is the ferry on time?"}
    call = {"class_": "api_action", "source": "agent", "function": "ferry", "kwargs": {}, "tool_call_id": "c1"}
    result = {"class_": "text_observation", "source": "environment", "content": "late", "tool_call_id": "c1"}
    said = {"class_": "message_action", "source": "agent", "content": "It is late."}
    return {"id": "1", "content": [user, call, *([result, said] if whole else []), user], "details": {}}


URL = "https://api.openai.com/v1/chat/completions"
SYSTEMS: dict[str, Export] = {
    "Langfuse, one observation": observation,
    "Langfuse, a page of its API": lambda w: {"data": [observation(w)], "meta": {"page": 1}},
    "Langfuse, a trace": lambda w: {"id": "t1", "name": "n", "observations": [observation(w)], "scores": []},
    "Langfuse, a downloaded trace": lambda w: {
        "trace": {"id": "t1"},
        "observations": [{**observation(w), "input": dumps(dumps(body(w))), "output": dumps(dumps(SAID))}],
    },
    "Langfuse, blob storage": lambda w: {"id": "o1", "trace_id": "t1", "input": dumps(body(w)), "output": dumps(SAID)},
    "Braintrust": lambda w: {
        "span_id": "s1",
        "root_span_id": "r1",
        "span_attributes": {"type": "llm", "name": "Chat Completion"},
        "input": chat(w),
        "output": REPLY["choices"],
        "metadata": {"model": "gpt-4o"},
    },
    "Datadog": datadog,
    "Weave": lambda w: {"op_name": "weave:///a", "trace_id": "t", "inputs": {**body(w), "self": {}}, "output": REPLY},
    "Helicone": lambda w: {"request_id": "r", "request_body": body(w), "response_body": REPLY, "response_status": 200},
    "Portkey": lambda w: {
        "request": {"method": "POST", "url": URL, "body": body(w)},
        "response": {"status": 200, "body": REPLY},
    },
    "OpenPipe": lambda w: {"input": body(w), "output": REPLY, "tags": {}},
    "Vertex request log": lambda w: {
        "full_request": dumps(gemini(w)),
        "full_response": dumps([]),
        "model": "gemini-2.0",
    },
    "Azure API Management": lambda w: {"RequestMessages": dumps(chat(w)), "ResponseMessages": dumps([SAID])},
    "stored completions": lambda w: {
        "object": "list",
        "data": [{**m, "id": f"c1-{n}", "content_parts": None} for n, m in enumerate(chat(w))],
        "has_more": False,
    },
    "Databricks": lambda w: {"databricks_request_id": "d", "request": dumps(body(w)), "response": dumps(REPLY)},
    "LiteLLM spend log": lambda w: {
        "request_id": "r",
        "call_type": "acompletion",
        "spend": 0.1,
        "messages": "{}",
        "response": dumps(REPLY),
        "proxy_server_request": dumps(body(w)),
    },
    "OpenLLMetry, flat": prompts,
    "Phoenix data frame": phoenix,
    "AI SDK telemetry": lambda w: {
        "name": "ai.generateText.doGenerate",
        "attributes": {"ai.model.id": "gpt-4o", "ai.prompt.messages": dumps(sdk_messages(w))},
    },
    "Agno": lambda w: {"run_id": "r", "messages": [{**m, "created_at": 1, "from_history": False} for m in chat(w)]},
    "LlamaIndex, blocks": lambda w: llama_index(
        {"blocks": [{"block_type": "tool_call", "tool_call_id": "call_1", "tool_name": "ferry", "tool_kwargs": {}}]}, w
    ),
    "LlamaIndex, a chat store": lambda w: {
        "store": {"anna": llama_index({"additional_kwargs": {"tool_calls": CALLED["tool_calls"]}}, w)}
    },
    "LobeChat": lobe_chat,
    "Letta": letta,
    "Open WebUI": open_webui,
    "Continue": continue_dev,
    "OpenCode": opencode,
    "Amp": amp,
    "Goose": goose,
    "Agent Data Protocol": agent_data,
    "traces on the Hub": lambda w: {
        "harness": "pi",
        "session_id": "s",
        "prompt": "q",
        "messages": chat(w),
        "trace": None,
    },
    "deep inside": lambda w: {"meta": {"v": 1}, "result": {"run": {"thread": chat(w)}}},
    "by session": lambda w: {"monday": chat(w), "tuesday": chat(True)},
    "items under a key of their own": lambda w: {"session": "s", "items": items(w)},
    "a database row of pydantic-ai": lambda w: {"id": 1, "message_history": parts(w)},
    "a column of JSON text": lambda w: {"id": 1, "messages": dumps(chat(w))},
}


def check(value: Any) -> Report:
    return check_source(None, io.BytesIO(json.dumps(value).encode()), name="export", settings=Settings())


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_whole_one_is_quiet(system: str) -> None:
    report = check(SYSTEMS[system](True))
    assert report.transcripts > 0
    assert [(d.rule, d.pointer) for d in report.diagnostics if d.severity != "info"] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_call_without_its_result(system: str) -> None:
    report = check(SYSTEMS[system](False))
    assert [d.rule for d in report.diagnostics if d.severity == "error"] == ["unanswered-call"]
    assert report.diagnostics[0].line == 1


NOCK = {"scope": "https://api.openai.com:443", "method": "POST", "path": "/v1/chat/completions", "rawHeaders": []}
PROXY = "https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
RECORDERS: dict[str, Callable[[bool, int], Any]] = {
    "nock": lambda w, status: [{**NOCK, "body": body(w), "status": status, "response": REPLY}],
    "Azure SDK test proxy": lambda w, status: {
        "Entries": [
            {
                "RequestUri": PROXY,
                "RequestMethod": "POST",
                "RequestBody": body(w),
                "StatusCode": status,
                "ResponseBody": REPLY,
            }
        ]
    },
}


@pytest.mark.parametrize("recorder", RECORDERS)
def test_recordings(recorder: str) -> None:
    make = RECORDERS[recorder]
    assert check(make(True, 200)).transcripts == 1
    assert check(make(True, 200)).diagnostics == []
    assert [d.rule for d in check(make(False, 200)).diagnostics if d.severity == "error"] == []  # it was accepted
    assert [d.rule for d in check(make(False, 400)).diagnostics if d.severity == "error"] == ["unanswered-call"]


def test_a_stub_proves_nothing() -> None:
    pattern = {"method": "POST", "url": "/v1/chat/completions", "bodyPatterns": [{"equalToJson": dumps(body(False))}]}
    stub = {"request": pattern, "response": {"status": 200, "jsonBody": REPLY}}
    assert [d.rule for d in check(stub).diagnostics if d.severity == "error"] == ["unanswered-call"]
    assert [d.rule for d in check({"mappings": [stub]}).diagnostics if d.severity == "error"] == ["unanswered-call"]


@pytest.mark.parametrize(
    ("app", "value"),
    [
        ("ChatGPT", [{"title": "Chat", "mapping": {}, "current_node": "1"}]),
        ("Claude.ai", [{"uuid": "1", "name": "Chat", "chat_messages": []}]),
        ("Open WebUI", [{"id": "1", "chat": {"history": {"messages": {}, "currentId": "1"}}}]),
        ("LibreChat", {"messages": [{"messageId": "1", "isCreatedByUser": True, "text": "Hi"}]}),
        ("n8n", {"data": {"resultData": {"runData": {"Model": []}}}}),
        ("smolagents", {"steps": [{"step_number": 1, "tool_calls": [], "observations": "late"}]}),
        ("Copilot Chat", {"requesterUsername": "a", "responderUsername": "b", "requests": []}),
        ("Leaderboard", {"id": "m_0", "question": [[{"role": "user", "content": "q"}]], "function": []}),
        ("without its messages", {"type": "GENERATION", "trace_id": "t", "input": None, "output": None}),
    ],
)
def test_what_holds_no_protocol_is_named(app: str, value: Any) -> None:
    report = check(value)
    assert report.diagnostics == []
    assert report.files[0].status == "unrecognised"
    assert app in (report.files[0].note or "")


@pytest.mark.parametrize(
    "value",
    [
        {"messages": {"de": "Hallo"}},
        {"name": "package", "dependencies": {"a": "1"}, "files": ["x"]},
        {"rows": [{"role": "admin", "content": "x"}, {"role": "user", "content": "y"}]},
        {"users": [{"role": "user", "name": "a"}, {"role": "user", "name": "b"}]},
        {"messages": "[ not json"},
        {"anyOf": [{"type": ["string", "null"], "content": 1}, {"role": {}, "content": 1}]},
        {"messages": '[{"a": 1}]'},
    ],
)
def test_other_data_is_no_conversation(value: Any) -> None:
    assert check(value).transcripts == 0


ODD: tuple[Any, ...] = (None, True, 7, "", "[{", [], {}, [[]], [None], {"role": []}, {"type": ["a"]}, "\ud800")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to everything inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("system", [*SYSTEMS, *RECORDERS])
def test_anything_in_any_place(system: str) -> None:
    make = SYSTEMS.get(system) or (lambda whole: RECORDERS[system](whole, 400))
    original = make(True)
    for number, path in enumerate(places(original)):
        for odd in (ODD[number % len(ODD)], ODD[(number * 5 + 3) % len(ODD)]):
            broken = copy.deepcopy(original)
            node = broken
            for step in path[:-1]:
                node = node[step]
            node[path[-1]] = odd
            check(broken)
