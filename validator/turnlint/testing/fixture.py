"""What the `turnlint` fixture hands out: the public API, with the settings of the project and the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import turnlint
from turnlint.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from turnlint.diagnostic import Report
    from turnlint.model import Transcript
    from turnlint.session import Session


class Turnlint:
    """`turnlint.check` and its relatives with settings of their own; every call may override them.

    `settings` are keyword arguments of `turnlint.check` and, for assertions, `fail_on`.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def _with(self, given: dict[str, Any]) -> dict[str, Any]:
        """The settings of a call that takes no `fail_on`."""
        return {key: value for key, value in {**self.settings, **given}.items() if key != "fail_on"}

    def check(self, document: Any, **settings: Any) -> Report:
        """As `turnlint.check`."""
        return turnlint.check(document, **self._with(settings))

    def check_path(self, path: str | os.PathLike[str], **settings: Any) -> Report:
        """As `turnlint.check_path`."""
        return turnlint.check_path(path, **self._with(settings))

    def assert_valid(self, document: Any, **settings: Any) -> None:
        """As `turnlint.assert_valid`."""
        __tracebackhide__ = True
        turnlint.assert_valid(document, **{**self.settings, **settings})

    def assert_same_exchanges(self, before: Any, after: Any, **settings: Any) -> None:
        """As `turnlint.assert_same_exchanges`."""
        __tracebackhide__ = True
        turnlint.assert_same_exchanges(before, after, **settings)

    def cut_points(self, document: Any, **settings: Any) -> list[int]:
        """As `turnlint.cut_points`."""
        made = self._with(settings)
        made.pop("mode", None)
        return turnlint.cut_points(document, **made)

    def session(self, messages: Iterable[Any] = (), **settings: Any) -> Session:
        """As `turnlint.Session`."""
        made = self._with(settings)
        made.pop("mode", None)
        return turnlint.Session(messages, **made)

    def load(self, path: str | os.PathLike[str], *, dialect: str | None = None) -> list[Transcript]:
        """As `turnlint.load`."""
        return turnlint.load(path, dialect=dialect or self.settings.get("dialect"))


def settings_of_item(item: pytest.Item) -> dict[str, Any]:
    """What a test checks with: its marker, then the configuration nearest to its file; histories are requests."""
    settings = {"mode": "request", **settings_of_project(item.path)}
    markers = list(item.iter_markers("turnlint"))
    for marker in reversed(markers):  # the closest one has the last word
        if marker.args:
            raise UsageError("the marker takes keyword arguments: @pytest.mark.turnlint(target='anthropic')")
        settings.update(marker.kwargs)
    settings.pop("requests", None)
    return settings


def settings_of_project(file: Path) -> dict[str, Any]:
    """The keyword arguments of `turnlint.assert_valid` that stand for the configuration that counts for a file."""
    from turnlint.config import Configs

    config = Configs().of_file(str(file))
    found: dict[str, Any] = {
        "target": config.targets_for(str(file)) or None,
        "mode": config.mode,
        "select": config.select or None,
        "ignore": (*config.ignore, *config.ignored_in(str(file))) or None,
        "severity": config.severities() or None,
        "packs": config.packs or None,
        "as_of": config.as_of,
        "recorded_verdicts": config.recorded_verdicts,
        "fail_on": config.fail_on,
        **{key.replace("-", "_"): value for key, value in config.limits().items()},
    }
    return {key: value for key, value in found.items() if value is not None}
