"""Cassettes: every way of writing a body, what the reply adds, snapshots, and what is no chat request."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import turnlint
from turnlint.containers import http
from turnlint.diagnostic import Severity
from turnlint.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable

CHAT = "https://api.openai.com/v1/chat/completions"
USER = {"role": "user", "content": "Weather in Oslo?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "4 degrees"}
ANSWER = {"role": "assistant", "content": "It is 4 degrees."}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o-mini", "messages": list(messages), **more}


def answer(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def interaction(
    request: Any, response: Any, *, url: str = CHAT, status: int = 200, method: str = "POST", **more: Any
) -> dict[str, Any]:
    return {
        "request": {"method": method, "uri": url, "body": json.dumps(request), **more},
        "response": {
            "status": {"code": status, "message": ""},
            "headers": {},
            "body": {"string": json.dumps(response)},
        },
    }


def cassette(*interactions: Any) -> dict[str, Any]:
    return {"version": 1, "interactions": list(interactions)}


def test_request_and_reply(find: Callable[..., Any]) -> None:
    [candidate], skipped = find("vcr", cassette(interaction(chat(USER), answer(ASKED, "tool_calls"))))
    assert skipped == []
    assert candidate.messages == [USER, {**ASKED, "finish_reason": "tool_calls"}]
    assert candidate.sent == 1
    assert candidate.mode == "request"
    assert (candidate.target, candidate.dialect, candidate.model) == ("openai", "openai-chat", "gpt-4o-mini")
    assert candidate.recorded is not None
    assert candidate.recorded.accepted
    assert candidate.at.pointer == "/interactions/0/request/body/messages"
    assert candidate.place(0).pointer == "/interactions/0/request/body/messages/0"
    assert candidate.place(1).pointer == "/interactions/0/response/body/string/choices/0/message"


BODY = json.dumps(chat(USER))
BASE64 = base64.b64encode(BODY.encode()).decode()
ASK = {"model": "m", "messages": [USER]}
CONVERSE = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model"
VERTEX = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers"


@pytest.mark.parametrize(
    ("request_part", "pointer"),
    [
        ({"body": BODY}, "/interactions/0/request/body"),
        ({"body": BODY.encode()}, "/interactions/0/request/body"),
        ({"body": gzip.compress(BODY.encode())}, "/interactions/0/request/body"),
        ({"body": {"string": BODY}}, "/interactions/0/request/body/string"),
        ({"body": {"encoding": "utf-8", "string": BODY}}, "/interactions/0/request/body/string"),
        ({"body": {"base64_string": BASE64}}, "/interactions/0/request/body/base64_string"),
        ({"parsed_body": json.loads(BODY)}, "/interactions/0/request/parsed_body"),
        ({"body": json.loads(BODY)}, "/interactions/0/request/body"),
    ],
    ids=["text", "bytes", "gzip", "string", "betamax", "base64", "parsed_body", "value"],
)  # fmt: skip
def test_ways_of_writing_a_body(find: Callable[..., Any], request_part: dict[str, Any], pointer: str) -> None:
    value = cassette({"request": {"method": "POST", "uri": CHAT, **request_part}, "response": {}})
    [candidate], _ = find("vcr", value)
    assert candidate.messages == [USER]
    assert candidate.body_at.pointer == pointer


def test_other_recorders(find: Callable[..., Any]) -> None:
    go = {
        "version": 2,
        "interactions": [
            {
                "id": 0,
                "request": {"method": "POST", "url": CHAT, "body": BODY},
                "response": {"status": "400 Bad Request", "code": 400, "body": '{"error": {"message": "no"}}'},
            }
        ],
    }
    ruby = {
        "http_interactions": [
            {
                "request": {"method": "post", "uri": CHAT, "body": {"encoding": "UTF-8", "string": BODY}},
                "response": {"status": {"code": 200}, "body": {"string": json.dumps(answer(ANSWER))}},
                "recorded_at": "Tue, 03 Mar 2026 09:30:00 GMT",
            }
        ],
        "recorded_with": "VCR 6.3.1",
    }
    [candidate], _ = find("vcr", go)
    assert candidate.recorded is not None
    assert (candidate.recorded.status, candidate.recorded.text) == (400, "no")
    [candidate], _ = find("vcr", ruby)
    assert len(candidate.messages) == 2
    assert candidate.as_of == "2026-03"


def test_only_the_longest_snapshot_is_kept(find: Callable[..., Any]) -> None:
    value = cassette(
        interaction(chat(USER), answer(ASKED)),
        interaction(chat(USER, ASKED, RESULT), answer(ANSWER)),
        interaction(chat({"role": "user", "content": "Something else"}), answer(ANSWER)),
    )
    candidates, _ = find("vcr", value)
    assert [c.at.pointer for c in candidates] == [
        "/interactions/1/request/body/messages",
        "/interactions/2/request/body/messages",
    ]


def test_refused_snapshots_are_kept(find: Callable[..., Any]) -> None:
    refusal = {"error": {"message": "messages.[1].role is wrong"}}
    value = cassette(
        interaction(chat(USER, RESULT), refusal, status=400), interaction(chat(USER, RESULT, USER), answer(ANSWER))
    )
    candidates, _ = find("vcr", value)
    assert [c.recorded.status for c in candidates] == [400, 200]
    assert candidates[0].recorded.text == "messages.[1].role is wrong"


def test_of_equal_snapshots_the_last_stays_and_inherits_what_streams_lost() -> None:
    one = Candidate([USER], stream_faults=((Candidate([]).at, "lost"),))
    two, three = Candidate([USER]), Candidate([USER, ANSWER])
    assert list(http.longest([one, two, three])) == [three]
    assert [what for _, what in three.stream_faults] == ["lost"]
    assert list(http.longest([one, two])) == [two]
    assert list(http.longest([Candidate([]), Candidate([])])) != []


def test_cache_marks_that_wander_do_not_part_snapshots() -> None:
    text = {"type": "text", "text": "Hello"}
    marked = {**text, "cache_control": {"type": "ephemeral"}}
    first = Candidate([{"role": "user", "content": [marked]}])
    second = Candidate([{"role": "user", "content": [text]}, ANSWER, {"role": "user", "content": [marked]}])
    assert list(http.longest([first, second])) == [second]


@pytest.mark.parametrize(
    ("url", "body", "dialect", "target", "model"),
    [
        ("https://api.anthropic.com/v1/messages", ASK, "anthropic", "anthropic", "m"),
        ("https://api.openai.com/v1/responses", {"model": "m", "input": [USER]}, "openai-responses", "openai", "m"),
        ("https://api.mistral.ai/v1/chat/completions", ASK, "mistral", "mistral", "m"),
        ("https://api.cohere.com/v2/chat", ASK, "cohere", "cohere", "m"),
        ("http://localhost:11434/api/chat", ASK, "ollama", "ollama", "m"),
        ("http://localhost:8000/v1/chat/completions", ASK, "openai-chat", "openai-compatible", "m"),
        (
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?alt=sse",
            {"contents": [{"parts": [{"text": "Hi"}]}]}, "gemini", "gemini", "gemini-2.5-flash",
        ),
        (
            f"{VERTEX}/anthropic/models/claude-x:rawPredict",
            {"anthropic_version": "vertex-2023-10-16", "messages": [USER]}, "anthropic", "vertex-anthropic", "claude-x",
        ),
        (
            f"{BEDROCK}/amazon.nova-micro-v1%3A0/converse",
            CONVERSE, "bedrock-converse", "bedrock", "amazon.nova-micro-v1:0",
        ),
        (
            f"{BEDROCK}/amazon.nova-micro-v1%3A0/invoke",
            CONVERSE, "bedrock-converse", "bedrock", "amazon.nova-micro-v1:0",
        ),
        (
            f"{BEDROCK}/us.anthropic.claude-x/invoke",
            {"anthropic_version": "bedrock-2023-05-31", "messages": [USER]},
            "anthropic", "bedrock", "us.anthropic.claude-x",
        ),
        (
            "https://x.openai.azure.com/openai/deployments/mine/chat/completions?api-version=1",
            {"messages": [USER]}, "openai-chat", "azure-openai", "mine",
        ),
    ],
)  # fmt: skip
def test_paths_and_hosts(
    find: Callable[..., Any], url: str, body: dict[str, Any], dialect: str, target: str, model: str
) -> None:
    [candidate], _ = find("vcr", cassette(interaction(body, {}, url=url)))
    assert (candidate.dialect, candidate.target, candidate.model) == (dialect, target, model)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            interaction({"model": "m", "input": ["a"]}, {}, url="https://api.openai.com/v1/embeddings"),
            "no chat request",
        ),
        (interaction({"messages": [USER]}, {}, url="https://api.openai.com/v1/threads"), "Assistants"),
        (interaction({"jsonrpc": "2.0", "method": "tools/list"}, {}, url="http://localhost/mcp"), "JSON-RPC"),
        (interaction({"query": "x"}, {}, url="http://localhost/search"), "no messages"),
        (interaction({"messages": "no"}, {}, url="http://localhost/x"), "no list"),
        ({"request": {"method": "GET", "uri": "https://x.com/a.png", "body": None}, "response": {}}, "GET request"),
        ({"kind": "connect", "direction": "send", "data": {}}, "WebSocket"),
    ],
)
def test_what_is_no_transcript_is_said(find: Callable[..., Any], value: dict[str, Any], reason: str) -> None:
    candidates, [skipped] = find("vcr", cassette(value))
    assert candidates == []
    assert skipped.known
    assert reason in skipped.reason


def test_reply_of_the_responses_api_to_a_text(find: Callable[..., Any]) -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
    value = interaction({"model": "m", "input": "Hello"}, {"output": [item]}, url="https://api.openai.com/v1/responses")
    [candidate], _ = find("vcr", cassette(value))
    assert candidate.messages == [{"role": "user", "content": "Hello"}, item]
    assert candidate.sent == 1
    assert candidate.place(1).pointer.endswith("/response/body/string/output/0")


def test_a_reply_is_not_judged_as_if_it_had_been_sent() -> None:
    report = turnlint.check(cassette(interaction(chat(USER), answer(ASKED, "tool_calls"))))
    assert report.diagnostics == []
    assert report.messages == 2


def test_what_a_stream_lost_is_a_warning() -> None:
    value = cassette(interaction(chat(USER, stream=True), None))
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "It"}}]}
    value["interactions"][0]["response"]["body"]["string"] = f"data: {json.dumps(chunk)}\n\n"
    [diagnostic] = turnlint.check(value).diagnostics
    assert (diagnostic.rule, diagnostic.severity) == ("unterminated-stream", Severity.WARNING)
    assert diagnostic.pointer == "/interactions/0/response/body/string"


def test_a_recorded_refusal_is_quoted() -> None:
    said = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    value = cassette(interaction(chat(USER, RESULT), {"error": {"message": said}}, status=400))
    [diagnostic] = turnlint.check(value).diagnostics
    assert diagnostic.rule == "orphan-result"
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.provider_error == said
    assert diagnostic.status == 400


def test_a_recorded_acceptance_wins() -> None:
    report = turnlint.check(cassette(interaction(chat(USER, RESULT), answer(ANSWER))))
    assert {d.severity for d in report.diagnostics} == {Severity.INFO}


def test_a_hostile_cassette_is_linear() -> None:
    messages = [USER] * 2000
    value = cassette(*(interaction(chat(*messages[: 10 * n]), answer(ANSWER)) for n in range(1, 40)))
    report = turnlint.check(value)
    assert report.transcripts == 1


def test_a_host_that_nobody_knows_is_judged() -> None:
    """By the servers in the manner of OpenAI: a target that cannot be asked for."""
    call = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}
    url = "http://localhost:4000/v1/chat/completions"
    body = json.dumps({"model": "m", "messages": [USER, call]})
    cassette = {"version": 1, "interactions": [{"request": {"method": "POST", "uri": url, "body": body}}]}
    (found,) = turnlint.check(cassette).diagnostics
    assert (found.rule, found.target, found.severity) == ("orphan-result", "openai-compatible", "warning")
