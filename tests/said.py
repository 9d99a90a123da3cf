"""What a history says, apart from how: for tests that nothing of it is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from turnlint.loading import examine_value, reader
from turnlint.model import Kind, Speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def leaves(value: Any, *, whole: bool = False) -> Iterator[str]:
    """Every text in a value that is no key; of a text that is an object or list in JSON, those in it.

    `whole`: and the JSON text itself too.
    """
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list):
            rest.extend(one)
        elif isinstance(one, str):
            try:
                inner = json.loads(one) if one[:1] in ("{", "[") else None
            except ValueError:
                inner = None
            if inner is None or whole:
                yield one
            if inner is not None:
                rest.append(inner)


def real(document: Any, dialect: str, target: str | None = None) -> set[str]:
    """What user and assistant said, what tools answered, and what was called with which arguments."""
    said: set[str] = set()
    for seen in examine_value(document, reader((target,) if target else (), dialect)):
        if seen.transcript is None:
            continue
        for message in seen.transcript.messages:
            if message.speaker in (Speaker.USER, Speaker.ASSISTANT):
                said.update(p.text for p in message.parts if p.kind is Kind.TEXT and p.text)
        for result in seen.transcript.results():
            texts = [part.text for part in result.parts if part.text]
            said.update(texts or leaves(result.content))
        for call in seen.transcript.calls():
            said.update(leaves([call.name, call.arguments]))
    return {text for text in said if text.strip()}


def lost(texts: Iterable[str], document: Any) -> list[str]:
    """Those of some texts that stand nowhere in a document, not even inside of another text."""
    there = list(leaves(document, whole=True))
    ways = {text: (text, json.dumps(text, ensure_ascii=False)[1:-1]) for text in texts}
    return [text for text, forms in ways.items() if not any(form in leaf for leaf in there for form in forms)]
