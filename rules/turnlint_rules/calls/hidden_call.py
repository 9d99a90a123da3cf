"""A call that is only in the content, not where calls belong.

What it finds
-------------
A call written into the text of an assistant message (`<tool_call>{"name": …}</tool_call>`, `<function=…>`,
`[TOOL_CALLS]`), or standing there as a block that the provider's own list of calls does not show.  A history that
speaks such tags on purpose, in its prompts or its results, is passed over, and so is text inside a code block.

Why it hurts
------------
Nobody runs the call, and a result that answers it has no call.  It happens when a server's tool parser did not
recognise the model's own format, or when a framework clears its list of calls and leaves the provider's block in the
content.

Fix
---
safe for a block with an ID whose result is there: the call goes where the dialect keeps calls.  unsafe where no
result is there, as nobody knows whether it ran.  None for a call in text: what else the text means cannot be told.
Turn on the tool parser of the server.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Call, Kind, Speaker
from turnlint.pairing import usable
from turnlint.repair import MoveCall
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part

#: What a call in text begins with, and the name where the tag holds it.  A template's tokens never are plain speech.
_OPENINGS = re.compile(
    r"<tool_call>\s{0,20}"
    r"|\[TOOL_CALLS\]\s{0,20}"
    r"|<\|tool_call(?:s_begin|_start)?\|>\s{0,20}"
    r"|<\|tool_call_begin\|>\s{0,20}functions\.(?P<indexed>[\w.-]{1,64}):\d"
    r"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<special>[\w.-]{1,64})"
    r"|<function=(?P<tagged>[\w.-]{1,64})>"
)
#: Words by which prompts and results of a history speak the same tags on purpose.
_ON_PURPOSE = re.compile(r"<tool_call|<tool_response|<function=|\[TOOL_|<\|tool|<tools>|<｜tool")
_LOOKED_AT = 200_000


def check(context: Context) -> Iterator[Finding]:
    for call in context.pairing.calls:
        if call.hidden:
            yield _finding(call, call.name, "a block of the content", call.id, fix=_fix(call, context))
    declared = {t.name for t in context.transcript.tools or () if isinstance(t.name, str)}
    texts = [p for m in context.transcript.messages if _may_hide(m) for p in m.parts if p.kind is Kind.TEXT]
    spoken: bool | None = None
    for part in texts:
        name = _call_in(part.text or "", declared)
        if name is None:
            continue
        if spoken is None:
            spoken = _on_purpose(context)
        if spoken:
            return
        yield _finding(part, name, "text")


def _may_hide(message: Message) -> bool:
    return message.speaker is Speaker.ASSISTANT and not message.calls


def _call_in(text: str, declared: set[str]) -> str | None:
    """The name of the tool that a text calls, where the text ends in a call; None where it does not."""
    match = _OPENINGS.search(text, 0, _LOOKED_AT)
    if match is None:
        return _bare_call(text, declared)
    if text.count("```", 0, match.start()) % 2:
        return None
    named = match["indexed"] or match["special"] or match["tagged"]
    if named:
        return named
    return _name_in(_json_at(text, match.end()))


def _bare_call(text: str, declared: set[str]) -> str | None:
    """A text that is nothing but the JSON of a call of a tool that the request declares."""
    bare = text.rstrip() if len(text) <= _LOOKED_AT else ""
    if not bare.startswith("{") or not bare.endswith("}"):
        return None
    value = _json_at(bare, 0)
    if not isinstance(value, dict) or not value.keys() <= {"name", "arguments", "parameters", "type", "id"}:
        return None
    name = _name_in(value)
    return name if name in declared else None


def _json_at(text: str, start: int) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError, OverflowError):
        return None


def _name_in(value: Any) -> str | None:
    """The tool's name in the JSON of a call, or of a list of calls."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict) or value.keys().isdisjoint({"arguments", "parameters", "args"}):
        return None
    name = value.get("name")
    return name if isinstance(name, str) and name else None


def _on_purpose(context: Context) -> bool:
    """Whether anybody but the model speaks the tags: then they are the agent's own protocol."""
    transcript = context.transcript
    others = (p.text for m in transcript.messages if m.speaker is not Speaker.ASSISTANT for p in m.parts)
    return any(
        text and _ON_PURPOSE.search(text, 0, _LOOKED_AT) for text in (*others, *(p.text for p in transcript.system))
    )


def _fix(call: Call, context: Context) -> Fix | None:
    if not usable(call.id) or not usable(call.name):
        return None
    answered = any(r.id == call.id for r in context.pairing.results)
    return Fix(
        "move the call to the list of calls",
        Safety.SAFE if answered else Safety.UNSAFE,
        None if answered else "no result tells whether it ran",
        (MoveCall(call, call.id),),
    )


def _finding(part: Part, name: object, where: str, call_id: object = None, fix: Fix | None = None) -> Finding:
    return Finding(
        part.text_at if where == "text" and part.text_at is not None else part.at,
        f"a call of {brief(name) if isinstance(name, str) else 'a tool'} stands in {where}, where no one looks for it",
        variant="block" if isinstance(part, Call) else "text",
        subject=part,
        cause="the server did not recognise the model's way to write a call"
        if where == "text"
        else "the list of calls was cleared, and the provider's own block stayed in the content",
        fill={"tool": str(name), "id": str(call_id or "")},
        help="save the call where the dialect keeps calls, with its result behind it",
        fix=fix,
    )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TAGGED = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
_BLOCK = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather", "arguments": "{}"}
_CALL = {"name": "get_weather", "args": {}, "id": "call_1", "type": "tool_call"}


def _langchain(content: list[Any], calls: list[Any], *then: dict[str, Any]) -> list[Any]:
    turn = {"type": "ai", "data": {"content": content, "tool_calls": calls}}
    return [{"type": "human", "data": {"content": "Weather?"}}, turn, *then]


_RESULT = {"type": "tool", "data": {"content": "4 C", "tool_call_id": "call_1"}}
_WELL = {"type": "human", "data": {"content": "Well?"}}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": "Use `<tool_call>` to call a tool."}], target="openai"),
        Example(
            [
                {"role": "system", "content": "Call a tool with <tool_call>{…}</tool_call>."},
                _ASK,
                {"role": "assistant", "content": _TAGGED},
                {"role": "user", "content": "<tool_response>4 C</tool_response>"},
            ],
            target="openai",
            title="the agent's own protocol",
        ),
    ),
    invalid=(
        Example(
            _langchain([_BLOCK], [], _RESULT),
            target="openai",
            at="/1/data/content/0",
            severity=Severity.WARNING,
            fixed=_langchain([], [_CALL], _RESULT),
        ),
        Example(
            _langchain([_BLOCK], [], _WELL),
            target="openai",
            at="/1/data/content/0",
            severity=Severity.WARNING,
            fixed=_langchain([], [_CALL], _WELL),
            title="no result tells whether it ran",
        ),
        Example(
            [_ASK, {"role": "assistant", "content": _TAGGED}, {"role": "user", "content": "Hello?"}],
            target="openai",
            at="/1/content",
            severity=Severity.WARNING,
        ),
        Example(
            [_ASK, {"role": "assistant", "content": "Let me see. <function=get_weather>{}</function>"}, _ASK],
            target="vllm",
            at="/1/content",
            severity=Severity.WARNING,
        ),
    ),
)
