"""Whatever stands in a file, containers find something or nothing, and never fail."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.model import Candidate
from turnlint.source.document import Document
from turnlint.source.reader import read

ROOT = Path(__file__).parents[3] / "sample_transcripts"


def sample_values() -> dict[str, list[list[Any]]]:
    """The values of all documents of all samples, by the container whose folder they are in."""
    values: dict[str, list[list[Any]]] = {}
    for module in containers.MODULES:
        name = module.replace("_", "-")
        for path in sorted(ROOT.glob(f"*/{name}/*")):
            source = read(path, name=path.name)
            if source.kind != "binary":
                values.setdefault(name, []).append([d.value for d in source.documents()])
    return values


SAMPLES = sample_values()
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    "",
    "x",
    "{",
    '{"a": 1}',
    [],
    {},
    [[]],
    [None],
    {"role": "user"},
    b"\x1f\x8b",
    {1: 2},
]
EVERYONE = [c for c in containers.all() if c.open is None]


def paths_in(value: Any) -> list[tuple[Any, ...]]:
    """All paths in a value."""
    found: list[tuple[Any, ...]] = []
    pending: list[tuple[Any, tuple[Any, ...]]] = [(value, ())]
    while pending:
        item, path = pending.pop()
        found.append(path)
        if isinstance(item, dict):
            pending.extend((inner, (*path, key)) for key, inner in item.items())
        elif isinstance(item, list):
            pending.extend((inner, (*path, index)) for index, inner in enumerate(item))
    return found


def mutated(value: Any, path: tuple[Any, ...], odd: Any, remove: bool) -> Any:
    """A copy of a value with another one put in at a path, or with what is there taken out."""
    if not path:
        return odd
    whole = copy.deepcopy(value)
    above = whole
    for step in path[:-1]:
        above = above[step]
    if remove:
        del above[path[-1]]
    else:
        above[path[-1]] = odd
    return whole


def look(name: str, values: list[Any]) -> None:
    container = containers.get(name)
    documents = [Document(value, b"", number) for number, value in enumerate(values)]
    container.recognise(documents[: containers.HEAD])
    for found in container.find(iter(documents)):
        assert isinstance(found, (Candidate, Skipped))
        if isinstance(found, Candidate) and isinstance(found.messages, list):
            for number in range(len(found.messages)):
                found.real(found.place(number))


@pytest.mark.parametrize("name", sorted(SAMPLES))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.data_too_large])
@given(data=st.data())
def test_samples_with_something_odd_in_them(name: str, data: st.DataObject) -> None:
    values = list(data.draw(st.sampled_from(SAMPLES[name]), label="sample"))
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(values) - 1), label="document")
        path = data.draw(st.sampled_from(paths_in(values[number])), label="path")
        odd = data.draw(st.sampled_from(ODD), label="odd")
        values[number] = mutated(values[number], path, odd, data.draw(st.booleans()))
    look(name, values)


@pytest.mark.parametrize("name", sorted(c.name for c in EVERYONE))
def test_documents_of_another_kind(name: str) -> None:
    for others in SAMPLES.values():
        look(name, others[0])
    look(name, ODD)
    look(name, [])


def test_every_container_is_known_by_its_name_and_shows_samples() -> None:
    for container in containers.all():
        assert containers.get(container.name) is container
        assert container.title
        assert container.how


def inside_itself(value: Any, path: tuple[Any, ...], times: int) -> Any:
    """A value that holds itself at a path, that many times."""
    whole = value
    for _ in range(times):
        inner, whole = whole, copy.copy(value)
        above = whole
        for step in path[:-1]:
            above[step] = copy.copy(above[step])
            above = above[step]
        above[path[-1]] = inner
    return whole


@pytest.mark.parametrize("name", sorted(SAMPLES))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.data_too_large])
@given(data=st.data())
def test_samples_inside_themselves(name: str, data: st.DataObject) -> None:
    values = list(data.draw(st.sampled_from(SAMPLES[name]), label="sample"))
    number = data.draw(st.integers(0, len(values) - 1), label="document")
    paths = [path for path in paths_in(values[number]) if path]
    if paths:
        values[number] = inside_itself(values[number], data.draw(st.sampled_from(paths), label="path"), 2000)
        look(name, values)
