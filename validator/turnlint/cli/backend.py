"""What the commands use of the engine, loaded when a command first needs it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from turnlint.report import RulePage

if TYPE_CHECKING:
    from collections.abc import Sequence


def engine() -> Any:
    return importlib.import_module("turnlint.engine")


def rules() -> Sequence[Any]:
    """Every rule as a light entry: code, name, group, and the page, which is loaded when it is asked for."""
    return cast("Sequence[Any]", engine().rules())


class Pages:
    """Callable as ``pages(code)``: what is known of a rule, or None; the rules are listed at the first call."""

    def __init__(self) -> None:
        self._entries: dict[str, Any] | None = None

    def __call__(self, code: str) -> RulePage | None:
        if self._entries is None:
            self._entries = {entry.code: entry for entry in rules()}
        entry = self._entries.get(code)
        return None if entry is None else RulePage(summary(entry), entry.page)


def summary(entry: Any) -> str:
    """A rule in one line: the first line of its page."""
    first = str(entry.page).strip().partition("\n")[0].strip().rstrip(".")
    return first or str(entry.name).replace("-", " ")


def walk(path: str, exclude: Sequence[str], *, force: bool) -> Any:
    """The files at and below `path`; those that are named are checked whatever they are called."""
    return importlib.import_module("turnlint.source.walk").walk([path], exclude=exclude, force_exclude=force)
