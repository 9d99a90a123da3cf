"""A first configuration, out of what a tree holds: which files are conversations, and which are broken on purpose.

Pure: reports in, text of a TOML file out.  Names of files come from outside, and end up in patterns and in TOML.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from turnlint.diagnostic import Severity
from turnlint.report.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from turnlint.diagnostic import FileInfo, Report

SETTINGS_PAGE = "https://turnlint.readthedocs.io/en/latest/settings/"
MOST_PATTERNS = 16
MOST_EXPECTED = 100  # files; whoever has more is better served by patterns of their own, or a baseline
_MOST_NAMES = 4  # of one suffix in one folder, for which its files are named one by one

_ON_PURPOSE = re.compile(
    r"(?:^|[_\W])(?:broken|invalid|malformed|bad|corrupt(?:ed)?|negative)(?:$|[_\W])", re.IGNORECASE
)
_SPECIAL = re.compile(r"([\\*?\[\]!#])")


class Seen(NamedTuple):
    """Files of one kind: a dialect in a container, and the folders they are in."""

    dialect: str
    container: str
    files: int
    conversations: int
    folders: tuple[str, ...]


class First(NamedTuple):
    """What a tree holds, and the configuration for it, with patterns as in a .gitignore at its root.

    `unknown` counts files in no known format, `left` the errors in files that are not in `expect`.
    """

    seen: tuple[Seen, ...]
    unknown: int
    include: tuple[str, ...]
    expect: Mapping[str, tuple[str, ...]]
    left: int


def survey(report: Report) -> First:
    """What the report on a tree says of it; its files are named from the root of that tree, with slashes."""
    files = [file for file in report.files if file.transcripts]
    unknown = [file.path for file in report.files if not file.transcripts]
    by_kind: dict[tuple[str, str], list[FileInfo]] = {}
    for file in files:
        dialects = Counter(transcript.dialect for transcript in file.transcripts)
        by_kind.setdefault((dialects.most_common(1)[0][0], file.container or "plain"), []).append(file)
    every = {file.path for file in files}
    seen = tuple(
        Seen(
            dialect,
            container,
            len(found),
            sum(len(file.transcripts) for file in found),
            tuple(_folders(file.path for file in found)),
        )
        for (dialect, container), found in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0]))
    )
    include = patterns(every, unknown)
    errors: dict[str, set[str]] = {}
    for diagnostic in report.diagnostics:
        if diagnostic.severity is Severity.ERROR and diagnostic.path is not None:
            errors.setdefault(diagnostic.path, set()).add(diagnostic.rule)
    meant = {path: rules for path, rules in errors.items() if path in every and is_broken_on_purpose(path)}
    if len(meant) > MOST_EXPECTED:
        meant = {}
    left = sum(d.severity is Severity.ERROR and d.path not in meant for d in report.diagnostics)
    expect = {f"/{escaped(path)}": tuple(sorted(rules)) for path, rules in sorted(meant.items())}
    return First(seen, len(unknown), tuple(include), expect, left)


def is_broken_on_purpose(path: str) -> bool:
    """Whether a file's name, or that of a folder above it, says that it is broken on purpose."""
    parts = PurePosixPath(path)
    return any(_ON_PURPOSE.search(part) for part in (*parts.parent.parts, parts.stem))


def patterns(wanted: Iterable[str], others: Iterable[str]) -> list[str]:
    """Few patterns that match all of the `wanted` files, and of the `others` as few as that allows."""
    tree = _Folder()
    for path in wanted:
        tree.add(PurePosixPath(path).parts, wanted=True)
    for path in others:
        tree.add(PurePosixPath(path).parts, wanted=False)
    for depth in (None, 3, 2, 1):
        found = list(tree.patterns("/", depth))
        if len(found) <= MOST_PATTERNS:
            return found
    return []  # the tree is too mixed to be told by patterns


class _Folder:
    """The files below one folder, wanted ones and others."""

    def __init__(self) -> None:
        self.folders: dict[str, _Folder] = {}
        self.wanted: list[str] = []
        self.others: list[str] = []
        self.all_wanted = True
        self.any_wanted = False

    def add(self, parts: Sequence[str], *, wanted: bool) -> None:
        folder = self
        for part in (*parts[:-1], None):
            folder.all_wanted &= wanted
            folder.any_wanted |= wanted
            if part is not None:
                folder = folder.folders.setdefault(part, _Folder())
        (folder.wanted if wanted else folder.others).append(parts[-1])

    def patterns(self, prefix: str, depth: int | None) -> Iterator[str]:
        """Patterns for what is wanted here, going no deeper than `depth` folders."""
        if not self.any_wanted:
            return
        if prefix != "/" and (self.all_wanted or depth == 0):
            yield prefix
            return
        below = None if depth is None else depth - 1
        for name, folder in sorted(self.folders.items()):
            yield from folder.patterns(f"{prefix}{escaped(name)}/", below)
        by_suffix: dict[str, list[str]] = {}
        for name in self.wanted:
            by_suffix.setdefault(PurePosixPath(name).suffix, []).append(name)
        mixed = {PurePosixPath(name).suffix for name in self.others}
        for suffix, names in sorted(by_suffix.items()):
            if (suffix and suffix not in mixed and len(names) > 1) or len(names) > _MOST_NAMES:
                yield f"{prefix}*{escaped(suffix)}"
            else:
                yield from (f"{prefix}{escaped(name)}" for name in sorted(names))


def _folders(paths: Iterable[str]) -> Iterator[str]:
    """The folders that files are in; of those inside each other the outermost."""
    last: str | None = None
    for folder in sorted({PurePosixPath(path).parent.as_posix() for path in paths}):
        if last is None or not f"{folder}/".startswith(last):
            last = "" if folder == "." else f"{folder}/"
            yield last or "./"


def escaped(name: str) -> str:
    """A name as a pattern of .gitignore that matches it; a wildcard stands for what no file or terminal should hold."""
    shown = "".join(char if clean(char) == char else "?" for char in _SPECIAL.sub(r"\\\1", name))
    return f"{shown[:-1]}?" if shown[-1:].isspace() else shown


def toml(first: First) -> str:
    """The configuration as a turnlint.toml."""
    lines = [f"# Written by `turnlint init`. All settings: {SETTINGS_PAGE}", ""]
    if first.include:
        lines += [
            "# Where conversations were found; `turnlint check` looks at nothing else, unless it is named.",
            "include = [",
        ]
        lines += [f"    {_text(pattern)}," for pattern in first.include]
        lines += ["]", ""]
    lines += [
        "# Who judges. Without a target each file is judged by the provider that it names, or whose shape it is in.",
        '# target = ["openai", "anthropic"]',
        "",
        "# The severity from which on the exit status is 1.",
        'fail-on = "error"',
    ]
    if first.expect:
        lines += [
            "",
            "# Broken on purpose, by their names: these rules must fire there, and are no findings.",
            "[expect]",
        ]
        lines += [f"{_text(path)} = [{', '.join(map(_text, rules))}]" for path, rules in first.expect.items()]
    return "\n".join([*lines, ""])


def _text(text: str) -> str:
    """A text as TOML writes it; what JSON escapes, TOML escapes alike."""
    return json.dumps(text, ensure_ascii=False)
