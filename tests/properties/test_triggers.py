"""The quick pass misses nothing: rules run by their signals find what running every rule finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import dialects, targets
from turnlint.engine import Settings, check_document

if TYPE_CHECKING:
    from turnlint.diagnostic import Diagnostic

TARGETS = st.sampled_from(targets.names())
MODES = st.sampled_from(("saved", "request"))
#: Models that open the gates of the verdicts that hang on one.
MODELS = st.sampled_from(
    (
        "",
        "",
        "",
        ":gpt-4o",
        ":o3-mini",
        ":claude-opus-4-8",
        ":claude-sonnet-4-5",
        ":gemini-3.6-flash",
        ":gemma-3",
        ":mistral-nemo",
    )
)


def shown(found: Diagnostic) -> tuple[object, ...]:
    """What a person sees of a diagnostic; the verbs of its fix name objects of one reading."""
    fix = (found.fix.title, found.fix.safety, len(found.fix.verbs)) if found.fix is not None else None
    return (
        found.rule, found.severity, found.pointer, found.message, found.provider_error, found.status, found.verdicts,
        found.also, found.related, found.notes, found.cause, fix,
    )  # fmt: skip


@pytest.mark.parametrize("dialect", [None, *(d.name for d in dialects.all() if d.signals is not None)])
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(data=st.data(), target=TARGETS, model=MODELS, mode=MODES)
def test_signals_miss_nothing(
    documents: st.SearchStrategy[Any],
    dialect: str | None,
    data: st.DataObject,
    target: str,
    model: str,
    mode: str,
) -> None:
    document = data.draw(documents)
    quick, whole = (
        check_document(document, Settings((target + model,), dialect=dialect, mode=mode, triggers=triggers))
        for triggers in (True, False)
    )
    assert [shown(d) for d in quick.diagnostics] == [shown(d) for d in whole.diagnostics]
