"""Call arguments saved as a text or a list where the target wants an object.

What it finds
-------------
A call whose arguments are a JSON text, a list or null, for a target that carries them as an object: Anthropic,
Gemini, Bedrock Converse, Ollama's own interface, and chat templates that walk through them.

Why it hurts
------------
The request is refused by its schema; a template stops with a type error, or encodes the text a second time, so that
the model learns to answer with quoted JSON.

Fix
---
safe where the text is a JSON object, or where nothing was given (then `{}`): the object is written in its place.
Anything else is only reported, because nobody knows which parameter it was meant for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety
from turnlint.redaction import looks_redacted
from turnlint.repair import SetArguments
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    for call in context.pairing.calls:
        if call.custom or call.arguments_at is None or call.arguments_form == "object":
            continue
        if call.arguments_form == "missing" and call.arguments_at == call.at:
            continue  # no such key at all: a matter of the schema
        if looks_redacted(call.arguments):
            continue
        yield _finding(call)


def _finding(call: Call) -> Finding:
    assert call.arguments_at is not None
    value = call.arguments
    variant = {"text": "text", "missing": "null"}.get(call.arguments_form, "other")
    form = {str: "a text", list: "a list", type(None): "null"}.get(type(value), "another value")
    inside = _object_in(value)
    fix = None
    if inside is not None:
        fix = Fix("write the arguments as an object", Safety.SAFE, None, (SetArguments(call, inside),))
    return Finding(
        call.arguments_at,
        f"the arguments of {brief(call.name)} are {form}, where an object is wanted",
        variant=variant,
        subject=call,
        cause="the history was written for a provider that carries arguments as JSON text"
        if variant == "text"
        else None,
        fill={"n": form, "id": printed(call.id), "tool": printed(call.name)},
        help="parse the text into an object before the history is sent",
        fix=fix,
    )


def _object_in(value: Any) -> Any:
    """The object that the saved value stands for, or None."""
    if value is None or value in ("", []):
        return {}
    if isinstance(value, str):
        try:
            inside = json.loads(value)
        except (ValueError, RecursionError, OverflowError):
            return None
        return inside if isinstance(inside, dict) else None
    return None


_ASK = {"role": "user", "content": "Weather in Oslo?"}


def _anthropic(arguments: object) -> list[object]:
    use = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
    return [_ASK, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def _chat(arguments: object) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    return [
        _ASK,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
    ]


RULE = Rule(
    check,
    valid=(
        Example(_anthropic({"city": "Oslo"}), target="anthropic"),
        Example(_chat({"city": "Oslo"}), target="chat-template"),
        Example(_chat('{"city": "Oslo"}'), target="openai"),
    ),
    invalid=(
        Example(
            _anthropic('{"city": "Oslo"}'),
            target="anthropic",
            at="/1/content/0/input",
            says="messages.1.content.0.tool_use.input: Input should be a valid dictionary",
            fixed=_anthropic({"city": "Oslo"}),
        ),
        Example(
            _chat('{"city": "Oslo"}'),
            target="chat-template",
            at="/1/tool_calls/0/function/arguments",
            says="Can only get item pairs from a mapping",
            fixed=_chat({"city": "Oslo"}),
        ),
    ),
    native_only=True,
)
