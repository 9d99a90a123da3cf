"""What turnlint calls clean for Mistral, Mistral's own validator takes.

The other direction does not hold, on purpose: the validator lets pass what the API refuses (an orphan at the start, a
call without its result), see the sources in the target.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import turnlint
from turnlint.testing.strategies import histories

pytest.importorskip("mistral_common")

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion

VERSIONS = [v for v in ("v7", "v11", "v13") if v in {m.value for m in TokenizerVersion}]


def accepted(messages: list[Any], version: str) -> str | None:
    """None where the validator takes the messages, else what it says."""
    try:
        request: ChatCompletionRequest[Any] = ChatCompletionRequest(messages=copy.deepcopy(messages), model="test")
        get_validator(TokenizerVersion(version), mode=ValidationMode.serving).validate_request(request)
    except (MistralCommonException, ValueError) as refusal:
        return f"{type(refusal).__name__}: {refusal}"
    return None


def clean(messages: list[Any]) -> bool:
    found = turnlint.check(messages, target="mistral", dialect="openai-chat", mode="request").diagnostics
    return all(d.severity != "error" for d in found)


@st.composite
def changed(draw: st.DrawFn) -> list[Any]:
    """A valid history with up to two messages dropped, doubled, swapped, or with another ID, role or content."""
    messages: list[Any] = copy.deepcopy(draw(histories("openai-chat", target="mistral")))
    for _ in range(draw(st.integers(0, 2))):
        if not messages:
            break
        at = draw(st.integers(0, len(messages) - 1))
        match draw(st.sampled_from(("drop", "double", "swap", "role", "content", "id", "calls"))):
            case "drop":
                del messages[at]
            case "double":
                messages.insert(at, copy.deepcopy(messages[at]))
            case "swap":
                other = draw(st.integers(0, len(messages) - 1))
                messages[at], messages[other] = messages[other], messages[at]
            case "role":
                messages[at]["role"] = draw(st.sampled_from(("user", "assistant", "tool", "system")))
            case "content":
                messages[at]["content"] = draw(st.sampled_from(("", None, [], [{"type": "text", "text": "x"}])))
            case "id" if "tool_call_id" in messages[at]:
                messages[at]["tool_call_id"] = draw(st.sampled_from(("abcdefgh1", "call_1", "", None)))
            case "calls" if messages[at].get("tool_calls"):
                messages[at]["tool_calls"] = draw(st.sampled_from(([], None, messages[at]["tool_calls"][:1])))
    return messages


def begins_with_calls(messages: list[Any]) -> bool:
    """The validator counts no calls of a first message, and then finds too many results: a slip of its own."""
    rest = [m for m in messages if m.get("role") != "system"]
    return bool(rest) and rest[0].get("role") == "assistant" and bool(rest[0].get("tool_calls"))


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages=changed())
def test_clean_is_accepted(version: str, messages: list[Any]) -> None:
    if not begins_with_calls(messages) and clean(messages):
        assert accepted(messages, version) is None
