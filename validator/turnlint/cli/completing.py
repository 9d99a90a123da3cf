"""Completion in the shell: click's own, told which words each option takes.

The script that `turnlint completion SHELL` prints calls turnlint with `VARIABLE` set whenever somebody presses Tab.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from turnlint.cli import COMMANDS, VARIABLE
from turnlint.cli.clicks import command_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHELLS = ("bash", "zsh", "fish")


class _Words(click.ParamType):  # type: ignore[type-arg]  # generic in new releases alone
    """One or more words, with commas between them, out of those that `known` gives."""

    name = "words"

    def __init__(self, known: Callable[[], Iterable[str]]) -> None:
        self._known = known

    def shell_complete(self, _context: click.Context, _parameter: Any, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        last = last.lower()
        return [CompletionItem(f"{before}{comma}{word}") for word in self._known() if word.lower().startswith(last)]


def _rules() -> list[str]:
    from turnlint.registry import entries

    return ["ALL", *(entry.name for entry in entries()), *(entry.code for entry in entries())]


def _targets() -> Iterable[str]:
    from turnlint.targets import names

    return names()


def _dialects() -> list[str]:
    from turnlint import containers, dialects

    return sorted({dialect.name for dialect in dialects.all()} | {container.name for container in containers.all()})


def _formats() -> Iterable[str]:
    from turnlint.report import FORMATS

    return FORMATS


_KNOWN: dict[str, Any] = {
    "--target": _Words(_targets),
    "--dialect": _Words(_dialects),
    "--select": _Words(_rules),
    "--ignore": _Words(_rules),
    "--output-format": _Words(_formats),
    "--baseline": click.Path(),
    "--cache-dir": click.Path(file_okay=False),
    "--stdin-filename": click.Path(),
    "name": _Words(_rules),
    "path": click.Path(),
    "paths": click.Path(),
}


class _Everything(click.Group):
    """All commands, each loaded when it is come to."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, line = COMMANDS[name]
        command = _taught(command_of(name, importlib.import_module(module)), line)
        if name == "completion":
            command.params[0].type = click.Choice(SHELLS)
        return command


def _taught(command: click.Command, line: str) -> click.Command:
    """A command whose parameters know what they take; not to be run."""
    command.short_help = line
    for parameter in command.params:
        known = _KNOWN.get(parameter.opts[0])
        if known is not None and not isinstance(parameter.type, click.Choice):
            parameter.type = known
    for name, inner in getattr(command, "commands", {}).items():
        _taught(inner, inner.get_short_help_str() or name)
    return command


def _of_shell(name: str) -> ShellComplete:
    made = get_completion_class(name)
    assert made is not None
    return made(_Everything("turnlint"), {}, "turnlint", VARIABLE)


def script(shell: str) -> str:
    """What a shell has to read once to complete turnlint."""
    # Not the shell's own `source`, which starts a bash to ask for its version.
    return f"{ShellComplete.source(_of_shell(shell)).strip()}\n"


def complete(instruction: str) -> int:
    """Print what may stand where somebody pressed Tab, for an instruction such as ``bash_complete``."""
    shell, _, what = instruction.partition("_")
    if shell not in SHELLS or what != "complete":
        return 2
    print(_of_shell(shell).complete())
    return 0
