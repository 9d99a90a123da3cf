"""Options that several commands share, and what they amount to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from turnlint.config import MODES, Config, Configs, check_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HELP = {"help_option_names": ["-h", "--help"]}


def commas(_context: click.Context, _parameter: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Values of an option that may be repeated or given with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


_DIALECT_HELP = "The shape of the messages, or the container; by default it is recognised."
_STDIN_HELP = "The name under which standard input is reported and configured."
_EXCLUDE_HELP = "Also leave these files and folders out."
_UNRECOGNISED_HELP = "What a file in no known format is; by default an error if it was named."

_JUDGING: tuple[Callable[[Any], Any], ...] = (
    click.argument("paths", nargs=-1, metavar="[PATH|-]..."),
    click.option(
        "--target", multiple=True, callback=commas, metavar="T", help="Who judges: provider[:model], or several."
    ),
    click.option("--dialect", metavar="D", help=_DIALECT_HELP),
    click.option("--mode", type=click.Choice(MODES), help="A record at rest, or a request about to be sent."),
    click.option("--select", multiple=True, callback=commas, metavar="R", help="Run only these: code, TL1, name, ALL."),
    click.option("--ignore", multiple=True, callback=commas, metavar="R", help="Leave these rules out."),
    click.option("--unrecognised", type=click.Choice(("error", "warning", "count")), help=_UNRECOGNISED_HELP),
    click.option("--exclude", multiple=True, callback=commas, metavar="GLOB", help=_EXCLUDE_HELP),
    click.option("--force-exclude", is_flag=True, help="Leave excluded files out even if they are named."),
    click.option("--stdin-filename", metavar="F", help=_STDIN_HELP),
    click.option(
        "--config", type=click.Path(path_type=Path), metavar="F", help="Use this configuration for everything."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Processes to work with."),
)


def judging(command: Any) -> Any:
    """Gives a command the paths, and the options that say what is checked and by whom."""
    for option in reversed(_JUDGING):
        command = option(command)
    return command


class Choices(Struct, frozen=True):
    """What the command line says, for every source alike; it goes before configuration."""

    paths: tuple[str, ...] = (".",)
    target: tuple[str, ...] = ()
    dialect: str | None = None
    mode: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unrecognised: str | None = None
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    stdin_filename: str | None = None
    jobs: int = 1


def chosen(paths: tuple[str, ...], options: dict[str, Any]) -> tuple[Choices, Configs]:
    """The options of `judging`, and the configuration that they ask for.  Raises UsageError for unknown rules."""
    choices = Choices(
        paths=paths or (".",),
        target=options["target"],
        dialect=options["dialect"],
        mode=options["mode"],
        select=options["select"],
        ignore=options["ignore"],
        unrecognised=options["unrecognised"],
        exclude=options["exclude"],
        force_exclude=options["force_exclude"],
        stdin_filename=options["stdin_filename"],
        jobs=options["jobs"],
    )
    configs = Configs(options["config"], isolated=options["isolated"])
    check_rules(configs.of_run())
    check_rules(Config(select=choices.select, ignore=choices.ignore))
    return choices, configs
