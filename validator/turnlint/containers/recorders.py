"""Recordings of other HTTP recorders than those that write cassettes: nock, the Azure SDK's test proxy, WireMock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.http import HttpExchange, find_in, saved_body
from turnlint.containers.packing import word
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _nock(item: dict[str, Any], at: Place) -> HttpExchange | None:
    if not {"scope", "method", "path", "response"} <= item.keys():
        return None
    return HttpExchange(
        at,
        word(item["method"]),
        f"{word(item['scope'])}{word(item['path'])}",
        saved_body(item.get("body"), at / "body"),
        saved_body(item["response"], at / "response"),
        _number(item.get("status")) if "rawHeaders" in item else 0,  # without them somebody made it up
    )


def _test_proxy(item: dict[str, Any], at: Place) -> HttpExchange | None:
    if not {"RequestUri", "RequestMethod"} <= item.keys():
        return None
    return HttpExchange(
        at,
        word(item["RequestMethod"]),
        word(item["RequestUri"]),
        saved_body(item.get("RequestBody"), at / "RequestBody"),
        saved_body(item.get("ResponseBody"), at / "ResponseBody"),
        _number(item.get("StatusCode")),
    )


def _wiremock(item: dict[str, Any], at: Place) -> HttpExchange | None:
    request, response = item.get("request"), item.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict):
        return None
    patterns = request.get("bodyPatterns")
    for number, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        if isinstance(pattern, dict) and "equalToJson" in pattern:
            place = at / "request" / "bodyPatterns" / number / "equalToJson"
            break
    else:
        return None
    url = next((word(request[key]) for key in ("url", "urlPath") if request.get(key)), "")
    key = next((key for key in ("jsonBody", "body") if key in response), "body")
    return HttpExchange(
        at,
        word(request.get("method")),
        url,
        saved_body(pattern["equalToJson"], place),
        saved_body(response.get(key), at / "response" / key),
    )  # its status is what a stub answers, not what a provider did


def _exchange(item: Any, at: Place) -> HttpExchange | None:
    if not isinstance(item, dict):
        return None
    return _nock(item, at) or _test_proxy(item, at) or _wiremock(item, at)


def _entries(value: Any, at: Place) -> list[tuple[Any, Place]]:
    if isinstance(value, dict):
        for key in ("Entries", "mappings"):
            if isinstance(value.get(key), list):
                return [(item, at / key / number) for number, item in enumerate(value[key])]
        return [(value, at)]
    return [(item, at / number) for number, item in enumerate(value)] if isinstance(value, list) else []


def recognise(head: Sequence[Document]) -> bool:
    return any(
        _exchange(item, at) is not None for document in head[:3] for item, at in _entries(document.value, Place())[:8]
    )


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    exchanges = []
    for document in documents:
        for item, at in _entries(document.value, Place((), document.number)):
            exchange = _exchange(item, at)
            if exchange is None:
                yield Skipped("no recorded request", at)
            else:
                exchanges.append(exchange)
    yield from find_in(exchanges)


CONTAINER = Container(
    name="recorders",
    title="HTTP recordings of nock, the Azure SDK's test proxy and WireMock",
    how="`scope` and `path`, `Entries` with `RequestUri`, or a `request` with `bodyPatterns`",
    recognise=recognise,
    find=find,
    dialects=(
        "openai-chat",
        "openai-responses",
        "anthropic",
        "gemini",
        "bedrock-converse",
        "mistral",
        "cohere",
        "ollama",
    ),
)
