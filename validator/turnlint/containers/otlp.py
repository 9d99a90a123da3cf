"""OpenTelemetry exports: spans and log records whose attributes hold a conversation in one of half a dozen ways.

A span repeats all that was said before it, so that only the longest of each conversation is looked at.  Attributes
are limited in number and length: what was dropped or cut shows, and decides what may be judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, chat_of_prompt
from turnlint.containers.http import longest
from turnlint.containers.packing import any_value, as_list, is_cut, key_values, unflatten, unwrap, word
from turnlint.containers.pairs import completeness, joined, provider
from turnlint.diagnostic import Place
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from turnlint.diagnostic import Path
    from turnlint.model import Candidate
    from turnlint.source.document import Document

#: Attributes that hold a request and a reply in the provider's own shape, best first.
_NATIVE: Final = (
    ("mlflow.spanInputs", "mlflow.spanOutputs"),
    ("langfuse.observation.input", "langfuse.observation.output"),
    ("input.value", "output.value"),
    ("ai.prompt.messages", "ai.response.toolCalls"),
    ("request_data", "response_data"),
)
_PROVIDERS: Final = ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")
_MODELS: Final = ("gen_ai.request.model", "llm.model_name", "langfuse.observation.model.name", "ai.model.id")
_EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "choice",
}
_SIGNS: Final = ("gen_ai.", "llm.", "openinference.", "langfuse.", "mlflow.", "input.value", "ai.prompt")
_MAX_NESTING: Final = 12  # of lists spelled by flat keys


class Attributes(Struct):
    """The attributes of a span or record, as plain values, and where each stands."""

    values: dict[str, Any]
    places: dict[str, Place]
    at: Place
    dropped: int = 0

    def first(self, keys: Iterable[str]) -> Any:
        return next((self.values[key] for key in keys if isinstance(self.values.get(key), str)), None)


class LogRecord(Struct):
    """A log record: its attributes, its body, and the name of the event that it is."""

    attributes: Attributes
    body: Any
    body_at: Place
    event: str
    span: str


# What is in a document


def _is_export(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(value.get(key), list) for key in ("resourceSpans", "resourceLogs")
    )


def _has_signs(attributes: Mapping[str, Any]) -> bool:
    """Whether attributes are those of a call of a language model, whatever the span around them looks like."""
    return any(isinstance(key, str) and key.startswith(_SIGNS) for key in attributes)


def _is_console(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("attributes"), dict):
        return False
    is_span = isinstance(value.get("context"), dict) and "trace_id" in value["context"]
    return is_span or ("severity_number" in value and "trace_id" in value) or _has_signs(value["attributes"])


def recognise(head: Sequence[Document]) -> bool:
    return any(_is_export(document.value) or _is_console(document.value) for document in head[:8])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    found: list[Candidate] = []
    by_span: dict[str, list[LogRecord]] = {}
    spans = 0
    for document in documents:
        at = Place((), document.number)
        for attributes in _spans(document.value, at):
            spans += 1
            candidate = of_attributes(attributes)
            if candidate is not None:
                found.append(candidate)
        for record in _records(document.value, at):
            spans += 1
            if record.event in _EVENTS:
                by_span.setdefault(record.span or str(record.attributes.at), []).append(record)
            elif (candidate := of_attributes(record.attributes)) is not None:
                found.append(candidate)
    for records in by_span.values():
        candidate = _of_events(records)
        if candidate is not None:
            found.append(candidate)
    if not found:
        what = "spans of no language model" if spans else "an export without spans"
        yield Skipped(what, known=True)
    yield from longest(found)


def _lists(value: Any, at: Place, *keys: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], Place]]:
    """The objects in lists inside lists, level by level, each level under any of some keys."""
    level = [(value, at)] if isinstance(value, dict) else []
    for names in keys:
        level = [
            (item, place / name / number)
            for holder, place in level
            for name in names
            if isinstance(holder.get(name), list)
            for number, item in enumerate(holder[name])
            if isinstance(item, dict)
        ]
    yield from level


def _spans(value: Any, at: Place) -> Iterator[Attributes]:
    if _is_console(value) and "severity_number" not in value:
        yield _attributes(value, at)
        return
    scopes = ("scopeSpans", "instrumentationLibrarySpans")
    for span, place in _lists(value, at, ("resourceSpans",), scopes, ("spans",)):
        yield _attributes(span, place)


def _records(value: Any, at: Place) -> Iterator[LogRecord]:
    if _is_console(value) and "severity_number" in value:
        yield _record(value, at)
        return
    for record, place in _lists(value, at, ("resourceLogs",), ("scopeLogs",), ("logRecords",)):
        yield _record(record, place)


def _record(value: dict[str, Any], at: Place) -> LogRecord:
    attributes = _attributes(value, at)
    event = value.get("eventName") or value.get("event_name") or attributes.values.get("event.name")
    span = value.get("spanId") or value.get("span_id")
    return LogRecord(attributes, any_value(value.get("body")), at / "body", word(event), word(span))


def _attributes(holder: Mapping[str, Any], at: Place) -> Attributes:
    raw = holder.get("attributes")
    dropped = holder.get("droppedAttributesCount")
    count = dropped if isinstance(dropped, int) else 0
    if isinstance(raw, dict):
        return Attributes(raw, {key: at / "attributes" / key for key in raw}, at, count)
    places: dict[str, Place] = {}
    for number, pair in enumerate(raw if isinstance(raw, list) else ()):
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            place = at / "attributes" / number / "value"
            inner = pair.get("value")
            if isinstance(inner, dict) and len(inner) == 1:
                place /= next(iter(inner))
                place = place / "values" if place.path[-1] in ("arrayValue", "array_value") else place
            places[pair["key"]] = place
    return Attributes(key_values(raw), places, at, count)


# Attributes to a history


def of_attributes(attributes: Attributes) -> Candidate | None:
    """The conversation in the attributes of a span or record; None where there is none."""
    values = attributes.values
    if not _has_signs(values):
        return None
    model = attributes.first(_MODELS)
    more: dict[str, Any] = {**provider(attributes.first(_PROVIDERS)), "fixable": False}
    for request, response in _NATIVE:
        if request in values:
            place = attributes.places[request]
            candidate = joined(values[request], place, values.get(response), attributes.places.get(response), **more)
            if candidate is not None:
                candidate.model = candidate.model or model
                return candidate
    more["model"] = model
    if "gen_ai.input.messages" in values:
        return _of_semantic(attributes, more)
    for prefix, reader in (("llm.input_messages", _of_openinference), ("gen_ai.prompt", _of_prompts)):
        if any(isinstance(key, str) and key.startswith(prefix + ".") for key in values):
            return reader(attributes, more)
    return None


def _of_semantic(attributes: Attributes, more: dict[str, Any]) -> Candidate | None:
    """`gen_ai.input.messages`, as JSON text or as values."""
    key, reply = "gen_ai.input.messages", "gen_ai.output.messages"
    value = attributes.values[key]
    place = attributes.places[key]
    messages = unwrap(value)
    if isinstance(value, str) and not isinstance(messages, list):
        if not is_cut(value):
            return None
        history = History([{}], [place])
        return history.candidate(
            "otel-genai", **more, state=State.NOT_RECORDED, notice="incomplete log: the list of messages is cut off"
        )
    if not isinstance(messages, list) or not messages:
        return None
    history = History()
    for number, message in enumerate(messages):
        history.add(message, place / number)
    sent = len(history.messages)
    answers = unwrap(attributes.values.get(reply))
    for number, message in enumerate(answers if isinstance(answers, list) else ()):
        history.add(message, attributes.places[reply] / number)
    return history.candidate("otel-genai", sent=sent, **more, **completeness(messages))


def _of_openinference(attributes: Attributes, more: dict[str, Any]) -> Candidate | None:
    """`llm.input_messages.N.message…`, put together again."""
    history = History()
    whole = _add_flat(attributes, "llm.input_messages", history)
    sent = len(history.messages)
    _add_flat(attributes, "llm.output_messages", history)
    if not history.messages:
        return None
    return history.candidate("openinference", sent=sent, **more, **_state(attributes, history, whole=whole))


def _add_flat(attributes: Attributes, prefix: str, history: History) -> bool:
    """Adds the messages that flat keys spell; returns whether none is missing among them."""
    tree, origin = unflatten(attributes.values, prefix)
    items, whole = as_list(tree)
    by_message: dict[int, list[tuple[Path, Place]]] = {}
    for steps, key in origin.items():
        if steps[0].isdigit():
            path: Path = tuple(int(step) if step.isdigit() else step for step in steps[1:])
            by_message.setdefault(int(steps[0]), []).append((path, attributes.places[key]))
    for number, item in items:
        leaves = by_message.get(number, [])
        if not leaves:
            continue
        message = item.get("message") if isinstance(item, dict) else None
        if prefix.startswith("llm.") and not (isinstance(message, dict) and isinstance(message.get("role"), str)):
            whole = False  # its first keys were dropped
            continue
        members: dict[Path, Place] = {}
        for path, place in leaves:
            for end in range(1, len(path) + 1):
                members.setdefault(path[:end], place)
        history.make(_with_lists(item), leaves[0][1], members)
    return whole


def _with_lists(value: Any, depth: int = 0) -> Any:
    """A value in which objects keyed by numbers are lists."""
    if not isinstance(value, dict) or depth > _MAX_NESTING:
        return value
    if value and all(isinstance(key, str) and key.isdigit() and len(key) <= 6 for key in value):
        return [_with_lists(item, depth + 1) for _, item in as_list(value)[0]]
    return {key: _with_lists(item, depth + 1) for key, item in value.items()}


def _of_prompts(attributes: Attributes, more: dict[str, Any]) -> Candidate | None:
    """`gen_ai.prompt.N…`: calls without a `function` level, and turns of blocks as JSON text."""
    raw = History()
    whole = _add_flat(attributes, "gen_ai.prompt", raw)
    sent_count = len(raw.messages)
    _add_flat(attributes, "gen_ai.completion", raw)
    history = History()
    sent = 0
    for number, (item, own) in enumerate(zip(raw.messages, raw.places, strict=True)):
        at = raw.moved.get(own, own)
        for message in chat_of_prompt(item):
            history.make(message, at)
        if number < sent_count:
            sent = len(history.messages)
    if not history.messages:
        return None
    return history.candidate("agent-log", sent=sent, **more, **_state(attributes, history, whole=whole))


def _state(attributes: Attributes, history: History, *, whole: bool) -> dict[str, Any]:
    """What the limits on attributes left of a history that flat keys spell."""
    if not whole:
        return {"state": State.PARTIAL_HEAD, "notice": "incomplete log: the first messages were dropped"}
    if attributes.dropped:
        return {"state": State.PARTIAL_TAIL, "notice": f"incomplete log: {attributes.dropped} attributes were dropped"}
    return completeness(history.messages)


def _of_events(records: Sequence[LogRecord]) -> Candidate | None:
    """One record a message: the role is in the event's name, and content is often left out."""
    history = History()
    sent = 0
    bare = False
    for record in records:
        body = record.body if isinstance(record.body, dict) else {}
        role, at = _EVENTS[record.event], record.body_at
        if role == "choice":
            message = body.get("message")
            if isinstance(message, dict):
                history.make({"role": "assistant", "content": None, **message}, at)
            continue
        message = {"role": role, "content": body.get("content")}
        bare = bare or ("content" not in body and role != "assistant")
        if role == "tool":
            message["tool_call_id"] = body.get("id")
        elif isinstance(body.get("tool_calls"), list):
            message["tool_calls"] = body["tool_calls"]
            bare = bare or any(_is_bare(call) for call in body["tool_calls"])
        history.make(message, at)
        sent = len(history.messages)
    if not history.messages:
        return None
    attributes = records[0].attributes
    state = {"state": State.REDACTED, "notice": "incomplete log: contents were not recorded"} if bare else {}
    more = {**provider(attributes.first(_PROVIDERS)), "model": attributes.first(_MODELS)}
    return history.candidate("agent-log", sent=sent, **more, **(state or completeness(history.messages)))


def _is_bare(call: Any) -> bool:
    """Whether the arguments of a call were left out."""
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and "arguments" not in function


CONTAINER = Container(
    name="otlp",
    title="OpenTelemetry exports (OTLP JSON, console exporters)",
    how="`resourceSpans` or `resourceLogs`, or printed spans; conversations in `gen_ai.*`, `llm.*` or `input.value`",
    recognise=recognise,
    find=find,
    writable=False,
    dialects=("otel-genai", "openinference", "agent-log", "openai-chat", "openai-responses", "anthropic"),
)
