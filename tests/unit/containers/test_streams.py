"""Streams are put together as the whole reply would have been, and what they lost is said."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint.containers.streams import assemble


def sse(*events: Any, end: str = "") -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(index: int | None, id: str | None = None, name: str | None = None, arguments: str = "") -> dict[str, Any]:  # noqa: A002
    function: dict[str, Any] = {"arguments": arguments}
    if name is not None:
        function["name"] = name
    call: dict[str, Any] = {"function": function}
    if id is not None:
        call["id"] = id
    if index is not None:
        call["index"] = index
    return call


def frame(name: str, payload: dict[str, Any]) -> bytes:
    body = json.dumps(payload).encode()
    header = bytes([11]) + b":event-type" + b"\x07" + len(name).to_bytes(2, "big") + name.encode()
    head = (16 + len(header) + len(body)).to_bytes(4, "big") + len(header).to_bytes(4, "big")
    whole = head + zlib.crc32(head).to_bytes(4, "big") + header + body
    return whole + zlib.crc32(whole).to_bytes(4, "big")


def test_chat_text_and_parallel_calls() -> None:
    stream = assemble(
        sse(
            chunk(role="assistant", content="Let me "),
            chunk(content="look."),
            chunk(tool_calls=[piece(0, "call_a", "get_weather", '{"city": ')]),
            chunk(tool_calls=[piece(1, "call_b", "get_time", "{}")]),
            chunk(tool_calls=[piece(0, arguments='"Oslo"}')]),
            chunk("tool_calls"),
            end="data: [DONE]\n\n",
        )
    )
    assert stream is not None
    assert stream.faults == []
    assert stream.messages == [
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {
                    "id": "call_a",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                },
                {"id": "call_b", "type": "function", "function": {"name": "get_time", "arguments": "{}"}},
            ],
            "finish_reason": "tool_calls",
        }
    ]


def test_chat_calls_under_one_index_stay_apart_and_are_told() -> None:
    stream = assemble(
        sse(
            chunk(tool_calls=[piece(0, "call_a", "f", '{"a": 1}')]),
            chunk(tool_calls=[piece(0, "call_b", "f", '{"b": 2}')]),
            chunk("tool_calls"),
        )
    )
    assert stream is not None
    assert [call["function"]["arguments"] for call in stream.messages[0]["tool_calls"]] == ['{"a": 1}', '{"b": 2}']
    assert [fault for fault in stream.faults if "}{" in fault]


def test_chat_name_that_every_piece_repeats_is_one_name() -> None:
    stream = assemble(
        sse(chunk(tool_calls=[piece(0, "a", "f", "{")]), chunk("stop", tool_calls=[piece(0, "a", "f", "}")]))
    )
    assert stream is not None
    assert stream.messages[0]["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    ("call", "fault"),
    [(piece(0, None, "f", "{}"), "never got its ID"), (piece(0, "call_a", None, "{}"), "never got its name")],
)
def test_chat_calls_that_lack_something(call: dict[str, Any], fault: str) -> None:
    stream = assemble(sse(chunk(tool_calls=[call]), chunk("tool_calls")))
    assert stream is not None
    assert [fault in f for f in stream.faults] == [True]


def test_chat_without_an_end() -> None:
    stream = assemble(sse(chunk(content="Hel"), chunk(content="lo")))
    assert stream is not None
    assert stream.messages == [{"role": "assistant", "content": "Hello"}]
    assert len(stream.faults) == 1
    assert "has no end" in stream.faults[0]


def test_responses_take_the_last_snapshot() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    stream = assemble(
        sse(
            {"type": "response.created", "response": {"output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
            {"type": "response.completed", "response": {"output": [item]}},
        )
    )
    assert stream is not None
    assert stream.messages == [item]
    assert stream.faults == []


def test_responses_cut_off_keep_what_came() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": ""}
    stream = assemble(
        sse(
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a"'},
        )
    )
    assert stream is not None
    assert stream.messages == [{**item, "arguments": '{"a"'}]
    assert len(stream.faults) == 1


def anthropic(*inside: dict[str, Any], stop: str | None = "tool_use") -> str:
    end = [{"type": "message_delta", "delta": {"stop_reason": stop}}, {"type": "message_stop"}] if stop else []
    return sse({"type": "message_start", "message": {"role": "assistant", "content": []}}, *inside, *end)


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any], stop: bool = True) -> list[dict[str, Any]]:
    events = [{"type": "content_block_start", "index": index, "content_block": start}]
    events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [*events, {"type": "content_block_stop", "index": index}] if stop else events


def test_anthropic_blocks() -> None:
    stream = assemble(
        anthropic(
            *block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"thinking": "Hm"}, {"signature": "c2ln"}),
            *block(1, {"type": "text", "text": ""}, {"text": "Let me "}, {"text": "look."}),
            *block(
                2,
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
                {"partial_json": '{"a"'},
                {"partial_json": ": 1}"},
            ),
            *block(3, {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}),
        )
    )
    assert stream is not None
    assert stream.faults == []
    assert stream.messages == [
        {
            "role": "assistant",
            "stop_reason": "tool_use",
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}},
            ],
        }
    ]


def test_anthropic_input_that_does_not_parse() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    events = block(0, use, {"partial_json": '{"a": 1}'}, {"partial_json": '{"b": 2}'})
    stream = assemble(anthropic(*events))
    assert stream is not None
    assert ["is not JSON" in fault for fault in stream.faults] == [True]
    assert stream.messages[0]["content"][0]["input"] == '{"a": 1}{"b": 2}'


def test_anthropic_cut_by_the_output_limit_lost_nothing_on_the_way() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    stream = assemble(anthropic(*block(0, use, {"partial_json": '{"a'}), stop="max_tokens"))
    assert stream is not None
    assert stream.faults == []


def test_anthropic_without_an_end_says_so_once() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    stream = assemble(anthropic(*block(0, use, {"partial_json": '{"a'}, stop=False), stop=None))
    assert stream is not None
    assert ["has no end" in fault for fault in stream.faults] == [True]


def test_anthropic_error_in_the_middle() -> None:
    stream = assemble(
        anthropic(stop=None) + sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    )
    assert stream is not None
    assert any("Overloaded" in fault for fault in stream.faults)


@pytest.mark.parametrize("as_lines", [True, False], ids=["server-sent", "list"])
def test_gemini_chunks(as_lines: bool) -> None:
    def content(finish: str | None, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}]}

    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    chunks = [content(None, {"text": "Let me "}), content(None, {"text": "look."}), content("STOP", call)]
    stream = assemble(sse(*chunks) if as_lines else json.dumps(chunks))
    assert stream is not None
    assert stream.messages == [{"role": "model", "parts": [{"text": "Let me look."}, call]}]
    assert stream.faults == []


def test_ollama_lines() -> None:
    lines = [
        {"message": {"role": "assistant", "content": "Hel"}, "done": False},
        {"message": {"role": "assistant", "content": "lo", "tool_calls": [{"function": {"name": "f"}}]}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True},
    ]
    stream = assemble("\n".join(map(json.dumps, lines)))
    assert stream is not None
    assert stream.messages == [{"role": "assistant", "content": "Hello", "tool_calls": [{"function": {"name": "f"}}]}]
    assert stream.faults == []
    cut = assemble("\n".join(map(json.dumps, lines[:2])) + '\n{"message": {"ro')
    assert cut is not None
    assert cut.messages == stream.messages
    assert len(cut.faults) == 2


def test_cohere_events() -> None:
    stream = assemble(
        sse(
            {"type": "message-start", "delta": {"message": {"role": "assistant"}}},
            {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will look."}}},
            {
                "type": "tool-call-start",
                "delta": {"message": {"tool_calls": {"id": "f_1", "function": {"name": "f", "arguments": ""}}}},
            },
            {"type": "tool-call-delta", "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}},
            {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
        )
    )
    assert stream is not None
    assert stream.faults == []
    [message] = stream.messages
    assert message["tool_plan"] == "I will look."
    assert message["tool_calls"][0]["id"] == "f_1"
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}


CONVERSE: list[tuple[str, dict[str, Any]]] = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Let me look."}}),
    ("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t_1", "name": "f"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a"'}}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ": 1}"}}}),
    ("messageStop", {"stopReason": "tool_use"}),
]
CONVERSE_REPLY = {
    "role": "assistant",
    "content": [{"text": "Let me look."}, {"toolUse": {"toolUseId": "t_1", "name": "f", "input": {"a": 1}}}],
}


def test_converse_frames() -> None:
    data = b"".join(frame(name, payload) for name, payload in CONVERSE)
    stream = assemble(data)
    assert stream is not None
    assert stream.messages == [CONVERSE_REPLY]
    assert stream.faults == []
    cut = assemble(data[:-9])
    assert cut is not None
    assert cut.messages == [CONVERSE_REPLY]
    assert len(cut.faults) == 2


def test_invoke_frames_hold_the_events_of_the_models_own_api() -> None:
    events = [json.loads(line[6:]) for line in anthropic(stop="end_turn").splitlines() if line]
    data = b"".join(frame("chunk", {"bytes": base64.b64encode(json.dumps(e).encode()).decode()}) for e in events)
    stream = assemble(data)
    assert stream is not None
    assert stream.messages == [{"role": "assistant", "stop_reason": "end_turn", "content": []}]


@pytest.mark.parametrize("text", ["", "Hello", "data: hello\n\n", '{"a": 1}', '[{"a": 1}]', "[1]", "[]", "\x00\x00"])
def test_what_is_no_stream_of_a_chat_api(text: str) -> None:
    assert assemble(text) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            [
                "type", "choices", "delta", "index", "tool_calls", "function", "name", "arguments", "id", "candidates",
                "content", "parts", "text", "message", "done", "error", "response", "output", "item", "output_index",
                "content_block", "partial_json", "messageStart", "contentBlockStart", "contentBlockDelta", "start",
                "toolUse", "contentBlockIndex", "reasoningContent", "finish_reason",
            ]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=8,
)  # fmt: skip
_TYPES = st.sampled_from(
    [
        "response.output_item.added", "response.output_item.done", "response.completed", "message_start", "error",
        "content_block_start", "content_block_delta", "message_delta", "message-start", "tool-call-start",
        "tool-call-delta", "content-delta", "response.function_call_arguments.delta",
    ]
)  # fmt: skip
_EVENT = st.dictionaries(st.just("type"), _TYPES, max_size=1).flatmap(
    lambda head: st.dictionaries(st.text(max_size=3), _JSON, max_size=2).map(lambda rest: {**rest, **head})
)


@given(st.lists(_JSON | _EVENT, max_size=4))
def test_no_event_makes_it_fail(events: list[Any]) -> None:
    assemble(sse(*events))
    assemble(json.dumps(events))


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    assemble(data)
    assemble(b"data: " + data)
    assemble(b"\x00\x00\x00\x40\x00\x00\x00\x10" + data)
