"""The sample transcripts are what their names say: valid ones are quiet, invalid ones show their rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnlint import check_path
from turnlint.engine import rules

ROOT = Path(__file__).parents[2] / "sample_transcripts"
NAMES = {e.name for e in rules()}
VALID = sorted(p for p in (ROOT / "valid").rglob("*") if p.is_file())
INVALID = sorted(p for p in (ROOT / "invalid").rglob("*") if p.is_file())
FIXED = [p for p in INVALID if ".fixed." in p.name]
BROKEN = [p for p in INVALID if ".fixed." not in p.name]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", VALID + FIXED, ids=name_of)
def test_valid(path: Path) -> None:
    report = check_path(path)
    assert report.files[0].status == "checked"
    assert [(d.rule, d.pointer, d.severity) for d in report.diagnostics if d.severity != "info"] == []


@pytest.mark.parametrize("path", BROKEN, ids=name_of)
def test_invalid(path: Path) -> None:
    rule = path.name.split(".")[0]
    if rule not in NAMES:
        pytest.skip(f"{rule} is not built in")
    found = check_path(path).diagnostics
    assert rule in {d.rule for d in found}
    assert {d.rule for d in found if d.severity == "error"} <= {rule}
    if path.suffix != ".sqlite":  # which has no lines
        assert all(d.line is not None and d.column is not None for d in found)
