"""UI messages of the AI SDK: `parts`, of which one part is both a call and its result.

A part `tool-NAME` or `dynamic-tool` (`tool-invocation` before version 5) tells by its `state` how far the call is.
`step-start` begins the next model step, so that one saved message becomes several: what the assistant said and asked
for in a step, then the results.  The older `toolInvocations` repeat what the parts say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.reading import (
    fill_call,
    fill_result,
    new_call,
    new_message,
    new_result,
    read_list,
    set_content,
    spot,
    text_of,
    text_part,
)
from turnlint.model import Candidate, Kind, Media, Message, Part, Reasoning, Speaker, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place
    from turnlint.model import Call, Result

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "data": Speaker.USER,
}
#: States that are a result, and the key of what it holds.
ANSWERED = {
    "output-available": "output",
    "output-error": "errorText",
    "output-denied": "approval",
    "result": "result",
    "error": "errorText",
}
#: States that are left out when the history is sent.
UNSENT = frozenset({"input-streaming"})
PLAIN_PARTS = frozenset({"text", "reasoning", "file", "source", "source-url", "source-document", "step-start"})
OWN_PARTS = frozenset({"step-start", "dynamic-tool", "tool-invocation", "source-url", "source-document"})


def is_tool(kind: object) -> bool:
    return isinstance(kind, str) and (kind.startswith("tool-") or kind == "dynamic-tool")


def recognise(marks: Marks) -> int:
    """Sure of tool parts, `toolInvocations` and steps; a claim on typed parts that hold `text`."""
    if "toolInvocations" in marks.keys and "role" in marks.keys:
        return 95
    if "parts" not in marks.keys or "role" not in marks.keys or "kind" in marks.keys:
        return 0
    if marks.part_types & OWN_PARTS or any(is_tool(kind) for kind in marks.part_types):
        return 95
    if marks.part_types and marks.part_types <= PLAIN_PARTS and "text" in marks.part_members and not marks.part_keys:
        return 85
    return 0


def read(candidate: Candidate) -> Transcript:
    """The steps of each message; what is of a wrong type is kept and left for the rules to name."""
    return read_list("ai-sdk-ui", candidate, read_message)


def read_message(raw: dict[str, Any], index: int, at: Place) -> list[Message]:
    steps = _Steps(raw, index, at)
    parts = raw.get("parts")
    seen: set[str] = set()
    if isinstance(parts, list) and parts:
        for number, part in enumerate(parts):
            read_part(part, at / "parts" / number, steps, seen)
    elif isinstance(raw.get("content"), str):
        steps.said.parts.append(text_part(raw["content"], at / "content", steps.said))
    invocations = raw.get("toolInvocations")
    for number, one in enumerate(invocations if isinstance(invocations, list) else ()):
        if isinstance(one, dict) and not (isinstance(one.get("toolCallId"), str) and one["toolCallId"] in seen):
            read_tool(one, at / "toolInvocations" / number, "tool-invocation", steps, seen)
    return steps.messages


class _Steps:
    """The messages that one saved message becomes; all share its index and its place."""

    def __init__(self, raw: dict[str, Any], index: int, at: Place) -> None:
        self.said = new_message(raw, index, at, SPEAKERS)
        self.said.id = raw.get("id")
        set_content(self.said, raw, "parts" if isinstance(raw.get("parts"), list) else "content")
        self.messages = [self.said]
        self.answers: Message | None = None

    def next(self) -> None:
        """Begins another step; only one that follows results can be told from the step before."""
        if self.answers is not None:
            said = self.said
            self.said = Message(said.index, said.at, said.raw, said.role, said.speaker, id=said.id)
            self.messages.append(self.said)
            self.answers = None

    def answer(self, result: Result) -> None:
        if self.answers is None:
            said = self.said
            self.answers = Message(said.index, said.at, said.raw, "tool", Speaker.TOOL, id=said.id)
            self.messages.append(self.answers)
        result.message = self.answers
        self.answers.parts.append(result)


def read_part(raw: Any, at: Place, steps: _Steps, seen: set[str]) -> None:
    kind = raw.get("type") if isinstance(raw, dict) else None
    said = steps.said
    if kind == "step-start":
        steps.next()
        steps.said.parts.append(Part(Kind.CONTROL, at, raw, steps.said, kind))
    elif kind == "tool-invocation" and isinstance(raw.get("toolInvocation"), dict):
        read_tool(raw["toolInvocation"], at / "toolInvocation", kind, steps, seen)
    elif isinstance(kind, str) and is_tool(kind):
        read_tool(raw, at, kind, steps, seen)
    elif kind == "text":
        said.parts.append(Part(Kind.TEXT, at, raw, said, kind, text_of(raw.get("text")), spot(raw, "text", at)))
    elif kind == "reasoning":
        key = "text" if "text" in raw else "reasoning"
        said.parts.append(Reasoning(Kind.REASONING, at, raw, said, kind, text_of(raw.get(key)), spot(raw, key, at)))
    elif kind == "file":
        media = Media(Kind.MEDIA, at, raw, said, kind, media="file", name=raw.get("filename"))
        media.media_type = raw.get("mediaType", raw.get("mimeType"))
        said.parts.append(media)
    else:
        known = isinstance(kind, str) and (kind.startswith("data-") or kind in PLAIN_PARTS)
        said.parts.append(Part(Kind.CONTROL if known else Kind.UNKNOWN, at, raw, said, text_of(kind) or ""))


def read_tool(raw: dict[str, Any], at: Place, kind: str, steps: _Steps, seen: set[str]) -> None:
    """The call that a tool part is, and the result if its state says that there is one."""
    said, state = steps.said, text_of(raw.get("state"))
    call_id = raw.get("toolCallId")
    if isinstance(call_id, str):
        seen.add(call_id)
    if state in UNSENT:
        said.parts.append(Part(Kind.CONTROL, at, raw, said, kind))
        return
    hosted = raw.get("providerExecuted") is True
    call = new_call(raw, at, said, kind, hosted=hosted)
    arguments = next((key for key in ("input", "rawInput", "args") if key in raw), "input")
    fill_call(call, raw, at, id_key="toolCallId", name_key="toolName", arguments_key=arguments)
    if kind.startswith("tool-") and kind != "tool-invocation":
        call.name, call.name_at = kind.removeprefix("tool-"), spot(raw, "type", at)
    call.state = state
    said.parts.append(call)
    answer = ANSWERED.get(state or "")
    if answer is None:
        return
    result = new_result(raw, at, said, kind, hosted=hosted)
    fill_result(result, raw, at, id_key="toolCallId", content_key=answer)
    result.name, result.name_at = call.name, call.name_at
    result.is_error = answer != "output" and answer != "result"
    if hosted:
        said.parts.append(result)
    else:
        steps.answer(result)


def _answer(call: Call, text: str) -> list[tuple[Place, Any]]:
    """The outcome in the part that the call is.  An error's text may be anything, an output has the tool's own type."""
    older = call.type == "tool-invocation"
    said = [("state", "result"), ("result", text)] if older else [("state", "output-error"), ("errorText", text)]
    return [(call.at / key, value) for key, value in said]


SHAPE = Shape(
    own_message=False,
    parts_key="parts",
    result=lambda call, _text: call.raw,
    text_part=lambda text: {"type": "text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "parts": parts},
    text_message=lambda speaker, text, _like: {"role": speaker.value, "parts": [{"type": "text", "text": text}]},
    content=lambda _target, text: [{"type": "text", "text": text}],
    result_id_key="toolCallId",
    call_id_key="toolCallId",
    call_name_key=None,
    answer=_answer,
    arguments_key="input",
)

DIALECT = Dialect(
    name="ai-sdk-ui",
    title="AI SDK UI messages",
    how="`parts` of type `tool-NAME` or `dynamic-tool` with `toolCallId` and `state`; or `toolInvocations`",
    recognise=recognise,
    read=read,
    wire=False,
    shape=SHAPE,
)
