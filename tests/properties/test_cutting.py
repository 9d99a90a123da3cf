"""Where a history may be cut: nowhere that parts a pair, and what is left is valid."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import turnlint
from turnlint import Severity, UsageError
from turnlint.loading import examine_value, reader
from turnlint.testing.strategies import broken_histories, histories

quickly = settings(
    max_examples=12, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)

DIALECTS = [
    "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral", "cohere", "ollama",
    "langchain", "pydantic-ai", "ai-sdk-model",
]  # fmt: skip
PAIRS: list[tuple[str, str | None]] = [
    *((dialect, None) for dialect in DIALECTS),
    ("openai-chat", "anthropic"),
    ("openai-chat", "mistral"),
    ("anthropic", "openai"),
]


def lead(history: list[Any]) -> list[Any]:
    """The system messages in front."""
    count = 0
    for message in history:
        if message.get("role") != "system" and message.get("type") != "system":
            break
        count += 1
    return history[:count]


def cut(history: list[Any], index: int) -> list[Any]:
    return [*lead(history), *history[max(index, len(lead(history))) :]]


def errors(history: list[Any], dialect: str, target: str | None) -> list[tuple[str, str]]:
    report = turnlint.check(history, dialect=dialect, target=target, mode="request")
    return [(d.rule, d.pointer) for d in report.diagnostics if d.severity is Severity.ERROR]


def parted(history: list[Any], dialect: str, target: str | None) -> set[int]:
    """The indexes that have a call before them and its result behind."""
    seen = next(iter(examine_value(history, reader((target,) if target else (), dialect))))
    pairing = seen.pairings[0]
    pairs = [
        (call.message.index, result.message.index) for call in pairing.calls if (result := pairing.result_of(call))
    ]
    return {index for first, second in pairs for index in range(first + 1, second + 1)}


@pytest.mark.parametrize(("dialect", "target"), PAIRS, ids=str)
def test_what_is_left_is_valid_and_no_pair_is_parted(dialect: str, target: str | None) -> None:
    @quickly
    @given(histories(dialect, target))
    def holds(history: list[Any]) -> None:
        points = turnlint.cut_points(history, dialect=dialect, target=target)
        assert points[0] == 0
        assert points == sorted(set(points))
        for index in points:
            assert errors(cut(history, index), dialect, target) == []
        assert not set(points) & parted(history, dialect, target)

    holds()


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d != "ollama"])  # it takes results of nothing
def test_a_cut_between_a_call_and_its_result_is_found(dialect: str) -> None:
    @quickly
    @given(histories(dialect))
    def holds(history: list[Any]) -> None:
        for index in parted(history, dialect, None):
            assert errors(cut(history, index), dialect, None), f"cut at {index}"

    holds()


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic", "mistral"])
def test_every_other_index_is_not_valid(dialect: str) -> None:
    """No cut that would do is left out: what is not among the points has an error."""

    @quickly
    @given(histories(dialect))
    def holds(history: list[Any]) -> None:
        points = turnlint.cut_points(history, dialect=dialect)
        for index in set(range(len(lead(history)), len(history))) - set(points) - {0, len(lead(history))}:
            broken = errors(cut(history, index), dialect, None)
            assert broken or index in parted(history, dialect, None), f"{index} of {points}"

    holds()


@pytest.mark.parametrize("rule", ["orphan-result", "unanswered-call", "duplicate-result", "malformed-arguments"])
@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_a_broken_history_can_be_cut_behind_the_fault(dialect: str, rule: str) -> None:
    if (rule, dialect) == ("malformed-arguments", "anthropic"):
        pytest.skip("its arguments are objects")

    @settings(quickly, max_examples=6)
    @given(broken_histories(rule, dialect))
    def holds(drawn: tuple[list[Any], str]) -> None:
        history, pointer = drawn
        points = turnlint.cut_points(history, dialect=dialect)
        for index in points:
            assert errors(cut(history, index), dialect, None) == []
            assert index > int(pointer.split("/")[1]) or not errors(history, dialect, None)

    holds()


@quickly
@given(st.data())
def test_a_body_is_cut_where_its_list_is(data: st.DataObject) -> None:
    body = data.draw(histories("openai-chat", body=True))
    assert turnlint.cut_points(body) == turnlint.cut_points(body["messages"], target="openai", dialect="openai-chat")


def test_what_cannot_be_cut() -> None:
    with pytest.raises(UsageError):
        turnlint.cut_points({"no": "history"})
    assert turnlint.cut_points([], dialect="openai-chat") == []
