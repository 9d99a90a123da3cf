"""``turnlint fix``: the same as ``turnlint check --fix``."""

from __future__ import annotations

from typing import Any

import click

from turnlint.cli import check
from turnlint.cli.options import HELP


@click.command("fix", params=[p for p in check.command.params if p.name != "fix"], context_settings=HELP)
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Repair saved conversations in place, and report what is left.

    Only what loses and invents nothing is done, unless --unsafe-fixes is given. With - standard input is repaired to
    standard output, and the report goes to standard error.
    """
    return check.run(paths, {**options, "fix": True})
