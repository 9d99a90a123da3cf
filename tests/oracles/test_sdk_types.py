"""What turnlint finds nothing wrong with, the types of the providers' own SDKs take.

Three kinds of histories: drawn ones, drawn ones with random changes, and a whole one with every single value lost or
replaced by one of each kind.  Of these, turnlint finds something wrong with all that an SDK's types refuse, but for
what an `Allowance` stands for: each says why the types are narrower than the API, and where that can be read.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import turnlint
from changing import changed, every_change
from turnlint.testing.conversations import Conversation, Round, Turn, Use
from turnlint.testing.strategies import histories
from turnlint.testing.writers import WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Messages = list[Any]


@dataclass(frozen=True)
class Allowance:
    """Something that the types refuse and turnlint passes; `undo` takes it out of a copy of the history.

    `source` is where the matter is to be read about: a page to begin at, which not always says it in so many words.
    """

    reason: str
    source: str
    undo: Callable[[Messages], Messages]


# --- the oracles


def openai_chat() -> Any:
    types = pytest.importorskip("openai.types.chat")
    return _types(types.ChatCompletionMessageParam)


def openai_responses() -> Any:
    types = pytest.importorskip("openai.types.responses")
    return _types(types.ResponseInputItemParam)


def anthropic() -> Any:
    types = pytest.importorskip("anthropic.types")
    return _types(types.MessageParam)


def gemini() -> Any:
    types = pytest.importorskip("google.genai.types")
    return _types(types.Content)


def cohere() -> Any:
    sdk = pytest.importorskip("cohere")
    return _types(sdk.ChatMessageV2)


def bedrock_converse() -> Any:
    session = pytest.importorskip("botocore.session")
    validate = pytest.importorskip("botocore.validate")
    operation = session.get_session().get_service_model("bedrock-runtime").operation_model("Converse")
    shape = operation.input_shape.members["messages"]

    def ask(messages: Messages) -> str | None:
        report = validate.ParamValidator().validate(messages, shape)
        return str(report.generate_report()) if report.has_errors() else None

    return ask


def _types(kind: Any) -> Any:
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(GenericAlias(list, (kind,)))

    def ask(messages: Messages) -> str | None:
        try:
            _read(adapter.validate_python(copy.deepcopy(messages)))
        except pydantic.ValidationError as refusal:
            return str(refusal)
        except (AttributeError, TypeError):  # google-genai's own code stumbles over a value: it says nothing
            return None
        return None

    return ask


def _read(value: Any) -> None:
    """Go through what was validated: the types check an Iterable only while it is read."""
    rest = [value]
    while rest:
        found = rest.pop()
        if isinstance(found, dict):
            rest.extend(found.values())
        elif isinstance(found, list) or type(found).__name__ == "ValidatorIterator":
            rest.extend(found)


# --- what they refuse, and the API or turnlint does not


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    rest = [value]
    while rest:
        found = rest.pop()
        if isinstance(found, dict):
            yield found
        if isinstance(found, (dict, list)):
            rest.extend(found.values() if isinstance(found, dict) else found)


def _without_nulls(messages: Messages) -> Messages:
    for found in _objects(messages):
        for key in [key for key, value in found.items() if value is None]:
            del found[key]
    return messages


def _without_types(*known: str, items: Sequence[str] | None = None) -> Callable[[Messages], Messages]:
    """Takes out of each list what is of another type, or holds an object that is; `items` are those of messages."""

    def keep(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        return ("type" not in value or value["type"] in known) and all(keep(inner) for inner in value.values())

    def undo(messages: Messages) -> Messages:
        for found in [{"": messages}, *_objects(messages)]:
            for key, value in found.items():
                if isinstance(value, list):
                    found[key] = [item for item in value if keep(item)]
        if items is not None:
            return [m for m in messages if not isinstance(m, dict) or m.get("type", items[0]) in items]
        return [message for message in messages if keep(message)]

    return undo


def _each(change: Callable[[dict[str, Any]], object]) -> Callable[[Messages], Messages]:
    def undo(messages: Messages) -> Messages:
        for found in list(_objects(messages)):
            change(found)
        return messages

    return undo


def _with_detail(found: dict[str, Any]) -> None:
    if found.get("type") == "input_image":
        found["detail"] = "auto"


def _with_id(found: dict[str, Any]) -> None:
    if found.get("type") == "reasoning":
        found["id"] = "rs_1"


def _data_in_object(found: dict[str, Any]) -> None:
    if isinstance(found.get("document"), dict) and isinstance(found["document"].get("data"), str):
        found["document"]["data"] = {"text": found["document"]["data"]}


def _server_tool(found: dict[str, Any]) -> None:
    if found.get("type") == "server_tool_use":
        found["name"] = "web_search"
    if found.get("type") == "web_search_tool_result":
        found["content"] = []


def _null_system(messages: Messages) -> Messages:
    for message in messages:
        if (
            isinstance(message, dict)
            and message.get("role") in ("system", "developer")
            and message.get("content", "") is None
        ):
            message["content"] = ""
    return messages


def _base64(found: dict[str, Any]) -> None:
    for key in ("data", "thoughtSignature"):
        if isinstance(found.get(key), str):
            found[key] = "AAAA"


_GEMINI_KEYS = {
    "": {"role", "parts"},
    "parts": {
        "text", "thought", "thoughtSignature", "inlineData", "functionCall", "functionResponse", "executableCode",
        "codeExecutionResult",
    },
    "inlineData": {"mimeType", "data"},
    "functionCall": {"name", "args"},
    "functionResponse": {"name", "response"},
    "executableCode": {"language", "code"},
    "codeExecutionResult": {"outcome", "output"},
}  # fmt: skip
RESPONSES_ITEMS = ("message", "function_call", "function_call_output", "reasoning")
RESPONSES_PARTS = ("input_text", "input_image", "summary_text", "output_text")
ANTHROPIC_TYPES = (
    "text", "image", "base64", "thinking", "tool_use", "tool_result", "server_tool_use", "web_search_tool_result",
    "web_search_result",
)  # fmt: skip


def _gemini_keys(messages: Messages) -> Messages:
    rest: list[tuple[str, Any]] = [("", messages)]
    while rest:
        inside, found = rest.pop()
        if isinstance(found, list):
            rest.extend((inside, item) for item in found)
        elif isinstance(found, dict) and inside in _GEMINI_KEYS:
            for key in found.keys() - _GEMINI_KEYS[inside]:
                del found[key]
            rest.extend(found.items())
    return messages


NEWER = "the API has types that this version of the SDK does not know; an unknown one is no error until it was refused"
ALLOWANCES: dict[str, tuple[Allowance, ...]] = {
    "openai-chat": (
        Allowance(
            "nobody has seen a system message of null refused",
            "https://platform.openai.com/docs/api-reference/chat",
            _null_system,
        ),
    ),
    "openai-responses": (
        Allowance(
            "a null is what a dump of the SDK's own objects leaves for what may be left out",
            "https://github.com/openai/openai-python/issues/3008",
            _without_nulls,
        ),
        Allowance(
            "an image needs no detail: it is auto by default",
            "https://developers.openai.com/api/docs/guides/images-vision",
            _each(_with_detail),
        ),
        Allowance(
            "reasoning that is not stored is sent back without its ID",
            "https://github.com/openai/codex/blob/main/codex-rs/protocol/src/models.rs",
            _each(_with_id),
        ),
        Allowance(
            NEWER + "; and what is inside the item of a tool that the provider ran is the provider's own",
            "https://platform.openai.com/docs/api-reference/responses",
            _without_types(*RESPONSES_PARTS, *RESPONSES_ITEMS, items=RESPONSES_ITEMS),
        ),
    ),
    "anthropic": (
        Allowance(
            "a null is what a dump of the SDK's own objects leaves for what may be left out",
            "https://github.com/anthropics/anthropic-sdk-python",
            _without_nulls,
        ),
        Allowance(
            "the names and the results of server tools are the server's own",
            "https://docs.anthropic.com/en/api/messages",
            _each(_server_tool),
        ),
        Allowance(
            NEWER,
            "https://docs.anthropic.com/en/api/versioning",
            _without_types(*ANTHROPIC_TYPES),
        ),
    ),
    "gemini": (
        Allowance(
            "the SDK takes a bare text for a content in the list of contents, if not in its types",
            "https://googleapis.github.io/python-genai/#generate-content",
            lambda messages: [m if isinstance(m, dict) else {"parts": [{"text": "x"}]} for m in messages],
        ),
        Allowance(
            "the API has keys that this version of the SDK does not know",
            "https://ai.google.dev/gemini-api/docs/changelog",
            _gemini_keys,
        ),
        Allowance(
            "whether a text is base64 is looked at in images alone",
            "https://ai.google.dev/api/caching#Blob",
            _each(_base64),
        ),
    ),
    "cohere": (
        Allowance(
            "Cohere's own guide gives documents as JSON text",
            "https://docs.cohere.com/docs/tool-use-overview",
            _each(_data_in_object),
        ),
        Allowance(
            NEWER,
            "https://docs.cohere.com/reference/chat",
            _without_types("function", "document", "text", "image_url", "thinking"),
        ),
    ),
    "bedrock-converse": (),
}
ORACLES = {
    "anthropic": ("anthropic", anthropic),
    "bedrock-converse": ("bedrock", bedrock_converse),
    "cohere": ("cohere", cohere),
    "gemini": ("gemini", gemini),
    "openai-chat": ("openai", openai_chat),
    "openai-responses": ("openai", openai_responses),
}
pytestmark = [
    pytest.mark.parametrize("dialect", ORACLES),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@cache
def oracle(dialect: str) -> Any:
    return ORACLES[dialect][1]()


def passes(messages: Messages, dialect: str) -> bool:
    """Whether turnlint finds nothing wrong."""
    target = ORACLES[dialect][0]
    found = turnlint.check(messages, target=target, dialect=dialect, mode="request").diagnostics
    return all(d.severity == "info" for d in found)


def refusal(messages: Messages, dialect: str) -> str | None:
    """What the types say against a history, with all that is allowed for taken out of it."""
    ask = oracle(dialect)
    said: str | None = ask(messages)
    if said is None:
        return None
    undone = copy.deepcopy(messages)
    for allowance in ALLOWANCES[dialect]:
        undone = allowance.undo(undone)
    return None if ask(undone) is None else said


def whole(dialect: str) -> Messages:
    """A history with all that the dialect's writer writes."""
    keeps, form = WRITERS[dialect].keeps, WRITERS[dialect].call_id
    uses = (
        Use(form.format(1), "search", {"city": "Oslo"}, "4 C"),
        Use(form.format(2), "add", {"a": 1}, "not found", "failures" in keeps),
    )
    thought = "hm" if "thoughts" in keeps and dialect != "openai-chat" else ""
    turn = Turn(
        "Weather?",
        (Round(uses, "I look." if "texts" in keeps else "", thought),),
        "Cold.",
        "images" in keeps,
        "news" if "hosted" in keeps else "",
    )
    conversation = Conversation((turn, Turn("And now?")), "Be brief." if "system" in keeps else "")
    messages: Messages = WRITERS[dialect].write(conversation)
    return messages


