"""``turnlint show``: the conversation as a person reads it, results under their calls, findings in place."""

from __future__ import annotations

import itertools
import json
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from turnlint.cli import FAILURE, FINDINGS, OK, checking
from turnlint.cli.clicks import HELP, commas
from turnlint.cli.options import Choices
from turnlint.cli.output import colored, write
from turnlint.cli.run import say
from turnlint.config import MODES, Configs
from turnlint.model import Call, Kind, Media, Result
from turnlint.report import Context
from turnlint.report.full import describe
from turnlint.report.terminal import Paint, clean
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.diagnostic import Diagnostic
    from turnlint.engine import Examination
    from turnlint.model import Message, Part
    from turnlint.pairing import Pairing

_MOST_LINES = 6  # of a text
_MOST_CHARS = 400
_INDENT = " " * 7


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
    view = View(Paint(color=colored(color, "full", output)), full=full, first=first, last=last)
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


class View(Struct, frozen=True):
    """How a conversation is laid out."""

    paint: Paint
    full: bool = False
    first: int = 0
    last: int | None = None

    def transcript(self, seen: Examination, number: int) -> Iterator[str]:
        """One conversation, line by line."""
        transcript, info = seen.transcript, seen.info
        assert transcript is not None
        assert info is not None
        who = ", ".join(info.targets)
        name = clean(info.id or str(number + 1))
        title = (
            f"conversation {name}: {info.dialect}, {plural(info.messages, 'message')}, judged as {who} ({info.mode})"
        )
        yield f"{self.paint('bold', title)}\n"
        pairing = seen.pairings[0] if seen.pairings else None
        by_message: dict[int | None, list[Diagnostic]] = {}
        for diagnostic in seen.diagnostics:
            by_message.setdefault(diagnostic.message_index, []).append(diagnostic)
        for part in transcript.system if not self.first else ():
            yield self._header("", "system")
            yield from self._part(part, pairing)
        for message in transcript.messages:
            findings = by_message.pop(message.index, [])
            if message.index >= self.first and (self.last is None or message.index <= self.last):
                yield from self._message(message, pairing)
                yield from self._findings(findings)
        for left in by_message.values():
            yield from self._findings(left)
        yield "\n"

    def _message(self, message: Message, pairing: Pairing | None) -> Iterator[str]:
        parts = [part for part in message.parts if not _shown_at_its_call(part, pairing)]
        if message.parts and not parts:
            return
        role = message.role if isinstance(message.role, str) else message.item or message.speaker.value
        yield self._header(str(message.index), role)
        for part in parts:
            yield from self._part(part, pairing)

    def _header(self, index: str, role: str) -> str:
        return f"{index:>5}  {self.paint('bold', clean(role))}\n"

    def _part(self, part: Part, pairing: Pairing | None) -> Iterator[str]:
        if isinstance(part, Call):
            yield from self._call(part, pairing)
        elif isinstance(part, Result):
            yield from self._result(part, "result of no call" if pairing is not None else "result")
        elif isinstance(part, Media):
            yield f"{_INDENT}[{clean(part.media or part.type)} {clean(str(part.media_type or ''))}".rstrip() + "]\n"
        elif part.text is not None:
            label = "" if part.kind is Kind.TEXT else f"[{part.kind.value}] "
            yield from self._text(f"{label}{part.text}", _INDENT)
        else:
            yield f"{_INDENT}[{clean(part.type or part.kind.value)}]\n"

    def _call(self, call: Call, pairing: Pairing | None) -> Iterator[str]:
        arguments = call.arguments if isinstance(call.arguments, str) else _json(call.arguments)
        name = clean(str(call.name)) if call.name is not None else "(no name)"
        identity = f" ({clean(str(call.id))})" if call.id is not None else ""
        yield f"{_INDENT}{self.paint('fix', f'call {name}')}{identity} {self._short(arguments)}\n"
        result = pairing.result_of(call) if pairing is not None and not call.hosted else None
        if result is not None:
            yield from self._result(result, "result")

    def _result(self, result: Result, label: str) -> Iterator[str]:
        content = result.content if isinstance(result.content, str) else _result_text(result)
        error = " (error)" if result.is_error else ""
        identity = f" ({clean(str(result.id))})" if result.id is not None else ""
        yield f"{_INDENT}  {self.paint('fix', label)}{identity}{error}\n"
        yield from self._text(content, f"{_INDENT}    ")

    def _text(self, text: str, indent: str) -> Iterator[str]:
        lines = text.splitlines() or [""]
        shown = lines if self.full else lines[:_MOST_LINES]
        for line in shown:
            yield f"{indent}{clean(line) if self.full else self._short(line)}".rstrip() + "\n"
        if len(lines) > len(shown):
            yield f"{indent}{self.paint('dim', f'… {len(lines) - len(shown)} more lines')}\n"

    def _short(self, text: str) -> str:
        if self.full or len(text) <= _MOST_CHARS:
            return clean(text)
        return f"{clean(text[:_MOST_CHARS])}{self.paint('dim', f'… {len(text) - _MOST_CHARS} more characters')}"

    def _findings(self, diagnostics: list[Diagnostic]) -> Iterator[str]:
        for diagnostic in diagnostics:
            for line in describe(diagnostic, Context(), self.paint):
                yield f"  {self.paint(diagnostic.severity.value, '!')} {line}\n"


def _shown_at_its_call(part: Part, pairing: Pairing | None) -> bool:
    return isinstance(part, Result) and pairing is not None and pairing.call_of(part) is not None


def _result_text(result: Result) -> str:
    texts = [part.text if part.text is not None else f"[{part.type or part.kind.value}]" for part in result.parts]
    return "\n".join(texts) if texts else _json(result.content)


def _json(value: Any) -> str:
    """A value on one line; what is nested too deep to be written is only named."""
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "(a value that cannot be shown)"
