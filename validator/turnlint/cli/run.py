"""Runs one command: turns what goes wrong into one line on stderr and an exit status."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

from turnlint.cli import FAILURE, INTERRUPTED, OK
from turnlint.errors import UsageError
from turnlint.report.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

REPORT_TO = "https://turnlint.readthedocs.io/en/latest/bugs/"


def run(name: str, module: str, arguments: Sequence[str]) -> int:
    """Load the command `name` from `module` and run it; never raises, whatever the input was."""
    try:
        outcome = _outcome(name, importlib.import_module(module), arguments)
        sys.stdout.flush()
    except UsageError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        say("turnlint: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        quiet_stdout()
        return OK
    except Exception as error:  # whatever it is, it must not look like a finding
        return fail(internal_error(error))
    return outcome if isinstance(outcome, int) else OK


def _outcome(name: str, module: ModuleType, arguments: Sequence[str]) -> object:
    """What a command returns; without click where it has its options as data and is used plainly."""
    options = getattr(module, "OPTIONS", None)
    if options is not None:
        from turnlint.cli.options import read

        plain = read(arguments, options)
        if plain is not None:
            return module.run(*plain)
    from turnlint.cli.clicks import invoke

    return invoke(name, module, arguments)


def fail(text: str) -> int:
    """Say what went wrong, and return the status for it."""
    say(f"turnlint: {text}")
    return FAILURE


def say(text: str) -> None:
    """One remark on stderr, which may be closed."""
    try:
        print("\n".join(clean(line) for line in text.split("\n")), file=sys.stderr, flush=True)
    except OSError:
        return


def internal_error(error: Exception, where: str = "") -> str:
    """The one line for an error that is turnlint's own; prints the traceback where TURNLINT_DEBUG is set."""
    if os.environ.get("TURNLINT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}".strip(": ")
    if len(what) > 300:
        what = f"{what[:300]}…"
    return f"internal error{where}: {what} (please report it: {REPORT_TO}; TURNLINT_DEBUG=1 shows the traceback)"


def quiet_stdout() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
