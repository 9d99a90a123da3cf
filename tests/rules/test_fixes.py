"""Every fix does what the rule's page says: the finding is gone, nothing new is wrong, and once is enough."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from turnlint.diagnostic import Safety
from turnlint.engine import Settings, check_document, rules
from turnlint.fixing import fix_value

if TYPE_CHECKING:
    from turnlint.rule import Entry, Example

ENTRIES = [e for e in rules() if not e.engine]


def settings(entry: Entry, example: Example, select: tuple[str, ...]) -> Settings:
    return Settings(
        targets=(example.target,) if example.target else (),
        dialect=example.dialect,
        mode=example.mode,
        select=select,
        limits=example.settings,
    )


def safety_of(entry: Entry, example: Example) -> Safety | None:
    """The safety of the fix that the rule offers for an example; None where it offers none."""
    found = check_document(example.document, settings(entry, example, (entry.name,))).diagnostics
    fixes = [d.fix for d in found if d.rule == entry.name and d.fix is not None]
    if not fixes:
        return None
    return Safety.UNSAFE if any(f.safety is Safety.UNSAFE for f in fixes) else Safety.SAFE


CASES = [
    pytest.param(entry, example, safety, id=f"{entry.name}-{number}")
    for entry in ENTRIES
    for number, example in enumerate(entry.load().invalid)
    if (safety := safety_of(entry, example)) is not None
]


@pytest.mark.parametrize(("entry", "example", "safety"), CASES)
def test_fix_of_one_rule(entry: Entry, example: Example, safety: Safety) -> None:
    alone = settings(entry, example, (entry.name,))
    fixed = fix_value(example.document, alone, unsafe=safety is Safety.UNSAFE)
    assert fixed.applied
    assert not fixed.refused
    assert not [d for d in check_document(fixed.document, alone).diagnostics if d.fix is not None]
    if example.fixed is not None:
        assert fixed.document == example.fixed
    if safety is Safety.UNSAFE:
        assert fix_value(example.document, alone).document == example.document


@pytest.mark.parametrize(("entry", "example", "safety"), CASES)
def test_fix_among_all_rules(entry: Entry, example: Example, safety: Safety) -> None:
    every = settings(entry, example, () if entry.default else ("ALL",))
    before = check_document(example.document, every).diagnostics
    fixed = fix_value(example.document, every, unsafe=True)
    after = check_document(fixed.document, every).diagnostics
    assert not [reason for reason in fixed.refused if "please report it" in reason]
    errors = [d.rule for d in before if d.severity == "error"]
    assert not [d for d in after if d.severity == "error" and d.rule not in errors]
    assert len(after) <= len(before)
    assert fix_value(fixed.document, every, unsafe=True).document == fixed.document


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_page_tells_of_the_fix(entry: Entry) -> None:
    """The section says how safe each kind of fix is, and an example shows each; without one it gives the reason."""
    section = entry.page[entry.page.index("\nFix\n---\n") :]
    claimed = {safety for safety in Safety if re.search(rf"\b{safety.value}\b", section)}
    offered = {safety for example in entry.load().invalid if (safety := safety_of(entry, example)) is not None}
    assert claimed == offered
    assert offered or re.search(r"\bNone[ :.]", section)


@pytest.mark.parametrize("entry", [e for e in rules() if e.engine], ids=lambda e: e.name)
def test_page_of_what_the_engine_finds_tells_of_the_fix(entry: Entry) -> None:
    section = entry.page[entry.page.index("\nFix\n---\n") :]
    assert re.search(r"\n(?:safe\b|unsafe\b|None[ :.])", section)
