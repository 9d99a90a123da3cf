"""How rules quote a transcript: short, in one line, and never as an instruction to anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.pairing import usable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from turnlint.diagnostic import Place
    from turnlint.model import Call, Part, Result

LONGEST = 60
RELATED = 20  # places beside one finding
PRINTED = 60  # IDs in a provider's text


def brief(value: object, longest: int = LONGEST) -> str:
    """A value as one short line: control characters become spaces, what is longer than `longest` is cut.

    A list or an object is only named as such: it may be deeper than can be written out.
    """
    if isinstance(value, str):
        text = value
    elif isinstance(value, (list, dict)):
        text = "a list" if isinstance(value, list) else "an object"
    elif isinstance(value, int) and value.bit_length() > LONGEST:
        text = "a large number"
    else:
        text = repr(value)
    text = text[: longest + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def several(count: int, noun: str, nouns: str | None = None) -> str:
    """``1 message``, ``2 messages``; `nouns` where the plural is not made with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"


def listed(values: Iterable[object], most: int = 4) -> str:
    """Some values in a row, the later ones as a count."""
    shown = list(values)
    text = ", ".join(brief(v) for v in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"


def also_at(places: Sequence[Place], text: str, most: int = RELATED) -> tuple[tuple[Place, str], ...]:
    """Further places of the same fault, as related places of the first."""
    return tuple((place, text) for place in places[:most])


def beside(parts: Sequence[Part], text: str) -> tuple[tuple[Place, str], ...]:
    """Parts as related places of a finding."""
    return also_at([p.at for p in parts[:RELATED]], text)


def short(value: object) -> str:
    """An ID as a message shows it."""
    return brief(value) if usable(value) else "no ID"


def tool_name(part: Call | Result) -> str:
    """The tool that a call or result names, as a message shows it."""
    return brief(part.name) if usable(part.name) else "an unnamed tool"


def label(call: Call) -> str:
    """A call as a message names it: the tool and the ID, as far as they are there."""
    name = brief(call.name) if usable(call.name) else "of an unnamed tool"
    return f"{name} ({brief(call.id)})" if usable(call.id) else name


def labels(calls: Sequence[Call], most: int = 4) -> str:
    """Some calls in a row, the later ones as a count."""
    text = ", ".join(label(c) for c in calls[:most])
    return text if len(calls) <= most else f"{text} and {len(calls) - most} more"


def printed(value: object) -> str:
    """An ID as a provider prints it."""
    return "None" if value is None else brief(value, 200)


def printed_ids(parts: Iterable[Call | Result]) -> str:
    """The IDs of some calls or results as a provider lists them, each once."""
    found = list(dict.fromkeys(printed(p.id) for p in parts if usable(p.id)))
    return ", ".join(found[:PRINTED]) + (", …" if len(found) > PRINTED else "")


def fill_for(call: Call | None, result: Result | None = None, *, n: int = 1) -> dict[str, object]:
    """What a provider's text may name of one call or result."""
    part = result if result is not None else call
    named = call if call is not None else result
    assert part is not None
    assert named is not None
    return {"id": printed(part.id), "ids": printed(part.id), "tool": printed(named.name), "n": n}
