"""What the commands use of the engine, loaded when a command first needs it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from turnlint.report import RulePage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from turnlint.rule import Entry
    from turnlint.source.walk import Found


def engine() -> Any:
    """The engine's module; untyped, as tests put another in its place."""
    return importlib.import_module("turnlint.engine")


def walk(
    paths: Sequence[Path], include: Sequence[str], exclude: Sequence[str], root: Path, *, force: bool
) -> Iterator[Found]:
    """The files among and below `paths`, each once; patterns of what to take and to leave out start from `root`."""
    from turnlint.source.walk import walk

    return walk(paths, include=include, exclude=exclude, exclude_root=root, force_exclude=force)


def entries() -> tuple[Entry, ...]:
    """Every rule, as the light entry by which it is known, in the order of codes."""
    from turnlint import registry

    return registry.entries()


def entry(name: str) -> Entry:
    """The rule of that name or code.  Raises UsageError with the near misses."""
    from turnlint import registry

    return registry.entry(name)


def names_in_force(select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str]:
    """The names of the rules that run."""
    from turnlint import registry

    return frozenset(entry.name for entry in registry.select(select, ignore))


def names_of(selector: str) -> frozenset[str]:
    """The names of the rules that a selector stands for.  Raises UsageError if there is none."""
    from turnlint import registry

    return frozenset(entry.name for entry in registry.matching(selector))


def page(entry: Entry) -> str:
    """A rule's page; empty for a rule that the engine raises and that has no module."""
    try:
        return entry.page.strip()
    except ModuleNotFoundError:
        return ""


def summary(entry: Entry) -> str:
    """A rule in one line: the first line of its page."""
    return page(entry).partition("\n")[0].rstrip(".") or entry.name.replace("-", " ")


def rule_page(code: str) -> RulePage | None:
    """What a report may say of a rule, or None for one of a pack that is not loaded."""
    from turnlint.errors import UsageError

    try:
        found = entry(code)
    except UsageError:
        return None
    return RulePage(summary(found), page(found))


def data_of(specs: set[str]) -> str | None:
    """The latest day up to which the verdicts of any of these targets are known."""
    from turnlint import targets

    return max((targets.found(spec)[0].data for spec in specs), default=None)
