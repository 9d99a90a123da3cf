"""A trimmer that counts messages is found broken; one that cuts where a history can be cut is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from turnlint import assert_same_exchanges, assert_valid, cut_points
from turnlint.testing.strategies import histories

History = list[dict[str, Any]]


def naive(history: History, keep: int = 4) -> History:
    lead = [m for m in history if m["role"] == "system"]
    return lead + history[len(lead) :][-keep:]


def careful(history: History, keep: int = 4) -> History:
    lead = [m for m in history if m["role"] == "system"]
    points = [p for p in cut_points(history, dialect="openai-chat") if p > 0]
    late = [p for p in points if p >= len(history) - keep]
    cut = min(late, default=max(points, default=0))
    return lead + history[cut:] if cut else history


def test_the_naive_trimmer_is_found_broken() -> None:
    @settings(deadline=None, database=None)
    @given(histories("openai-chat"))
    def survives(history: History) -> None:
        assert_valid(naive(history), dialect="openai-chat")

    with pytest.raises(AssertionError, match="orphan-result"):
        survives()


@settings(deadline=None)
@given(histories("openai-chat"))
def test_the_careful_trimmer_passes(history: History) -> None:
    trimmed = careful(history)
    assert_valid(trimmed, dialect="openai-chat")
    assert_same_exchanges(history, trimmed, dropped=True, before_dialect="openai-chat", after_dialect="openai-chat")
