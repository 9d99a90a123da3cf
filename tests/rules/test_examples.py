"""Every example on a rule's page is true: valid ones are quiet, invalid ones say what the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from turnlint.engine import Settings, check_document, rules

if TYPE_CHECKING:
    from turnlint.rule import Entry, Example

ENTRIES = [e for e in rules() if not e.engine]


def cases(kind: str) -> list[object]:
    return [
        pytest.param(entry, example, id=f"{entry.name}-{number}")
        for entry in ENTRIES
        for number, example in enumerate(getattr(entry.load(), kind))
    ]


def settings(entry: Entry, example: Example) -> Settings:
    select = () if entry.default else ("ALL",)
    return Settings(
        targets=(example.target,) if example.target else (),
        dialect=example.dialect,
        mode=example.mode,
        select=select,
        limits=example.settings,
    )


@pytest.mark.parametrize(("entry", "example"), cases("valid"))
def test_valid(entry: Entry, example: Example) -> None:
    report = check_document(example.document, settings(entry, example))
    assert [d for d in report.diagnostics if d.rule == entry.name] == []


@pytest.mark.parametrize(("entry", "example"), cases("invalid"))
def test_invalid(entry: Entry, example: Example) -> None:
    report = check_document(example.document, settings(entry, example))
    there = [d for d in report.diagnostics if d.rule == entry.name and d.pointer == example.at]
    assert there, [(d.rule, d.pointer, d.severity, d.message) for d in report.diagnostics]
    found = there[0]
    assert found.severity is example.severity
    if example.says is not None:
        assert example.says in (found.provider_error or "")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_page(entry: Entry) -> None:
    """The page has its sections, and there are at least two examples of each kind."""
    page, rule = entry.page, entry.load()
    for section in ("What it finds", "Why it hurts", "Fix"):
        assert f"\n{section}\n{'-' * len(section)}\n" in page
    assert page.splitlines()[0].endswith(".")
    assert len(rule.valid) >= 2
    assert len(rule.invalid) >= 2


def test_codes_and_names_are_unique() -> None:
    entries = rules()
    assert len({e.code for e in entries}) == len({e.name for e in entries}) == len(entries)
    assert [e.code for e in entries] == sorted(e.code for e in entries)
