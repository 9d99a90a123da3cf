"""Cassettes of HTTP recorders: vcrpy, Ruby's VCR, betamax, go-vcr, and the serializers that keep parsed bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.http import Body, HttpExchange, find_in, saved_body
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_KEYS: Final = ("interactions", "http_interactions")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HTTP_DATE = re.compile(rf"({'|'.join(_MONTHS)})[ -](\d{{4}})")
_ISO_DATE = re.compile(r"\d{4}-\d\d(?=-\d\d)")


def recognise(head: Sequence[Document]) -> bool:
    return bool(head) and any(interactions_of(document.value) is not None for document in head[:1])


def interactions_of(value: Any) -> tuple[list[Any], tuple[str, ...]] | None:
    """The interactions of a cassette and the path to them; None where the value is none."""
    if isinstance(value, list):
        # The first cassettes of vcrpy were bare lists.
        return (value, ()) if value and all(_is_interaction(item) for item in value[:3]) else None
    if not isinstance(value, dict):
        return None
    for key in _KEYS:
        items = value.get(key)
        if isinstance(items, list) and (
            any(_is_interaction(item) or _is_frame(item) for item in items[:3])
            or (not items and not value.keys().isdisjoint({"version", "recorded_with"}))
        ):
            return items, (key,)
    return None


def _is_interaction(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("request"), dict)
        and not item["request"].keys().isdisjoint({"uri", "url", "body"})
        and ("response" in item or "uri" in item["request"])
    )


def _is_frame(item: Any) -> bool:
    return isinstance(item, dict) and "request" not in item and {"kind", "direction"} <= item.keys()


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        found = interactions_of(document.value)
        at = Place((), document.number)
        if found is None:
            yield Skipped("no interactions in it", at)
            continue
        items, path = found
        base = Place(path, document.number)
        if not items:
            yield Skipped("a cassette without interactions", at, known=True)
        if any(_is_frame(item) for item in items):
            yield Skipped("WebSocket frames are not read", base, known=True)
        yield from find_in(
            exchange
            for number, item in enumerate(items)
            if isinstance(item, dict)
            and not _is_frame(item)
            and (exchange := _exchange(item, base / number)) is not None
        )


def _exchange(item: dict[str, Any], at: Place) -> HttpExchange | None:
    request, response = item.get("request"), item.get("response")
    if not isinstance(request, dict):
        return None
    response = response if isinstance(response, dict) else {}
    url = request.get("uri") or request.get("url")
    method = request.get("method")
    return HttpExchange(
        at,
        method if isinstance(method, str) else "",
        url if isinstance(url, str) else "",
        _body(request, at / "request"),
        _body(response, at / "response"),
        _status(response),
        _date(item, response),
    )


def _body(message: Mapping[str, Any], at: Place) -> Body:
    if message.get("parsed_body") is not None:
        return Body(message["parsed_body"], at / "parsed_body", parsed=True)
    if message.get("body") is None and isinstance(message.get("body_base64"), str):
        return saved_body({"base64_string": message["body_base64"]}, at)
    return saved_body(message.get("body"), at / "body")


def _status(response: Mapping[str, Any]) -> int:
    """The status code: `{code}`, a number, or a line such as ``200 OK``; 0 where there is none."""
    for value in (response.get("code"), response.get("status"), response.get("status_code")):
        if isinstance(value, Mapping):
            value = value.get("code")
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and re.match(r"[1-5]\d\d\b", value):
            return int(value[:3])
    return 0


def _date(item: Mapping[str, Any], response: Mapping[str, Any]) -> str | None:
    """The month of the recording as ``YYYY-MM``, from what the recorder or the server noted."""
    headers = response.get("headers")
    values: list[Any] = [item.get("recorded_at")]
    if isinstance(headers, Mapping):
        values += [headers.get("Date"), headers.get("date")]
    for value in values:
        if isinstance(value, list):
            value = value[0] if value else None
        if not isinstance(value, str):
            continue
        if found := _ISO_DATE.match(value):
            return found.group()
        if found := _HTTP_DATE.search(value):
            return f"{found.group(2)}-{_MONTHS.index(found.group(1)) + 1:02d}"
    return None


CONTAINER = Container(
    name="vcr",
    title="HTTP cassettes (vcrpy, VCR, betamax, go-vcr)",
    how="`interactions` whose entries have a `request` and a `response`; JSON or YAML, bodies as text, bytes or values",
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
