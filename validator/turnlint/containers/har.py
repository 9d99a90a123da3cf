"""HAR archives: what browsers, proxies and Polly.js record of HTTP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.http import HttpExchange, find_in, saved_body
from turnlint.containers.vcr import CONTAINER as CASSETTE
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document

_MONTH = re.compile(r"\d{4}-\d\d(?=-\d\d)")


def recognise(head: Sequence[Document]) -> bool:
    return bool(head) and entries_of(head[0].value) is not None


def entries_of(value: Any) -> list[Any] | None:
    """The entries of an archive; None where the value is none."""
    log = value.get("log") if isinstance(value, dict) else None
    if not isinstance(log, dict) or not isinstance(log.get("entries"), list):
        return None
    entries: list[Any] = log["entries"]
    is_archive = any(isinstance(e, dict) and {"request", "response"} <= e.keys() for e in entries[:3])
    return entries if is_archive or "creator" in log else None


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        entries = entries_of(document.value)
        base = Place(("log", "entries"), document.number)
        if not entries:
            yield Skipped("no entries in it", Place((), document.number), known=entries is not None)
            continue
        yield from find_in(
            _exchange(entry, base / number)
            for number, entry in enumerate(entries)
            if isinstance(entry, dict) and isinstance(entry.get("request"), dict)
        )


def _exchange(entry: dict[str, Any], at: Place) -> HttpExchange:
    request = entry["request"]
    response = entry.get("response")
    if not isinstance(response, dict):
        response = {}
    method, url, status, started = (
        request.get("method"),
        request.get("url"),
        response.get("status"),
        entry.get("startedDateTime"),
    )
    month = _MONTH.match(started) if isinstance(started, str) else None
    return HttpExchange(
        at,
        method if isinstance(method, str) else "",
        url if isinstance(url, str) else "",
        saved_body(request.get("postData"), at / "request" / "postData"),
        saved_body(response.get("content"), at / "response" / "content"),
        status if isinstance(status, int) else 0,
        month.group() if month else None,
    )


CONTAINER = Container(
    name="har",
    title="HTTP archives (HAR)",
    how="`log.entries`, whose entries have a `request` and a `response`",
    recognise=recognise,
    find=find,
    dialects=CASSETTE.dialects,
)
