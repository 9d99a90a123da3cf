"""Batch files: one request a line, each with its own ID, for the batch interfaces of OpenAI, Anthropic and Mistral.

What a line must not repeat is remembered as hashes, so that a file of any length is read line by line.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from turnlint import models, targets
from turnlint.containers import HEAD, Container, Skipped
from turnlint.containers.plain import body_candidate, history_key
from turnlint.diagnostic import Place
from turnlint.model import Candidate, Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.document import Document

_ENVELOPE = frozenset({"url", "body", "method", "params"})
_ANSWER = frozenset({"response", "result", "error"})
_DIALECTS = {"/responses": "openai-responses", "/chat/completions": "openai-chat", "/messages": "anthropic"}
_WITHOUT_HISTORY = ("/embeddings", "/moderations", "/completions", "/images/generations", "/images/edits", "/videos")


def is_request(value: Any) -> bool:
    """Whether an object is the line of a batch: an ID of the user's and a request."""
    return isinstance(value, dict) and "custom_id" in value and not value.keys().isdisjoint(_ENVELOPE)


def is_answer(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "custom_id" in value
        and not value.keys().isdisjoint(_ANSWER)
        and not is_request(value)
    )


def lines_of(document: Document) -> Iterator[tuple[Any, Place]]:
    """The requests of a document: itself, those of a list, or those of a body that creates a batch."""
    value, at = document.value, Place((), document.number)
    if isinstance(value, dict) and isinstance(value.get("requests"), list) and "custom_id" not in value:
        value, at = value["requests"], at / "requests"
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield item, at / number
    else:
        yield value, at


def recognise(head: Sequence[Document]) -> bool:
    firsts = [line for d in head for line, _ in itertools.islice(lines_of(d), HEAD)]
    return any(is_request(line) or is_answer(line) for line in firsts)


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    lines = (pair for d in documents if not any(f.fatal for f in d.faults) for pair in lines_of(d))
    head = list(itertools.islice(lines, HEAD))
    strict = any(isinstance(raw, dict) and not raw.keys().isdisjoint({"url", "method"}) for raw, _ in head)
    memory = _Memory(strict)
    for raw, at in itertools.chain(head, lines):
        if is_answer(raw):
            yield Skipped("the answer to a request of a batch", at, known=True)
        else:
            yield memory.candidate(raw, at)


class _Memory:
    """What a line must know of the lines before it."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.ids: dict[int, int] = {}  # hash of a custom ID, and the document that had it first
        self.first: tuple[int, str | None, str | None] | None = None

    def candidate(self, raw: Any, at: Place) -> Candidate:
        """The history of one line, with the line around it."""
        line = self._line(raw, at)
        url = raw.get("url") if isinstance(raw, dict) else None
        key = "body" if isinstance(raw, dict) and "body" in raw else "params"
        body = raw.get(key) if isinstance(raw, dict) else None
        path = _path_of(url)
        other = path.endswith(_WITHOUT_HISTORY) and not path.endswith("/chat/completions")
        where = history_key(body) if isinstance(body, dict) and not other else None
        if where is None or not isinstance(body, dict):
            candidate = Candidate([], at, dialect="dataset-line", api="batch", mode="request", line=line)
        else:
            candidate = body_candidate(body, at / key, where)
            candidate.mode, candidate.line = "request", line
            dialect = next((name for end, name in _DIALECTS.items() if path.endswith(end)), None)
            if where == "messages" and dialect != "openai-responses":
                candidate.dialect = dialect
        candidate.url = path or None
        candidate.id = raw["custom_id"][:200] if isinstance(raw, dict) and isinstance(raw.get("custom_id"), str) else ""
        candidate.target, candidate.target_reason = _target_of(url, key, body)
        return candidate

    def _line(self, raw: Any, at: Place) -> Line:
        line = Line("request", raw, at, strict=self.strict)
        if not isinstance(raw, dict):
            return line
        custom = raw.get("custom_id")
        if isinstance(custom, str) and custom:
            digest = hash(custom)
            line.repeats = self.ids.get(digest)
            self.ids.setdefault(digest, at.document)
        url, model = _text(raw.get("url")), _text(_body_of(raw).get("model"))
        if self.first is None:
            self.first = (at.document, url, model)
        line.first, line.first_url, line.first_model = self.first
        line.plain = (
            isinstance(custom, str)
            and custom != ""
            and line.repeats is None
            and (url, model) == self.first[1:]
            and (raw.get("method") == "POST" and isinstance(raw.get("body"), dict) if self.strict else True)
            and url == "/v1/chat/completions"
            and "messages" in _body_of(raw)
        )
        return line


def _body_of(raw: dict[str, Any]) -> dict[str, Any]:
    body = raw.get("body", raw.get("params"))
    return body if isinstance(body, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _path_of(url: Any) -> str:
    try:
        return urlsplit(url).path.rstrip("/") if isinstance(url, str) else ""
    except ValueError:
        return ""


def _target_of(url: Any, key: str, body: Any) -> tuple[str | None, str]:
    """The provider that a line names: by the host of its url, or by the envelope that only Anthropic has."""
    try:
        host = urlsplit(url).hostname if isinstance(url, str) else None
    except ValueError:
        host = None
    named = targets.by_host(host) if host else None
    if named is not None:
        return named, "the host in the line's url"
    model = body.get("model") if isinstance(body, dict) else None
    if key == "params" and isinstance(model, str):
        family = models.normalise(model).family
        if family == "claude":
            return "anthropic", "a line of an Anthropic batch"
        if family in targets.load("openai").families:
            return "openai", "the line's model"
    return None, ""


CONTAINER = Container(
    name="batch",
    title="Batch files (OpenAI, Anthropic, Mistral and compatible services)",
    how="lines with `custom_id` and `url`, `body` or `params`; or a body with a list of such `requests`",
    recognise=recognise,
    find=find,
    streaming=True,
    dialects=("openai-chat", "openai-responses", "anthropic"),
)
