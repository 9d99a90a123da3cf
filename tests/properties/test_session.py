"""A session that is told message by message finds what a check of the whole history finds."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import turnlint
from turnlint import Session, Severity
from turnlint.testing.faults import FAULTS
from turnlint.testing.strategies import broken_histories, histories

quickly = settings(
    max_examples=8, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral"]

Found = set[tuple[str, str]]


def whole(history: list[Any], **given: Any) -> Found:
    report = turnlint.check(history, mode="saved", **given)
    return {(d.rule, d.pointer) for d in report.diagnostics if d.severity is Severity.ERROR}


def grown(history: list[Any], **given: Any) -> tuple[Session, Found]:
    session = Session(**given)
    for message in history:
        session.append(message)
    return session, {(d.rule, d.pointer) for d in session.diagnostics if d.severity is Severity.ERROR}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_valid_history_stays_valid_while_it_grows(dialect: str) -> None:
    @quickly
    @given(histories(dialect, mode="saved"))
    def holds(history: list[Any]) -> None:
        session = Session(dialect=dialect)
        for number, message in enumerate(history, start=1):
            before = copy.deepcopy(session.messages)
            assert session.preview(message).ok
            assert session.messages == before
            assert session.append(message).ok
            assert session.messages == history[:number]
        assert session.ok
        assert session.check("saved").ok
        assert session.ready().ok == turnlint.check(history, mode="request", dialect=dialect).ok

    holds()


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("rule", sorted(FAULTS))
def test_the_same_errors_as_a_check_of_the_whole(rule: str, dialect: str) -> None:
    try:
        strategy = broken_histories(rule, dialect, mode="saved")
    except turnlint.UsageError:
        pytest.skip("the owner of the dialect does not mind")

    @settings(quickly, max_examples=4)
    @given(strategy)
    def holds(drawn: tuple[list[Any], str]) -> None:
        history, _ = drawn
        session, found = grown(history, dialect=dialect)
        assert found == whole(history, dialect=dialect)
        assert session.ok == (not found)

    holds()


def test_a_long_history_is_not_looked_at_again_and_again() -> None:
    """What is closed is left behind, and places still count from the start."""
    session = Session(target="openai")
    unit = [
        {"role": "user", "content": "add"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "3"},
        {"role": "assistant", "content": "3"},
    ]  # fmt: skip
    for _ in range(100):
        assert session.extend(unit).ok
    assert session._anchor > 0
    report = session.append({"role": "tool", "tool_call_id": "call_9", "content": "4"})
    assert [(d.rule, d.pointer, d.message_index) for d in report.diagnostics] == [("orphan-result", "/400", 400)]
    assert not session.ok


def test_a_history_to_begin_with() -> None:
    orphan = {"role": "tool", "tool_call_id": "call_1", "content": "4"}
    session = Session([{"role": "user", "content": "Hello"}, orphan], target="openai")
    assert not session.ok
    assert [d.pointer for d in session.diagnostics] == ["/1"]
    assert session.append({"role": "user", "content": "Well?"}).ok
    assert not session.ready().ok
