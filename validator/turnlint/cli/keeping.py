"""When reports are kept from one run to the next, and where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from turnlint.cli import processes
from turnlint.diagnostic import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.cli.checking import Source
    from turnlint.cli.options import Choices
    from turnlint.config import Config

_MANY: Final = 16  # files, from which on looking them up costs less than it saves
_LARGE: Final = 1 << 20  # bytes of one file, likewise


def folder_for(sources: Sequence[Source], choices: Choices, config: Config) -> Path | None:
    """The folder of the cache; None where nothing is to be kept, or where that would not pay."""
    if choices.no_cache or os.environ.get("TURNLINT_NO_CACHE"):
        return None
    if config.cache is False and choices.cache_dir is None:
        return None
    if len(sources) < _MANY and not any(_is_large(source) for source in sources):
        return None
    from turnlint.cache import FOLDER

    return Path(choices.cache_dir) if choices.cache_dir else config.cache_dir or config.folder / FOLDER


def _is_large(source: Source) -> bool:
    try:
        return source.data is None and Path(source.name).stat().st_size >= _LARGE
    except OSError:
        return False


def check(work: Iterable[tuple[Source, Any]], folder: Path, jobs: int | None) -> Iterator[Report | Exception]:
    """The outcome of each piece of work, in order: as it was kept in `folder`, or else found out and kept."""
    from turnlint.cache import Cache

    cache = Cache(folder)
    items = list(work)
    keys = [
        None if source.data is not None else cache.key(Path(source.name), source.name, how, named=source.named)
        for source, how in items
    ]
    kept = [None if key is None else cache.find(key) for key in keys]
    missing = [item for item, report in zip(items, kept, strict=True) if report is None]
    fresh = processes.run(missing, processes.wanted([source for source, _ in missing], jobs))
    try:
        for (source, _), key, known in zip(items, keys, kept, strict=True):
            report: Report | Exception = known if known is not None else next(fresh)
            if known is None and key is not None and isinstance(report, Report):
                cache.keep(key, Path(source.name), report)
            yield report
    finally:
        cache.save()
