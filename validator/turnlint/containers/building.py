"""Histories put together out of records that are no messages themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnlint.containers.packing import REDACTION
from turnlint.model import Candidate, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from turnlint.diagnostic import Path, Place


@dataclass(slots=True)
class History:
    """Messages with their places, and where each of their members really stands.

    A message that was made up of a record gets a place below the record that nothing else has, so that what the
    dialect places inside it can be led back to the record's own members.
    """

    messages: list[Any] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    moved: dict[Place, Place] = field(default_factory=dict)
    made: bool = False  # some message stands nowhere as it is, so that no edit could reach it

    def add(self, message: Any, at: Place) -> None:
        """A message that stands at `at` just so, or with members left out."""
        self.messages.append(message)
        self.places.append(at)

    def make(self, message: Any, at: Place, members: Mapping[Path, Place] | None = None) -> None:
        """A message that was made of what stands at `at`; `members` leads its own paths to theirs."""
        own = at / f"(message {len(self.messages)})"
        self.moved[own] = at
        for path, place in (members or {}).items():
            target = own
            for step in path:
                target /= step
            self.moved[target] = place
        self.messages.append(message)
        self.places.append(own)
        self.made = True

    def candidate(self, dialect: str | None, **more: Any) -> Candidate:
        """The history as a candidate."""
        more.setdefault("fixable", not self.made)
        at = more.pop("at", None) or self.moved.get(self.places[0], self.places[0])
        return Candidate(self.messages, at, dialect=dialect, places=self.places, moved=self.moved, **more)


def only(record: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The members of a record that a message of an API has."""
    return {key: record[key] for key in keys if key in record}


def redaction(ids: Iterable[Any], values: Iterable[Any] = ()) -> dict[str, Any]:
    """The state and notice of a log whose IDs, or else arguments, were taken out; nothing for any other.

    Without its IDs nothing in a log can be told apart.
    """
    if any(isinstance(value, str) and REDACTION.match(value) for value in ids):
        return {"state": State.NOT_RECORDED, "notice": "the IDs of calls were taken out of this log"}
    if any(isinstance(value, str) and REDACTION.match(value) for value in values):
        return {"state": State.REDACTED, "notice": "arguments were taken out of this log"}
    return {}


def text_in(value: Any) -> str:
    """The text in what a log keeps of a message: text itself, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part if isinstance(part, str) else text_in(part) for part in value)
    if isinstance(value, dict):
        for key in ("text", "content", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return ""
