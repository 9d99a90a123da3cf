"""Runs of pytest inside a test, with the plugin as an installed turnlint would bring it."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs pytest in the folder of the test; the plugin is named only where no installed turnlint registers it."""
    installed = any(e.value == "turnlint.testing.plugin" for e in importlib.metadata.entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "turnlint.testing.plugin"]

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments)

    return run
