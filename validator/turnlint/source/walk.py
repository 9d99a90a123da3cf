"""Which files to read: those that are named, and what a directory holds below it.

Directories are walked in the order of names.  What git ignores, what the caller excludes, and the folders that
only tools fill are left out.  A link to a directory is followed when it is named and not when it is met: so
nothing is read twice, and no loop can be walked into.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pathspec import GitIgnoreSpec

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".har", ".traj", ".eval")
"""Of the files that a walk finds; also with one of `COMPRESSED` behind."""
COMPRESSED: Final = (".gz", ".zst")

SKIPPED: Final = frozenset(
    {
        *(".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", "site-packages", ".venv", ".tox", ".nox"),
        *(
            ".eggs",
            ".hypothesis",
            ".mypy_cache",
            ".pytest_cache",
            ".ruff_cache",
            ".turnlint_cache",
            ".ipynb_checkpoints",
        ),
    }
)
"""Names of directories that are never walked into."""


class Found(Struct, frozen=True):
    """A path to read."""

    path: Path
    named: bool
    """Given by the caller, and not found below a directory."""
    missing: bool = False
    """Named, and not there."""


def walk(
    paths: Iterable[Path],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    exclude_root: Path | None = None,
    force_exclude: bool = False,
    respect_gitignore: bool = True,
    suffixes: Sequence[str] = SUFFIXES,
) -> Iterator[Found]:
    """The files among and below `paths`, each once.

    `exclude` are patterns as in a .gitignore that stands in `exclude_root` (the working directory, if None).  A
    named file is read in spite of them, and of its suffix, unless `force_exclude`.  With `include`, patterns of the
    same kind, only files that they match are found, and all that are named.  A directory that may not be
    listed is handed out like a file, so that reading it says why.
    """
    paths = [Path(path) for path in paths]
    excluded = _Patterns(exclude, exclude_root or Path())
    included = _Patterns(include, exclude_root or Path())
    endings = (*suffixes, *(suffix + packed for suffix in suffixes for packed in COMPRESSED))
    seen: set[str] = {_absolute(path) for path in paths if not path.is_dir()}
    named: set[str] = set()
    for path in paths:
        if path.is_dir():
            for found in _below(path, excluded, endings, respect_gitignore=respect_gitignore):
                key = _absolute(found)
                if key not in seen and (not include or included.has(key)):
                    seen.add(key)
                    yield Found(found, named=False)
        elif (key := _absolute(path)) not in named and not (force_exclude and excluded.has(key)):
            named.add(key)
            yield Found(path, named=True, missing=not os.path.lexists(path))


def _below(root: Path, excluded: _Patterns, endings: tuple[str, ...], *, respect_gitignore: bool) -> Iterator[Path]:
    """The files below a directory, in the order of their names."""
    ignores = _outer_ignores(root) if respect_gitignore else None
    pending: list[tuple[Path, str, bool, _Ignores | None]] = [(root, _absolute(root), True, ignores)]
    while pending:
        path, absolute, is_directory, ignores = pending.pop()
        if not is_directory:
            yield path
            continue
        try:
            with os.scandir(path) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name, reverse=True)
        except OSError:
            yield path
            continue
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and path != root:
            continue
        if respect_gitignore and ".gitignore" in names:
            ignores = _Ignores.read(path / ".gitignore", absolute, ignores) or ignores
        for entry in entries:
            child = f"{absolute.rstrip(os.sep)}{os.sep}{entry.name}"
            is_directory = entry.is_dir(follow_symlinks=False)
            if is_directory:
                wanted = entry.name not in SKIPPED
            else:
                wanted = entry.name.lower().endswith(endings) and entry.is_file()
            if (
                wanted
                and not (ignores and ignores.has(child, is_directory=is_directory))
                and not excluded.has(child, is_directory=is_directory)
            ):
                pending.append((path / entry.name, child, is_directory, ignores))


class _Patterns:
    """The caller's patterns."""

    def __init__(self, patterns: Sequence[str], root: Path) -> None:
        self._spec = _spec(patterns)
        self._root = _absolute(root)

    def has(self, path: str, *, is_directory: bool = False) -> bool:
        """Whether the patterns match an absolute path."""
        return self._spec is not None and self._spec.match_file(_seen_from(self._root, path, is_directory))


class _Ignores(Struct, frozen=True):
    """The patterns of one .gitignore, and of those in the directories above."""

    spec: GitIgnoreSpec
    folder: str
    outer: _Ignores | None

    @classmethod
    def read(cls, file: Path, folder: str, outer: _Ignores | None) -> _Ignores | None:
        """None where the file cannot be read or holds no pattern."""
        try:
            lines = file.read_bytes().decode("utf-8", "replace").split("\n")
        except OSError:
            return None
        spec = _spec([line.removesuffix("\r") for line in lines])
        return cls(spec, folder, outer) if spec is not None else None

    def has(self, path: str, *, is_directory: bool) -> bool:
        """Whether git would ignore an absolute path: the innermost file with a pattern for it decides."""
        level: _Ignores | None = self
        while level is not None:
            verdict = level.verdict(path, is_directory=is_directory)
            if verdict is not None:
                return verdict
            level = level.outer
        return False

    def verdict(self, path: str, *, is_directory: bool) -> bool | None:
        """What this one file says: ignored, expressly not, or nothing."""
        return self.spec.check_file(_seen_from(self.folder, path, is_directory)).include


def _outer_ignores(root: Path) -> _Ignores | None:
    """The ignore files from the top of the repository down to above `root`.

    One that ignores `root` itself is left out: who names a directory wants it read.
    """
    absolute = Path(_absolute(root))
    folders: list[Path] = []
    for folder in (absolute, *absolute.parents):
        folders.append(folder)
        if (folder / ".git").exists():
            break
    else:
        return None
    ignores = None
    for folder in reversed(folders):
        # The .gitignore in `root` itself is read when `root` is listed.
        files = (folder / ".git" / "info" / "exclude", *([folder / ".gitignore"] if folder != absolute else []))
        for file in files:
            level = _Ignores.read(file, str(folder), ignores)
            if level and (folder == absolute or not level.verdict(str(absolute), is_directory=True)):
                ignores = level
    return ignores


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec | None:
    """The patterns compiled; None where there are none, which saves loading what compiles them."""
    lines = [line for line in patterns if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        # git passes over a line that is no pattern
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _absolute(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


def _seen_from(folder: str, path: str, is_directory: bool) -> str:
    """An absolute path as patterns see it: from the folder of the patterns, with slashes."""
    prefix = folder.rstrip(os.sep) + os.sep
    try:
        relative = path[len(prefix) :] if path.startswith(prefix) else os.path.relpath(path, folder)
    except ValueError:  # another drive
        relative = path
    return relative.replace(os.sep, "/") + ("/" if is_directory else "")
