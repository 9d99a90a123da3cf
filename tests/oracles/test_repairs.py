"""What turnlint repaired has nothing wrong for other checkers of histories, as far as they know the shape."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import turnlint
from turnlint.errors import UsageError
from turnlint.testing.faults import FAULTS
from turnlint.testing.strategies import broken_histories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis import strategies as st

quickly = settings(
    max_examples=8, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def turnsafe(history: list[Any], provider: str) -> list[str]:
    checker = pytest.importorskip("turnsafe")
    return [str(v.code) for v in checker.validate(history, provider=provider).violations if v.severity == "error"]


def tessera(history: list[Any], provider: str) -> list[str]:
    checker = pytest.importorskip("tessera")
    return [str(finding.defect) for finding in checker.inspect(history, adapter=provider).findings]


def toolrepair(history: list[Any], provider: str) -> list[str]:
    checker = pytest.importorskip("toolrepair")
    return [str(violation) for violation in checker.validate(history, format=provider)]


def neighbours(history: Sequence[Any]) -> bool:
    """Whether two messages of the assistant stand side by side."""
    return any(one["role"] == other["role"] == "assistant" for one, other in pairwise(history))


#: What a checker minds though the provider takes it.
DIFFERENCES: dict[tuple[str, str], Callable[[Sequence[Any]], bool]] = {
    # The API reads neighbouring messages of one speaker as one turn, whose results stand together behind it.  This
    # checker looks for the results of each message right behind it.
    ("toolrepair", "anthropic"): neighbours,
}

DIALECTS = {"openai-chat": "openai", "anthropic": "anthropic"}  # the shapes that all of them know


@pytest.mark.parametrize("ask", [turnsafe, tessera, toolrepair], ids=lambda ask: str(ask.__name__))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_was_repaired_is_clean_for_others(dialect: str, ask: Callable[[list[Any], str], list[str]]) -> None:
    ask([], DIALECTS[dialect])  # skips where it is not installed
    minded = 0
    for rule in FAULTS:
        try:
            broken = broken_histories(rule, dialect)
        except UsageError:
            continue  # the provider does not mind this
        minded += 1
        all_clean(broken, dialect, ask)
    assert minded > 10


def all_clean(
    broken: st.SearchStrategy[tuple[Any, str]], dialect: str, ask: Callable[[list[Any], str], list[str]]
) -> None:
    """Whether a checker has nothing against any of these histories once they are repaired."""
    known: Callable[[Sequence[Any]], bool] = DIFFERENCES.get((ask.__name__, dialect), lambda _history: False)

    @quickly
    @given(broken)
    def holds(drawn: tuple[list[Any], str]) -> None:
        fixed = turnlint.fix(drawn[0], dialect=dialect, mode="request", unsafe=True)
        if any(d.severity == "error" for d in fixed.remaining):
            return  # nobody can tell what should stand there
        assert not ask(fixed.document, DIALECTS[dialect]) or known(fixed.document)

    holds()
