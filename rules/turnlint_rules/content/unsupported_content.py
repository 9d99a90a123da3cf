"""A part type that this role or target does not take.

What it finds
-------------
An image, sound or file where the role or the target takes none: outside a user message, inside a result, for a model
of text alone, by address where the bytes are wanted; a type of part that the target does not know; a part for input
in an assistant message or the other way round; a refusal beside other parts; anything but text in a result marked as
an error; a `$ref` in what a function answered Gemini, which it reads as the name of a file.  A list of texts where
only a string is taken is `content-not-string`.

Why it hurts
------------
The request is refused, or the part is left out in silence.  It happens when a history moves to another provider or
API, and when a tool hands back a picture.

Fix
---
safe: a text part of another API's name gets the name that this one has.
safe: what stands beside the text of an error goes behind the results in the same message.
unsafe: a message of the assistant that holds nothing but media gets the user's role; media inside a result go to a user
message behind the results of the turn, if the target takes them there.
Parts of other kinds are not moved: where they should stand hangs on what is said about them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.dialects.flaws import flaws_of
from turnlint.model import Call, Kind, Media, Result, Speaker, State
from turnlint.repair import HandOver, SetSpeaker, SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import ELSEWHERE
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part
    from turnlint.targets import Verdict


def check(context: Context) -> Iterator[Finding]:
    unknown = context.minds("unsupported-content", "unknown-type") if context.native else None
    for message in context.transcript.messages:
        mixed = _mixed_refusal(message)
        if mixed is not None:
            yield _finding(mixed, "mixed-refusal", "a refusal stands beside other parts", context)
            continue
        for part in message.parts:
            if isinstance(part, Result):
                yield from _inside(part, unknown, context)
                continue
            variant = _variant(part, unknown, context)
            if variant is not None:
                yield _finding(part, variant, _says(part, variant), context)
    if context.native:
        yield from _references(context)


def _inside(result: Result, unknown: Verdict | None, context: Context) -> Iterator[Finding]:
    """What the target does not take inside a result."""
    only_text = result.is_error and context.minds("unsupported-content", "error-result-media") is not None
    for part in result.parts:
        if only_text and part.kind is not Kind.TEXT:
            says = "a result marked as an error holds more than text"
            yield _finding(part, "error-result-media", says, context, result)
        elif _is_unknown(part, unknown):
            yield _finding(part, "unknown-type", _says(part, "unknown-type"), context)
        elif isinstance(part, Media) and part.media == "image":
            yield _finding(part, "image-in-result", _says(part, "image-in-result"), context, result)
        elif isinstance(part, Media) and result.message.speaker is Speaker.TOOL:
            yield _finding(part, "wrong-role", _says(part, "wrong-role"), context, result)


def _variant(part: Part, unknown: Verdict | None, context: Context) -> str | None:
    """The narrowest variant that fits a part of a message; None where it may stand."""
    speaker = part.message.speaker
    if isinstance(part, Call):
        return "custom-call" if part.custom and not part.hosted else None
    if _is_unknown(part, unknown):
        return "unknown-type"
    if context.native and part.kind in (Kind.TEXT, Kind.MEDIA, Kind.REFUSAL):
        if speaker is Speaker.ASSISTANT and part.type.startswith("input_"):
            return "input-part-in-assistant"
        if speaker in (Speaker.USER, Speaker.SYSTEM) and part.type.startswith("output_"):
            return "output-part-in-input"
    if not isinstance(part, Media):
        return None
    if speaker is not Speaker.USER:
        return None if speaker is Speaker.UNKNOWN else "image-not-user" if part.media == "image" else "wrong-role"
    if part.media != "image":
        return "media"
    return "remote-image" if part.remote and context.minds("unsupported-content", "remote-image") else "image"


def _is_unknown(part: Part, unknown: Verdict | None) -> bool:
    """Whether the target does not know the type of a part of a list."""
    if unknown is None or not part.type or not isinstance(part.at.step, int) or isinstance(part, (Call, Result)):
        return False
    allowed, values = unknown.limits.get("allowed"), unknown.limits.get("values")
    if isinstance(allowed, tuple):
        return part.type not in allowed
    if isinstance(values, tuple):
        return part.type in values
    return part.kind is Kind.UNKNOWN


def _mixed_refusal(message: Message) -> Part | None:
    """A refusal that shares its list with other parts."""
    parts = [p for p in message.parts if isinstance(p.at.step, int) and not isinstance(p, Call)]
    refusal = next((p for p in parts if p.kind is Kind.REFUSAL), None)
    return refusal if refusal is not None and len(parts) > 1 else None


def _references(context: Context) -> Iterator[Finding]:
    """Names in results that are read as those of files."""
    if not context.minds("unsupported-content", "dangling-reference"):
        return
    for flaw in flaws_of(context.transcript):
        if flaw.kind == "reference" and context.minds("unsupported-content", flaw.variants):
            dangling = "dangling-reference" in flaw.variants
            yield Finding(
                flaw.at,
                flaw.message,
                variant=flaw.variants,
                subject=flaw.subject,
                cause="the tool answered with a JSON Schema or the description of an API" if dangling else None,
                fill={"n": flaw.word},
                help="rename the key $ref, or send the result as a text"
                if dangling
                else "leave the reference out: the model sees the file all the same",
            )


_WHERE = {Speaker.ASSISTANT: "an assistant message", Speaker.SYSTEM: "a system message", Speaker.TOOL: "a tool result"}


def _says(part: Part, variant: str) -> str:
    what = part.media if isinstance(part, Media) and part.media else "part"
    match variant:
        case "unknown-type":
            return f"there is no part of type {brief(part.type)!r} here"
        case "input-part-in-assistant":
            return f"{brief(part.type)!r} is for what is sent, and stands in an assistant message"
        case "output-part-in-input":
            return f"{brief(part.type)!r} is for what the model wrote, and stands in another message"
        case "image-in-result":
            return "an image stands in a tool result"
        case "image-not-user" | "wrong-role":
            return f"this {what} stands in {_WHERE.get(part.message.speaker, 'a message that takes none')}"
        case "remote-image":
            return "an image is given by its address"
        case "custom-call":
            return "a custom call is not taken"
    return f"this {what} is not taken"


def _finding(part: Part, variant: str, says: str, context: Context, result: Result | None = None) -> Finding:
    by_role = variant in ("image-not-user", "image-in-result", "wrong-role")
    return Finding(
        part.at,
        says,
        variant=variant,
        subject=part,
        cause=_CAUSES.get(variant),
        fill={"n": brief(part.message.role if by_role else part.type)},
        fix=_rename(part, variant, context)
        or (_give_to_user(part, variant) if result is None else _hand_over(result, variant, context)),
    )


_CAUSES = {
    "unknown-type": "the message is in the shape of another API",
    "input-part-in-assistant": "the message is in the shape of another API",
    "output-part-in-input": "the message is in the shape of another API",
    "image-in-result": "the tool handed back a picture",
    "error-result-media": "the tool handed back more than its error",
}


def _give_to_user(part: Part, variant: str) -> Fix | None:
    """A message of pictures alone may as well be the user's."""
    message = part.message
    if variant not in ("image-not-user", "wrong-role") or message.speaker is not Speaker.ASSISTANT:
        return None
    if any(not isinstance(p, Media) for p in message.parts):
        return None
    return Fix(
        "give the message the user's role",
        Safety.UNSAFE,
        "the model then reads its own picture as the user's",
        (SetSpeaker(message, Speaker.USER),),
    )


