"""Writes a conversation down in a dialect.  Written by hand from what the wires are documented to take, so that the
readers are not tested against themselves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnlint.errors import UsageError, near_misses
from turnlint.testing.conversations import PIXEL, seal, sealed

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

    def write(
        self, conversation: Conversation, *, body: bool = False, model: str | None = None, objects: bool = False
    ) -> Json:
        """The list of messages, or the request body.  Raises `UsageError` for a body that the dialect does not have.

        `objects`: arguments stay objects where the dialect has them as JSON text, as some templates want it.
        """
        if body and self.body is None:
            raise UsageError(f"{self.dialect} is no wire: it has no request body")
        made: Json = self.body(conversation, model or self.model) if body and self.body else self.messages(conversation)
        if objects:
            for message in made["messages"] if body else made:
                for call in message.get("tool_calls", ()):
                    call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return made


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
            messages.append({"role": "assistant", "content": _anthropic_calls(one, len(messages))})
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


def _anthropic_calls(one: Round, number: int) -> list[Json]:
    blocks: list[Json] = []
    if one.thought:
        blocks.append({"type": "thinking", "thinking": one.thought, "signature": seal(number)})
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
        "encrypted_content": sealed(number),
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
            contents.append({"role": "model", "parts": _gemini_calls(one, len(contents))})
            if one.results:
                answers = [
                    {"functionResponse": {"name": u.name, "response": {"error" if u.failed else "result": u.result}}}
                    for u in one.results
                ]
                contents.append({"role": "user", "parts": answers})
        if turn.answer:
            contents.append({"role": "model", "parts": _gemini_answer(turn)})
    return contents


def _gemini_calls(one: Round, number: int) -> list[Json]:
    parts: list[Json] = [{"text": one.text}] if one.text else []
    calls: list[Json] = [{"functionCall": {"name": u.name, "args": u.arguments}} for u in one.uses]
    if one.thought and calls:
        calls[0]["thoughtSignature"] = seal(number)
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


# -- OpenAI Responses


def openai_responses(conversation: Conversation) -> list[Json]:
    items: list[Json] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    for turn in conversation.turns:
        items.append({"type": "message", "role": "user", "content": _responses_question(turn)})
        for one in turn.rounds:
            if one.thought:
                summary = [{"type": "summary_text", "text": one.thought}]
                number = len(items)
                reasoning = {"type": "reasoning", "id": f"rs_{number:08x}", "summary": summary}
                items.append({**reasoning, "encrypted_content": sealed(number)})
            if one.text:
                items.append({"role": "assistant", "content": one.text})
            items += [
                {"type": "function_call", "call_id": u.id, "name": u.name, "arguments": json.dumps(u.arguments)}
                for u in one.uses
            ]
            items += [{"type": "function_call_output", "call_id": u.id, "output": u.result} for u in one.results]
        if turn.searched:
            action = {"type": "search", "query": turn.searched}
            searched = {"type": "web_search_call", "id": f"ws_{len(items):08x}", "status": "completed"}
            items.append({**searched, "action": action})
        if turn.answer:
            items.append({"role": "assistant", "content": turn.answer})
    return items


def _responses_question(turn: Turn) -> Json:
    parts: list[Json] = [{"type": "input_text", "text": turn.question}]
    if turn.image:
        parts.append({"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PIXEL}"})
    return parts


def openai_responses_body(conversation: Conversation, model: str) -> dict[str, Json]:
    body: dict[str, Json] = {"model": model, "input": openai_responses(conversation)}
    tools: list[Json] = [
        {"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}}
        for name in conversation.tools
    ]
    if conversation.searches:
        tools.append({"type": "web_search"})
    if tools:
        body["tools"] = tools
    return body


# -- Bedrock Converse


def bedrock_converse(conversation: Conversation) -> list[Json]:
    messages: list[Json] = []
    for turn in conversation.turns:
        asked: list[Json] = [{"text": turn.question}]
        if turn.image:
            asked.append({"image": {"format": "png", "source": {"bytes": PIXEL}}})
        messages.append({"role": "user", "content": asked})
        for one in turn.rounds:
            messages.append({"role": "assistant", "content": _bedrock_calls(one, len(messages))})
            if one.results:
                messages.append({"role": "user", "content": [_bedrock_result(u) for u in one.results]})
        if turn.answer:
            messages.append({"role": "assistant", "content": [{"text": turn.answer}]})
    return messages


def _bedrock_calls(one: Round, number: int) -> list[Json]:
    blocks: list[Json] = []
    if one.thought:
        blocks.append({"reasoningContent": {"reasoningText": {"text": one.thought, "signature": seal(number)}}})
    if one.text:
        blocks.append({"text": one.text})
    return [*blocks, *({"toolUse": {"toolUseId": u.id, "name": u.name, "input": u.arguments}} for u in one.uses)]


def _bedrock_result(use: Use) -> Json:
    status = "error" if use.failed else "success"
    return {"toolResult": {"toolUseId": use.id, "content": [{"text": use.result}], "status": status}}


def bedrock_converse_body(conversation: Conversation, model: str) -> dict[str, Json]:
    body: dict[str, Json] = {"modelId": model, "messages": bedrock_converse(conversation)}
    if conversation.system:
        body["system"] = [{"text": conversation.system}]
    if conversation.tools:
        schema = {"json": {"type": "object", "properties": {}}}
        body["toolConfig"] = {
            "tools": [{"toolSpec": {"name": name, "inputSchema": schema}} for name in conversation.tools]
        }
    return body


# -- relatives of OpenAI's chat


def mistral(conversation: Conversation) -> list[Json]:
    messages = openai_chat(conversation)
    names = _names(conversation)
    for message in messages:
        if message["role"] == "assistant":
            message["content"] = message["content"] or ""
        elif message["role"] == "tool":
            message["name"] = names.pop(0)
    return messages


def _names(conversation: Conversation) -> list[str]:
    """The tools' names in the order of the results."""
    return [use.name for turn in conversation.turns for one in turn.rounds for use in one.results]


