"""Writes a conversation down in a dialect.  Written by hand from what the wires are documented to take, so that the
readers are not tested against themselves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnlint.errors import UsageError, near_misses
from turnlint.testing.conversations import PIXEL, SEAL, SEALED

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnlint.testing.conversations import Conversation, Round, Turn, Use

Json = Any


@dataclass(frozen=True, slots=True)
class Writer:
    """How a dialect is written.

    `messages(conversation)` is the list of messages; `body(conversation, model)` the request around it, for dialects
    that are a wire.  `model` names one that takes everything the writer writes.  `keeps` says what a list of messages
    holds: ids, system (as a message), images, hosted (calls that the provider runs), thoughts, failures, texts
    (beside calls).  `call_id` makes the ID of call number n where the target asks for nothing else.
    """

    dialect: str
    messages: Callable[[Conversation], list[Json]]
    body: Callable[[Conversation, str], dict[str, Json]] | None = None
    model: str = ""
    keeps: frozenset[str] = field(default_factory=frozenset)
    call_id: str = "call_{}"

    def write(self, conversation: Conversation, *, body: bool = False, model: str | None = None) -> Json:
        """The list of messages, or the request body.  Raises `UsageError` for a body that the dialect does not have."""
        if not body:
            return self.messages(conversation)
        if self.body is None:
            raise UsageError(f"{self.dialect} is no wire: it has no request body")
        return self.body(conversation, model or self.model)


def get(dialect: str) -> Writer:
    """The writer of a dialect.  Raises `UsageError` with the near misses."""
    found = WRITERS.get(dialect)
    if found is None:
        raise UsageError(f"no histories are written in {dialect!r}{near_misses(dialect, WRITERS)}")
    return found


# -- OpenAI Chat Completions


def openai_chat(conversation: Conversation) -> list[Json]:
    messages: list[Json] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    for turn in conversation.turns:
        messages.append({"role": "user", "content": _chat_question(turn)})
        for one in turn.rounds:
            calls = [
                {"id": u.id, "type": "function", "function": {"name": u.name, "arguments": json.dumps(u.arguments)}}
                for u in one.uses
            ]
            said: Json = {"role": "assistant", "content": one.text or None, "tool_calls": calls}
            if one.thought:
                said["reasoning_content"] = one.thought
            messages.append(said)
            messages += [{"role": "tool", "tool_call_id": u.id, "content": u.result} for u in one.results]
        if turn.answer:
            messages.append({"role": "assistant", "content": turn.answer})
    return messages


def _chat_question(turn: Turn) -> Json:
    if not turn.image:
        return turn.question
    return [
        {"type": "text", "text": turn.question},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]


def openai_chat_body(conversation: Conversation, model: str) -> dict[str, Json]:
    body: dict[str, Json] = {"model": model, "messages": openai_chat(conversation)}
    if conversation.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
            for name in conversation.tools
        ]
    return body


# -- Anthropic Messages


def anthropic(conversation: Conversation) -> list[Json]:
    messages: list[Json] = []
    for turn in conversation.turns:
        messages.append({"role": "user", "content": _anthropic_question(turn)})
        for one in turn.rounds:
            messages.append({"role": "assistant", "content": _anthropic_calls(one)})
            if one.results:
                messages.append({"role": "user", "content": [_anthropic_result(u) for u in one.results]})
        if turn.answer:
            messages.append({"role": "assistant", "content": _anthropic_answer(turn, len(messages))})
    return messages


def _anthropic_question(turn: Turn) -> Json:
    if not turn.image:
        return turn.question
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    return [{"type": "image", "source": source}, {"type": "text", "text": turn.question}]


def _anthropic_calls(one: Round) -> list[Json]:
    blocks: list[Json] = []
    if one.thought:
        blocks.append({"type": "thinking", "thinking": one.thought, "signature": SEAL})
    if one.text:
        blocks.append({"type": "text", "text": one.text})
    return [*blocks, *({"type": "tool_use", "id": u.id, "name": u.name, "input": u.arguments} for u in one.uses)]


def _anthropic_result(use: Use) -> Json:
    made: Json = {"type": "tool_result", "tool_use_id": use.id, "content": use.result}
    return {**made, "is_error": True} if use.failed else made


def _anthropic_answer(turn: Turn, number: int) -> Json:
    if not turn.searched:
        return turn.answer
    call_id = f"srvtoolu_{number}"
    page = {
        "type": "web_search_result",
        "url": "https://example.org/",
        "title": turn.searched,
        "encrypted_content": SEALED,
        "page_age": None,
    }
    return [
        {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {"query": turn.searched}},
        {"type": "web_search_tool_result", "tool_use_id": call_id, "content": [page]},
        {"type": "text", "text": turn.answer},
    ]


def anthropic_body(conversation: Conversation, model: str) -> dict[str, Json]:
    body: dict[str, Json] = {"model": model, "max_tokens": 4096, "messages": anthropic(conversation)}
    if conversation.system:
        body["system"] = conversation.system
    if conversation.thinks:
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    tools: list[Json] = [{"name": name, "input_schema": {"type": "object"}} for name in conversation.tools]
    if conversation.searches:
        tools.append({"type": "web_search_20250305", "name": "web_search"})
    if tools:
        body["tools"] = tools
    return body


# -- Gemini


def gemini(conversation: Conversation) -> list[Json]:
    contents: list[Json] = []
    for turn in conversation.turns:
        asked: list[Json] = [{"text": turn.question}]
        if turn.image:
            asked.append({"inlineData": {"mimeType": "image/png", "data": PIXEL}})
        contents.append({"role": "user", "parts": asked})
        for one in turn.rounds:
            contents.append({"role": "model", "parts": _gemini_calls(one)})
            if one.results:
                answers = [
                    {"functionResponse": {"name": u.name, "response": {"error" if u.failed else "result": u.result}}}
                    for u in one.results
                ]
                contents.append({"role": "user", "parts": answers})
        if turn.answer:
            contents.append({"role": "model", "parts": _gemini_answer(turn)})
    return contents


def _gemini_calls(one: Round) -> list[Json]:
    parts: list[Json] = [{"text": one.text}] if one.text else []
    calls: list[Json] = [{"functionCall": {"name": u.name, "args": u.arguments}} for u in one.uses]
    if one.thought and calls:
        calls[0]["thoughtSignature"] = SEAL
    return parts + calls


def _gemini_answer(turn: Turn) -> list[Json]:
    if not turn.searched:
        return [{"text": turn.answer}]
    return [
        {"executableCode": {"language": "PYTHON", "code": f"print({turn.searched!r})"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": f"{turn.searched}\n"}},
        {"text": turn.answer},
    ]


def gemini_body(conversation: Conversation, _model: str) -> dict[str, Json]:
    body: dict[str, Json] = {"contents": gemini(conversation)}
    if conversation.system:
        body["systemInstruction"] = {"parts": [{"text": conversation.system}]}
    tools: list[Json] = []
    if conversation.tools:
        declared = [{"name": name, "parameters": {"type": "OBJECT"}} for name in conversation.tools]
        tools.append({"functionDeclarations": declared})
    if conversation.searches:
        tools.append({"codeExecution": {}})
    if tools:
        body["tools"] = tools
    return body


WRITERS = {
    writer.dialect: writer
    for writer in (
        Writer(
            "openai-chat",
            openai_chat,
            openai_chat_body,
            "gpt-4o",
            frozenset({"ids", "system", "images", "thoughts", "texts"}),
        ),
        Writer(
            "anthropic",
            anthropic,
            anthropic_body,
            "claude-sonnet-4-5",
            frozenset({"ids", "images", "hosted", "thoughts", "failures", "texts"}),
            "toolu_{}",
        ),
        Writer(
            "gemini",
            gemini,
            gemini_body,
            "gemini-2.5-flash",
            frozenset({"images", "hosted", "thoughts", "failures", "texts"}),
        ),
    )
}
