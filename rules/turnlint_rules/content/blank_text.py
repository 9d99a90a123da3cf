"""A text that is empty or only white space, for a target that refuses it.

What it finds
-------------
A text part (of a message, of the system prompt, or inside a result) that is empty or holds only white space, and a
whole content of white space.  A whole content that is empty is `empty-content`.

Why it hurts
------------
The request is refused, for ever.  It happens when a model writes nothing in front of a call, and the empty text is
stored as a part of its own.

Fix
---
safe: the part is removed where others remain, and with its message where that is not the user's.
unsafe: a user's message goes with its only part.
None for the only text of the only message, nor for an empty summary of the provider's own: its block belongs to the
provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety
from turnlint.model import Kind, Result, Speaker
from turnlint.repair import Remove, RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.speech import is_all_there_is, substance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    marked = {at.path[:-1] for at in transcript.cache_marks}
    last = transcript.sent[-1] if transcript.sent else None
    for part in (*transcript.system, *transcript.parts()):
        variant = _variant(part, last=part.message is last, marked=part.at.path in marked)
        if variant is not None and context.minds("blank-text", variant):
            yield _finding(part, variant, context)
        for inner in part.parts if isinstance(part, Result) else ():
            if inner.kind is Kind.TEXT and inner.text == "" and context.minds("blank-text", "inside-result"):
                yield _finding(inner, "inside-result", context)


def _variant(part: Part, *, last: bool, marked: bool) -> str | tuple[str, ...] | None:
    """What kind of blank a text is; None where it says something, or where another rule has the word."""
    text = part.text
    if part.kind not in (Kind.TEXT, Kind.CONTROL) or text is None or text.strip():
        return None
    if part.kind is Kind.CONTROL:
        return "compaction" if part.type == "compaction" and text == "" else None
    if text:
        if part.message.speaker is Speaker.SYSTEM:
            return "system-whitespace"
        return "whitespace" if _others(part, part.message) else ("whitespace-alone", "whitespace")
    if part.at == part.message.content_at or isinstance(part.raw, str):
        return None
    if marked:
        return "cache-mark"
    return "only-part" if last and len(part.message.parts) == 1 else "empty"


def _finding(part: Part, variant: str | tuple[str, ...], context: Context) -> Finding:
    what = "empty" if not part.text else "only white space"
    where = " inside a result" if variant == "inside-result" else ""
    beside = part.message.index < 0
    return Finding(
        part.text_at or part.at,
        f"the text{where} is {what}",
        variant=variant,
        subject=None if beside else part,
        cause="the model wrote nothing in front of its calls" if part.message.calls else None,
        fix=_beside(part, context.transcript.system) if beside else _fix(part, variant, context),
    )


def _beside(part: Part, system: list[Part]) -> Fix:
    """Takes a blank text out of the system prompt beside the list, and the prompt with its only one."""
    in_list = isinstance(part.at.path[-1], int)
    if in_list and len(system) > 1:
        return Fix("remove the empty text", verbs=(Remove(part),))
    return Fix(
        "remove the empty system prompt",
        verbs=(RemoveKey(Place(part.at.path[:-1], part.at.document) if in_list else part.at),),
    )


def _fix(part: Part, variant: str | tuple[str, ...], context: Context) -> Fix | None:
    message = part.message
    if variant == "compaction":
        return None
    if variant == "inside-result" or _others(part, message) or message.speaker is not Speaker.USER:
        return Fix("remove the empty text", verbs=(Remove(part),))
    if is_all_there_is(message, context):
        return None
    return Fix("remove the empty text", Safety.UNSAFE, "a turn of the user is gone then", (Remove(part),))


def _others(part: Part, message: Message) -> bool:
    return any(p is not part for p in substance(message))


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]}
_BLANK = {"type": "text", "text": ""}

RULE = Rule(
    check,
    valid=(
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
            ],
            target="openai",
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, _USE]}, _RESULT],
            target="anthropic",
        ),
    ),
    invalid=(
        Example(
            [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi."},
                {"role": "user", "content": [{"type": "text", "text": " "}]},
            ],
            target="anthropic",
            dialect="anthropic",
            at="/2/content/0/text",
            fixed=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}],
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [_BLANK, _USE]}, _RESULT],
            target="anthropic",
            at="/1/content/0/text",
            says="messages: text content blocks must be non-empty",
            fixed=[_ASK, {"role": "assistant", "content": [_USE]}, _RESULT],
        ),
        Example(
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Hello"},
                        {**_BLANK, "cache_control": {"type": "ephemeral"}},
                    ],
                }
            ],
            target="anthropic",
            dialect="anthropic",
            at="/0/content/1/text",
            says="messages.0.content.1.text: cache_control cannot be set for empty text blocks",
        ),
        Example(
            {"contents": [{"role": "user", "parts": [{"text": ""}, {"text": "Hello"}]}]},
            target="vertex",
            at="/contents/0/parts/0/text",
            says="it has an empty text parameter",
            fixed={"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]},
        ),
    ),
)
