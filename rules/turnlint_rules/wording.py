"""How rules quote a transcript: short, in one line, and never as an instruction to anybody."""

from __future__ import annotations

LONGEST = 60


def brief(value: object, longest: int = LONGEST) -> str:
    """A value as one short line: control characters become spaces, what is longer than `longest` is cut."""
    text = value if isinstance(value, str) else repr(value)[: longest + 1]
    text = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def several(count: int, noun: str) -> str:
    """``1 message``, ``2 messages``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
