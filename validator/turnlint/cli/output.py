"""Writes a rendered report to standard output or a file."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from turnlint.cli.run import quiet_stdout
from turnlint.errors import UsageError
from turnlint.report.terminal import wants_color, wants_links

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FOR_PEOPLE = frozenset({"full", "concise"})


def colored(choice: str, format_name: str, output: Path | None) -> bool:
    """Whether to colour a report: never in a machine format, and in a file only on demand."""
    if format_name not in FOR_PEOPLE:
        return False
    return wants_color(choice, os.environ, is_tty=output is None and sys.stdout.isatty()) and (
        output is None or choice == "always"
    )


def linked(format_name: str, output: Path | None) -> bool:
    """Whether to make links in a report: only on a terminal, or on demand."""
    if format_name not in FOR_PEOPLE or output is not None:
        return False
    return wants_links(os.environ, is_tty=sys.stdout.isatty())


def write(pieces: Iterable[str], format_name: str, output: Path | None) -> None:
    """Write the pieces.  A reader that went away is no error; a file that cannot be written is a UsageError."""
    if output is not None:
        try:
            with output.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.writelines(pieces)
        except OSError as error:
            raise UsageError(f"{output}: cannot be written: {error.strerror}") from None
        return
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        # A terminal of another encoding gets escapes instead of an error; a machine format is always UTF-8.
        encoding = None if format_name in FOR_PEOPLE else "utf-8"
        stdout.reconfigure(encoding=encoding, errors="backslashreplace", newline=None if encoding is None else "\n")
    try:
        stdout.writelines(pieces)
        stdout.flush()
    except BrokenPipeError:
        quiet_stdout()
