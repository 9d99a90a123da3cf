"""What the facts say of calls, tools, reasoning, shapes and data sets, the rules say in the provider's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnlint.engine import Settings, check_document

ROWS = [json.loads(line) for line in Path(__file__).with_name("call_facts.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["fact"])
def test_fact(row: dict[str, Any]) -> None:
    settings = Settings(targets=(row["target"],), dialect=row["dialect"], mode="request", as_of=row.get("as_of"))
    found = [d for d in check_document(row["document"], settings).diagnostics if d.rule == row["rule"]]
    [there] = [d for d in found if d.pointer == row["at"]]
    assert there.severity.value == row["severity"]
    said = there.provider_error
    assert (said.split(" | ")[0] if said else said) == row["text"]
