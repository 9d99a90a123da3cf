"""``turnlint completion``: the script that completes commands, options, rules, targets and dialects in a shell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from turnlint.cli import OK
from turnlint.cli.output import write
from turnlint.errors import UsageError, near_misses

PATHS = "bash|zsh|fish"
OPTIONS = ()


def run(paths: tuple[str, ...], _options: dict[str, Any]) -> int:
    """Print the completion script for a shell, by default the one in SHELL.

    \b
    bash  turnlint completion bash > ~/.local/share/bash-completion/completions/turnlint
    zsh   turnlint completion zsh > a file named _turnlint in a folder of fpath
    fish  turnlint completion fish > ~/.config/fish/completions/turnlint.fish
    """
    from turnlint.cli.completing import SHELLS, script

    shell = paths[0] if paths else Path(os.environ.get("SHELL", "")).name
    if len(paths) > 1 or shell not in SHELLS:
        known = ", ".join(SHELLS)
        raise UsageError(f"no completion for the shell {shell!r}{near_misses(shell, SHELLS)} (known: {known})")
    write((script(shell),), "full", None)
    return OK
