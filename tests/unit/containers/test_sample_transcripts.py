"""Samples in a folder that is named for a container are told to be in that container."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnlint import check_path, containers

ROOT = Path(__file__).parents[3] / "sample_transcripts"
SAMPLES = [
    pytest.param(path, id=f"{path.parent.name}/{path.name}")
    for module in containers.MODULES
    for path in sorted(ROOT.glob(f"*/{module.replace('_', '-')}/*"))
]


@pytest.mark.parametrize("path", SAMPLES)
def test_container(path: Path) -> None:
    [file] = check_path(path).files
    assert file.container == path.parent.name
    assert file.transcripts
