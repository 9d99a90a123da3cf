"""LiteLLM's standard payloads and spend logs: the request as it was asked of the proxy, in Chat's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.http import longest
from turnlint.containers.packing import unwrap, word
from turnlint.containers.pairs import joined, provider
from turnlint.diagnostic import Place
from turnlint.model import Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict) or "call_type" not in value:
        return False
    payload = not {"model_map_information", "litellm_call_id", "hidden_params"}.isdisjoint(value)
    return payload or {"request_id", "spend"} <= value.keys()


def _rows(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    if isinstance(value, list):
        yield from ((row, at / number) for number, row in enumerate(value) if _is_row(row))
    elif _is_row(value):
        yield value, at


def recognise(head: Sequence[Document]) -> bool:
    return any(next(_rows(document.value, Place()), None) is not None for document in head[:8])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    found = []
    for document in documents:
        for row, at in _rows(document.value, Place((), document.number)):
            candidate = _of_row(row, at)
            if candidate is not None:
                found.append(candidate)
            else:
                yield Skipped("a call whose messages were not logged", at, known=True)
    yield from longest(found)


def _of_row(row: dict[str, Any], at: Place) -> Candidate | None:
    responses = "responses" in word(row.get("call_type"))
    model = row.get("model")
    more: dict[str, Any] = {
        **provider(row.get("custom_llm_provider")),
        "mode": "request",
        "recorded": _recorded(row),
        "dialect": "openai-responses" if responses else "openai-chat",
        "model": model if isinstance(model, str) else None,
        "id": word(row.get("id") or row.get("request_id")),
    }
    for key in ("messages", "proxy_server_request"):
        candidate = joined(row.get(key), at / key, row.get("response"), at / "response", **more)
        if candidate is not None:
            break
    else:
        return None
    parameters = unwrap(row.get("model_parameters"))
    if candidate.body is None and isinstance(parameters, dict):
        candidate.body, candidate.body_at = parameters, at / "model_parameters"
    return candidate


def _recorded(row: Mapping[str, Any]) -> Recorded | None:
    error = row.get("error_information")
    code = word(error.get("error_code")) if isinstance(error, dict) else ""
    said = word(row.get("error_str")) or (word(error.get("error_message")) if isinstance(error, dict) else "")
    if code.isdigit():
        return Recorded(int(code[:3]), said)
    return Recorded(200) if row.get("status") == "success" else None


CONTAINER = Container(
    name="litellm",
    title="LiteLLM payloads and spend logs",
    how="`call_type` with `messages` and `response`, beside LiteLLM's own keys",
    recognise=recognise,
    find=find,
    dialects=("openai-chat", "openai-responses"),
)
