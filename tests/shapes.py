"""Small histories in every dialect, written by hand, whole or with one fault.

A history is a question, one turn with two calls, their results, an answer and a last question.  All its words are
different, so that a test can tell what was kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ASK, NOTE, ANSWER, NEXT = "Weather in Oslo and Rome?", "Hurry, please.", "Cold and warm.", "And tomorrow?"


@dataclass(frozen=True)
class Use:
    """A call, and what its result says."""

    id: str
    city: str
    result: str
    name: str = "get_weather"

    @property
    def arguments(self) -> dict[str, str]:
        return {"city": self.city}


OSLO, ROME = Use("callOslo1", "Oslo", "4 degrees in Oslo"), Use("callRome2", "Rome", "21 degrees in Rome")
STRAY = Use("callParis", "Paris", "12 degrees in Paris")


@dataclass(frozen=True)
class Wire:
    """How one dialect is written.  `results` makes the messages that hold some results together."""

    dialect: str
    user: Callable[[str], Any]
    say: Callable[[str], Any]
    calls: Callable[[Sequence[Use]], list[Any]]
    results: Callable[[Sequence[Use]], list[Any]]
    ids: bool = True
    moves: bool = True  # results can stand apart from their calls


def _role(role: str) -> Callable[[str], Any]:
    return lambda text: {"role": role, "content": text}


def _chat(dialect: str) -> Wire:
    def calls(uses: Sequence[Use]) -> list[Any]:
        made = [
            {"id": u.id, "type": "function", "function": {"name": u.name, "arguments": json.dumps(u.arguments)}}
            for u in uses
        ]
        return [{"role": "assistant", "content": "", "tool_calls": made}]

    def results(uses: Sequence[Use]) -> list[Any]:
        return [{"role": "tool", "tool_call_id": u.id, "content": u.result} for u in uses]

    return Wire(dialect, _role("user"), _role("assistant"), calls, results)


RESPONSES = Wire(
    "openai-responses",
    _role("user"),
    _role("assistant"),
    lambda uses: [
        {"type": "function_call", "call_id": u.id, "name": u.name, "arguments": json.dumps(u.arguments)} for u in uses
    ],
    lambda uses: [{"type": "function_call_output", "call_id": u.id, "output": u.result} for u in uses],
)
ANTHROPIC = Wire(
    "anthropic",
    _role("user"),
    _role("assistant"),
    lambda uses: [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": u.id, "name": u.name, "input": u.arguments} for u in uses],
        }
    ],
    lambda uses: [
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": u.id, "content": u.result} for u in uses],
        }
    ],
)
GEMINI = Wire(
    "gemini",
    lambda text: {"role": "user", "parts": [{"text": text}]},
    lambda text: {"role": "model", "parts": [{"text": text}]},
    lambda uses: [
        {
            "role": "model",
            "parts": [{"functionCall": {"id": u.id, "name": u.name, "args": u.arguments}} for u in uses],
        }
    ],
    lambda uses: [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": u.id, "name": u.name, "response": {"output": u.result}}} for u in uses
            ],
        }
    ],
)
CONVERSE = Wire(
    "bedrock-converse",
    lambda text: {"role": "user", "content": [{"text": text}]},
    lambda text: {"role": "assistant", "content": [{"text": text}]},
    lambda uses: [
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": u.id, "name": u.name, "input": u.arguments}} for u in uses],
        }
    ],
    lambda uses: [
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": u.id, "content": [{"text": u.result}]}} for u in uses],
        }
    ],
)
OLLAMA = Wire(
    "ollama",
    _role("user"),
    _role("assistant"),
    lambda uses: [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": u.name, "arguments": u.arguments}} for u in uses],
        }
    ],
    lambda uses: [{"role": "tool", "tool_name": u.name, "content": u.result} for u in uses],
    ids=False,
)
COHERE_V1 = Wire(
    "cohere-v1",
    lambda text: {"role": "USER", "message": text},
    lambda text: {"role": "CHATBOT", "message": text},
    lambda uses: [
        {
            "role": "CHATBOT",
            "message": "I will look.",
            "tool_calls": [{"name": u.name, "parameters": u.arguments} for u in uses],
        }
    ],
    lambda uses: [
        {
            "role": "TOOL",
            "tool_results": [
                {"call": {"name": u.name, "parameters": u.arguments}, "outputs": [{"text": u.result}]} for u in uses
            ],
        }
    ],
    ids=False,
)


def _langchain(wrap: Callable[[str, dict[str, Any]], Any]) -> Wire:
    def calls(uses: Sequence[Use]) -> list[Any]:
        made = [{"name": u.name, "args": u.arguments, "id": u.id, "type": "tool_call"} for u in uses]
        return [wrap("ai", {"content": "", "tool_calls": made})]

    def results(uses: Sequence[Use]) -> list[Any]:
        return [wrap("tool", {"content": u.result, "tool_call_id": u.id}) for u in uses]

    return Wire(
        "langchain",
        lambda text: wrap("human", {"content": text}),
        lambda text: wrap("ai", {"content": text}),
        calls,
        results,
    )


def _constructor(kind: str, members: dict[str, Any]) -> Any:
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[kind]
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": {**members, "type": kind}}


def _ui_user(text: str) -> Any:
    return {"role": "user", "parts": [{"type": "text", "text": text}]}


AI_SDK_UI = Wire(
    "ai-sdk-ui",
    _ui_user,
    lambda text: {"role": "assistant", "parts": [{"type": "text", "text": text}]},
    lambda uses: [
        {
            "role": "assistant",
            "parts": [
                {
                    "type": f"tool-{u.name}",
                    "toolCallId": u.id,
                    "input": u.arguments,
                    **({"state": "output-available", "output": u.result} if u.result else {"state": "input-available"}),
                }
                for u in uses
            ],
        }
    ],
    lambda _uses: [],
    moves=False,
)
AI_SDK_MODEL = Wire(
    "ai-sdk-model",
    _role("user"),
    _role("assistant"),
    lambda uses: [
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": u.id, "toolName": u.name, "input": u.arguments} for u in uses
            ],
        }
    ],
    lambda uses: [
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": u.id,
                    "toolName": u.name,
                    "output": {"type": "text", "value": u.result},
                }
                for u in uses
            ],
        }
    ],
)
PYDANTIC_AI = Wire(
    "pydantic-ai",
    lambda text: {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]},
    lambda text: {"kind": "response", "parts": [{"part_kind": "text", "content": text}]},
    lambda uses: [
        {
            "kind": "response",
            "parts": [
                {"part_kind": "tool-call", "tool_name": u.name, "args": u.arguments, "tool_call_id": u.id} for u in uses
            ],
        }
    ],
    lambda uses: [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "tool-return", "tool_name": u.name, "content": u.result, "tool_call_id": u.id}
                for u in uses
            ],
        }
    ],
)
OTEL = Wire(
    "otel-genai",
    lambda text: {"role": "user", "parts": [{"type": "text", "content": text}]},
    lambda text: {"role": "assistant", "parts": [{"type": "text", "content": text}]},
    lambda uses: [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": u.id, "name": u.name, "arguments": u.arguments} for u in uses],
        }
    ],
    lambda uses: [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": u.id, "response": u.result}]} for u in uses
    ],
)


def _openinference(wrap: Callable[[dict[str, Any]], Any]) -> Wire:
    def calls(uses: Sequence[Use]) -> list[Any]:
        made = [
            {
                "tool_call": {
                    "id": u.id,
                    "function": {"name": u.name, "arguments": json.dumps(u.arguments)},
                }
            }
            for u in uses
        ]
        return [wrap({"role": "assistant", "tool_calls": made})]

    def results(uses: Sequence[Use]) -> list[Any]:
        return [wrap({"role": "tool", "content": u.result, "tool_call_id": u.id}) for u in uses]

    return Wire(
        "openinference",
        lambda text: wrap({"role": "user", "content": text}),
        lambda text: wrap({"role": "assistant", "content": text}),
        calls,
        results,
    )


def _marked(mark: str, texts: Sequence[str]) -> str:
    return "\n".join(f"<{mark}>\n{text}\n</{mark}>" for text in texts)


SHAREGPT = Wire(
    "sharegpt",
    lambda text: {"from": "human", "value": text},
    lambda text: {"from": "gpt", "value": text},
    lambda uses: [
        {
            "from": "gpt",
            "value": _marked("tool_call", [json.dumps({"name": u.name, "arguments": u.arguments}) for u in uses]),
        }
    ],
    lambda uses: [{"from": "tool", "value": _marked("tool_response", [u.result])} for u in uses],
    ids=False,
)
INSPECT = Wire(
    "inspect",
    _role("user"),
    _role("assistant"),
    lambda uses: [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": u.id, "function": u.name, "arguments": u.arguments, "type": "function"} for u in uses
            ],
        }
    ],
    lambda uses: [{"role": "tool", "content": u.result, "tool_call_id": u.id, "function": u.name} for u in uses],
)

WIRES = {
    "openai-chat": _chat("openai-chat"),
    "mistral": _chat("mistral"),
    "cohere": _chat("cohere"),
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "bedrock-converse": CONVERSE,
    "ollama": OLLAMA,
    "cohere-v1": COHERE_V1,
    "langchain-data": _langchain(lambda kind, members: {"type": kind, "data": members}),
    "langchain-flat": _langchain(lambda kind, members: {"type": kind, **members}),
    "langchain-constructor": _langchain(_constructor),
    "ai-sdk-ui": AI_SDK_UI,
    "ai-sdk-model": AI_SDK_MODEL,
    "pydantic-ai": PYDANTIC_AI,
    "otel-genai": OTEL,
    "openinference-nested": _openinference(lambda members: {"message": members}),
    "openinference-dotted": _openinference(lambda members: {f"message.{k}": v for k, v in members.items()}),
    "sharegpt": SHAREGPT,
    "inspect": INSPECT,
}

#: Faults by name, and whether the dialect must have IDs for it.
FAULTS = {
    "early": False,
    "late": False,
    "interrupted": True,
    "changed-id": True,
    "doubled": True,
    "split": False,
    "reordered": False,
    "unanswered": False,
    "unanswered-all": False,
    "orphan": True,
    "trimmed-head": False,
}


def whole(wire: Wire) -> list[Any]:
    """The history without a fault."""
    uses = [OSLO, ROME]
    return [wire.user(ASK), *wire.calls(uses), *wire.results(uses), wire.say(ANSWER), wire.user(NEXT)]


def broken(wire: Wire, fault: str) -> list[Any]:
    """The history with one fault."""
    ask, answer, after = wire.user(ASK), wire.say(ANSWER), wire.user(NEXT)
    calls, results = wire.calls([OSLO, ROME]), wire.results([OSLO, ROME])
    first, second = wire.results([OSLO]), wire.results([ROME])
    match fault:
        case "early":
            return [ask, *results, *calls, answer, after]
        case "late":
            return [ask, *calls, wire.user(NOTE), answer, *results, after]
        case "interrupted":
            return [ask, *calls, *first, wire.user(NOTE), *second, answer, after]
        case "changed-id":
            changed = wire.results([OSLO, Use("other9999", "Rome", ROME.result)])
            return [ask, *calls, *changed, answer, after]
        case "doubled":
            return [ask, *calls, *results, *first, answer, after]
        case "split":
            return [ask, *calls, *first, *second, answer, after]
        case "reordered":
            return [ask, *calls, *wire.results([ROME, OSLO]), answer, after]
        case "unanswered":
            return [ask, *wire.calls([OSLO, Use(ROME.id, "Rome", "")]), *first, answer, after]
        case "unanswered-all":
            return [ask, *wire.calls([Use(OSLO.id, "Oslo", ""), Use(ROME.id, "Rome", "")]), answer, after]
        case "orphan":
            return [ask, *calls, *wire.results([OSLO, ROME, STRAY]), answer, after]
        case "trimmed-head":
            return [*results, answer, after]
    raise AssertionError(fault)
