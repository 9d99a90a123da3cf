"""Histories put together out of records that are no messages themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from turnlint.containers.packing import REDACTION, encode, unwrap
from turnlint.model import MADE, Candidate, State, real_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from turnlint.diagnostic import Path, Place


class History(Struct):
    """Messages with their places, and where each of their members really stands.

    A message that was made up of a record gets a place below the record that nothing else has, so that what the
    dialect places inside it can be led back to the record's own members, and what is none of these to the record.
    """

    messages: list[Any] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    moved: dict[Place, Place] = field(default_factory=dict)
    made: bool = False  # some message stands nowhere as it is, so that no edit could reach it

    def add(self, message: Any, at: Place) -> None:
        """A message that stands at `at` just so, or with members left out."""
        self.messages.append(message)
        self.places.append(at)

    def make(self, message: Any, at: Place, members: Mapping[Path, Place] | None = None) -> None:
        """A message that was made of what stands at `at`; `members` leads its own paths to theirs."""
        own = at / f"{MADE}{len(self.messages)})"
        self.moved[own] = at
        for path, place in (members or {}).items():
            target = own
            for step in path:
                target /= step
            self.moved[target] = place
        self.messages.append(message)
        self.places.append(own)
        self.made = True

    def candidate(self, dialect: str | None, **more: Any) -> Candidate:
        """The history as a candidate."""
        if dialect == "agent-log" and "sent" not in more:
            self._join_turns()
        more.setdefault("fixable", not self.made)
        at = more.pop("at", None) or self.moved.get(self.places[0], self.places[0])
        return Candidate(self.messages, at, dialect=dialect, places=self.places, moved=self.moved, **more)

    def _join_turns(self) -> None:
        """Makes one turn of a message with calls and what the assistant says or asks right behind it.

        Logs write a record for each call of a turn, and its results behind them all.
        """
        turns: list[list[int]] = []
        for number, message in enumerate(self.messages):
            goes_on = isinstance(message, dict) and message.get("role") == "assistant"
            if goes_on and turns and _has_calls(self.messages[turns[-1][0]]):
                turns[-1].append(number)
            else:
                turns.append([number])
        self.messages, self.places = [self._turn(turn) for turn in turns], [self.places[turn[0]] for turn in turns]

    def _turn(self, turn: list[int]) -> Any:
        """One message of those with these numbers."""
        first = self.messages[turn[0]]
        if len(turn) == 1:
            return first
        self.made = True
        texts: list[str] = []
        calls: list[Any] = []
        for number in turn:
            message = self.messages[number]
            texts.append(text_in(message.get("content")))
            own = message.get("tool_calls")
            for index, call in enumerate(own if isinstance(own, list) else ()):
                if number != turn[0]:
                    target = real_place(self.moved, self.places[number] / "tool_calls" / index)
                    self.moved[self.places[turn[0]] / "tool_calls" / len(calls)] = target
                calls.append(call)
        return {**first, "content": "\n".join(filter(None, texts)) or None, "tool_calls": calls}


def _has_calls(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role") == "assistant"
        and isinstance(message.get("tool_calls"), list)
        and bool(message["tool_calls"])
    )


def only(record: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The members of a record that a message of an API has."""
    return {key: record[key] for key in keys if key in record}


def redaction(ids: Iterable[Any], values: Iterable[Any] = ()) -> dict[str, Any]:
    """The state and notice of a log whose IDs, or else arguments, were taken out; nothing for any other.

    Without its IDs nothing in a log can be told apart.
    """
    if any(isinstance(value, str) and REDACTION.match(value) for value in ids):
        return {"state": State.NOT_RECORDED, "notice": "the IDs of calls were taken out of this log"}
    if any(isinstance(value, str) and REDACTION.match(value) for value in values):
        return {"state": State.REDACTED, "notice": "arguments were taken out of this log"}
    return {}


def text_in(value: Any) -> str:
    """The text in what a log keeps of a message: text itself, or the texts of a list of parts."""
    if isinstance(value, list):
        return "\n".join(_text(part) for part in value)
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("text", "content", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return ""


# The messages of other shapes as chat messages, for logs that only pairing is judged of


def as_json(value: Any) -> str:
    """A value as JSON text; an empty object where it cannot be written."""
    return (encode(value) or b"{}").decode()


def chat_call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    """A call as Chat Completions writes it."""
    text = arguments if isinstance(arguments, str) else as_json({} if arguments is None else arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def chat_result(call_id: Any, content: Any) -> dict[str, Any]:
    """A result as Chat Completions writes it; it says something even where the log does not."""
    text = content if isinstance(content, str) else text_in(content) or as_json(content)
    return {"role": "tool", "tool_call_id": call_id, "content": text or "(empty)"}


def chat_message(role: Any, text: str | None, calls: list[dict[str, Any]]) -> dict[str, Any] | None:
    """A message with text, calls or both; None where there is neither."""
    if not calls:
        return {"role": role, "content": text} if text else None
    return {"role": role, "content": text or None, "tool_calls": calls}


def chat_of_blocks(role: Any, content: Any) -> Iterator[dict[str, Any]]:
    """The chat messages that one message of Anthropic's blocks is: results come first, each a message of its own."""
    if not isinstance(content, list):
        message = chat_message(role, text_in(content), [])
        if message is not None:
            yield message
        return
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use":
            calls.append(chat_call(block.get("id"), block.get("name"), block.get("input")))
        elif kind == "tool_result":
            yield chat_result(block.get("tool_use_id"), block.get("content"))
        elif kind == "text" or isinstance(block, str):
            texts.append(text_in(block))
    message = chat_message(role, "\n".join(filter(None, texts)), calls)
    if message is not None:
        yield message


def chat_of_parts(role: Any, parts: Any) -> Iterator[dict[str, Any]]:
    """The chat messages that one of Gemini's contents is."""
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            continue
        call = part.get("functionCall") or part.get("function_call")
        result = part.get("functionResponse") or part.get("function_response")
        if isinstance(call, dict):
            calls.append(chat_call(call.get("id"), call.get("name"), call.get("args")))
        elif isinstance(result, dict):
            yield {**chat_result(result.get("id"), result.get("response")), "name": result.get("name")}
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            texts.append(part["text"])
    message = chat_message("assistant" if role == "model" else role, "\n".join(texts), calls)
    if message is not None:
        yield message


def chat_of_prompt(item: Any) -> Iterator[dict[str, Any]]:
    """The chat messages that an entry with calls without a `function` level is; its content may be blocks as text."""
    if not isinstance(item, dict):
        return
    role, content, saved = item.get("role"), item.get("content"), item.get("tool_calls")
    blocks = unwrap(content)
    if isinstance(blocks, list) and any(isinstance(block, dict) and "type" in block for block in blocks):
        yield from chat_of_blocks(role, blocks)
        content = None
    calls = [
        chat_call(call.get("id"), call.get("name"), call.get("arguments"))
        for call in (saved if isinstance(saved, list) else ())
        if isinstance(call, dict)
    ]
    if calls or content is not None:
        message: dict[str, Any] = {"role": role, "content": content}
        if calls:
            message["tool_calls"] = calls
        if "tool_call_id" in item:
            message["tool_call_id"] = item["tool_call_id"]
        yield message
