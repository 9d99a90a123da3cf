"""A history processor of pydantic-ai that keeps the last messages, looked at before the model gets them."""

from __future__ import annotations

from typing import Any

import pytest

from turnlint import assert_same_exchanges, assert_valid, cut_points

ai = pytest.importorskip("pydantic_ai")
function = pytest.importorskip("pydantic_ai.models.function")
parts = pytest.importorskip("pydantic_ai.messages")


def naive(history: list[Any]) -> list[Any]:
    return history[-2:]


def careful(history: list[Any]) -> list[Any]:
    points = [p for p in cut_points(history, target="anthropic") if p <= max(len(history) - 2, 0)]
    return history[max(points, default=0) :]


def weather(city: str) -> str:
    return f"4 C in {city}"


def agent(*processors: Any) -> tuple[Any, list[Any]]:
    """An agent that calls a tool twice, and what its model was given each time."""
    seen: list[Any] = []

    def answer(history: list[Any], _: Any) -> Any:
        seen.append(list(history))
        if len(seen) < 3:
            return parts.ModelResponse([parts.ToolCallPart("weather", {"city": "Oslo"}, f"call_{len(seen)}")])
        return parts.ModelResponse([parts.TextPart("Cold.")])

    used = [ai.capabilities.ProcessHistory(processor) for processor in processors]
    return ai.Agent(function.FunctionModel(answer), tools=[weather], capabilities=used), seen


def test_all_that_is_given_is_valid() -> None:
    made, seen = agent()
    made.run_sync("Weather in Oslo?")
    assert len(seen) == 3
    for history in seen:
        assert_valid(history, target="anthropic")


def test_naive() -> None:
    history = agent()[0].run_sync("Weather in Oslo?").all_messages()
    assert_valid(history, target="anthropic", mode="saved")
    with pytest.raises(AssertionError, match="orphan-result"):
        assert_valid(naive(history), target="anthropic", mode="saved")


def test_careful() -> None:
    made, seen = agent(careful)
    history = made.run_sync("Weather in Oslo?").all_messages()
    for given in seen:
        assert_valid(given, target="anthropic")
        assert_same_exchanges(history, given, dropped=True)
