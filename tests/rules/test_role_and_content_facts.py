"""What the facts say of roles and content is what the rules say: the rule, the place, and the provider's own words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnlint.engine import Settings, check_document

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("role_and_content_facts.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["fact"])
def test_fact(row: dict[str, Any]) -> None:
    settings = Settings(targets=(row["target"],), dialect=row["dialect"], mode="request", as_of=row.get("as_of"))
    found = [d for d in check_document(row["document"], settings).diagnostics if d.rule == row["rule"]]
    assert [(d.pointer, d.severity.value) for d in found[:1]] == [(row["at"], row["severity"])]
    if row["text"] is not None:
        assert row["text"] in (found[0].provider_error or "").split(" | ")
