"""``turnlint show``: the conversation as a person reads it, results under their calls, findings in place."""

from __future__ import annotations

import itertools
import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from turnlint.cli import FAILURE, FINDINGS, OK, checking
from turnlint.cli.clicks import HELP, commas
from turnlint.cli.options import Choices
from turnlint.cli.output import colored, write
from turnlint.cli.run import say
from turnlint.config import MODES, Configs
from turnlint.report.conversation import View
from turnlint.report.terminal import Paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.engine import Examination

_PLAIN_WIDTH = 100  # columns, where there is no terminal


@click.command("show", context_settings=HELP)
@click.argument("path", metavar="PATH|-")
@click.option("--target", multiple=True, callback=commas, metavar="T", help="Who judges: provider[:model], or several.")
@click.option("--dialect", metavar="D", help="The shape of the messages; by default it is recognised.")
@click.option("--mode", type=click.Choice(MODES), help="A record at rest, or a request about to be sent.")
@click.option("--full", is_flag=True, help="Print texts in full, however long they are.")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, metavar="N", help="Begin with message N.")
@click.option("--to", "last", type=click.IntRange(min=0), metavar="N", help="End with message N.")
@click.option("--html", is_flag=True, help="One HTML page that stands alone, instead of text.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="F", help="Write to this file.")
@click.option("--pager", is_flag=True, help="Show it in the pager of the terminal.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Whether to colour.")
def command(
    path: str,
    full: bool,
    first: int,
    last: int | None,
    html: bool,
    output: Path | None,
    pager: bool,
    isolated: bool,
    color: str,
    **options: Any,
) -> int:
    """Print the conversations in PATH, results under their calls, with what was found in its place."""
    if path != "-" and not Path(path).exists():
        say(f"turnlint: {path}: no such file")
        return FAILURE
    choices = Choices(**options)
    source = checking.Source(checking.STDIN, data=checking.standard_input()) if path == "-" else checking.Source(path)
    settings = checking.settings(source, choices, Configs(isolated=isolated).of_file(source.name))
    shown = examined(source, replace(settings, triggers=False))
    one = next(shown, None)
    if one is None:
        say(f"turnlint: {source.name}: no conversation that could be shown; `turnlint check` says why")
        return FINDINGS
    everything = itertools.chain([one], shown)
    if html:
        write(_page(source, everything, settings), "html", output)
        return OK
    width = shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns if output is None else _PLAIN_WIDTH
    view = View(Paint(color=colored(color, "full", output)), width, full=full, first=first, last=last)
    pieces = (piece for number, seen in enumerate(everything) for piece in view.transcript(seen, number))
    if pager and output is None and sys.stdout.isatty():
        click.echo_via_pager(pieces)
    else:
        write(pieces, "full", output)
    return OK


def _page(source: checking.Source, seen: Iterable[Examination], settings: Any) -> Iterator[str]:
    """The HTML page, with what the safe fixes would change where there are any."""
    from turnlint.cli.fixing import unified
    from turnlint.fixing import fix_source
    from turnlint.report.timeline import Shown, render

    conversations = [Shown(item, number) for number, item in enumerate(seen)]
    diff = ""
    if len(settings.targets) <= 1 and any(d.fix is not None for c in conversations for d in c.seen.diagnostics):
        stream = None if source.data is None else BytesIO(source.data)
        made = fix_source(None if stream else Path(source.name), stream, name=source.name, settings=settings)
        diff = unified(source.name, made.before, made.after) if made.after is not None else ""
    return render(source.name, conversations, diff)


def examined(source: checking.Source, settings: Any) -> Iterator[Examination]:
    """Every transcript of a source, read into the model and judged."""
    from turnlint.engine import Checker
    from turnlint.loading import examine_file

    stream = None if source.data is None else BytesIO(source.data)
    path = None if stream else Path(source.name)
    for seen in examine_file(path, stream, Checker(settings), source.name):
        if seen.transcript is not None:
            yield seen
