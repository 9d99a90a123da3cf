"""Requests and replies that a log keeps apart: put together as one history.

Almost every tracing tool, gateway and cloud store writes the two sides under a pair of keys, as values or as JSON in
a string, one to three times over; what lies inside is in an API's own shape.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from turnlint import targets
from turnlint.containers.http import reply_messages
from turnlint.containers.packing import REDACTION, TRUNCATION, is_cut, texts, unwrap, word
from turnlint.containers.plain import looks_like_history, looks_like_message
from turnlint.containers.streams import assemble_events
from turnlint.diagnostic import Place
from turnlint.errors import UsageError
from turnlint.model import Candidate, Recorded, State

if TYPE_CHECKING:
    from collections.abc import Mapping

_LISTS: Final = ("messages", "contents", "input")
_BODIES: Final = ("body", "json")
_MIN_CUT: Final = 16  # characters below which texts of one length say nothing
_MIN_CUT_TEXTS: Final = 4  # texts that must end at one length before a limit is the likely reason

#: How logs name providers, where that is not the name of a target.
_PROVIDERS: Final = {
    "aws.bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "bedrock-runtime": "bedrock",
    "amazon": "bedrock",
    "vertex_ai": "vertex",
    "vertexai": "vertex",
    "vertex_ai_beta": "vertex",
    "gcp.vertex_ai": "vertex",
    "gcp.gemini": "gemini",
    "gcp.gen_ai": "gemini",
    "google_genai": "gemini",
    "google": "gemini",
    "azure": "azure-openai",
    "azure_openai": "azure-openai",
    "az.ai.openai": "azure-openai",
    "azure.ai.openai": "azure-openai",
    "az.ai.inference": "azure-foundry",
    "azure.ai.inference": "azure-foundry",
    "azure_ai": "azure-foundry",
    "mistral_ai": "mistral",
    "mistralai": "mistral",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "x_ai": "xai",
    "cohere_chat": "cohere",
    "ollama_chat": "ollama",
    "claude": "anthropic",
    "openai_like": targets.COMPATIBLE,
}


def provider(name: Any) -> dict[str, Any]:
    """The target that a log's name for a provider stands for, as arguments of a candidate; none where nobody knows."""
    key = word(name).lower()
    if not key:
        return {}
    try:
        target, _ = targets.found(_PROVIDERS.get(key, key))
    except UsageError:
        return {}
    return {"target": target.name, "target_reason": f"the log names {key}"}


def joined(
    request: Any, at: Place, response: Any = None, response_at: Place | None = None, **more: Any
) -> Candidate | None:
    """The history of a request with its reply behind it; None where the request holds none.

    The state of completeness is told from the texts, unless the caller knows it.
    """
    found = history_in(request, at)
    if found is None:
        return None
    messages, at, body, body_at = found
    if "state" not in more:
        more |= completeness(messages)
    if body is not None and ("model" in body or "tools" in body):
        more |= {"body": body, "body_at": body_at}
        if isinstance(body.get("model"), str):
            more.setdefault("model", body["model"])
    candidate = Candidate(messages, at, **more)
    replies = replies_in(response, response_at) if response_at is not None else []
    if replies and isinstance(messages, list):
        candidate.places = [*(at / number for number in range(len(messages))), *(place for _, place in replies)]
        candidate.messages, candidate.sent = [*messages, *(message for message, _ in replies)], len(messages)
    return candidate


def history_in(value: Any, at: Place) -> tuple[Any, Place, Mapping[str, Any] | None, Place] | None:
    """The history in what a log keeps of a request: the messages, their place, the body around them, its place."""
    value = unwrap(value)
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):  # a batch of one
            value, at = value[0], at / 0
        return (value, at, None, at) if looks_like_history(value) else None
    if not isinstance(value, dict):
        return None
    for key in _BODIES:  # a request as an HTTP client has it, with its address beside the body
        if isinstance(value.get(key), (dict, str)) and "url" in value:
            inside = history_in(value[key], at / key)
            if inside is not None:
                return inside
    for key in _LISTS:
        inner = unwrap(value.get(key))
        if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], list) and looks_like_history(inner[0]):
            return inner[0], at / key / 0, value, at
        if looks_like_history(inner):
            return inner, at / key, value, at
        if key == "input" and isinstance(inner, str) and "model" in value:
            return inner, at / key, value, at
    return None


def replies_in(value: Any, at: Place) -> list[tuple[Any, Place]]:
    """The messages in what a log keeps of a reply: a whole response, its choices, a message, items, or a stream."""
    value = unwrap(value)
    if isinstance(value, list):
        return _of_list(value, at)
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("body"), (dict, str)) and "choices" not in value:
        return replies_in(value["body"], at / "body")
    generations = value.get("generations")
    if isinstance(generations, list):
        first = generations[0] if generations else None
        inner, place = (
            (first[0], at / "generations" / 0 / 0)
            if isinstance(first, list) and first
            else (first, at / "generations" / 0)
        )
        if isinstance(inner, dict) and isinstance(inner.get("message"), dict):
            return [(inner["message"], place / "message")]
        return []
    found = [(message, Place((*at.path, *path), at.document)) for path, message in reply_messages(value)]
    if not found and looks_like_message(value):
        return [(value, at)]
    return found


def _of_list(value: list[Any], at: Place) -> list[tuple[Any, Place]]:
    first = value[0] if value else None
    if isinstance(first, dict) and isinstance(first.get("message"), dict):  # choices without their response
        return [(first["message"], at / 0 / "message")]
    stream = assemble_events(value)
    if stream is not None:
        return [(message, at) for message in stream.messages]
    return [(item, at / number) for number, item in enumerate(value) if looks_like_message(item)]


def recorded(status: Any, error: Any = "") -> Recorded | None:
    """What a log says that the provider answered: a status code, or words for one; None where it does not say."""
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
        return Recorded(status, word(error))
    known = {"success": 200, "ok": 200, "succeeded": 200}
    code = known.get(word(status).lower())
    return Recorded(code, word(error)) if code is not None else None


def completeness(messages: Any) -> dict[str, Any]:
    """The state of a logged history and a notice, from marks and lengths in its texts; nothing where it seems whole."""
    if not isinstance(messages, list):
        return {}
    lengths: Counter[int] = Counter()
    cut = redacted = False
    for text in texts(messages):
        size = len(text)
        if size >= _MIN_CUT:
            lengths[size] += 1
            cut = cut or (("trunc" in text or "dropped" in text) and TRUNCATION.search(text) is not None)
        redacted = redacted or (size <= 200 and REDACTION.match(text) is not None)
    if cut:
        return {"state": State.TRUNCATED_VALUES, "notice": "incomplete log: long values are cut"}
    if redacted:
        return {"state": State.REDACTED, "notice": "incomplete log: contents were taken out"}
    if lengths:
        longest = max(lengths)
        if lengths[longest] >= _MIN_CUT_TEXTS and any(len(t) == longest and is_cut(t) for t in texts(messages)):
            return {
                "state": State.TRUNCATED_VALUES,
                "notice": f"incomplete log: values are cut at {longest} characters",
            }
    return {}


def without_nulls(messages: Any) -> Any:
    """Messages without members that are null: columnar files give every row the members of all others."""
    if not isinstance(messages, list):
        return messages
    return [
        {key: _without(value) for key, value in message.items() if value is not None}
        if isinstance(message, dict)
        else message
        for message in messages
    ]


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [
            {key: inner for key, inner in item.items() if inner is not None} if isinstance(item, dict) else item
            for item in value
        ]
    return value
