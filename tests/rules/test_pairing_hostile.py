"""Rules of pairing and IDs on values of any type: a finding or none, and never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnlint.diagnostic import Diagnostic, Fix
from turnlint.engine import Settings, check_document

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "a", "\ud800", "x" * 300]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "type", "role", "text"]), inner, max_size=2)
    ),
    max_leaves=4,
)

HISTORIES: dict[str, tuple[str, list[Any]]] = {
    "openai-chat": (
        "openai",
        [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                    {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "a", "name": "look", "content": "done"},
            {"role": "user", "content": "[Tool result] done"},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ],
    ),
    "anthropic": (
        "anthropic",
        [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {}},
                    {"type": "tool_use", "id": "a", "name": "look", "input": {}},
                    {"type": "tool_use", "id": "a", "name": "look", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Well."},
                    {"type": "tool_result", "tool_use_id": "a", "content": "done"},
                    {"type": "tool_result", "tool_use_id": "z", "content": [{"type": "text", "text": "done"}]},
                ],
            },
        ],
    ),
    "gemini": (
        "gemini",
        [
            {"role": "user", "parts": [{"text": "Go."}]},
            {
                "role": "model",
                "parts": [
                    {"functionCall": {"id": "a", "name": "look", "args": {}}},
                    {"functionCall": {"name": "look", "args": {}}},
                ],
            },
            {"role": "user", "parts": [{"functionResponse": {"id": "b", "name": "read", "response": {"ok": 1}}}]},
        ],
    ),
    "openai-responses": (
        "openai",
        [
            {"role": "user", "content": "Go."},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "look", "arguments": "{}"},
            {"type": "custom_tool_call", "id": "fc_1", "call_id": "b", "name": "run", "input": "x"},
            {"type": "function_call_output", "call_id": "a", "output": "done"},
            {"type": "item_reference", "id": "rs_1"},
            {"type": "web_search_call", "status": "completed"},
        ],
    ),
    "bedrock-converse": (
        "bedrock",
        [
            {"role": "user", "content": [{"text": "Go."}]},
            {
                "role": "assistant",
                "content": [
                    {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}},
                    {"toolUse": {"toolUseId": "b", "name": "look", "input": {}}},
                ],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "done"}]}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "b", "content": [{"text": "done"}]}}]},
        ],
    ),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, the document itself left out."""
    found = [path] if path else []
    if isinstance(value, dict):
        items: Any = value.items()
    else:
        items = enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def put(document: Any, path: tuple[Any, ...], value: Any) -> None:
    for step in path[:-1]:
        document = document[step]
    document[path[-1]] = value


@pytest.mark.parametrize("dialect", list(HISTORIES))
@settings(deadline=None)
@given(data=st.data())
def test_any_value_at_any_place(dialect: str, data: st.DataObject) -> None:
    owner, history = HISTORIES[dialect]
    document = json.loads(json.dumps(history))
    for _ in range(data.draw(st.integers(1, 3))):
        spots = places(document)
        if spots:
            put(document, data.draw(st.sampled_from(spots)), data.draw(JSON))
    target = data.draw(st.sampled_from([owner, owner, "anthropic", "openai", "minimax", "mistral", "chat-template"]))
    mode = data.draw(st.sampled_from(["saved", "request"]))
    select = ("TL1", "TL2")
    with_triggers = check_document(document, Settings(targets=(target,), dialect=dialect, mode=mode, select=select))
    without = check_document(
        document, Settings(targets=(target,), dialect=dialect, mode=mode, select=select, triggers=False)
    )
    assert [place(d) for d in with_triggers.diagnostics] == [place(d) for d in without.diagnostics]
    for found in with_triggers.diagnostics:
        assert len(found.message) < 1000
        assert found.fix is None or isinstance(found.fix, Fix)


def place(found: Diagnostic) -> tuple[str, str, str]:
    return found.rule, found.pointer, found.severity.value
