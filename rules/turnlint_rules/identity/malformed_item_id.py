"""An item ID of the wrong prefix, too long, or with characters that the target refuses.

What it finds
-------------
The ID of an item of a Responses history whose prefix does not fit the type of the item, that is longer than the target
takes, or that is empty or holds other characters than it takes.  The ID of an item is not the ID that links a call to
its result.

Why it hurts
------------
The provider made these IDs, and refuses one that it cannot have made.  It happens when a client stores items under
IDs of its own, or turns an item of one type into another and keeps the ID.  GitHub Copilot even gives IDs of hundreds
of characters, and refuses to take them back.

Fix
---
safe: the ID is taken out.  The provider takes items with their whole content without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import State
from turnlint.repair import RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.items import spare_id
from turnlint_rules.limits import fits
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.model import Message

NAME = "malformed-item-id"


def check(context: Context) -> Iterator[Finding]:
    prefixes = _prefixes(context)
    characters, longest = context.minds(NAME, "characters"), _longest(context)
    for message in context.transcript.messages:
        if not isinstance(message.id, str):
            continue
        prefix = prefixes.get(message.item or "message")
        if longest is not None and len(message.id) > longest:
            says = f"has {len(message.id)} characters, more than {longest}"
            yield _finding(message, "long", says, str(len(message.id)), context)
        elif characters is not None and not fits(message.id, characters):
            yield _finding(message, "characters", "holds characters that the target refuses", None, context)
        elif prefix is not None and not message.id.startswith(prefix):
            yield _finding(message, "prefix", f"does not begin with {prefix}", prefix, context)


def _longest(context: Context) -> int | None:
    verdict = context.minds(NAME, "long")
    maximum = verdict.limits.get("maximum") if verdict is not None else None
    return maximum if isinstance(maximum, int) else None


def _prefixes(context: Context) -> Mapping[str, str]:
    """The prefix of the ID by the type of the item."""
    verdict = context.minds(NAME, "prefix")
    pairs = verdict.limits.get("prefixes", ()) if verdict is not None else ()
    return dict(pair.split(":", 1) for pair in pairs) if isinstance(pairs, tuple) else {}


def _finding(message: Message, variant: str, what: str, n: str | None, context: Context) -> Finding:
    spare = spare_id(message, context)
    return Finding(
        message.id_at or message.at,
        f"the ID {brief(message.id)} of this {message.item or 'message'} {what}"
        if message.id
        else f"the ID of this {message.item or 'message'} is empty",
        variant=variant,
        subject=message,
        cause="the client stored the item under an ID of its own, or made the item from one of another type",
        fill={"id": printed(message.id), "n": n or "…"},
        help="leave the ID out, or keep the one that the provider gave",
        fix=Fix("take the ID out", verbs=(RemoveKey(spare),)) if spare is not None else None,
    )


def _message(item_id: str) -> dict[str, object]:
    return {
        "type": "message",
        "id": item_id,
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Hello.", "annotations": []}],
    }


_ASK = {"role": "user", "content": "Hi."}
_PATCH = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"}
_DONE = {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _message("msg_01"), _ASK], target="openai"),
        Example([_ASK, {**_PATCH, "id": "ctc_1"}, _DONE], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, _message("msg_" + "9" * 61), _ASK],
            target="openai",
            at="/1/id",
            says="Expected a string with maximum length 64, but got a string with length 65 instead.",
        ),
        Example(
            [
                _ASK,
                {"type": "function_call", "id": "call_1", "call_id": "call_1", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
            ],
            target="openai",
            at="/1/id",
            says="Expected an ID that begins with 'fc'",
        ),
        Example(
            [_ASK, _message("019f0000-0000-7000"), _ASK],
            target="openai",
            at="/1/id",
            says="Invalid 'input[1].id': '019f0000-0000-7000'. Expected an ID that begins with 'msg'",
        ),
        Example(
            [_ASK, {**_PATCH, "id": "fc_1"}, _DONE],
            target="openai",
            at="/1/id",
            says="Invalid 'input[1].id': 'fc_1'. Expected an ID that begins with 'ctc'",
            fixed=[_ASK, _PATCH, _DONE],
        ),
        Example(
            [_ASK, _message("review:rollout:user"), _ASK],
            target="openai",
            at="/1/id",
            says="Expected an ID that contains letters, numbers, underscores, or dashes",
        ),
    ),
    native_only=True,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL}),
)
