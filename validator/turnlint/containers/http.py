"""Recorded HTTP exchanges as transcripts, whatever recorded them: cassettes, HAR, saved gateway traffic.

What an exchange is, is told by the body and the path: local servers and gateways have any host.  The reply joins the
history as further messages behind those that were sent.  Of requests that repeat each other's history only the
longest is worth a look, and every one that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from turnlint import targets
from turnlint.containers import Skipped
from turnlint.containers.packing import encode, expand, from_base64, parse
from turnlint.containers.plain import looks_like_message
from turnlint.containers.streams import assemble, assemble_events
from turnlint.diagnostic import Place
from turnlint.model import Candidate, Recorded
from turnlint.source.document import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MAX_ERROR: Final = 4000  # characters of a refusal that are kept


class Body(Struct):
    """A request's or response's body as it was saved, and where it stands."""

    value: Any
    at: Place
    parsed: bool = False  # it is a decoded value, not text


class HttpExchange(Struct):
    """One request and what came back; `status` 0 where that is not known."""

    at: Place
    method: str
    url: str
    request: Body
    response: Body
    status: int = 0
    as_of: str | None = None


class Reply(Struct):
    """A response as messages: each with its place, and what a stream lost."""

    messages: list[Any] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    error: str = ""


# Bodies


def saved_body(raw: Any, at: Place) -> Body:
    """A body in any of the ways in which recorders write one: text, bytes, `{string}`, `{base64_string}`, a value."""
    if isinstance(raw, Mapping):
        for key in ("string", "text", "content"):
            if isinstance(raw.get(key), (str, bytes)):
                if raw.get("encoding") == "base64" and (data := from_base64(raw[key])) is not None:
                    return Body(data, at / key)
                return Body(raw[key], at / key)
        if "base64_string" in raw:
            data = from_base64(raw["base64_string"])
            return Body(data if data is not None else raw["base64_string"], at / "base64_string")
        return Body(raw, at, parsed=True)
    if isinstance(raw, list):
        return Body(raw, at, parsed=True)
    return Body(raw, at)


def _bytes_of(body: Body) -> bytes | None:
    """The unpacked bytes of a body that is text; None where there are none."""
    raw = body.value
    if isinstance(raw, str):
        raw = raw.encode("utf-8", "surrogatepass")
    if not isinstance(raw, bytes) or not raw:
        return None
    return expand(raw)


def value_of(body: Body) -> Any:
    """The JSON object or list in a body; `MISSING` where it holds something else."""
    if body.parsed:
        return body.value
    raw = _bytes_of(body)
    return MISSING if raw is None else parse(raw)


# What was asked

_PATHS: Final = (
    (re.compile(r"/threads(/|$)|/assistants(/|$)"), "", "the Assistants API keeps its history on the server"),
    (
        re.compile(r"/embed|/moderations|/rerank|/tokeni[sz]e|/count_?tokens|:countTokens|/images?/|/audio/"),
        "",
        "it is no chat request",
    ),
    (re.compile(r"/chat/completions$"), "openai-chat", ""),
    (re.compile(r"/responses(/compact|/input_tokens)?$"), "openai-responses", ""),
    (re.compile(r"/v1/messages$|:(stream)?[rR]awPredict$"), "anthropic", ""),
    (re.compile(r":(streamG|g)enerateContent$"), "gemini", ""),
    (re.compile(r"/model/[^/]+/converse(-stream)?$"), "bedrock-converse", ""),
    (re.compile(r"/v2/chat$"), "cohere", ""),
    (re.compile(r"/api/chat$"), "ollama", ""),
)
_KEY_OF: Final = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input"}
_ADDRESS = re.compile(r"(?:(?:[A-Za-z][\w+.-]*:)?//(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::\d*)?)?([^?#]*)")
_OTHER_FORMS: Final = {"messages": (), "contents": (dict,), "input": (str,)}
_MODEL_IN_PATH = re.compile(r"/(?:models?|deployments)/([^/]+?)(?::\w+)?(?:/(?!.*/models?/)|$)")
_NOVA_KEYS = frozenset({"toolUse", "toolResult", "text", "image", "document"})


def history_of(body: Mapping[str, Any], path: str) -> tuple[str | None, str | None, str]:
    """The key of a request body that holds the history, its dialect where the path tells it, and why there is none."""
    dialect, reason = next(((d, r) for pattern, d, r in _PATHS if pattern.search(path)), (None, ""))
    if reason:
        return None, None, reason
    if "jsonrpc" in body:
        return None, None, "it is a JSON-RPC message"
    key = next((k for k in ("messages", "contents", "input") if k in body), None)
    if key == "input" and dialect != "openai-responses":
        items = body["input"]
        if not (isinstance(items, list) and any(looks_like_message(item) for item in items[:4])):
            key = None
    if key is not None and not isinstance(body[key], (list, *_OTHER_FORMS[key])):
        return None, None, f"`{key}` holds no list"
    if key is None:
        if "chat_history" in body or (path.endswith("/chat") and isinstance(body.get("message"), str)):
            return "chat_history", "cohere-v1", ""
        return None, None, "its body holds no messages"
    if key != _KEY_OF.get(dialect or "", key):
        dialect = None  # the body is another's than the path says
    if dialect is None and "anthropic_version" in body:
        dialect = "anthropic"
    if path.endswith(("/invoke", "/invoke-with-response-stream")) and dialect is None and _is_converse(body[key]):
        dialect = "bedrock-converse"
    return key, dialect, ""


def _is_converse(messages: Any) -> bool:
    """Whether the parts of these messages are objects of one key, as Bedrock's own shape has them."""
    for message in messages[:8] if isinstance(messages, list) else ():
        parts = message.get("content") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else ():
            return isinstance(part, dict) and "type" not in part and not part.keys().isdisjoint(_NOVA_KEYS)
    return False


