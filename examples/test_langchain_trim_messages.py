"""LangChain's `trim_messages` keeps the last messages, whatever they are, unless it is told where to begin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from turnlint import assert_valid
from turnlint.testing.strategies import histories

messages = pytest.importorskip("langchain_core.messages")

HISTORIES = histories("openai-chat", reasoning=False, images=False)


def trimmed(history: list[dict[str, Any]], **how: Any) -> Any:
    found = messages.convert_to_messages(history)
    return messages.trim_messages(found, max_tokens=4, token_counter=len, strategy="last", **how)


def test_the_naive_call_is_found_broken() -> None:
    @settings(deadline=None, database=None)
    @given(HISTORIES)
    def survives(history: list[dict[str, Any]]) -> None:
        assert_valid(trimmed(history, include_system=True), target="openai")

    with pytest.raises(AssertionError, match="orphan-result"):
        survives()


@settings(deadline=None)
@given(HISTORIES)
def test_the_right_settings_pass(history: list[dict[str, Any]]) -> None:
    kept = trimmed(history, include_system=True, start_on="human", end_on=("human", "tool"))
    if any(message.type != "system" for message in kept):  # it keeps nothing where the last turn does not fit
        assert_valid(kept, target="openai")
