"""Message objects of SDKs and frameworks become what they would be sent as, and are told from each other.

Each SDK's test runs where that SDK is installed.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import os
import subprocess
import sys
from collections import OrderedDict, namedtuple
from typing import Any

import pytest

from turnlint import assert_valid, check
from turnlint.containers.plain import histories
from turnlint.diagnostic import Place
from turnlint.dialects import marks_of, recognise
from turnlint.objects import plain

TOOL = "get_weather"


def told(document: Any) -> str | None:
    """The dialect of a document of objects, none of which has an error."""
    made = plain(document)
    candidate = next(iter(histories(made, Place())))
    where = str(candidate.at.path[-1]) if candidate.at.path else ""
    dialect, _ = recognise(marks_of(candidate.messages, candidate.body, where))
    report = check(document)
    assert [d for d in report.diagnostics if d.severity == "error"] == []
    assert_valid(document)
    return None if dialect is None else dialect.name


def faults(document: Any, **settings: Any) -> list[tuple[str, str]]:
    return [(d.rule, d.pointer) for d in check(document, **settings).diagnostics if d.severity == "error"]


# -- without any SDK


def test_plain_values_are_not_copied() -> None:
    value = {"messages": [{"role": "user", "content": "hi", "n": [1, 2.5, None, True]}]}
    assert plain(value) is value


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Node:
    name: str
    when: dt.datetime
    next: Any = None


def test_everyday_objects() -> None:
    pair = namedtuple("pair", "left right")
    assert plain((1, "a")) == [1, "a"]
    assert plain(pair(1, Colour.RED)) == {"left": 1, "right": "red"}
    assert plain(OrderedDict(a=b"\x00")) == {"a": "AA=="}
    made = plain([Node("a", dt.datetime(2025, 1, 2, tzinfo=dt.UTC))])
    assert made == [{"name": "a", "when": "2025-01-02T00:00:00+00:00", "next": None}]


def test_an_object_inside_itself() -> None:
    node = Node("a", dt.datetime(2025, 1, 2, tzinfo=dt.UTC))
    node.next = [node, node]
    assert plain(node)["next"] == [None, None]


class Awkward:
    def model_dump(self, **options: Any) -> Any:
        raise RuntimeError("no")

    def to_dict(self, wanted: str) -> Any:
        raise AssertionError


def test_an_object_that_fails_is_no_failure() -> None:
    assert plain([Awkward()]) == [{}]


def test_no_sdk_is_imported() -> None:
    """What an object is, it says itself: not even a package that is installed is imported to find out."""
    code = """
        import sys, turnlint
        from turnlint.objects import plain

        class Message:
            def model_dump(self, **options):
                return {"role": "user", "content": "Hello"}

        turnlint.assert_valid([Message()], target="openai")
        known = {"openai", "anthropic", "google", "mistralai", "cohere", "botocore", "ollama", "langchain_core",
                 "pydantic_ai", "litellm", "agents", "pydantic"}
        print(sorted(known & set(sys.modules)))
        """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    lines = "\n".join(line[8:] for line in code.splitlines())
    done = subprocess.run([sys.executable, "-c", lines], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_boto3_takes_dicts() -> None:
    """A reply of the Converse API, with bytes as botocore gives them."""
    use = {"toolUse": {"toolUseId": "tooluse_1", "name": TOOL, "input": {"city": "Oslo"}}}
    answer = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "4"}]}}
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\r\n\x1a\n"}}}
    messages = [
        {"role": "user", "content": [image, {"text": "Where is this?"}]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [answer]},
    ]
    assert told(messages) == "bedrock-converse"
    assert faults([*messages[:2], {"role": "user", "content": [{"text": "?"}]}], target="bedrock") == [
        ("unanswered-call", "/1/content/0/toolUse")
    ]


# -- with them


def test_openai_chat() -> None:
    chat = pytest.importorskip("openai.types.chat")
    call = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
    reply = chat.ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]})
    messages = [{"role": "user", "content": "Oslo?"}, reply, {"role": "tool", "tool_call_id": "call_1", "content": "4"}]
    assert plain(messages)[1] == {"role": "assistant", "content": None, "tool_calls": [call]}
    assert told(messages) == "openai-chat"
    assert faults([*messages[:2], messages[0]]) == [("unanswered-call", "/1/tool_calls/0")]


def test_openai_responses() -> None:
    responses = pytest.importorskip("openai.types.responses")
    call = responses.ResponseFunctionToolCall(call_id="call_1", name=TOOL, arguments="{}", type="function_call")
    output = {"type": "function_call_output", "call_id": "call_1", "output": "4"}
    items = [{"role": "user", "content": "Oslo?"}, call, output]
    assert told(items) == "openai-responses"
    assert faults([items[0], call, items[0]]) == [("unanswered-call", "/1")]


def test_openai_agents() -> None:
    items = pytest.importorskip("agents.items")
    agents = pytest.importorskip("agents")
    responses = pytest.importorskip("openai.types.responses")
    agent = agents.Agent(name="a")
    call = responses.ResponseFunctionToolCall(call_id="call_1", name=TOOL, arguments="{}", type="function_call")
    answer: Any = {"type": "function_call_output", "call_id": "call_1", "output": "4"}
    history = [
        {"role": "user", "content": "Oslo?"},
        items.ToolCallItem(agent=agent, raw_item=call),
        items.ToolCallOutputItem(agent=agent, raw_item=answer, output="4"),
    ]
    assert plain(history)[2] == answer
    assert told(history) == "openai-responses"


def test_anthropic() -> None:
    types = pytest.importorskip("anthropic.types")
    use = types.ToolUseBlock(id="toolu_1", name=TOOL, input={"city": "Oslo"}, type="tool_use")
    text = types.TextBlock(text="Let me see.", type="text")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4"}
    messages = [
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": [text, use]},
        {"role": "user", "content": [result]},
    ]
    assert told(messages) == "anthropic"
    assert faults(messages[:2] + messages[:1]) == [("unanswered-call", "/1/content/1")]


def test_google_genai() -> None:
    types = pytest.importorskip("google.genai.types")
    part = types.Part(function_call=types.FunctionCall(name=TOOL, args={"city": "Oslo"}), thought_signature=b"\x01")
    history = [
        types.Content(role="user", parts=[types.Part(text="Oslo?")]),
        types.Content(role="model", parts=[part]),
        types.Content(role="user", parts=[types.Part.from_function_response(name=TOOL, response={"result": "4"})]),
    ]
    call = {"functionCall": {"name": TOOL, "args": {"city": "Oslo"}}, "thoughtSignature": "AQ=="}
    assert plain(history)[1] == {"role": "model", "parts": [call]}
    assert told(history) == "gemini"


def test_mistral() -> None:
    models = pytest.importorskip("mistralai.client.models")
    call = models.ToolCall(id="a1B2c3D4e", function=models.FunctionCall(name=TOOL, arguments="{}"))
    messages = [
        models.UserMessage(content="Oslo?"),
        models.AssistantMessage(content="", tool_calls=[call], prefix=False),
        models.ToolMessage(content=[models.TextChunk(text="4")], tool_call_id="a1B2c3D4e", name=TOOL),
    ]
    made = plain(messages)
    assert [m["role"] for m in made] == ["user", "assistant", "tool"]
    assert made[2]["content"] == [{"type": "text", "text": "4"}]
    assert told(messages) == "mistral"


def test_cohere() -> None:
    cohere = pytest.importorskip("cohere")
    function = cohere.ToolCallV2Function(name=TOOL, arguments="{}")
    messages = [
        cohere.UserChatMessageV2(content="Oslo?"),
        cohere.AssistantChatMessageV2(
            tool_plan="I will look.", tool_calls=[cohere.ToolCallV2(id="call_1", type="function", function=function)]
        ),
        cohere.ToolChatMessageV2(tool_call_id="call_1", content="4"),
    ]
    assert [m["role"] for m in plain(messages)] == ["user", "assistant", "tool"]
    assert told(messages) == "cohere"


def test_ollama() -> None:
    ollama = pytest.importorskip("ollama")
    function = ollama.Message.ToolCall.Function(name=TOOL, arguments={"city": "Oslo"})
    messages = [
        ollama.Message(role="user", content="Oslo?"),
        ollama.Message(role="assistant", content="", tool_calls=[ollama.Message.ToolCall(function=function)]),
        {"role": "tool", "tool_name": TOOL, "content": "4"},
    ]
    assert told(messages) == "ollama"


def test_langchain() -> None:
    core = pytest.importorskip("langchain_core.messages")
    call = {"name": TOOL, "args": {"city": "Oslo"}, "id": "call_1", "type": "tool_call"}
    messages = [
        core.SystemMessage("Be brief."),
        core.HumanMessage("Oslo?"),
        core.AIMessage("", tool_calls=[call]),
        core.ToolMessage("4", tool_call_id="call_1"),
    ]
    assert told(messages) == "langchain"
    assert told(core.messages_to_dict(messages)) == "langchain"
    assert faults([*messages[:3], messages[1]], target="openai") == [("unanswered-call", "/2/tool_calls/0")]


def test_pydantic_ai() -> None:
    messages = pytest.importorskip("pydantic_ai.messages")
    history = [
        messages.ModelRequest(parts=[messages.SystemPromptPart("Be brief."), messages.UserPromptPart("Oslo?")]),
        messages.ModelResponse(parts=[messages.ToolCallPart(TOOL, {"city": "Oslo"}, "call_1")]),
        messages.ModelRequest(parts=[messages.ToolReturnPart(TOOL, "4", "call_1")]),
    ]
    assert told(history) == "pydantic-ai"
    assert faults([*history[:2], history[0]]) == [("unanswered-call", "/1/parts/0")]


@pytest.mark.filterwarnings("ignore::UserWarning")  # of pydantic, about LiteLLM's types
def test_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the network for prices when it is imported
    types = pytest.importorskip("litellm.types.utils")
    call = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Oslo?"},
        types.Message(content=None, role="assistant", tool_calls=[call]),
        {"role": "tool", "tool_call_id": "call_1", "content": "4"},
    ]
    assert told(messages) == "openai-chat"
