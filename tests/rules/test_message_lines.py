"""A history kept one message a line is judged as the same history in one list."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.engine import Settings, check_document, check_source, rules

if TYPE_CHECKING:
    from turnlint.rule import Example

EXAMPLES = [
    pytest.param(example, id=f"{entry.name}-{number}")
    for entry in rules()
    if not entry.engine
    for number, example in enumerate((*entry.load().valid, *entry.load().invalid))
    if isinstance(example.document, list) and len(example.document) > 1 and entry.default
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_same_is_found(example: Example) -> None:
    settings = Settings(
        targets=(example.target,) if example.target else (),
        dialect=example.dialect or "openai-chat",
        mode=example.mode,
        limits=example.settings,
    )
    if example.dialect is None:
        settings = Settings(targets=settings.targets, mode=example.mode, limits=example.settings)
    whole = check_document(example.document, settings)
    text = "".join(json.dumps(message) + "\n" for message in example.document)
    lines = check_source(None, io.BytesIO(text.encode()), name="a.jsonl", settings=settings)
    if not lines.transcripts:
        pytest.skip("one of the lines is no message by itself")
    assert sorted(_key(d.rule, *_split(d.pointer)) for d in whole.diagnostics) == sorted(
        _key(d.rule, d.document, d.pointer) for d in lines.diagnostics
    )


def _split(pointer: str) -> tuple[int, str]:
    head, _, rest = pointer[1:].partition("/")
    return int(head or 0), f"/{rest}" if rest else ""


def _key(rule: str, document: int, pointer: str) -> tuple[Any, ...]:
    return rule, document, pointer
