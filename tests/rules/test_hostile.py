"""Every rule survives every JSON value in every place, for every target."""

from __future__ import annotations

import copy
from typing import Any

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


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_odd_values_anywhere(data: st.DataObject) -> None:
    _, document, dialect, target = data.draw(st.sampled_from(DOCUMENTS))
    for _ in range(data.draw(st.integers(1, 3))):
        spots = places(document)
        if not spots:
            return
        document = damaged(document, data.draw(st.sampled_from(spots)), data.draw(st.sampled_from(ODD)))
    judge = data.draw(st.sampled_from([target or "openai", "generic", *targets.names()]))
    for mode in ("saved", "request"):
        chosen = Settings(targets=(judge,), dialect=dialect, mode=mode, select=("ALL",), triggers=False)
        check_document(document, chosen)
