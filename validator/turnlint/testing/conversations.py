"""Conversations without a shape: what the strategies draw, and the writers write down in a dialect."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: A PNG of one pixel, as base64 text.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def seal(number: int) -> str:
    """A text of the form that providers' signatures on reasoning have; each number has its own."""
    return base64.b64encode(b"\x12\xc8\x01" + f"signature {number:06d} ".encode() * 8).decode()


def sealed(number: int) -> str:
    """A text of the form that encrypted reasoning has; each number has its own."""
    return base64.urlsafe_b64encode(b"\x80\x00\x00\x00\x00" + f"sealed text {number:06d} ".encode() * 5).decode()


@dataclass(frozen=True, slots=True)
class Use:
    """A call and its result.  `result` is None while the call is open; `failed` marks the result as an error."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    result: str | None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """One assistant turn with calls, and what answers it.

    `order` holds the numbers of the uses in the order in which their results come.  `thought` is the reasoning before
    the calls; an empty `text` or `thought` is none.
    """

    uses: tuple[Use, ...]
    text: str = ""
    thought: str = ""
    order: tuple[int, ...] = ()

    @property
    def results(self) -> tuple[Use, ...]:
        """The answered uses, in the order of their results."""
        uses = tuple(self.uses[n] for n in self.order) if self.order else self.uses
        return tuple(use for use in uses if use.result is not None)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user asks, the rounds of calls that follow, and the answer (empty: none yet).

    `searched` is a search that the provider itself ran before it answered; `image`: the question has an image.
    """

    question: str
    rounds: tuple[Round, ...] = ()
    answer: str = ""
    image: bool = False
    searched: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A system prompt (empty: none) and turns."""

    turns: tuple[Turn, ...]
    system: str = ""

    def uses(self) -> Iterator[Use]:
        for turn in self.turns:
            for one in turn.rounds:
                yield from one.uses

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are called."""
        return sorted({use.name for use in self.uses()})

    @property
    def thinks(self) -> bool:
        """Whether any reasoning is kept."""
        return any(one.thought for turn in self.turns for one in turn.rounds)

    @property
    def searches(self) -> bool:
        """Whether the provider ran anything itself."""
        return any(turn.searched for turn in self.turns)
