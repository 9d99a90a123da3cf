"""An item of a Responses history twice.

What it finds
-------------
Two items, or an item and a reference to it, with one ID in one history.

Why it hurts
------------
The provider refuses the whole input.  It happens when a history is built from what was stored and what was just
received, when a resumed session is stored again, or when a chained request repeats what it chains to.

Fix
---
safe where both are the same, or the second only refers to the first: it is removed.  safe where they differ and the
target takes such an item without an ID: the second one's ID is taken out.  unsafe where it needs one: it is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, State
from turnlint.pairing import usable
from turnlint.repair import Remove, RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.items import spare_id
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    first: dict[str, Message] = {}
    for message in context.transcript.messages:
        if usable(message.id):
            earlier = first.setdefault(message.id, message)
            if earlier is not message:
                yield _finding(message, earlier, context)


def _is_reference(message: Message) -> bool:
    return message.has(Kind.CONTROL)


def _fix(message: Message, earlier: Message, context: Context) -> Fix:
    if _is_reference(message) or message.raw == earlier.raw:
        return Fix("remove the second item", verbs=(Remove(message),))
    spare = spare_id(message, context)
    if spare is not None:
        return Fix("take the second item's ID out", verbs=(RemoveKey(spare),))
    return Fix("remove the second item", Safety.UNSAFE, "the two items differ", (Remove(message),))


def _finding(message: Message, earlier: Message, context: Context) -> Finding:
    refers = _is_reference(message)
    return Finding(
        message.id_at or message.at,
        f"the item {brief(message.id)} stands in the history already"
        + (", and this only refers to it" if refers else ""),
        variant="reference" if refers or _is_reference(earlier) else "item",
        subject=message,
        cause="the history was stored twice, on a resume or from two sources",
        related=((earlier.id_at or earlier.at, "the first time"),),
        fill={"id": printed(message.id), "n": earlier.index},
        help="keep each item once",
        fix=_fix(message, earlier, context),
    )


_ASK = {"role": "user", "content": "Plan it."}
_THOUGHT = {"type": "reasoning", "id": "rs_01", "summary": [], "encrypted_content": "gAAAAABo"}
_CALL = {"type": "function_call", "id": "fc_01", "call_id": "call_1", "name": "ls", "arguments": "{}"}
_RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "a.txt"}
_ANSWER = {
    "type": "message",
    "id": "msg_01",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _THOUGHT, _CALL, _RESULT, _ANSWER, _ASK], target="openai"),
        Example([_ASK, {**_ANSWER, "id": "msg_00"}, _ASK, _ANSWER, _ASK], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, _THOUGHT, _CALL, _RESULT, _THOUGHT, _ANSWER, _ASK],
            target="openai",
            at="/4/id",
            says="Duplicate item found with id rs_01. Remove duplicate items from your input and try again",
            fixed=[_ASK, _THOUGHT, _CALL, _RESULT, _ANSWER, _ASK],
        ),
        Example(
            [_ASK, _ANSWER, {"type": "item_reference", "id": "msg_01"}, _ASK],
            target="openai",
            at="/2/id",
            says="Duplicate item found with id msg_01",
            fixed=[_ASK, _ANSWER, _ASK],
        ),
        Example(
            [_ASK, _ANSWER, _ASK, {**_ANSWER, "content": "Done again."}, _ASK],
            target="openai",
            at="/3/id",
            says="Duplicate item found with id msg_01",
            fixed=[_ASK, _ANSWER, _ASK, {"type": "message", "role": "assistant", "content": "Done again."}, _ASK],
        ),
        Example(
            [_ASK, _THOUGHT, _CALL, _RESULT, {**_THOUGHT, "encrypted_content": "gAAAAABp"}, _ANSWER, _ASK],
            target="openai",
            at="/4/id",
            fixed=[_ASK, _THOUGHT, _CALL, _RESULT, _ANSWER, _ASK],
        ),
    ),
    native_only=True,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL, State.TRUNCATED_VALUES}),
)
