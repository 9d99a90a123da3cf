"""``turnlint formats``: the dialects and containers that are read, and how each is recognised."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Protocol

import click

from turnlint.cli import OK
from turnlint.cli.clicks import HELP
from turnlint.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Shape(Protocol):
    """A dialect or a container, as far as this command tells of it."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def how(self) -> str: ...


@click.command("formats", context_settings=HELP)
def command() -> int:
    """List dialects (the shape of a message) and containers (what wraps a conversation).

    --dialect takes the name of either, where the content does not tell.
    """
    from turnlint import containers, dialects

    write(_text(dialects.all(), containers.all()), "concise", None)
    return OK


def _text(dialects: Iterable[Shape], containers: Iterable[Shape]) -> Iterator[str]:
    yield "Dialects: the shape of a message\n\n"
    for shape in dialects:
        yield _entry(shape)
    yield "Containers: what wraps a conversation\n\n"
    for shape in containers:
        yield _entry(shape)


def _entry(shape: Shape) -> str:
    how = textwrap.fill(shape.how, 96, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return f"  {shape.name} - {shape.title}\n{how}\n\n"