def _judge_of(url: str, path: str, dialect: str | None) -> tuple[str | None, str, str | None]:
    """The target behind an address, the reason in words, and the dialect as that target names it."""
    host, _ = _split(url)
    target = targets.by_host(host) if host else None
    if target == "vertex" and "/publishers/anthropic/" in path:
        target = "vertex-anthropic"
    if target == "mistral" and dialect == "openai-chat":
        dialect = "mistral"
    if target is not None:
        return target, f"it was recorded from {host}", dialect
    if dialect is None or not host:
        return None, "", dialect
    if dialect == "openai-chat":
        return targets.COMPATIBLE, f"it was recorded from {host}, which nobody knows", dialect
    return targets.owner(dialect), f"it was recorded from {host} in {dialect}", dialect


def model_of(body: Mapping[str, Any], path: str) -> str | None:
    """The model that a request names, in its body or its path."""
    model = body.get("model")
    if isinstance(model, str) and model:
        return model
    found = _MODEL_IN_PATH.search(path)
    if found is None or "%" not in found.group(1):
        return found.group(1) if found is not None else None
    from urllib.parse import unquote

    return unquote(found.group(1))


# What came back


def reply_of(body: Body, *, is_error: bool = False) -> Reply:
    """The messages of a response, JSON or stream; an error's text where it is one."""
    value = value_of(body)
    reply = Reply()
    if not is_error and (value is MISSING or isinstance(value, list)):
        stream = assemble_events(value) if isinstance(value, list) else _streamed(body)
        if stream is not None:
            reply.messages = list(stream.messages)
            reply.places = [body.at] * len(stream.messages)
            reply.faults = stream.faults
        return reply
    if is_error:
        reply.error = error_text(value if value is not MISSING else _bytes_of(body))
        return reply
    for path, message in reply_messages(value):
        reply.messages.append(message)
        reply.places.append(Place((*body.at.path, *path), body.at.document))
    return reply


def _streamed(body: Body) -> Any:
    raw = _bytes_of(body)
    return None if raw is None else assemble(raw)


