"""No document makes the linter raise: transcripts are hostile text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import turnlint
from turnlint import dialects, targets

QUIET = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TARGETS = st.sampled_from(targets.names())
MODES = st.sampled_from(("saved", "request", "auto"))


@pytest.mark.parametrize("dialect", [None, *(d.name for d in dialects.all())])
@QUIET
@given(data=st.data(), target=TARGETS, mode=MODES)
def test_any_document_in_any_dialect_for_any_target(
    documents: st.SearchStrategy[Any], dialect: str | None, data: st.DataObject, target: str, mode: str
) -> None:
    document = data.draw(documents)
    report = turnlint.check(document, target=target, dialect=dialect, mode=mode)
    for found in report.diagnostics:
        assert found.message
        assert "\n" not in found.message
        assert found.pointer == "" or found.pointer.startswith("/")


@QUIET
@given(data=st.data(), names=st.lists(TARGETS, min_size=2, max_size=4, unique=True))
def test_any_document_for_several_targets(
    documents: st.SearchStrategy[Any], data: st.DataObject, names: list[str]
) -> None:
    document = data.draw(documents)
    report = turnlint.check(document, target=names)
    for found in report.diagnostics:
        assert len({v.target for v in found.verdicts}) == len(found.verdicts)
