from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.model import Candidate
from turnlint.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable

Found = tuple[list[Candidate], list[Skipped]]


def find_in(name: str, *values: Any) -> Found:
    """What the container of that name finds in some documents, after it has claimed them."""
    container = containers.get(name)
    documents = [Document(value, b"", number) for number, value in enumerate(values)]
    assert container.recognise(documents[: containers.HEAD])
    found = list(container.find(iter(documents)))
    return [f for f in found if isinstance(f, Candidate)], [f for f in found if isinstance(f, Skipped)]


@pytest.fixture
def find() -> Callable[..., Found]:
    return find_in