def reply_messages(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The messages of a whole reply of any chat API, with their paths inside it.

    The reason why the model stopped is put beside the message where the API keeps it elsewhere.
    """
    if not isinstance(value, dict):
        return
    choices = value.get("choices")
    if isinstance(choices, list):
        first = choices[0] if choices and isinstance(choices[0], dict) else {}
        if isinstance(first.get("message"), dict):
            finish = first.get("finish_reason")
            extra = {"finish_reason": finish} if isinstance(finish, str) else {}
            yield ("choices", 0, "message"), {**first["message"], **extra}
    elif isinstance(value.get("candidates"), list):
        first = value["candidates"][0] if value["candidates"] and isinstance(value["candidates"][0], dict) else {}
        if isinstance(first.get("content"), dict) and first["content"].get("parts"):
            yield ("candidates", 0, "content"), first["content"]
    elif isinstance(value.get("output"), list):
        for number, item in enumerate(value["output"]):
            if isinstance(item, dict):
                yield ("output", number), item
    elif isinstance(value.get("output"), dict):
        if isinstance(value["output"].get("message"), dict):
            yield ("output", "message"), value["output"]["message"]
    elif isinstance(value.get("message"), dict) and isinstance(value["message"].get("role"), str):
        yield ("message",), value["message"]
    elif value.get("type") == "message" and isinstance(value.get("content"), list):
        kept = {key: value[key] for key in ("role", "content", "stop_reason") if value.get(key) is not None}
        yield (), kept
    elif isinstance(value.get("response"), dict) and isinstance(value["response"].get("candidates"), list):
        for path, message in reply_messages(value["response"]):
            yield ("response", *path), message


def error_text(value: Any) -> str:
    """What a provider says in an error's body: its message where there is one, else all of it."""
    if isinstance(value, bytes):
        return value[: _MAX_ERROR * 4].decode("utf-8", "replace")[:_MAX_ERROR]
    while isinstance(value, list) and value:
        value = value[0]
    for key in ("error", "message", "detail", "Message"):
        if isinstance(value, dict) and value.get(key):
            value = value[key]
    if isinstance(value, str):
        return value[:_MAX_ERROR]
    raw = encode(value) if value is not None and value is not MISSING else None
    return raw.decode()[:_MAX_ERROR] if raw is not None else ""


# Exchanges to candidates


def find_in(exchanges: Iterable[HttpExchange]) -> Iterator[Candidate | Skipped]:
    """The transcripts in recorded exchanges: the longest of each chain of snapshots, and each that was refused."""
    found: list[Candidate] = []
    for exchange in exchanges:
        candidate = candidate_of(exchange)
        if isinstance(candidate, Skipped):
            yield candidate
        else:
            found.append(candidate)
    yield from longest(found)


def candidate_of(exchange: HttpExchange) -> Candidate | Skipped:
    """The transcript of one exchange, with its reply."""
    body = value_of(exchange.request)
    if not isinstance(body, dict):
        what = "its body is no JSON object" if exchange.request.value else "it has no body"
        return Skipped(f"a {exchange.method or 'recorded'} request: {what}", exchange.at, known=True)
    _, path = _split(exchange.url)
    at = exchange.request.at
    key, dialect, reason = history_of(body, path)
    if key is None:
        inner = body.get("request")  # a client's envelope around the request proper
        if isinstance(inner, dict) and isinstance(inner.get("contents"), list):
            body, at, key, dialect = {"model": body.get("model"), **inner}, at / "request", "contents", "gemini"
        else:
            return Skipped(f"a recorded request: {reason}", exchange.at, known=True)
    target, why, dialect = _judge_of(exchange.url, path, dialect)
    candidate = Candidate(
        body.get(key, []),
        at / key if key in body else at,
        dialect=dialect,
        body=body,
        body_at=at,
        url=path if _disagree(key, path) else None,
        mode="request",
        target=target,
        target_reason=why,
        model=model_of(body, path),
        as_of=exchange.as_of,
    )
    is_error = exchange.status >= 400
    reply = reply_of(exchange.response, is_error=is_error)
    if exchange.status:
        candidate.recorded = Recorded(exchange.status, reply.error)
    candidate.stream_faults = tuple((exchange.response.at, fault) for fault in reply.faults)
    _join(candidate, reply)
    return candidate


def _disagree(key: str, path: str) -> bool:
    """Whether the history stands under a key that the address does not take."""
    return (key == "messages" and path.endswith("/responses")) or (
        key == "input" and path.endswith("/chat/completions")
    )


def _split(url: str) -> tuple[str, str]:
    """The host and the path of an address."""
    found = _ADDRESS.match(url)
    return ((found.group(1) or "").strip("[]").lower(), found.group(2).rstrip("/")) if found is not None else ("", "")


def _join(candidate: Candidate, reply: Reply) -> None:
    """Puts the reply behind what was sent."""
    if not reply.messages:
        return
    sent = candidate.messages
    if isinstance(sent, list):
        candidate.places = [*(candidate.at / number for number in range(len(sent))), *reply.places]
        candidate.messages, candidate.sent = [*sent, *reply.messages], len(sent)
    elif isinstance(sent, str):
        opening = {"role": "user", "content": sent}
        candidate.places = [candidate.at, *reply.places]
        candidate.messages, candidate.sent = [opening, *reply.messages], 1


# Snapshots

_CACHE_MARK = re.compile(rb',?"cache_control":\{[^{}]*\}')  # moves to the newest message with each request


def chain_of(messages: Sequence[Any], seed: bytes) -> list[int]:
    """A fingerprint for each beginning of a list of messages: item n stands for the first n + 1 messages."""
    chain = []
    running = hash(seed)
    for number, message in enumerate(messages):
        raw = encode(message)
        if raw is None:
            raw = f"unwritable {id(message)} {number}".encode()
        elif b'"cache_control"' in raw:
            raw = _CACHE_MARK.sub(b"", raw)
        running = hash((running, raw))
        chain.append(running)
    return chain


def longest(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Those of some histories that are not the beginning of a longer one, and all that were refused.

    Linear in the messages.  Of equal ones the last stays.  What a stream lost goes to the history that stays.
    """
    chains = [
        chain_of(_sent(c), f"{c.dialect} {c.target} {c.model}".encode("utf-8", "surrogatepass")) for c in candidates
    ]
    longer: dict[int, int] = {}  # which history goes on behind this beginning
    ending: dict[int, int] = {}  # the last one that ends with it
    for number, chain in enumerate(chains):
        longer.update(dict.fromkeys(chain[:-1], number))
        if chain:
            ending[chain[-1]] = number
    stays = list(range(len(chains)))
    for number in sorted(range(len(chains)), key=lambda n: (-len(chains[n]), -n)):
        if chains[number]:
            end = chains[number][-1]
            cover = longer.get(end, ending[end])
            if cover != number:
                stays[number] = stays[cover]
    for number, candidate in enumerate(candidates):
        if stays[number] != number and not (candidate.recorded is not None and candidate.recorded.refused):
            candidates[stays[number]].stream_faults += candidate.stream_faults
    for number, candidate in enumerate(candidates):
        if stays[number] == number or (candidate.recorded is not None and candidate.recorded.refused):
            yield candidate


def _sent(candidate: Candidate) -> list[Any]:
    messages = candidate.messages if isinstance(candidate.messages, list) else [candidate.messages]
    return messages if candidate.sent is None else messages[: candidate.sent]
