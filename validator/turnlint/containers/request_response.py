"""Rows with a request and a reply: gateways, tracing tools, cloud tables, home-made logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.http import longest
from turnlint.containers.packing import unwrap, word
from turnlint.containers.pairs import history_in, joined, provider, recorded
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

#: Keys under which logs keep the two sides, and whether the first holds what was sent over the wire.
_PAIRS: Final = (
    ("request_body", "response_body", True),
    ("full_request", "full_response", True),
    ("requestBody", "responseBody", True),
    ("request", "response", True),
    ("RequestMessages", "ResponseMessages", True),
    ("attributes.input.value", "attributes.output.value", False),
    ("attributes.llm.input_messages", "attributes.llm.output_messages", False),
    ("inputs", "outputs", False),
    ("inputs", "output", False),
    ("input", "output", False),
    ("messages", "response", False),
    ("prompt", "completion", False),
)
_STATUS: Final = ("status_code", "response_status", "statusCode", "httpStatus", "status")
_PROVIDER: Final = ("provider", "model_provider", "ai_provider")
_LISTS: Final = ("observations", "data", "events", "spans", "calls", "rows", "logs")


def _pair(row: Mapping[str, Any]) -> tuple[str, str, bool] | None:
    """The keys of a row that hold a request with messages, and its reply (which need not be there beside a request)."""
    for request, response, is_wire in _PAIRS:
        if request in row and (is_wire or response in row) and history_in(row[request], Place()) is not None:
            return request, response, is_wire
    return None


def _may_be_row(value: Mapping[str, Any]) -> bool:
    return any(request in value and (is_wire or response in value) for request, response, is_wire in _PAIRS)


def _is_bare(row: Mapping[str, Any]) -> bool:
    """Whether a row is a tracing tool's own (Langfuse) that was exported without what was said."""
    named = row.get("type") in ("GENERATION", "SPAN", "EVENT") and not row.keys().isdisjoint({"traceId", "trace_id"})
    return named and row.get("input") is None and row.get("output") is None


def _rows(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """The rows in a document: itself, its items, or those of a list under one of a few keys."""
    if isinstance(value, dict):
        if _may_be_row(value):
            yield value, at
        for key in _LISTS:
            inner = value.get(key)
            if isinstance(inner, list):
                yield from ((row, at / key / number) for number, row in enumerate(inner) if isinstance(row, dict))
        meta = value.get("meta")
        if isinstance(meta, dict) and "input" in meta:
            yield {**meta, "output": meta.get("output")}, at / "meta"
    elif isinstance(value, list):
        yield from ((row, at / number) for number, row in enumerate(value) if isinstance(row, dict))


def recognise(head: Sequence[Document]) -> bool:
    for document in head[:8]:
        for number, (row, _) in enumerate(_rows(document.value, Place())):
            if _pair(row) is not None or _is_bare(row):
                return True
            if number >= 8:
                break
    return False


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    found = []
    for document in documents:
        for row, at in _rows(document.value, Place((), document.number)):
            candidate = _of_row(row, at)
            if candidate is not None:
                found.append(candidate)
            elif _is_bare(row):
                yield Skipped("a record that was exported without its messages", at, known=True)
            else:
                yield Skipped("a row without messages", at)
    yield from longest(found)


def _of_row(row: dict[str, Any], at: Place) -> Candidate | None:
    pair = _pair(row)
    if pair is None:
        return None
    request, response, is_wire = pair
    model = row.get("model") or row.get("served_entity_name") or row.get("providedModelName")
    error = unwrap(row.get("error"))
    said = word(error.get("message")) if isinstance(error, dict) else word(error)
    more: dict[str, Any] = {
        "id": word(row.get("id") or row.get("request_id") or row.get("span_id")),
        **next((named for key in _PROVIDER if (named := provider(row.get(key)))), {}),
    }
    if is_wire:
        status = next((row[key] for key in _STATUS if row.get(key) is not None), None)
        more |= {"mode": "request", "recorded": recorded(status, said)}
    candidate = joined(row[request], at / request, row.get(response), at / response, **more)
    if candidate is not None and candidate.model is None and isinstance(model, str):
        candidate.model = model
    return candidate


CONTAINER = Container(
    name="request-response",
    title="Logs of requests and replies (gateways, tracing tools, tables)",
    how="rows with `request`/`response`, `input`/`output`, `inputs`/`outputs` and the like, values or JSON text",
    recognise=recognise,
    find=find,
    dialects=("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "langchain", "ai-sdk-ui"),
)
