"""The documentation says what the code says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_verdict_table_is_fresh(pages: ModuleType) -> None:
    kept = (DOCS / "verdicts.md").read_text(encoding="utf-8")
    assert kept == pages.verdicts_markdown(), "stale: run `python docs/pages.py`"


def test_every_rule_has_a_page(pages: ModuleType) -> None:
    made = dict(pages.made())
    for entry in pages.registry.entries():
        assert made[f"rules/{entry.name}.md"].startswith(f"# {entry.name} ({entry.code})\n")


def test_links_between_pages_lead_somewhere(pages: ModuleType) -> None:
    made = {path for path, _ in pages.made()}
    for page in DOCS.glob("*.md"):
        for link in re.findall(r"\]\(([\w/-]+\.md)\)", page.read_text(encoding="utf-8")):
            assert link in made or (DOCS / link).exists(), f"{page.name}: {link}"


def test_every_fact_is_listed(pages: ModuleType) -> None:
    text = pages.facts_markdown()
    rows = set(re.findall(r"^\| ([a-z0-9-]+-\d{3}) \|", text, re.MULTILINE))
    known = {
        fact
        for file in (Path(pages.targets.folder()) / "sources").glob("*.toml")
        for fact in re.findall(r"^([a-z0-9-]+-\d{3}) = ", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(known) >= 420
    assert known <= rows
    assert "| anthropic-001 | [unanswered-call](rules/unanswered-call.md) | anthropic | refuses it |" in text