def mistral_body(conversation: Conversation, model: str) -> dict[str, Json]:
    return {**openai_chat_body(conversation, model), "messages": mistral(conversation)}


def cohere(conversation: Conversation) -> list[Json]:
    messages = openai_chat(conversation)
    for message in messages:
        if "tool_calls" in message:
            plan = message.pop("content")
            if plan:
                message["tool_plan"] = plan
        elif message["role"] == "tool":
            message["content"] = [{"type": "document", "document": {"data": {"output": message["content"]}}}]
    return messages


def cohere_body(conversation: Conversation, model: str) -> dict[str, Json]:
    return {**openai_chat_body(conversation, model), "messages": cohere(conversation)}


def ollama(conversation: Conversation) -> list[Json]:
    messages: list[Json] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    for turn in conversation.turns:
        asked: Json = {"role": "user", "content": turn.question}
        messages.append({**asked, "images": [PIXEL]} if turn.image else asked)
        for one in turn.rounds:
            calls = [{"function": {"name": u.name, "arguments": u.arguments}} for u in one.uses]
            messages.append({"role": "assistant", "content": one.text, "tool_calls": calls})
            messages += [{"role": "tool", "tool_name": u.name, "content": u.result} for u in one.results]
        if turn.answer:
            messages.append({"role": "assistant", "content": turn.answer})
    return messages


def ollama_body(conversation: Conversation, model: str) -> dict[str, Json]:
    return {**openai_chat_body(conversation, model), "messages": ollama(conversation)}


# -- frameworks: what they keep and hand around, which no provider reads


def langchain(conversation: Conversation) -> list[Json]:
    """The fields of LangChain's message objects."""
    messages: list[Json] = [{"type": "system", "content": conversation.system}] if conversation.system else []
    for turn in conversation.turns:
        messages.append({"type": "human", "content": _chat_question(turn)})
        for one in turn.rounds:
            calls = [{"name": u.name, "args": u.arguments, "id": u.id, "type": "tool_call"} for u in one.uses]
            messages.append({"type": "ai", "content": one.text, "tool_calls": calls, "invalid_tool_calls": []})
            messages += [
                {
                    "type": "tool",
                    "content": u.result,
                    "tool_call_id": u.id,
                    "name": u.name,
                    "status": "error" if u.failed else "success",
                }
                for u in one.results
            ]
        if turn.answer:
            messages.append({"type": "ai", "content": turn.answer, "tool_calls": [], "invalid_tool_calls": []})
    return messages


def pydantic_ai(conversation: Conversation) -> list[Json]:
    def part(kind: str, content: str) -> Json:
        return {"part_kind": kind, "content": content}

    messages: list[Json] = []
    begin = [part("system-prompt", conversation.system)] if conversation.system else []
    for turn in conversation.turns:
        messages.append({"kind": "request", "parts": [*begin, part("user-prompt", turn.question)]})
        begin = []
        for one in turn.rounds:
            said = [part("text", one.text)] if one.text else []
            calls = [
                {"part_kind": "tool-call", "tool_name": u.name, "args": u.arguments, "tool_call_id": u.id}
                for u in one.uses
            ]
            messages.append({"kind": "response", "parts": [*said, *calls]})
            results = [
                {
                    "part_kind": "retry-prompt" if u.failed else "tool-return",
                    "tool_name": u.name,
                    "content": u.result,
                    "tool_call_id": u.id,
                }
                for u in one.results
            ]
            if results:
                messages.append({"kind": "request", "parts": results})
        if turn.answer:
            messages.append({"kind": "response", "parts": [part("text", turn.answer)]})
    return messages


