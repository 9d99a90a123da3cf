"""Documents to throw at the linter: any JSON, and the examples of the rules with random pieces in random places."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st

from changing import places as every_place
from turnlint.engine import rules

if TYPE_CHECKING:
    from collections.abc import Callable

#: Words that readers and rules look for, so that random documents get past the first look.
KEYS = (
    "role",
    "content",
    "parts",
    "type",
    "text",
    "id",
    "name",
    "input",
    "arguments",
    "function",
    "tool_calls",
    "tool_call_id",
    "tool_use_id",
    "is_error",
    "functionCall",
    "functionResponse",
    "response",
    "args",
    "call_id",
    "output",
    "toolUse",
    "toolResult",
    "toolUseId",
    "status",
    "thinking",
    "signature",
    "reasoning_content",
    "refusal",
    "prefix",
    "cache_control",
    "source",
    "media_type",
    "data",
    "image_url",
    "url",
    "document",
    "format",
    "messages",
    "contents",
    "system",
    "tools",
    "model",
    "response_format",
    "stop_reason",
    "function_call",
    "index",
    "message",
    "outputs",
    "json",
)
WORDS = (
    "user",
    "assistant",
    "system",
    "tool",
    "developer",
    "function",
    "model",
    "human",
    "CHATBOT",
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "image",
    "image_url",
    "input_text",
    "output_text",
    "function_call",
    "function_call_output",
    "reasoning",
    "message",
    "refusal",
    "compaction",
    "base64",
    "image/png",
    "document",
    "custom",
    "call_1",
    "toolu_1",
    "get_weather",
    "{}",
    '{"city": "Oslo"}',
    "{",
    " ",
    "",
    "json_object",
    "data:image/png;base64,/9j/4AAQ",
    "error",
)

_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(WORDS),
    st.text(max_size=8),
)
_keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=4))
ANY_JSON = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=5)),
    max_leaves=14,
)
_message = st.fixed_dictionaries(
    {"role": st.one_of(st.sampled_from(WORDS[:9]), ANY_JSON)},
    optional=dict.fromkeys(
        ("content", "parts", "tool_calls", "tool_call_id", "type", "name", "function_call"), ANY_JSON
    ),
)


def _seeds() -> list[Any]:
    """The documents of all examples of all rules: valid and invalid histories in every dialect."""
    found = []
    for entry in rules():
        if not entry.engine:
            rule = entry.load()
            found += [example.document for example in (*rule.valid, *rule.invalid)]
    return found


def _change(document: Any, draw: Any) -> None:
    """One random change in place: a value, a key, an order, a doubling, a loss."""
    places = every_place(document)
    if not places:
        return
    holder, key = draw(st.sampled_from(places))
    match draw(st.sampled_from(("set", "drop", "double", "swap", "add", "copy"))):
        case "set":
            holder[key] = draw(ANY_JSON)
        case "drop":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case "swap" if isinstance(holder, list):
            other = draw(st.integers(0, len(holder) - 1))
            holder[key], holder[other] = holder[other], holder[key]
        case "copy":
            source, step = draw(st.sampled_from(places))
            if step in source if isinstance(source, dict) else step < len(source):
                holder[key] = copy.deepcopy(source[step])
        case _ if isinstance(holder, dict):
            holder[draw(_keys)] = draw(ANY_JSON)
        case _:
            holder.append(draw(ANY_JSON))


@st.composite
def _mutated(draw: Any, seeds: list[Any]) -> Any:
    document = copy.deepcopy(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 4))):
        _change(document, draw)
    return document


@pytest.fixture(scope="session")
def documents() -> st.SearchStrategy[Any]:
    """Any JSON, lists of things like messages, and changed examples."""
    return st.one_of(_mutated(_seeds()), st.lists(_message, max_size=6), ANY_JSON)


@pytest.fixture(scope="session")
def change() -> Callable[[Any, Any], None]:
    """Makes one random change to a document in place: ``change(document, draw)``."""
    return _change
