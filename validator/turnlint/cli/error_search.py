"""Finds the rule behind a provider's error text.

The texts that the targets collect hold placeholders ({id}, {message}, …), and what somebody pastes holds more than the
text: a status, quotes, the rest of a log line.  So a text is looked for as its literal pieces, one after the other,
with anything between them.  No pattern is built from either side, so that no text can make the search hang.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACEHOLDERS = re.compile(r"\{(?:message|turn|part|id|ids|tool|n)\}")
_MOST_CHARS = 20_000  # of what somebody pasted
_LEAST_LITERAL = 12  # characters of a text below which it says nothing
_TELLING = 30  # characters of a text that leave no doubt
_LEAST_LITERAL_SHARE = 0.3  # of the characters of a text, where some of its pieces occur whole
_LEAST_SHARE = 0.6  # of the words of a text, where its pieces do not all occur
_DROPPED = str.maketrans("", "", "\\\"'`‘’“”")
_WORD = re.compile(r"[a-z][a-z_.]+|\d+")


class Text(Struct, frozen=True):
    """One wording of a target's answer."""

    rule: str
    target: str
    text: str
    status: int | None = None


class Match(Struct, frozen=True):
    """A wording that is like the text given.  `score` is 1 for one whose pieces all occur, else below."""

    text: Text
    score: float
    literal: int


def search(wanted: str, texts: Iterable[Text]) -> list[Match]:
    """The texts that `wanted` may be, the likest and most telling first, else in the order of `texts`.

    Where the pieces of some occur whole, those that merely share words with it are left out.
    """
    pasted = plain(wanted[:_MOST_CHARS])
    words = frozenset(_WORD.findall(pasted))
    found = []
    for text in texts:
        pieces = _pieces(text.text)
        literal = sum(map(len, pieces))
        score = _score(pasted, words, pieces, literal)
        if score:
            found.append(Match(text, score, literal))
    if any(match.score == 1.0 and match.literal >= _TELLING for match in found):
        found = [match for match in found if match.score == 1.0]
    return sorted(found, key=lambda match: (-round(match.score, 2), -match.literal))


@cache
def _pieces(text: str) -> list[str]:
    """What stands between the placeholders of a collected text."""
    return [piece for raw in PLACEHOLDERS.split(text) if (piece := plain(raw))]


def plain(text: str) -> str:
    """`text` in lower case without quotes and escapes, and with one space between words."""
    return " ".join(text.lower().translate(_DROPPED).replace("\\n", " ").split())


def _score(pasted: str, words: frozenset[str], pieces: list[str], literal: int) -> float:
    if not pieces or (literal < _LEAST_LITERAL and pasted not in pieces):
        return 0.0
    if _in_order(pasted, pieces):
        return 1.0
    if len(pasted) >= _LEAST_LITERAL and any(pasted in piece for piece in pieces):
        return 0.95
    share = _found(pasted, pieces) / literal
    if share >= _LEAST_LITERAL_SHARE and share * literal >= _TELLING:
        return 0.9 * (0.5 + share / 2)
    own = frozenset(word for piece in pieces for word in _WORD.findall(piece))
    if len(own) < 3:
        return 0.0
    share = len(own & words) / len(own)
    return share * 0.9 if share >= _LEAST_SHARE else 0.0


def _found(pasted: str, pieces: list[str]) -> int:
    """How many characters of the pieces occur, in order: what was pasted may be cut short at either end."""
    at = found = 0
    for piece in pieces:
        place = pasted.find(piece, at)
        if place >= 0:
            at, found = place + len(piece), found + len(piece)
    return found


def _in_order(pasted: str, pieces: list[str]) -> bool:
    at = 0
    for piece in pieces:
        at = pasted.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
