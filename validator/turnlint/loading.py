"""Histories read into the neutral model, for those who write their own checks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.containers.plain import given
from turnlint.diagnostic import Place
from turnlint.engine import Checker, Settings
from turnlint.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from turnlint.containers import Container
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

    with Path(path).open("rb"):
        pass
    found = [e.transcript for e in examine_file(Path(path), None, reader(dialect=dialect)) if e.transcript is not None]
    if not found:
        raise UsageError(f"{path}: no transcript in a known dialect or container; `turnlint check` says why")
    return found


def reader(targets: tuple[str, ...] = (), dialect: str | None = None) -> Checker:
    """A checker that reads every history and pairs its calls as the target does, and runs no rule."""
    return Checker(Settings(targets=targets, dialect=dialect, select=_NO_RULE, triggers=False))


def examine_file(path: Path | None, stream: BinaryIO | None, checker: Checker, name: str = "") -> Iterator[Examination]:
    """Every history in a file or a stream, looked at by `checker`; nothing where it cannot be read."""
    from turnlint.source.reader import read

    source = read(path, stream, name=name or str(path))
    opener = containers.for_binary(source.magic) if source.kind == "binary" else None
    if opener is not None and opener.open is not None:
        yield from _examine(opener.open(source), checker, opener)
    elif not source.faults:
        yield from _examine(source.documents(), checker)


def examine_value(document: Any, checker: Checker | None = None) -> Iterator[Examination]:
    """Every history in a value held in Python, objects of SDKs included; by default it is read, and no rule runs."""
    from turnlint.objects import plain
    from turnlint.source.document import Document

    return _examine(iter([Document(plain(document), b"", format="object")]), checker or reader())


def _examine(documents: Iterable[Document], checker: Checker, opener: Container | None = None) -> Iterator[Examination]:
    stream = iter(documents)
    head = list(itertools.islice(stream, containers.HEAD))
    container = opener or checker.container or containers.recognise(head)
    if container is not None:
        for candidate in container.find(itertools.chain(head, stream)):
            if not isinstance(candidate, Skipped):
                yield checker.examine(candidate)
    elif checker.settings.dialect is not None and head and head[0].readable:
        forced = given(head[0].value, Place((), head[0].number))
        if forced is not None:
            yield checker.examine(forced)
