"""The options of the commands that check, as data, and what they amount to.

`read` takes a command line in which all is plainly right; it loads nothing.  For everything else (help, a slip, an
abbreviation) the same data becomes a click command, see `turnlint.cli.clicks`: click alone takes as long to load as a
small file takes to check.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from turnlint.config import MODES, Config, Configs, check_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: What an option takes: a text, texts (repeated or with commas), nothing, one of `choices`, a path, a path to write to,
#: or a whole number from 1.
Kind = Literal["text", "names", "flag", "choice", "path", "output", "count"]


class Option(Struct, frozen=True):
    """One option.  `known` are the values that a text may have, where they are too many to print as `choices`."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: Any = None
    envvar: str | None = None
    known: tuple[str, ...] = ()

    @property
    def attribute(self) -> str:
        """The name under which its value is handed on."""
        return self.name[2:].replace("-", "_")

    @property
    def empty(self) -> Any:
        """Its value where it is not given."""
        return {"names": (), "flag": False}.get(self.kind, self.default)


JUDGING = (
    Option("--target", "names", "Who judges: provider[:model], or several.", "T"),
    Option("--dialect", "text", "The shape of the messages, or the container; by default it is recognised.", "D"),
    Option("--mode", "choice", "A record at rest, or a request about to be sent.", choices=MODES),
    Option("--select", "names", "Run only these: code, TL1, name, ALL.", "R"),
    Option("--ignore", "names", "Leave these rules out.", "R"),
    Option(
        "--unrecognised",
        "choice",
        "What a file in no known format is; by default an error if it was named.",
        choices=("error", "warning", "count"),
    ),
    Option("--exclude", "names", "Also leave these files and folders out.", "GLOB"),
    Option("--force-exclude", "flag", "Leave excluded files out even if they are named."),
    Option("--stdin-filename", "text", "The name under which standard input is reported and configured.", "F"),
    Option("--config", "path", "Use this configuration for everything.", "F"),
    Option("--isolated", "flag", "Read no configuration file."),
    Option("--jobs", "count", "Processes to work with; by default as many as there are cores, for large inputs.", "N"),
    Option("--no-cache", "flag", "Check every file anew, and keep no report on it."),
    Option(
        "--cache-dir", "text", "Where reports are kept; also from TURNLINT_CACHE_DIR.", "F", envvar="TURNLINT_CACHE_DIR"
    ),
)


def split(values: Iterable[str]) -> tuple[str, ...]:
    """Values of an option that may be repeated or given with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def read(arguments: Sequence[str], options: Sequence[Option]) -> tuple[tuple[str, ...], dict[str, Any]] | None:
    """The paths and the values of all options; None where anything is less than plainly right."""
    by_name = {option.name: option for option in options}
    values = {option.attribute: option.empty for option in options}
    paths = []
    given = []
    rest = iter(arguments)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        name, equals, text = word.partition("=")
        option = by_name.get(name)
        if option is None or (equals and option.kind == "flag"):
            return None
        if not equals and option.kind != "flag":
            text = next(rest, "-")
            if text.startswith("-"):
                return None
        given.append((option, text))
    named = {option.name for option, _ in given}
    for option in options:
        text = os.environ.get(option.envvar, "") if option.envvar and option.name not in named else ""
        if text:
            given.append((option, text))
    for option, text in given:
        value = _value(option, text)
        if value is None:
            return None
        values[option.attribute] = (*values[option.attribute], *value) if option.kind == "names" else value
    return tuple(paths), values


def _value(option: Option, text: str) -> Any:
    """What a text means for an option; None where it means nothing plainly."""
    kind = option.kind
    if kind == "flag":
        return True
    if kind == "names":
        return split((text,))
    if kind == "count":
        return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None
    if kind in ("path", "output"):
        path = Path(text)
        readable = not path.exists() or os.access(path, os.R_OK)
        return path if text and readable and not (kind == "output" and path.is_dir()) else None
    allowed = option.choices or option.known
    return text if not allowed or text in allowed else None


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
    jobs: int | None = None
    no_cache: bool = False
    cache_dir: str | None = None


def chosen(paths: tuple[str, ...], options: dict[str, Any]) -> tuple[Choices, Configs]:
    """The values of `JUDGING`, and the configuration that they ask for.  Raises UsageError for unknown rules."""
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
        no_cache=options["no_cache"],
        cache_dir=options["cache_dir"],
    )
    configs = Configs(options["config"], isolated=options["isolated"])
    check_rules(Config(select=choices.select, ignore=choices.ignore))
    return choices, configs
