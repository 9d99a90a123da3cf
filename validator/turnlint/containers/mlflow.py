"""MLflow traces: spans with the native request and response, and frames in which the trace is JSON in a string."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.http import longest
from turnlint.containers.otlp import Attributes, of_attributes
from turnlint.containers.packing import unwrap
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


_MAX_DEPTH: Final = 3  # of traces inside what holds them


def _trace(value: Any, at: Place, depth: int = 0) -> tuple[list[Any], Place] | None:
    """The spans of a trace and their place; None where a value is none."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return None
    data = value.get("data")
    if isinstance(value.get("info"), dict) and isinstance(data, dict) and isinstance(data.get("spans"), list):
        return data["spans"], at / "data" / "spans"
    if "trace_id" in value and not {"trace_metadata", "execution_duration"}.isdisjoint(value):
        inner = unwrap(value.get("trace"))
        if isinstance(inner, dict) and "data" in inner:
            return _trace(inner, at / "trace", depth + 1)
        spans = unwrap(value.get("spans"))
        return (spans, at / "spans") if isinstance(spans, list) else None
    output = value.get("databricks_output")
    return (
        _trace(output.get("trace"), at / "databricks_output" / "trace", depth + 1) if isinstance(output, dict) else None
    )


def recognise(head: Sequence[Document]) -> bool:
    return any(_traces(document.value, Place()) for document in head[:4])


def _traces(value: Any, at: Place) -> list[tuple[list[Any], Place]]:
    values = [(item, at / number) for number, item in enumerate(value)] if isinstance(value, list) else [(value, at)]
    return [found for item, place in values if (found := _trace(item, place)) is not None]


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    found: list[Candidate] = []
    for document in documents:
        at = Place((), document.number)
        for spans, place in _traces(document.value, at):
            for number, span in enumerate(spans):
                attributes = span.get("attributes") if isinstance(span, dict) else None
                if isinstance(attributes, dict):
                    base = place / number / "attributes"
                    # Every attribute is JSON text.  A span's own request and reply are read further on.
                    values = {key: value for key, value in attributes.items() if isinstance(key, str)}
                    names = {"mlflow.llm.model": "llm.model_name", "mlflow.llm.provider": "llm.provider"}
                    values |= {ours: unwrap(values[key]) for key, ours in names.items() if key in values}
                    found_here = of_attributes(Attributes(values, {key: base / key for key in values}, base))
                    if found_here is not None:
                        found.append(found_here)
    if not found:
        yield Skipped("a trace without messages", known=True)
    yield from longest(found)


CONTAINER = Container(
    name="mlflow",
    title="MLflow traces",
    how="`info` and `data.spans`, or rows whose `trace` is that as JSON text",
    recognise=recognise,
    find=find,
    writable=False,
    dialects=("openai-chat", "openai-responses", "anthropic"),
)
