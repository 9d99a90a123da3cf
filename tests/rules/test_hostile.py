"""Every rule survives every JSON value in every place, for every target, and no quick pass hides a finding."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import targets
from turnlint.engine import Settings, check_document, rules

DOCUMENTS = [
    (entry.name, example.document, example.dialect, example.target)
    for entry in rules()
    if not entry.engine
    for example in (*entry.load().invalid, *entry.load().valid)
]
LIMITS = {"max-tool-rounds": 2, "max-result-chars": 20, "context-tokens": 30}
ODD: list[Any] = [
    *(None, True, 0, -1, 1.5, "", " ", "x", "\ud83d"),
    *([], {}, [[]], [None], {"type": []}, {"role": {}}, {"a": 1}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value but the whole, at most a few in long lists."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value[:4]):
            found += places(item, (*path, number))
    return found


def damaged(document: Any, path: tuple[Any, ...], odd: Any) -> Any:
    made = copy.deepcopy(document)
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = odd
    return made


def draw_case(data: st.DataObject) -> tuple[Any, str | None, str]:
    """A rule's own example with up to three places of it damaged, its dialect and a target."""
    _, document, dialect, target = data.draw(st.sampled_from(DOCUMENTS))
    for _ in range(data.draw(st.integers(0, 3))):
        spots = places(document)
        if not spots:
            break
        document = damaged(document, data.draw(st.sampled_from(spots)), data.draw(st.sampled_from(ODD)))
    return document, dialect, data.draw(st.sampled_from([target or "openai", "generic", *targets.names()]))


def found(document: Any, dialect: str | None, target: str, mode: str, *, triggers: bool) -> set[tuple[Any, ...]]:
    chosen = Settings((target,), dialect, mode, select=("ALL",), limits=LIMITS, triggers=triggers)
    return {(d.rule, d.pointer, d.severity) for d in check_document(document, chosen).diagnostics}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_odd_values_anywhere(data: st.DataObject) -> None:
    """No rule fails on any value, and the quick passes hide nothing that the rules would find."""
    document, dialect, target = draw_case(data)
    for mode in ("saved", "request"):
        everything = found(document, dialect, target, mode, triggers=False)
        assert found(document, dialect, target, mode, triggers=True) == everything


@pytest.mark.parametrize(
    ("document", "dialect", "target"), [case[1:] for case in DOCUMENTS], ids=[c[0] for c in DOCUMENTS]
)
def test_quick_passes_hide_nothing_of_the_examples(document: Any, dialect: str | None, target: str | None) -> None:
    for mode in ("saved", "request"):
        everything = found(document, dialect, target or "openai", mode, triggers=False)
        assert found(document, dialect, target or "openai", mode, triggers=True) == everything
