"""A history with a fault has that fault, at the place that is named, and no other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from turnlint import Severity, UsageError, assert_valid, check
from turnlint.testing.faults import FAULTS
from turnlint.testing.strategies import broken_histories

quickly = settings(
    max_examples=4, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)

#: Dialects with the targets that judge them: the owner of each, and some that it is converted for.
PAIRS: list[tuple[str, str | None]] = [
    ("openai-chat", None),
    ("openai-responses", None),
    ("anthropic", None),
    ("gemini", None),
    ("bedrock-converse", None),
    ("mistral", None),
    ("cohere", None),
    ("ollama", None),
    ("openai-chat", "anthropic"),
    ("openai-chat", "deepseek"),
    ("openai-chat", "gemini"),
    ("openai-chat", "mistral"),
    ("anthropic", "bedrock"),
    ("langchain", None),
    ("pydantic-ai", "openai"),
    ("ai-sdk-model", None),
]


def strategy_of(rule: str, dialect: str, target: str | None) -> Any:
    try:
        return broken_histories(rule, dialect, target)
    except UsageError:
        return None


@pytest.mark.parametrize(("dialect", "target"), PAIRS, ids=str)
def test_exactly_that_fault(dialect: str, target: str | None) -> None:
    strategies = {rule: made for rule in FAULTS if (made := strategy_of(rule, dialect, target)) is not None}
    assert "unanswered-call" in strategies
    assert "orphan-result" in strategies
    for rule, strategy in strategies.items():
        found_there(rule, strategy, dialect, target)


def found_there(rule: str, strategy: Any, dialect: str, target: str | None) -> None:
    @quickly
    @given(strategy)
    def holds(drawn: tuple[Any, str]) -> None:
        history, pointer = drawn
        report = check(history, target=target, dialect=dialect, mode="request")
        found = [(d.rule, d.pointer) for d in report.diagnostics if d.severity is not Severity.INFO]
        assert found == [(rule, pointer)]

    holds()


@pytest.mark.parametrize("rule", sorted(FAULTS))
def test_every_fault_can_be_had(rule: str) -> None:
    """For each rule there is a dialect and a target that minds it."""
    others: list[tuple[str, str | None]] = [
        ("openai-chat", "minimax"),
        ("openai-chat", "groq"),
        ("gemini", "gemini:gemini-3.8-flash"),
    ]
    assert any(strategy_of(rule, dialect, target) is not None for dialect, target in [*PAIRS, *others])


@quickly
@given(broken_histories("orphan-result", body=True))
def test_in_a_body_the_pointer_starts_at_the_body(drawn: tuple[Any, str]) -> None:
    body, pointer = drawn
    assert pointer.startswith("/messages/")
    with pytest.raises(AssertionError, match="orphan-result"):
        assert_valid(body, target="openai")


def test_it_shrinks_to_something_readable() -> None:
    history, pointer = find(
        broken_histories("unanswered-call"), lambda _: True, settings=settings(deadline=None, max_examples=5)
    )
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    assert history == [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    assert pointer == "/1/tool_calls/0"


@pytest.mark.parametrize(
    ("rule", "given", "says"),
    [
        ("orphan-resutl", {}, "did you mean 'orphan-result'"),
        ("runaway-loop", {}, "no history is broken by runaway-loop"),
        ("result-not-object", {}, "openai does not mind result-not-object in openai-chat"),
        ("orphan-result", {"dialect": "openai"}, "did you mean 'openai-chat'"),
        ("orphan-result", {"target": "perplexity", "max_turns": 0}, "min_turns <= max_turns"),
    ],
)
def test_usage(rule: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        broken_histories(rule, **given)
