"""``turnlint check --watch``: check, and check again whenever something changes, until Ctrl-C."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnlint.cli import OK
from turnlint.cli.run import say
from turnlint.config import FILE_NAMES
from turnlint.errors import UsageError
from turnlint.report.wording import plural
from turnlint.source.walk import COMPRESSED, SKIPPED, SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_ALONE = ("fix", "diff", "show_files", "show_settings", "output")


def watch(
    paths: tuple[str, ...], options: dict[str, Any], work: Callable[[tuple[str, ...], dict[str, Any]], int]
) -> int:
    """Do `work` now, and again after every change below `paths`.

    Raises UsageError for what cannot be watched, and where the package watchfiles is missing.
    """
    paths = paths or (".",)
    for name in _ALONE:
        if options[name]:
            raise UsageError(f"--watch does not go with --{name.replace('_', '-')}")
    if "-" in paths:
        raise UsageError("standard input cannot be watched")
    missing = next((path for path in paths if not Path(path).exists()), None)
    if missing is not None:
        raise UsageError(f"{missing}: no such file or folder")
    changes = _changes(paths)
    try:
        _again(paths, options, work)
        for count in changes:
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            say(f"turnlint: {plural(count, 'change')}, checking again")
            _again(paths, options, work)
    except KeyboardInterrupt:
        say("turnlint: no longer watching")
    return OK


def _again(paths: tuple[str, ...], options: dict[str, Any], work: Callable[..., int]) -> None:
    try:
        work(paths, options)
    except UsageError as error:  # a configuration that is just being written must not end it
        say(f"turnlint: {error}")
    say("turnlint: watching; Ctrl-C ends it")


def _changes(paths: tuple[str, ...]) -> Iterator[int]:
    """How many files changed, each time some did.  Raises UsageError where watchfiles is not installed."""
    try:
        import watchfiles
    except ImportError:
        raise UsageError("--watch needs the package watchfiles: pip install 'turnlint[watch]'") from None
    folders = [Path(path) for path in paths if Path(path).is_dir()]
    named = frozenset(os.path.abspath(path) for path in paths)  # noqa: PTH100 - links stay as they are
    # A file is watched through its folder: an editor that saves puts another file in its place.
    roots = [*folders, *(Path(path).parent for path in paths if not Path(path).is_dir())]

    def matters(_change: object, path: str) -> bool:
        return is_worth_a_look(path, named, everything=bool(folders))

    return map(len, watchfiles.watch(*roots, watch_filter=matters, recursive=bool(folders), raise_interrupt=True))


def is_worth_a_look(path: str, named: frozenset[str], *, everything: bool) -> bool:
    """Whether a change of the absolute `path` may change what is found: a file that is named, or one of known suffix.

    Without `everything` only what is named counts, and configuration.
    """
    parts = Path(path).parts
    if not SKIPPED.isdisjoint(parts[:-1]):
        return False
    if path in named or parts[-1] in FILE_NAMES:
        return True
    name = parts[-1].lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return everything and name.endswith(SUFFIXES)
