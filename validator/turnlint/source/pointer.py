"""JSON pointers (RFC 6901): text such as ``/messages/0/a~1b``, and its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,17})\Z", re.ASCII)


def split(pointer: str) -> list[str]:
    """The unescaped tokens of a pointer; the empty pointer names the whole document and has none."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def join(tokens: Iterable[str | int]) -> str:
    """The pointer of some tokens."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def around(pointer: str) -> Iterator[str]:
    """A pointer, and the pointers of all that it lies in."""
    yield pointer
    while pointer:
        pointer = pointer[: pointer.rindex("/")]
        yield pointer


def index(token: str) -> int | None:
    """The list index that a token spells, or None."""
    return int(token) if _INDEX.match(token) else None
