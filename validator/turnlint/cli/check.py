"""``turnlint check``: the command, its options, and the order of its work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnlint import __version__
from turnlint.cli import FAILURE, FINDINGS, INTERRUPTED, OK, backend, checking
from turnlint.cli.options import JUDGING, Option, chosen
from turnlint.cli.output import colored, linked, write
from turnlint.cli.run import say
from turnlint.config import LEVELS
from turnlint.diagnostic import Report, Severity
from turnlint.errors import UsageError
from turnlint.report import FORMATS, WITH_EDITS, Context, render
from turnlint.report.sources import SourceLines
from turnlint.report.terminal import clean, clean_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.cli.options import Choices
    from turnlint.config import Config


OPTIONS = (
    *JUDGING,
    Option(
        "--output-format",
        "text",
        f"One of {', '.join(FORMATS)}; also from TURNLINT_OUTPUT_FORMAT.",
        "FORMAT",
        envvar="TURNLINT_OUTPUT_FORMAT",
        known=tuple(FORMATS),
    ),
    Option("--output", "output", "Write the report to this file."),
    Option("--fail-on", "choice", "The severity from which on the exit status is 1.", choices=LEVELS),
    Option("--exit-zero", "flag", "Exit with 0 even if there are findings."),
    Option("--statistics", "flag", "Count findings by rule instead of listing them."),
    Option("--baseline", "path", "Leave out the findings listed here.", "F"),
    Option("--fix", "flag", "Repair what loses and invents nothing, in the files themselves."),
    Option("--unsafe-fixes", "flag", "With --fix or --diff: also what needs a decision; see the pages."),
    Option("--diff", "flag", "Show what --fix would change, and write nothing."),
    Option("--backup", "flag", "With --fix: keep each file as it was beside it, as FILE.bak."),
    Option("--no-quotes", "flag", "Print no text of the conversations."),
    Option("--color", "choice", "Whether to colour.", choices=("auto", "always", "never"), default="auto"),
    Option("--watch", "flag", "Check again whenever a file changes, until Ctrl-C; needs the extra watch."),
    Option("--show-files", "flag", "List the files that would be checked, and stop."),
    Option("--show-settings", "flag", "Print the settings of this run, and stop."),
)
_FIXING = {"unsafe": "unsafe_fixes", "diff": "diff", "backup": "backup"}


def run(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Check saved conversations for what a provider would refuse.

    PATH is a file or a folder; - is standard input. Without one, everything below the current folder is checked.
    """
    if options["watch"]:
        from turnlint.cli.watching import watch

        return watch(paths, options, work)
    return work(paths, options)


def work(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """The work of `check`, and of `fix`, which is the same with files repaired first."""
    choices, configs = chosen(paths, options)
    config = configs.of_run()
    if options["show_settings"]:
        write(_settings(_overlaid(config, choices, options)), "concise", None)
        return OK
    if options["show_files"]:
        sources, all_found = checking.find(choices, configs)
        write((f"{clean_path(source.name)}\n" for source in sources), "concise", None)
        return OK if all_found else FAILURE
    fail_on = Severity(options["fail_on"] or config.fail_on or "error")
    found = done = None
    if options["fix"] or options["diff"]:
        from turnlint.cli import fixing

        found = checking.find(choices, configs)
        done = fixing.fix(found[0], choices, configs, **{k: options[o] for k, o in _FIXING.items()})
        fixing.show(done, diff=options["diff"])
        if options["diff"]:
            failed = done.failed or not found[1]
            return FAILURE if failed else FINDINGS if done.changed or any(s.reaches(fail_on) for s in done.left) else OK
    elif options["unsafe_fixes"] or options["backup"]:
        raise UsageError("--unsafe-fixes and --backup go with --fix or --diff")
    try:
        outcome = checking.check(choices, configs, found)
    except checking.Interrupted as stop:
        say(f"turnlint: {stop}")
        return INTERRUPTED
    report = _without_known(outcome.report(), options["baseline"] or config.baseline, choices, config)
    form = options["output_format"] or config.output_format
    if form in WITH_EDITS and any(d.fix is not None and not d.fix.edits for d in report.diagnostics):
        from turnlint.cli.fixing import with_edits

        report = with_edits(report, outcome.sources, choices, configs)
    filtered = done is not None and done.output is not None
    _write(report, outcome.sources, config, fail_on, options, to_stderr=filtered)
    if outcome.failed or (done is not None and done.failed):
        return FAILURE
    return FINDINGS if report.fails(fail_on) and not options["exit_zero"] else OK


def _without_known(report: Report, file: Path | None, choices: Choices, config: Config) -> Report:
    if file is None:
        return report
    from turnlint import baseline

    severity = checking.own_severity(baseline.UNUSED[1], choices, config)
    return baseline.apply(report, baseline.load(file), severity)


def _write(
    report: Report,
    sources: list[checking.Source],
    config: Config,
    fail_on: Severity,
    options: dict[str, Any],
    *,
    to_stderr: bool = False,
) -> None:
    name = options["output_format"] or config.output_format or "full"
    output: Path | None = options["output"]
    context = Context(
        source_line=SourceLines({source.name: source.data for source in sources if source.data is not None}),
        rule_page=backend.rule_page,
        color=colored(options["color"], name, output),
        links=linked(name, output) and not to_stderr,
        quotes=not options["no_quotes"],
        fail_on=fail_on,
        base=Path.cwd(),
        version=__version__,
        data=_data_of(report),
    )
    if options["no_quotes"]:
        from turnlint.report.privacy import without_quotes

        report = without_quotes(report, context)
    pieces = _pieces(name, report, context, statistics=options["statistics"])
    if to_stderr and output is None:
        for piece in pieces:  # standard output holds the repaired text
            sys.stderr.write(piece)
    else:
        write(pieces, name, output)


def _pieces(name: str, report: Report, context: Context, *, statistics: bool) -> Iterator[str]:
    if not statistics:
        return render(name, report, context)
    if name not in ("full", "concise"):
        raise UsageError(f"--statistics goes with the formats full and concise, not with {name}")
    from turnlint.report.statistics import render as count

    return count(report, context)


def _data_of(report: Report) -> str | None:
    """The day up to which the verdicts of those who judged are known."""
    specs = {spec for file in report.files for transcript in file.transcripts for spec in transcript.targets}
    return backend.data_of(specs)


def _overlaid(config: Config, choices: Choices, options: dict[str, Any]) -> Config:
    """The configuration of the run with what the command line says instead."""
    return replace(
        config,
        target=choices.target or config.target,
        mode=choices.mode or config.mode,
        select=choices.select or config.select,
        ignore=(*config.ignore, *choices.ignore),
        exclude=(*config.exclude, *choices.exclude),
        fail_on=options["fail_on"] or config.fail_on,
        baseline=options["baseline"] or config.baseline,
        output_format=options["output_format"] or config.output_format,
    )


def _settings(config: Config) -> Iterator[str]:
    """The settings of the run, one a line, as they would stand in a turnlint.toml."""
    import json

    from turnlint.config import KEYS

    yield f"# {clean(str(config.file))}\n" if config.file else "# no configuration file\n"
    for key in KEYS.values():
        value = getattr(config, key.attribute, None)
        if value not in (None, (), {}):
            shown = str(value) if isinstance(value, Path) else value
            yield f"{key.name} = {json.dumps(shown, ensure_ascii=True)}\n"
