"""Signs only save work: with and without them the same container claims a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnlint import containers
from turnlint.source.document import Document
from turnlint.source.reader import read

ROOT = Path(__file__).parents[3] / "sample_transcripts"
SAMPLES = [pytest.param(p, id=f"{p.parent.name}/{p.name}") for p in sorted(ROOT.glob("*/*/*")) if p.is_file()]


def slowly(head: list[Document]) -> str | None:
    return next((c.name for c in containers.all() if c.recognise(head)), None)


@pytest.mark.parametrize("path", SAMPLES)
def test_signs_change_nothing(path: Path) -> None:
    head = list(read(path, name=path.name).documents())[: containers.HEAD]
    found = containers.recognise(head)
    assert (found.name if found is not None else None) == slowly(head)


@pytest.mark.parametrize(
    "value", [None, 1, "text", [], {}, [[]], [None, {}], {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}]
)
def test_values_that_nobody_claims(value: Any) -> None:
    head = [Document(value, b"")]
    assert containers.recognise(head) is None
    assert slowly(head) is None


def test_keys_near_the_root_are_bounded() -> None:
    deep: Any = {"bottom": 1}
    for _ in range(5000):
        deep = {"down": [deep]}
    wide = {str(number): {"x": number} for number in range(5000)}
    assert "bottom" not in containers.keys_near([deep])
    assert len(containers.keys_near([[wide] * 5000])) == 5001


def test_modules_are_loaded_only_where_a_sign_is() -> None:
    assert set(containers.OPENERS.values()) <= set(containers.MODULES)
    assert "role" in containers.keys_near([[{"role": "user"}]])
