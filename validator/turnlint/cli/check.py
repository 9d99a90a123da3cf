"""``turnlint check``: the command, its options, and the order of its work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnlint import __version__
from turnlint.cli import FAILURE, FINDINGS, INTERRUPTED, OK, backend
from turnlint.cli.checking import STDIN, Choices, Interrupted, Source, check_all
from turnlint.cli.output import colored, write
from turnlint.cli.run import say
from turnlint.config import LEVELS, MODES, Config, Configs, check_rules
from turnlint.diagnostic import Report, Severity
from turnlint.report import FORMATS, Context, check_format, render
from turnlint.report.sources import SourceLines

if TYPE_CHECKING:
    from collections.abc import Iterable


def _commas(_context: click.Context, _parameter: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Values of an option that may be repeated or given with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _format(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        check_format(value)
    return value


@click.command("check", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="[PATH|-]...")
@click.option("--target", multiple=True, callback=_commas, metavar="T", help="Who judges: provider or provider:model.")
@click.option(
    "--dialect", metavar="D", help="The shape of the messages, or the container; by default it is recognised."
)
@click.option("--mode", type=click.Choice(MODES), help="A record at rest, or a request about to be sent.")
@click.option("--select", multiple=True, callback=_commas, metavar="R", help="Run these rules: code, TL1, name or ALL.")
@click.option("--ignore", multiple=True, callback=_commas, metavar="R", help="Leave these rules out.")
@click.option(
    "--output-format",
    callback=_format,
    envvar="TURNLINT_OUTPUT_FORMAT",
    metavar="FORMAT",
    help=f"One of {', '.join(FORMATS)}.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to this file.")
@click.option("--fail-on", type=click.Choice(LEVELS), help="The severity from which on the exit status is 1.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@click.option("--stdin-filename", metavar="F", help="The name under which standard input is reported and configured.")
@click.option("--config", type=click.Path(path_type=Path), help="Use this configuration file for everything.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option(
    "--exclude", multiple=True, callback=_commas, metavar="GLOB", help="Also leave these files and folders out."
)
@click.option("--force-exclude", is_flag=True, help="Leave excluded files out even if they are named.")
@click.option("--unrecognised", type=click.Choice(("error", "warning", "count")), help="What an unknown format is.")
@click.option("--no-quotes", is_flag=True, help="Print no text of the conversations.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Whether to colour.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Processes to work with.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and stop.")
@click.option("--show-settings", is_flag=True, help="Print the settings of this run, and stop.")
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Check saved conversations for what a provider would refuse.

    PATH is a file or a folder; - is standard input. Without one, everything below the current folder is checked.
    """
    configs = Configs(options["config"], isolated=options["isolated"])
    config = configs.of_run()
    if options["show_settings"]:
        write(_settings(config), "concise", None)
        return OK
    sources, all_found = _sources(paths or (".",), config, options)
    if options["show_files"]:
        write((f"{source.name}\n" for source in sources), "concise", None)
        return OK if all_found else FAILURE
    if not sources:
        say("turnlint: warning: nothing to check here")
    _check_selectors(config, options)
    try:
        outcome = check_all(sources, _choices(options), configs)
    except Interrupted as stop:
        say(f"turnlint: {stop}")
        return INTERRUPTED
    report = outcome.report()
    fail_on = Severity(options["fail_on"] or config.fail_on or "error")
    _write(report, sources, config, fail_on, options)
    if outcome.failed or not all_found:
        return FAILURE
    return FINDINGS if report.fails(fail_on) and not options["exit_zero"] else OK


def _choices(options: dict[str, Any]) -> Choices:
    return Choices(
        target=options["target"],
        dialect=options["dialect"],
        mode=options["mode"],
        select=options["select"],
        ignore=options["ignore"],
        unrecognised=options["unrecognised"],
    )


def _check_selectors(config: Config, options: dict[str, Any]) -> None:
    """Wrong rule names are told before any work, and even if no file is there."""
    if config.file is None and not options["select"] and not options["ignore"]:
        return
    check_rules(config)
    check_rules(Config(select=options["select"], ignore=options["ignore"]))


def _sources(paths: tuple[str, ...], config: Config, options: dict[str, Any]) -> tuple[list[Source], bool]:
    """What there is to check, and whether every path that was named exists."""
    sources: list[Source] = []
    all_found = True
    for path in paths:
        if path == "-":
            if not any(source.data is not None for source in sources):
                sources.append(Source(options["stdin_filename"] or STDIN, data=sys.stdin.buffer.read()))
            continue
        for found in backend.walk(path, (*config.exclude, *options["exclude"]), force=options["force_exclude"]):
            if found.missing:
                say(f"turnlint: {path}: no such file or folder")
                all_found = False
            else:
                sources.append(Source(str(found.path), named=found.named))
    return list({(source.name, source.data is None): source for source in sources}.values()), all_found


def _write(report: Report, sources: list[Source], config: Config, fail_on: Severity, options: dict[str, Any]) -> None:
    name = options["output_format"] or config.output_format or "full"
    output: Path | None = options["output"]
    context = Context(
        source_line=SourceLines({source.name: source.data for source in sources if source.data is not None}),
        rule_page=backend.Pages(),
        color=colored(options["color"], name, output),
        quotes=not options["no_quotes"],
        fail_on=fail_on,
        base=Path.cwd(),
        version=__version__,
    )
    if options["no_quotes"]:
        from turnlint.report.privacy import without_quotes

        report = without_quotes(report, context)
    if options["statistics"]:
        from turnlint.report.statistics import render as count

        pieces = count(report, context)
    else:
        pieces = render(name, report, context)
    write(pieces, name, output)


def _settings(config: Config) -> Iterable[str]:
    """The settings of the run, one a line, as they would stand in a turnlint.toml."""
    import json

    from turnlint.config import KEYS
    from turnlint.report.terminal import clean

    yield f"# {clean(str(config.file))}\n" if config.file else "# no configuration file\n"
    for key in KEYS.values():
        value = getattr(config, key.attribute, None)
        if value not in (None, (), {}):
            shown = str(value) if isinstance(value, Path) else value
            yield f"{key.name} = {json.dumps(shown, ensure_ascii=True)}\n"
