"""A valid history broken in any way that a rule knows is whole again after a fix, and nothing in it is lost."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import turnlint
from said import leaves, lost, real
from turnlint import targets
from turnlint.engine import Settings
from turnlint.errors import UsageError
from turnlint.fixing import fix_source
from turnlint.source.scan import locate
from turnlint.testing.faults import FAULTS
from turnlint.testing.strategies import broken_histories, histories

DIALECTS = [
    "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral", "cohere", "ollama",
    "langchain", "pydantic-ai", "ai-sdk-model", "ai-sdk-ui",
]  # fmt: skip
PAIRS: list[tuple[str, str | None]] = [
    *((dialect, None) for dialect in DIALECTS),
    *((dialect, target) for dialect in ("openai-chat", "anthropic", "langchain") for target in targets.names()),
]
#: Faults of which the target leaves it open what should be there instead.
OPEN = {
    "empty-content": "the only message cannot go",
    "null-content": "the only message cannot go",
}

quickly = settings(
    max_examples=10, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@cache
def strategies(rule: str) -> list[tuple[str, str | None, st.SearchStrategy[tuple[Any, str]]]]:
    """Every dialect and target that minds the rule, with the histories that it breaks."""
    found = []
    for dialect, target in PAIRS:
        try:
            found.append((dialect, target, broken_histories(rule, dialect, target)))
        except UsageError:
            continue  # this target does not mind, or the dialect cannot be broken so
    return found


def at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def written(data: bytes, dialect: str, target: str | None) -> bytes:
    chosen = Settings(dialect=dialect, mode="request", targets=(target,) if target else ())
    made = fix_source(None, io.BytesIO(data), name="<stdin>", settings=chosen, unsafe=True)
    return data if made.encoded is None else made.encoded


def opened(value: Any) -> Any:
    """`value` with arguments that are JSON text as what they say: an object that becomes text keeps its own spacing."""
    if isinstance(value, list):
        return [opened(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: opened(item) for key, item in value.items()}
    if isinstance(made.get("arguments"), str) and made["arguments"].startswith("{"):
        with contextlib.suppress(ValueError):
            made["arguments"] = json.loads(made["arguments"])
    return made


@pytest.mark.parametrize("rule", FAULTS)
def test_a_broken_history_is_whole_again(rule: str) -> None:
    if not strategies(rule):
        pytest.skip("no target minds this without more than its name")

    @quickly
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        dialect, target, broken = data.draw(st.sampled_from(strategies(rule)))
        document, pointer = data.draw(broken)
        fixed = turnlint.fix(document, dialect=dialect, target=target, mode="request", unsafe=True)
        left = [d for d in fixed.remaining if d.severity == "error"]
        assert not left or (rule in OPEN and {d.rule for d in left} == {rule})
        assert not [d for d in left if d.fix is not None]
        assert not [reason for reason in fixed.refused if "report it" in reason]
        said = real(document, dialect, target) - set(leaves(at(document, pointer)))
        assert not lost(said, fixed.document)

        layout: dict[str, Any] = data.draw(st.sampled_from([{}, {"indent": "\t"}, {"separators": (",", " : ")}]))
        before = json.dumps(document, ensure_ascii=False, **layout).encode()
        after = written(before, dialect, target)
        assert opened(json.loads(after)) == opened(fixed.document)
        assert written(after, dialect, target) == after
        spans = locate(before, [f"/{n}" for n in range(len(document))])
        for number, message in enumerate(document):
            span = spans[f"/{number}"]
            assert message not in fixed.document or before[span.start : span.end] in after

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_history_trimmed_anywhere_is_whole_again(dialect: str) -> None:
    @settings(quickly, max_examples=6)
    @given(histories(dialect))
    def holds(history: list[Any]) -> None:
        points = turnlint.cut_points(history, dialect=dialect)
        for index in range(len(history)):
            rest = history[index:]
            fixed = turnlint.fix(rest, dialect=dialect, mode="request", unsafe=True)
            assert [(d.rule, d.pointer) for d in fixed.remaining if d.severity == "error"] == [], f"cut at {index}"
            assert index not in points or index == 0 or not fixed.applied or lead(history)
            assert not lost(real(rest, dialect), fixed.document)

    holds()


def lead(history: list[Any]) -> bool:
    """Whether system messages stand in front, which a cut at a cut point keeps."""
    return "system" in (history[0].get("role"), history[0].get("type"))
