"""``turnlint targets``: who can be asked, and who of them would take a given conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnlint.cli import FAILURE, OK
from turnlint.cli.checking import STDIN, Source, check_one, standard_input
from turnlint.cli.clicks import HELP
from turnlint.cli.options import Choices
from turnlint.cli.output import write
from turnlint.cli.run import internal_error, say
from turnlint.config import MODES, Config
from turnlint.diagnostic import Severity
from turnlint.report.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator


_WIDEST = 90  # characters of a cell in the table; JSON has all of them
_FORMATS = click.Choice(("text", "json"))


@click.command("targets", context_settings=HELP)
@click.argument("path", required=False, metavar="[PATH|-]")
@click.option("--dialect", metavar="D", help="The shape of the messages; by default it is recognised.")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="How it is judged.")
@click.option("--output-format", type=_FORMATS, default="text", show_default=True, help="How it is printed.")
def command(path: str | None, dialect: str | None, mode: str, output_format: str) -> int:
    """List the providers that --target takes, or which of them would take the conversation in PATH."""
    if path is None:
        return _print([_about(name) for name in _names()], output_format)
    if path != "-" and not Path(path).is_file():
        say(f"turnlint: {path}: no such file")
        return FAILURE
    source = Source(STDIN, data=standard_input()) if path == "-" else Source(path)
    return _print([_outcome(source, name, Choices(dialect=dialect, mode=mode)) for name in _names()], output_format)


def _print(rows: list[dict[str, str]], output_format: str) -> int:
    write(_table(rows) if output_format == "text" else _json(rows), "json", None)
    return OK


def _names() -> tuple[str, ...]:
    from turnlint import targets

    names: tuple[str, ...] = targets.names()
    return names


def _about(name: str) -> dict[str, str]:
    from turnlint import targets

    target = targets.load(name)
    return {
        "name": target.name,
        "data": target.data,
        "title": target.title,
        "dialects": ", ".join(sorted(target.dialects)),
    }


def _outcome(source: Source, target: str, choices: Choices) -> dict[str, str]:
    from turnlint.cli.checking import settings

    report = check_one(source, settings(source, choices, Config(target=(target,))))
    if isinstance(report, Exception):
        raise click.ClickException(internal_error(report, f" while asking {target}"))
    if not report.transcripts:
        reasons = [diagnostic.message for diagnostic in report.diagnostics] or ["no conversation in it"]
        return {"target": target, "outcome": "unknown", "first reason": reasons[0], "status": "", "its words": ""}
    grave = [d for d in report.diagnostics if d.severity is not Severity.INFO]
    first = min(grave, key=lambda d: d.severity.rank, default=None)
    if first is None:
        return {"target": target, "outcome": "takes it", "first reason": "", "status": "", "its words": ""}
    more = f" (+{len(grave) - 1})" if len(grave) > 1 else ""
    refused = first.severity is Severity.ERROR
    return {
        "target": target,
        "outcome": "refuses it" if refused else "takes it, but",
        "first reason": f"{first.rule}{more}",
        "status": str(first.status or "") if refused else "",
        "its words": (first.provider_error or "") if refused else "",
    }


def _json(rows: list[dict[str, str]]) -> Iterator[str]:
    yield json.dumps(rows, indent=2) + "\n"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _table(rows: list[dict[str, str]]) -> Iterator[str]:
    """The rows under the names of their columns, each column as wide as its widest cell."""
    lines = [list(rows[0]), *([_cut(clean(cell)) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