def _hand_over(result: Result, variant: str, context: Context) -> Fix | None:
    """Media that a tool handed back are shown to the model by the user instead."""
    media = tuple(p for p in result.parts if isinstance(p, Media))
    kinds = {"image" if p.media == "image" else "media" for p in media}
    if not media or any(context.minds("unsupported-content", kind) for kind in kinds):
        return None
    verbs = (HandOver(result, media, ELSEWHERE),)
    if variant == "error-result-media" and len(media) < len(result.parts):
        return Fix("put it behind the results", verbs=verbs)
    return Fix(
        "give it to the user, behind the results of the turn",
        Safety.UNSAFE,
        "the model then reads it as the user's",
        verbs,
    )


def _rename(part: Part, variant: str, context: Context) -> Fix | None:
    """A text under another API's name gets the name that this API has."""
    if part.kind is not Kind.TEXT or part.type_at is None:
        return None
    if context.judge.api == "openai-chat" and variant == "unknown-type":
        name = "text"
    elif variant in ("input-part-in-assistant", "output-part-in-input") or context.judge.api == "openai-responses":
        name = "output_text" if part.message.speaker is Speaker.ASSISTANT else "input_text"
    else:
        return None
    return Fix(f"name the type {name!r}", verbs=(SetValue(part.type_at, name),)) if name != part.type else None


_IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/boat.png"}}
_LOOK = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, _IMAGE]}
_TURNS = [
    {"role": "user", "content": "Take a picture."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "shot", "input": {}}]},
]
_PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def _shot(**result: object) -> list[object]:
    return [*_TURNS, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", **result}]}]


def _chat(content: object) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "shot", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Take a picture."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": content},
    ]


RULE = Rule(
    check,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD}),
    valid=(
        Example([_LOOK], target="openai"),
        Example(_shot(content=[_PICTURE]), target="anthropic"),
        Example(
            [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]}],
            target="openai",
        ),
    ),
    invalid=(
        Example(
            [
                {"role": "user", "parts": [{"text": "What does the API return?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "describe", "args": {}}}]},
                {
                    "role": "user",
                    "parts": [
                        {
                            "functionResponse": {
                                "name": "describe",
                                "response": {"schema": {"items": {"$ref": "#/components/schemas/Order"}}},
                            }
                        }
                    ],
                },
            ],
            target="vertex",
            dialect="gemini",
            at="/2/parts/0/functionResponse",
            says="The referenced name `#/components/schemas/Order` in function_response.response does not match",
        ),
        Example(
            {
                "model": "gpt-4o",
                "messages": [
                    {"role": "user", "content": "Paint a boat."},
                    {"role": "assistant", "content": [_IMAGE]},
                    {"role": "user", "content": "What colour is the sail?"},
                ],
            },
            target="openai",
            at="/messages/1/content/0",
            says="Invalid 'messages[1]'. Image URLs are only allowed for messages with role 'user'",
        ),
        Example(
            [{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
            target="openai",
            dialect="openai-chat",
            at="/0/content/0",
            says="Invalid value: 'input_text'.",
            fixed=[{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        ),
        Example(
            _shot(content=[_PICTURE], is_error=True),
            target="anthropic",
            at="/2/content/0/content/0",
            says="all content must be type `text` if `is_error` is true",
            fixed=[
                *_TURNS,
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "toolu_1", "content": ELSEWHERE, "is_error": True},
                        _PICTURE,
                    ],
                },
            ],
        ),
        Example(
            _shot(content=[{"type": "text", "text": "Half of it:"}, _PICTURE], is_error=True),
            target="anthropic",
            at="/2/content/0/content/1",
            fixed=[
                *_TURNS,
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_1",
                            "content": [{"type": "text", "text": "Half of it:"}],
                            "is_error": True,
                        },
                        _PICTURE,
                    ],
                },
            ],
        ),
        Example(
            {"model": "gpt-4o", "messages": _chat([{"type": "text", "text": "Here:"}, _IMAGE])},
            target="openai",
            dialect="openai-chat",
            at="/messages/2/content/1",
            fixed={
                "model": "gpt-4o",
                "messages": [
                    *_chat([{"type": "text", "text": "Here:"}]),
                    {"role": "user", "content": [_IMAGE]},
                ],
            },
        ),
        Example([_LOOK], target="deepseek", at="/0/content/1", says="unknown variant `image_url`, expected `text`"),
        Example(
            {
                "model": "gpt-5.2",
                "input": [
                    {"role": "user", "content": [{"type": "input_text", "text": "What time is it?"}]},
                    {"role": "assistant", "content": [{"type": "input_text", "text": "14:02"}]},
                ],
            },
            target="openai",
            dialect="openai-responses",
            at="/input/1/content/0",
            says="Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        ),
    ),
)