quickly = settings(
    max_examples=60, derandomize=True, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def test_drawn_histories_are_taken(dialect: str) -> None:
    @quickly
    @given(histories(dialect, ORACLES[dialect][0]))
    def taken(messages: Messages) -> None:
        assert oracle(dialect)(messages) is None

    taken()


def test_changed_histories_are_taken_or_told(dialect: str) -> None:
    @quickly
    @given(changed(histories(dialect, ORACLES[dialect][0], unicode=False)))
    def taken(messages: Messages) -> None:
        if passes(messages, dialect):
            assert refusal(messages, dialect) is None

    taken()


@cache
def passed_and_refused(dialect: str) -> list[tuple[str, Messages, str]]:
    """Of all single changes of a whole history: those that turnlint passes and the types refuse, and in which words."""
    found = []
    for what, messages in every_change(whole(dialect)):
        if passes(messages, dialect):
            said = oracle(dialect)(messages)
            if said is not None:
                found.append((what, messages, said))
    return found


def test_every_single_change_is_taken_or_told(dialect: str) -> None:
    found = {what: said[:400] for what, messages, said in passed_and_refused(dialect) if refusal(messages, dialect)}
    assert found == {}


def test_each_allowance_is_needed(dialect: str) -> None:
    """Without any one of them, something is refused."""
    for allowance in ALLOWANCES[dialect]:
        assert allowance.source.startswith("https://")
        assert any(
            oracle(dialect)(allowance.undo(copy.deepcopy(messages))) is None
            for _, messages, _ in passed_and_refused(dialect)
        ), allowance.reason
