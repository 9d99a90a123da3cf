"""How rules quote a transcript: short, in one line, and never as an instruction to anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from turnlint.diagnostic import Place

LONGEST = 60


def brief(value: object, longest: int = LONGEST) -> str:
    """A value as one short line: control characters become spaces, what is longer than `longest` is cut."""
    text = value if isinstance(value, str) else repr(value)[: longest + 1]
    text = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def several(count: int, noun: str, nouns: str | None = None) -> str:
    """``1 message``, ``2 messages``; `nouns` where the plural is not made with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"


def listed(values: Iterable[object], most: int = 4) -> str:
    """Some values in a row, the later ones as a count."""
    shown = list(values)
    text = ", ".join(brief(v) for v in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"


def also_at(places: Sequence[Place], text: str, most: int = 20) -> tuple[tuple[Place, str], ...]:
    """Further places of the same fault, as related places of the first."""
    return tuple((place, text) for place in places[:most])
