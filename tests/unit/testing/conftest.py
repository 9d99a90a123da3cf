"""Runs of pytest inside a test, with the plugin as an installed turnlint would bring it."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def whole_house() -> None:
    """Every module of turnlint: what a run inside this process is the first to import is forgotten when it ends, and a
    second copy of a module has classes of its own."""
    for package in ("turnlint", "turnlint_rules"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


@pytest.fixture
def run(pytester: pytest.Pytester, whole_house: None) -> Callable[..., pytest.RunResult]:
    """Runs pytest in the folder of the test; the plugin is named only where no installed turnlint registers it."""
    installed = any(e.value == "turnlint.testing.plugin" for e in importlib.metadata.entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "turnlint.testing.plugin"]

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments)

    return run
