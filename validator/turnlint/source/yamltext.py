"""YAML to documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator


def read_yaml(text: bytes) -> Iterator[Document]:
    """The documents of a YAML text."""
    import yaml

    try:
        values = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        yield Document(MISSING, text, faults=(Fault("syntax", type(error).__name__, fatal=True),), format="yaml")
        return
    for number, value in enumerate(values):
        yield Document(value, text, number, format="yaml")
