"""A history as the target counts it: the indexes that a provider's error text names.

Anthropic counts turns after merging runs of one speaker, and blocks inside the merged turn; others count messages as
sent.  A foreign history is counted as if it had been converted one to one: system messages leave the list, and
neighbouring results share one turn.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from turnlint.model import Message, Part, Transcript
    from turnlint.pairing import Pairing
    from turnlint.targets import Verdict

PLACEHOLDER = re.compile(r"\{(message|part|turn|id|ids|tool|n)\}")


class View:
    """Indexes of messages and parts for one target."""

    def __init__(self, transcript: Transcript, pairing: Pairing, *, by_turn: bool) -> None:
        self._transcript = transcript
        self._pairing = pairing
        self._by_turn = by_turn
        self._places: dict[int, dict[Part, int]] = {}  # by number of turn; parts are told apart by identity

    def message(self, message: Message) -> int:
        """The index of a message."""
        if not self._by_turn:
            return message.index
        turn = self._pairing.turn_of.get(message.index)
        return message.index if turn is None else turn.number

    def behind(self, messages: Sequence[Message]) -> int:
        """The index of what follows these neighbouring messages, whether or not anything does."""
        return self.message(messages[-1]) + 1

    def part(self, part: Part) -> int:
        """The index of a part in its message or merged turn, or of a call in its message's call list."""
        last = next((step for step in reversed(part.at.path) if isinstance(step, int)), 0)
        if not self._by_turn:
            return last
        turn = self._pairing.turn_of.get(part.message.index)
        if turn is None:
            return last
        places = self._places.get(turn.number)
        if places is None:
            parts = [p for message in turn.messages for p in message.parts]
            places = self._places[turn.number] = {p: n for n, p in enumerate(parts)}
        return places.get(part, last)


_WORDS = re.compile(r"[a-z]{2}[a-z ,]*[a-z]{2}")
WORDINGS = 4  # of one answer that are told


def said(verdict: Verdict, values: Mapping[str, object]) -> str:
    """What a provider says, filled in.  Versions word it differently: the wordings are joined by `` | ``."""
    return " | ".join(fill(text, values) for text in _different(verdict.texts))


@lru_cache(maxsize=1024)
def _different(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The first of those wordings that say the same with another name or number in it."""
    by_words: dict[str, str] = {}
    for text in texts:
        words = max(_WORDS.findall(text.lower()), key=len, default=text)
        by_words.setdefault(words, text)
    return tuple(by_words.values())[:WORDINGS]


def fill(text: str, values: Mapping[str, object]) -> str:
    """A provider's wording with its placeholders filled in; what is not known becomes ``…``.

    A tuple holds the values of a placeholder that occurs several times, in order.
    """
    rows = {name: iter(value) for name, value in values.items() if isinstance(value, tuple)}

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        return str(next(rows[name], "…")) if name in rows else str(values.get(name, "…"))

    return PLACEHOLDER.sub(value_of, text)
