"""``turnlint fix``: the same as ``turnlint check --fix``."""

from __future__ import annotations

from typing import Any

from turnlint.cli import check

OPTIONS = tuple(option for option in check.OPTIONS if option.name not in ("--fix", "--watch"))


def run(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Repair saved conversations in place, and report what is left.

    Only what loses and invents nothing is done, unless --unsafe-fixes is given. With - standard input is repaired to
    standard output, and the report goes to standard error.
    """
    return check.work(paths, {**options, "fix": True})
