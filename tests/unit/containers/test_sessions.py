"""Logs of coding agents and evaluations: what was said, what was taken back, and where it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from turnlint.engine import Settings
from turnlint.fixing import fix_documents
from turnlint.model import State
from turnlint.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable


# Codex


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "response_item", "payload": payload}


def event(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "event_msg", "payload": payload}


def words(role: str, text: str = "Hello") -> dict[str, Any]:
    return item(type="message", role=role, content=[{"type": "input_text", "text": text}])


CALL = item(type="function_call", call_id="c1", name="shell", arguments="{}")
OUTPUT = item(type="function_call_output", call_id="c1", output="ok")


def test_codex_takes_items_and_not_events(find: Callable[..., Any]) -> None:
    lines = [words("user"), event(type="user_message", message="Hello"), CALL, OUTPUT, item(type="ghost_snapshot")]
    [candidate], _ = find("codex", *lines)
    assert [m["type"] for m in candidate.messages] == ["message", "function_call", "function_call_output"]
    assert (candidate.place(1).document, candidate.place(1).pointer) == (2, "/payload")


def test_codex_rolls_back_whole_turns(find: Callable[..., Any]) -> None:
    lines = [
        words("user"),
        words("assistant"),
        words("user", "No"),
        CALL,
        event(type="thread_rolled_back", num_turns=1),
    ]
    [candidate], _ = find("codex", *lines, words("user", "Yes"))
    assert [m["role"] for m in candidate.messages] == ["user", "assistant", "user"]


def test_codex_parts_a_log_where_it_was_compacted(find: Callable[..., Any]) -> None:
    compacted = {"type": "compacted", "payload": {"replacement_history": [words("user")["payload"]]}}
    before, after = find("codex", words("user"), CALL, OUTPUT, compacted, words("assistant"))[0]
    assert (before.state, after.state) == (State.COMPLETE, State.PARTIAL_HEAD)
    assert after.place(0).pointer == "/payload/replacement_history/0"


def test_codex_with_what_was_taken_out(find: Callable[..., Any]) -> None:
    hidden = item(type="function_call", call_id="c1", name="shell", arguments="[REDACTED_ARGUMENTS len=153]")
    [candidate], _ = find("codex", words("user"), hidden, OUTPUT)
    assert candidate.state is State.REDACTED
    nameless = item(type="function_call", call_id="[trimmed for fixture]", name="shell", arguments="{}")
    [candidate], _ = find("codex", words("user"), nameless)
    assert candidate.state is State.NOT_RECORDED


def test_codex_names_the_provider_only_where_it_is_one(find: Callable[..., Any]) -> None:
    def meta(provider: str) -> dict[str, Any]:
        return {"type": "session_meta", "payload": {"id": "x", "model_provider": provider}}

    assert find("codex", meta("openai"), words("user"))[0][0].target == "openai"
    assert find("codex", meta("my-own"), words("user"))[0][0].target is None


def test_codex_events_are_no_history(find: Callable[..., Any]) -> None:
    candidates, [skipped] = find("codex", {"type": "thread.started", "thread_id": "x"}, {"type": "turn.started"})
    assert candidates == []
    assert skipped.known


# Gemini CLI

HEADER = {"sessionId": "s", "projectHash": "h"}


def gemini(id: str, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "type": "gemini", "content": "Well.", "toolCalls": list(calls), **more}


def tool(id: str) -> dict[str, Any]:  # noqa: A002
    response = {"functionResponse": {"id": id, "name": "f", "response": {"output": "ok"}}}
    return {"id": id, "name": "f", "args": {}, "result": [response]}


def test_gemini_calls_and_results_are_taken_apart(find: Callable[..., Any]) -> None:
    user = {"id": "u", "type": "user", "content": "Hello"}
    [candidate], _ = find("gemini-cli", HEADER, user, gemini("a", tool("c1"), tool("c2")))
    assert [m["role"] for m in candidate.messages] == ["user", "model", "user"]
    assert [p["functionResponse"]["id"] for p in candidate.messages[2]["parts"]] == ["c1", "c2"]
    place = candidate.place(2) / "parts" / 1 / "functionResponse"
    assert candidate.real(place).pointer == "/toolCalls/1/result/0/functionResponse"
    assert candidate.real(place).document == 2
    assert not candidate.fixable


def test_gemini_records_that_come_again_replace_and_rewinding_forgets(find: Callable[..., Any]) -> None:
    user = {"id": "u", "type": "user", "content": "Hello"}
    lines = [HEADER, user, gemini("a"), gemini("a", tool("c1")), {"id": "v", "type": "user", "content": "No"}]
    [candidate], _ = find("gemini-cli", *lines, {"$rewindTo": "v"})
    assert [m["role"] for m in candidate.messages] == ["user", "model", "user"]
    [candidate], _ = find("gemini-cli", *lines, {"$set": {"messages": [user]}})
    assert len(candidate.messages) == 1
    assert candidate.real(candidate.place(0)).pointer == "/$set/messages/0"


# Cline and Roo


def test_cline_leaves_out_what_a_summary_replaced(find: Callable[..., Any]) -> None:
    def message(role: str, **more: Any) -> dict[str, Any]:
        return {"role": role, "content": "Hello", "ts": 1, **more}

    history = [
        message("user", condenseParent="k"),
        message("assistant"),
        message("user", isSummary=True, condenseId="k"),
    ]
    [candidate], _ = find("cline", history)
    assert len(candidate.messages) == 2
    assert candidate.state is State.PARTIAL_HEAD
    assert candidate.place(0).pointer == "/1"
    assert candidate.messages[0] == {"role": "assistant", "content": "Hello"}
    del history[2]["condenseId"]
    [candidate], _ = find("cline", history)
    assert len(candidate.messages) == 3


# OpenHands


def openhands(call: str, response: str, *calls: str) -> dict[str, Any]:
    asked = [{"id": c, "type": "function", "function": {"name": "f", "arguments": "{}"}} for c in calls]
    message = {"role": "assistant", "content": "", "tool_calls": asked}
    return {
        "tool_call_id": call,
        "function_name": "f",
        "model_response": {"id": response, "choices": [{"message": message}]},
    }


def test_openhands_turns_come_once_and_a_finish_is_no_call(find: Callable[..., Any]) -> None:
    one, two, end = openhands("a", "r1", "a", "b"), openhands("b", "r1", "a", "b"), openhands("c", "r2", "c")
    events = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Hello"}},
        {"id": 1, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": one},
        {"id": 2, "source": "agent", "observation": "run", "content": "ok", "tool_call_metadata": one},
        {"id": 3, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": two},
        {"id": 4, "source": "agent", "observation": "run", "content": "ok", "tool_call_metadata": two},
        {"id": 5, "source": "agent", "action": "finish", "args": {"thought": "Done."}, "tool_call_metadata": end},
    ]
    [candidate], _ = find("openhands", events)
    assert [m["role"] for m in candidate.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert "tool_calls" not in candidate.messages[-1]
    forget = {"id": 6, "source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [0, 1, 2, 3, 4]}}
    [candidate], _ = find("openhands", [*events, forget])
    assert [m["role"] for m in candidate.messages] == ["assistant"]


# tau-bench and ATIF


def test_tau2_leaves_out_the_tools_of_the_simulated_user(find: Callable[..., Any]) -> None:
    messages = [
        {
            "role": "user",
            "content": None,
            "tool_calls": [{"id": "u1", "name": "f", "arguments": {}, "requestor": "user"}],
        },
        {"role": "tool", "id": "u1", "content": "ok", "requestor": "user"},
        {"role": "assistant", "content": "Well.", "tool_calls": [{"id": "c1", "name": "f", "arguments": {"a": 1}}]},
        {"role": "tool", "id": "c1", "content": "ok", "requestor": "assistant"},
    ]
    [candidate], _ = find("tau-bench", {"tasks": [], "simulations": [{"task_id": "0", "messages": messages}]})
    assert [m["role"] for m in candidate.messages] == ["assistant", "tool"]
    assert candidate.messages[0]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a":1}'}
    assert candidate.real(candidate.place(1) / "tool_call_id").pointer == "/simulations/0/messages/3/id"


def test_atif_observations_without_a_link_are_of_the_whole_step(find: Callable[..., Any]) -> None:
    calls: list[dict[str, Any]] = [
        {"tool_call_id": key, "function_name": "f", "arguments": {}} for key in ("a", "b", "c")
    ]
    results = [{"source_call_id": "b", "content": "1"}, {"content": "2"}]
    step = {"source": "agent", "message": "", "tool_calls": calls, "observation": {"results": results}}
    [candidate], _ = find("atif", {"schema_version": "ATIF-v1.5", "steps": [step]})
    assert [m.get("tool_call_id") for m in candidate.messages] == [None, "b", "a", "c"]


# SWE-agent


def test_swe_agent_keeps_its_own_keys_out(find: Callable[..., Any]) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "Hello", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "", "agent": "main", "tool_calls": [call], "thought": "", "action": "f"},
        {"role": "tool", "content": "ok", "agent": "main", "tool_call_ids": ["c1"]},
    ]
    [candidate], _ = find("swe-agent", {"history": history})
    assert [sorted(m) for m in candidate.messages] == [
        ["content", "role"],
        ["content", "role", "tool_calls"],
        ["content", "role", "tool_call_id"],
    ]
    assert candidate.real(candidate.place(2) / "tool_call_id").pointer == "/history/2/tool_call_ids/0"


# What the converters share


def test_calls_in_records_of_their_own_are_one_turn(find: Callable[..., Any]) -> None:
    def call(number: int) -> dict[str, Any]:
        asked = {"id": f"c{number}", "name": "f", "args": {}}
        return {"author": "a", "invocationId": "i", "content": {"role": "model", "parts": [{"functionCall": asked}]}}

    def result(number: int) -> dict[str, Any]:
        answer = {"id": f"c{number}", "name": "f", "response": {"result": "ok"}}
        return {
            "author": "a",
            "invocationId": "i",
            "content": {"role": "user", "parts": [{"functionResponse": answer}]},
        }

    [candidate], _ = find("framework-dumps", {"events": [call(1), call(2), result(1), result(2)]})
    assert [m["role"] for m in candidate.messages] == ["assistant", "tool", "tool"]
    assert [c["id"] for c in candidate.messages[0]["tool_calls"]] == ["c1", "c2"]
    second = candidate.place(0) / "tool_calls" / 1
    assert candidate.real(second).pointer == "/events/1"
    assert candidate.real(candidate.place(2) / "content").pointer == "/events/3"


def test_harmony_pairs_by_tool_and_order(find: Callable[..., Any]) -> None:
    def call(tool: str) -> str:
        return f"<|start|>assistant<|channel|>commentary to={tool} <|constrain|>json<|message|>{{}}<|call|>"

    def result(tool: str) -> str:
        return f"<|start|>{tool} to=assistant<|channel|>commentary<|message|>ok<|end|>"

    text = "<|start|>user<|message|>Hello<|end|>" + call("functions.f") + call("functions.g") + result("functions.g")
    [candidate], _ = find("harmony", text + result("functions.f") + result("functions.h") + "<|start|>assistant")
    user, turn, *results = candidate.messages
    f, g = (c["id"] for c in turn["tool_calls"])
    assert [m["tool_call_id"] for m in results[:2]] == [g, f]
    assert results[2]["tool_call_id"] not in (f, g)
    assert user == {"role": "user", "content": "Hello"}


def test_a_codex_log_is_repaired_line_by_line() -> None:
    lines = [words("user"), CALL, event(type="agent_message"), words("user", "Still there?")]
    documents = [Document(line, json.dumps(line).encode(), number) for number, line in enumerate(lines)]
    outcome = fix_documents(documents, Settings(), unsafe=True)
    assert [a.rule for a in outcome.applied] == ["unanswered-call"]
    values = [d.value for d in outcome.documents]
    assert [v for v in values if v in lines] == lines
    [added] = [v for v in values if v not in lines]
    assert (added["type"], added["timestamp"]) == ("response_item", "t")
    assert (added["payload"]["type"], added["payload"]["call_id"]) == ("function_call_output", "c1")
