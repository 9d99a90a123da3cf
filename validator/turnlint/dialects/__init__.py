"""Dialects: the wire shapes of messages.  One module each, found by content, never by file name.

A dialect recognises its messages, reads them into the model, may prove a clean history clean in one pass
(`signals`), and carries out the repair verbs on its shape (`repair`).  It knows no rule.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from turnlint.errors import UsageError, near_misses
from turnlint.model import Speaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from turnlint.diagnostic import Place
    from turnlint.model import Call, Candidate, Message, Result, Transcript


def _same_text(_target: Message | Result, text: str) -> Any:
    return text


class Shape(Struct, frozen=True):
    """How a dialect writes what a repair adds.

    `own_message`: a result is a message of its own, else a part of a message of one of the `carriers`, of which the
    first gets a new one.  Keys: `parts_key` of a message's parts, `result_key` of what a result holds, `aside_key` of a
    text in front of calls, `reasoning_key` of reasoning as text, `schema_key` of a tool's parameters, `calls_key` of a
    list of calls beside the parts, which goes when it is empty; those of IDs, names and arguments are None where the
    shape has none.  `system_keys` are the keys of the body that may hold the system prompt, the first is written.

    Values: `result(call, text)` a result (a message or a part), `text_part(text)` a part, `message(speaker, parts,
    like)` a message around parts and `text_message(speaker, text, like)` one of plain text, both written as the saved
    message `like` is; `role(speaker)` a role; `content(target, text)` the whole content of a message or result;
    `call(call, id)` an entry of the call list, None where it cannot be one; `system(text)` a system prompt.

    Places: `members(message)` the object that holds a message's members where that is not the message,
    `signature_at(call)` where the signature of a call stands.  `answer(call, text)` names the values that make an
    answered call of an open one, for a shape where call and result are one part: there, nothing is ever moved.

    `no_thinking` is the member of a request, and its value, that turns thinking off, and
    `tools(names)` gives the members of a request that declare tools which take any arguments.

    `unknowable(call)` is the reason why no text can stand for the result of a call, where none can.  `told(result)` is
    what a result says as a text and as parts of a user's message, where its content has another form than those have.
    """

    own_message: bool
    parts_key: str
    result: Callable[[Call, str], Any]
    text_part: Callable[[str], Any]
    message: Callable[[Speaker, list[Any], Any], Any]
    text_message: Callable[[Speaker, str, Any], Any]
    role: Callable[[Speaker], Any] = lambda speaker: speaker.value
    content: Callable[[Message | Result, str], Any] = _same_text
    carriers: tuple[Speaker, ...] = (Speaker.USER,)
    result_key: str = "content"
    result_id_key: str | None = None
    result_name_key: str | None = None
    call_id_key: str = "id"
    call_name_key: str | None = "name"
    arguments_key: str | None = "arguments"
    schema_key: str = "parameters"
    aside_key: str | None = None
    reasoning_key: str | None = None
    signature_at: Callable[[Call], Place] | None = None
    calls_key: str | None = None
    call: Callable[[Call, str], Any] | None = None
    system_keys: tuple[str, ...] = ()
    system: Callable[[str], Any] | None = None
    members: Callable[[Message], Place] | None = None
    answer: Callable[[Call, str], list[tuple[Place, Any]]] | None = None
    tools: Callable[[Sequence[str]], dict[str, Any]] | None = None
    no_thinking: tuple[str, Any] | None = None
    unknowable: Callable[[Call], str | None] = lambda _call: None
    told: Callable[[Result], tuple[str, list[Any]] | None] = lambda _result: None


class Dialect(Struct, frozen=True):
    """What a dialect's module defines as ``DIALECT``.

    `recognise(marks)` says how sure it is that marks of a list are its own: 0 not at all, 100 beyond doubt; above 50
    is a claim, below it "could be".  `read` never fails on any JSON value.  `signals` returns a `Signal` mask as an
    int; without it every rule runs.  `wire` is False for the shapes of tools that no provider reads, where only
    pairing is judged.  `apis` are the names under which targets know it, the first is used.
    `shape` tells how it writes what a repair adds; without it nothing is fixed.
    `narrow` names the version that a history is in, for a dialect whose name stands for several.
    `calls` gives name and arguments of each call of a history in which `signals` found nothing odd.
    `groups` are the groups of rules that can say anything of it, where not all can.
    """

    name: str
    title: str
    how: str
    recognise: Callable[[Marks], int]
    read: Callable[[Candidate], Transcript]
    signals: Callable[[Candidate], int] | None = None
    wire: bool = True
    apis: tuple[str, ...] = ()
    by_name_only: bool = False
    shape: Shape | None = None
    narrow: Callable[[Candidate], str] | None = None
    groups: tuple[str, ...] = ()
    calls: Callable[[Candidate], Iterator[tuple[Any, Any]]] | None = None

    @property
    def api(self) -> str:
        return self.apis[0] if self.apis else self.name


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALWAYS = None
_NEVER: frozenset[str] = frozenset()

#: Modules in the order in which they are asked; of two that are equally sure the first wins.  A module is not even
#: loaded where none of its words is among those of the marks (`Marks.words`): loading all takes longer than most files.
MODULES: dict[str, frozenset[str] | None] = {
    "openai_chat": _ALWAYS,
    "openai_responses": _words("type input input_text output_text input_image input_file"),
    "anthropic": _ALWAYS,
    "gemini": _words("parts"),
    "bedrock_converse": _words(
        "untyped-parts toolConfig inferenceConfig schemaVersion additionalModelRequestFields guardrailConfig"
    ),
    "mistral": _words(
        "prefix safe_prompt random_seed prompt_mode document_url reference tool_reference thinking:list model:mistral "
        "model:ministral model:codestral model:magistral model:pixtral model:devstral model:open"
    ),
    "cohere": _words("tool_plan safety_mode citation_options strict_tools document model:command"),
    "cohere_v1": _words("message tool_results"),
    "ollama": _words("object-arguments tool_name keep_alive options images"),
    "langchain": _words("type"),
    "ai_sdk_ui": _words("parts toolInvocations"),
    "ai_sdk_model": _words("tool-call tool-result"),
    "pydantic_ai": _words("kind"),
    "otel_genai": _words("parts"),
    "openinference": _words("message message.role message.content message.tool_calls message.contents"),
    "sharegpt": _words("from"),
    "inspect": _words("function flat-calls"),
    "agent_log": _NEVER,
    "dataset_line": _NEVER,
}


class Marks(Struct):
    """What recognition looks at: the keys, roles and part types that occur in a sample of a list of messages.

    `keys` are the keys of messages, `roles` the text of their role, `types` the `type` of messages that have one,
    `part_types` the `type` of content parts, `part_members` the keys of parts that have one, `part_keys` of those that
    have none, `call_keys` the keys of entries of `tool_calls`, `body` the keys of the request around the list and
    `model` the model that it names; `where` is the key the list stood under.  `strange` counts what is no object.
    """

    keys: frozenset[str]
    roles: frozenset[str]
    types: frozenset[str]
    part_types: frozenset[str]
    part_keys: frozenset[str]
    part_members: frozenset[str]
    call_keys: frozenset[str]
    function_forms: frozenset[str]  # types of tool_calls[].function: object, string
    argument_forms: frozenset[str]  # of tool_calls[].function.arguments: string, object
    body: frozenset[str]
    model: str
    where: str
    count: int
    strange: int
    first: Mapping[str, Any]

    def words(self) -> frozenset[str]:
        """Keys of messages and of the body, types, and words for what these do not show (`model:claude`)."""
        found = {self.where, f"model:{self.model.partition('-')[0]}"}
        if self.part_keys:
            found.add("untyped-parts")
        if "dict" in self.argument_forms:
            found.add("object-arguments")
        if "arguments" in self.call_keys:
            found.add("flat-calls")
        return self.keys.union(self.types, self.part_types, self.body, found)


SAMPLE = 48  # messages looked at from each end of a list


def marks_of(messages: list[Any], body: Mapping[str, Any] | None = None, where: str = "") -> Marks:
    """The marks of a list of messages; looks at no more than `SAMPLE` from each end."""
    sample = messages if len(messages) <= 2 * SAMPLE else messages[:SAMPLE] + messages[-SAMPLE:]
    keys: set[str] = set()
    roles: set[str] = set()
    types: set[str] = set()
    part_types: set[str] = set()
    part_keys: set[str] = set()
    part_members: set[str] = set()
    call_keys: set[str] = set()
    function_forms: set[str] = set()
    argument_forms: set[str] = set()
    strange = 0
    model = body.get("model") if body is not None else None
    first: Mapping[str, Any] = {}
    for message in sample:
        if type(message) is not dict:
            strange += 1
            continue
        first = first or message
        keys.update(message)
        role = message.get("role")
        if isinstance(role, str):
            roles.add(role)
        kind = message.get("type")
        if isinstance(kind, str):
            types.add(kind)
        for key in ("content", "parts"):
            parts = message.get(key)
            if isinstance(parts, list):
                for part in parts:
                    if isinstance(part, dict):
                        name = part.get("type")
                        if isinstance(name, str):
                            # Mistral's thinking is a list of chunks, everybody else's is text.
                            listed = name == "thinking" and isinstance(part.get("thinking"), list)
                            part_types.add("thinking:list" if listed else name)
                            part_members.update(part)
                        else:
                            part_keys.update(part)
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                if isinstance(call, dict):
                    call_keys.update(call)
                    function = call.get("function")
                    function_forms.add(type(function).__name__)
                    if isinstance(function, dict):
                        argument_forms.add(type(function.get("arguments")).__name__)
    return Marks(
        frozenset(keys),
        frozenset(roles),
        frozenset(types),
        frozenset(part_types),
        frozenset(part_keys),
        frozenset(part_members),
        frozenset(call_keys),
        frozenset(function_forms),
        frozenset(argument_forms),
        frozenset(body or ()),
        model if isinstance(model, str) else "",
        where,
        len(messages),
        strange,
        first,
    )


@cache
def all() -> tuple[Dialect, ...]:  # noqa: A001 - reads as dialects.all()
    """Every dialect, in the order in which they are asked."""
    return tuple(_load(module) for module in MODULES)


def get(name: str) -> Dialect:
    """The dialect of that name.  Raises `UsageError` with the near misses."""
    module = name.replace("-", "_")
    if module in MODULES:
        return _load(module)
    known = [m.replace("_", "-") for m in MODULES]
    raise UsageError(f"unknown dialect {name!r}{near_misses(name, known)}")


@cache
def _load(module: str) -> Dialect:
    dialect = importlib.import_module(f"{__name__}.{module}").DIALECT
    assert isinstance(dialect, Dialect)
    return dialect


def recognise(marks: Marks) -> tuple[Dialect | None, int]:
    """The dialect that is surest of these marks, and how sure; None where nobody claims them."""
    words = marks.words()
    best: Dialect | None = None
    score = 0
    for module, hints in MODULES.items():
        if hints is not None and hints.isdisjoint(words):
            continue
        dialect = _load(module)
        sure = dialect.recognise(marks)
        if sure > score:
            best, score = dialect, sure
    return best, score
