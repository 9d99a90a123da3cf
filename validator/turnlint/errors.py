"""The errors that turnlint raises on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class UsageError(ValueError):
    """An argument, option or setting that cannot be used; the text names what was near."""


def near_misses(word: str, known: Iterable[str], *, limit: int = 3) -> str:
    """``"; did you mean 'a' or 'b'?"`` for the names in `known` that are close to `word`, else an empty text."""
    import difflib

    close = difflib.get_close_matches(word.lower(), list(known), n=limit, cutoff=0.55)
    return f"; did you mean {' or '.join(repr(str(name)) for name in close)}?" if close else ""
