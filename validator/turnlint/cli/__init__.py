"""The command line.  `main` finds the command and loads that command alone; one module a command.

Only this module is imported for ``turnlint --version``: a pre-commit hook and an editor start it again and again.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Name -> module with a click command named `command`, and the line that `turnlint --help` shows.
COMMANDS = {
    "check": ("turnlint.cli.check", "Check saved conversations; without a path, those below this folder."),
    "fix": ("turnlint.cli.fix", "Repair what loses and invents nothing; the same as check --fix."),
    "show": ("turnlint.cli.show", "Print a conversation as a person reads it, with the findings in place."),
    "rule": ("turnlint.cli.rule", "Show what a rule finds, why, and who minds; or find the rule behind an error."),
    "targets": ("turnlint.cli.targets", "List the providers known, or which of them would take a conversation."),
    "formats": ("turnlint.cli.formats", "List the shapes of conversations that are read."),
    "init": ("turnlint.cli.init", "Write a first configuration after looking at the files below this folder."),
    "completion": ("turnlint.cli.completion", "Print the script that completes turnlint in bash, zsh or fish."),
    "baseline": ("turnlint.cli.baseline", "Write down the findings of today, so that only new ones are reported."),
}

VARIABLE = "_TURNLINT_COMPLETE"  # set by a shell that asks how a command line may go on
OK, FINDINGS, FAILURE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (by default the process's) and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None and VARIABLE in os.environ:
        from turnlint.cli.completing import complete

        return complete(os.environ[VARIABLE])
    first = arguments[0] if arguments else "--help"
    if first in ("--version", "-V"):
        from turnlint import __version__

        print(f"turnlint {__version__}")
        return OK
    if first in ("--help", "-h", "help"):
        print(_help(), end="")
        return OK if arguments else FAILURE
    if first not in COMMANDS:
        print(f"turnlint: {_unknown(first)}", file=sys.stderr)
        return FAILURE
    if argv is None:
        _load_msgspec()
        collect_seldom()
    from turnlint.cli.run import run

    return run(first, COMMANDS[first][0], arguments[1:])


def _load_msgspec() -> None:
    """Load msgspec without typing_extensions, as it loads where that is not installed.

    It needs it only for types that no class here has, and takes twice as long with it: that package loads inspect, ast
    and tokenize.  Only in a process that is ours alone; whoever imports typing_extensions later gets it.
    """
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


def collect_seldom() -> None:
    """Have Python look for circles of objects more seldom than it does by itself: a check leaves hardly any."""
    import gc

    gc.set_threshold(50_000, 20, 20)


def _help() -> str:
    longest = max(map(len, COMMANDS))
    lines = [f"  {name:<{longest}}  {line}\n" for name, (_, line) in COMMANDS.items()]
    return (
        "Usage: turnlint COMMAND [OPTIONS] [ARGUMENTS]\n\n"
        "Finds broken tool calls in saved LLM conversations before an API does.\n\n"
        f"Commands:\n{''.join(lines)}\n"
        "`turnlint COMMAND --help` tells a command's options; `turnlint --version` the version.\n"
        "Exit status: 0 nothing found, 1 findings, 2 wrong usage or an internal error.\n"
    )


def _unknown(word: str) -> str:
    from pathlib import Path

    from turnlint.errors import near_misses
    from turnlint.report.terminal import clean

    shown = clean(word)
    if word.startswith("-") and word != "-":
        return f"no such option: {shown}; options follow a command, as in `turnlint check {shown}`"
    if word == "-" or Path(word).exists():
        return f"{shown} is no command; to check it: turnlint check {shown}"
    return f"no such command: {shown}{near_misses(word, COMMANDS)} (see turnlint --help)"
