"""Click commands out of options that are kept as data, and what click makes of a command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnlint.cli.options import JUDGING, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from turnlint.cli.options import Option

_ANY = "[PATH|-]..."
HELP = {"help_option_names": ["-h", "--help"]}


def commas(_context: click.Context, _parameter: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Values of an option that may be repeated or given with commas."""
    return split(values)


def _known(option: Option) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def check(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            from turnlint.report import check_format

            check_format(value)
        return value

    assert option.known
    return check


def _option(option: Option) -> click.Option:
    more: dict[str, Any] = {}
    if option.kind == "names":
        more = {"multiple": True, "callback": commas}
    elif option.kind == "flag":
        more = {"is_flag": True}
    elif option.kind == "choice":
        more = {"type": click.Choice(option.choices)}
    elif option.kind in ("path", "output"):
        more = {"type": click.Path(path_type=Path, dir_okay=option.kind == "path")}
    elif option.kind == "count":
        more = {"type": click.IntRange(min=1)}
    elif option.known:
        more = {"callback": _known(option)}
    if option.default is not None:
        more["default"] = option.default
    return click.Option([option.name], metavar=option.metavar, help=option.help, envvar=option.envvar, **more)


def _paths(metavar: str) -> click.Argument:
    return click.Argument(["paths"], nargs=-1, metavar=metavar)


def judging(command: Any) -> Any:
    """Gives a command the paths, and the options that say what is checked and by whom."""
    for parameter in reversed([_paths(_ANY), *map(_option, JUDGING)]):
        # what click's own decorators do
        command.__click_params__ = [*getattr(command, "__click_params__", ()), parameter]
    return command


def command_of(name: str, module: ModuleType) -> click.Command:
    """The command of a module: its own, or one made of its `OPTIONS` and `run`."""
    made = getattr(module, "command", None)
    if isinstance(made, click.Command):
        return made

    def callback(paths: tuple[str, ...], **values: Any) -> int:
        status: int = module.run(paths, values)
        return status

    parameters = [_paths(getattr(module, "PATHS", _ANY)), *map(_option, module.OPTIONS)]
    return click.Command(name, params=parameters, help=module.run.__doc__, callback=callback, context_settings=HELP)


def invoke(name: str, module: ModuleType, arguments: Sequence[str]) -> object:
    """Run a command by click.  Raises UsageError, with how the command is used, for what click refuses."""
    from turnlint.cli.run import fail, say

    try:
        with command_of(name, module).make_context(f"turnlint {name}", list(arguments)) as context:
            return context.command.invoke(context)
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.UsageError as error:
        if error.ctx is not None:
            say(error.ctx.get_usage())
        return fail(error.format_message())
    except click.ClickException as error:
        return fail(error.format_message())
