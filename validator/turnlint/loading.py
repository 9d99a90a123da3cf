"""Histories read into the neutral model, for those who write their own checks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.engine import Checker, Settings
from turnlint.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from turnlint.engine import Examination
    from turnlint.model import Transcript
    from turnlint.source.document import Document

#: A rule of the engine's own: selecting it alone makes a check that reads everything and judges nothing.
_NO_RULE = ("syntax-error",)


def load(path: str | os.PathLike[str], *, dialect: str | None = None) -> list[Transcript]:
    """The transcripts in a file, in the model of `turnlint.model`, in the order in which they stand there.

    `dialect` names a dialect or container where the content does not tell.  What is damaged or no transcript is left
    out, as long as anything can be read.  Raises `OSError` for a file that cannot be opened, and `UsageError` for one
    in which there is no transcript at all.
    """
    from pathlib import Path

    from turnlint.source.reader import read

    file = Path(path)
    file.stat()
    source = read(file, None, name=str(path))
    if source.faults:
        raise UsageError(f"{path}: {source.faults[0].message}")
    found = [e.transcript for e in examine(source.documents(), dialect=dialect) if e.transcript is not None]
    if not found:
        raise UsageError(f"{path}: no transcript in a known dialect or container")
    return found


def examine(
    documents: Iterable[Document], *, targets: tuple[str, ...] = (), dialect: str | None = None
) -> Iterator[Examination]:
    """Every history in `documents` read and paired as its target does, without running a rule."""
    checker = Checker(Settings(targets=targets, dialect=dialect, select=_NO_RULE, triggers=False))
    stream = iter(documents)
    head = list(itertools.islice(stream, containers.HEAD))
    container = checker.container or containers.recognise(head)
    if container is None:
        return
    for candidate in container.find(itertools.chain(head, stream)):
        if not isinstance(candidate, Skipped):
            yield checker.examine(candidate)


def examine_value(document: Any, *, targets: tuple[str, ...] = (), dialect: str | None = None) -> Iterator[Examination]:
    """The same for a value held in Python, objects of SDKs included."""
    from turnlint.objects import plain
    from turnlint.source.document import Document

    return examine([Document(plain(document), b"", format="object")], targets=targets, dialect=dialect)