def ai_sdk_model(conversation: Conversation) -> list[Json]:
    messages: list[Json] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    for turn in conversation.turns:
        asked: list[Json] = [{"type": "text", "text": turn.question}]
        if turn.image:
            asked.append({"type": "image", "image": PIXEL, "mediaType": "image/png"})
        messages.append({"role": "user", "content": asked})
        for one in turn.rounds:
            said: list[Json] = [{"type": "text", "text": one.text}] if one.text else []
            calls = [
                {"type": "tool-call", "toolCallId": u.id, "toolName": u.name, "input": u.arguments} for u in one.uses
            ]
            messages.append({"role": "assistant", "content": [*said, *calls]})
            results = [
                {
                    "type": "tool-result",
                    "toolCallId": u.id,
                    "toolName": u.name,
                    "output": {"type": "error-text" if u.failed else "text", "value": u.result},
                }
                for u in one.results
            ]
            if results:
                messages.append({"role": "tool", "content": results})
        if turn.answer:
            messages.append({"role": "assistant", "content": [{"type": "text", "text": turn.answer}]})
    return messages


def ai_sdk_ui(conversation: Conversation) -> list[Json]:
    """One message of the assistant for all that follows a question; the states of calls stand at the calls."""
    messages: list[Json] = []

    def add(role: str, parts: list[Json]) -> None:
        messages.append({"id": f"m{len(messages)}", "role": role, "parts": parts})

    if conversation.system:
        add("system", [{"type": "text", "text": conversation.system}])
    for turn in conversation.turns:
        asked: list[Json] = [{"type": "text", "text": turn.question}]
        if turn.image:
            asked.append({"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{PIXEL}"})
        add("user", asked)
        parts: list[Json] = []
        for one in turn.rounds:
            parts.append({"type": "step-start"})
            if one.text:
                parts.append({"type": "text", "text": one.text})
            parts += [_ui_call(use) for use in one.uses]
        if turn.answer:
            parts += [{"type": "step-start"}, {"type": "text", "text": turn.answer}]
        if parts:
            add("assistant", parts)
    return messages


def _ui_call(use: Use) -> Json:
    made: Json = {"type": f"tool-{use.name}", "toolCallId": use.id, "input": use.arguments}
    if use.result is None:
        return {**made, "state": "input-available"}
    if use.failed:
        return {**made, "state": "output-error", "errorText": use.result}
    return {**made, "state": "output-available", "output": use.result}


_CHAT = frozenset({"ids", "system", "images", "texts"})
_BLOCKS = frozenset({"ids", "images", "thoughts", "failures", "texts"})

WRITERS = {
    writer.dialect: writer
    for writer in (
        Writer("openai-chat", openai_chat, openai_chat_body, "gpt-4o", _CHAT | {"thoughts"}),
        Writer("openai-responses", openai_responses, openai_responses_body, "gpt-5", _CHAT | {"hosted", "thoughts"}),
        Writer("anthropic", anthropic, anthropic_body, "claude-sonnet-4-5", _BLOCKS | {"hosted"}, "toolu_{}"),
        Writer("gemini", gemini, gemini_body, "gemini-2.5-flash", (_BLOCKS | {"hosted"}) - {"ids"}),
        Writer(
            "bedrock-converse",
            bedrock_converse,
            bedrock_converse_body,
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            _BLOCKS,
            "tooluse_{}",
        ),
        Writer("mistral", mistral, mistral_body, "mistral-large-latest", _CHAT),
        Writer("cohere", cohere, cohere_body, "command-a-03-2025", _CHAT - {"images"}),
        Writer("ollama", ollama, ollama_body, "qwen3", _CHAT - {"ids"}),
        Writer("langchain", langchain, keeps=_CHAT | {"failures"}),
        Writer("pydantic-ai", pydantic_ai, keeps=(_CHAT | {"failures"}) - {"images"}),
        Writer("ai-sdk-model", ai_sdk_model, keeps=_CHAT | {"failures"}),
        Writer("ai-sdk-ui", ai_sdk_ui, keeps=_CHAT | {"failures"}),
    )
}
