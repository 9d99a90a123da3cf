"""``turnlint baseline``: write down what is found today, and drop what is not found any more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnlint import baseline
from turnlint.cli import FAILURE, INTERRUPTED, OK, checking
from turnlint.cli.clicks import HELP, judging
from turnlint.cli.options import chosen
from turnlint.cli.run import say
from turnlint.errors import UsageError
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnlint.cli.options import Choices
    from turnlint.config import Configs

_FILE = click.option(
    "--baseline", "file", type=click.Path(path_type=Path), metavar="F", help=f"By default {baseline.DEFAULT_NAME}."
)


@click.group("baseline", context_settings=HELP)
def command() -> None:
    """Findings that are known already and are not reported again."""


@command.command("create", context_settings=HELP)
@judging
@_FILE
def create(paths: tuple[str, ...], file: Path | None, **options: Any) -> int:
    """Write every finding of today to a new baseline."""
    choices, configs = chosen(paths, options)
    file = file or configs.of_run().baseline or Path(baseline.DEFAULT_NAME)
    if file.exists():
        # Writing it anew would take in whatever has gone wrong since, unseen.
        raise UsageError(f"{file} exists; turnlint baseline prune drops what is not found any more")
    return _write(lambda outcome: baseline.create(outcome.report(), file), choices, configs)


@command.command("prune", context_settings=HELP)
@judging
@_FILE
def prune(paths: tuple[str, ...], file: Path | None, **options: Any) -> int:
    """Drop from the baseline what is not found any more; nothing is added."""
    choices, configs = chosen(paths, options)
    known = baseline.load(file or configs.of_run().baseline or Path(baseline.DEFAULT_NAME))
    return _write(lambda outcome: baseline.prune(outcome.report(), known), choices, configs)


def _write(make: Callable[[checking.Outcome], baseline.Baseline], choices: Choices, configs: Configs) -> int:
    try:
        outcome = checking.check(choices, configs)
    except checking.Interrupted as stop:
        say(f"turnlint: {stop}; the baseline is as it was")
        return INTERRUPTED
    if outcome.failed:
        say("turnlint: not everything could be checked; the baseline is as it was")
        return FAILURE
    made = make(outcome)
    baseline.write(made)
    total = sum(entry.count for entry in made.entries)
    say(f"{made.file}: {plural(total, 'known finding')}")
    return OK
