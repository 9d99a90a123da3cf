"""The messages around a fault as one line each, short enough for the failure of a test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from turnlint.model import Call, Kind, Media, Result
from turnlint.report.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.model import Message, Part, Transcript

_REACH = 2  # messages shown before the place; one behind it
_MOST_LINES = 8
_MOST_TEXT = 60  # code points of one text, call or result
_MOST_PARTS = 4


def around(transcript: Transcript, index: int, others: Iterable[int] = ()) -> list[str]:
    """Lines for the message of that index, its neighbours, and the messages of `others`; … where some are left out."""
    by_index = {m.index: m for m in transcript.messages}
    wanted = {i for i in range(index - _REACH, index + 2) if i in by_index}
    for other in others:
        if other in by_index and len(wanted) < _MOST_LINES:
            wanted.add(other)
    lines = []
    before: int | None = None
    for number in sorted(wanted):
        if before is not None and number != before + 1:
            lines.append("      …")
        mark = ">" if number == index else " "
        lines.append(f"  {mark} [{number}] {describe(by_index[number])}")
        before = number
    return lines


def describe(message: Message) -> str:
    """A message in one line: its role, its texts, calls and results, shortened and safe to print."""
    said = [_part(part) for part in message.parts[:_MOST_PARTS]]
    if len(message.parts) > _MOST_PARTS:
        said.append(f"and {len(message.parts) - _MOST_PARTS} more parts")
    role = clean(str(message.role or message.item or "?"))[:20]
    return f"{role:<9} {', '.join(said) or '(nothing)'}"


def _part(part: Part) -> str:
    if isinstance(part, Call):
        return f"{'hosted ' if part.hosted else ''}call {called(part)}{_named(part.id)}"
    if isinstance(part, Result):
        return f"{'hosted ' if part.hosted else ''}result{_named(part.id)} {shortened(answered(part))}"
    if isinstance(part, Media):
        return part.media or part.type
    if part.kind is Kind.TEXT and part.text is not None:
        return shortened(json.dumps(part.text, ensure_ascii=False))
    return part.kind.value


def _named(value: Any) -> str:
    return f" {shortened(str(value))}" if value not in (None, "") else ""


def called(call: Call) -> str:
    """``search({"city": "Oslo"})``."""
    given = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return f"{shortened(str(call.name))}({shortened(given if call.arguments is not None else '')})"


def answered(result: Result) -> str:
    """What a result says, as JSON text."""
    return json.dumps(result.content, ensure_ascii=False, default=repr)


def shortened(text: str) -> str:
    """`text` on one line, at most `_MOST_TEXT` long and safe to print."""
    return clean(text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…")


def indexes(pointers: Iterable[str], transcript: Transcript) -> Iterator[int]:
    """The indexes of the messages that JSON pointers point into."""
    depth = len(transcript.at.path)
    for pointer in pointers:
        steps = pointer.split("/")[1:]
        if len(steps) > depth and steps[depth].isdigit():
            yield int(steps[depth])
