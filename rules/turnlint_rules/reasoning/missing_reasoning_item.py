"""An item without the reasoning item that it was made with.

What it finds
-------------
In Responses: calls or messages of a reasoning model that carry the IDs under which the provider stored them, in a
history that holds no reasoning item at all.  It speaks only where the model is known to reason by itself or the
request asks for reasoning, because other models make the same IDs without reasoning, and is silent where reasoning
may have been off or little.

Why it hurts
------------
The request is refused: the provider looks the item up by its ID and wants the reasoning with it.  It happens when a
store keeps messages and calls and drops items whose type it does not know.

Fix
---
unsafe: the IDs are taken out, which makes plain items of what the provider knows by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Kind, Speaker
from turnlint.pairing import usable
from turnlint.repair import RemoveKey
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    request = request_of(transcript)
    if request.store is False or request.chained or request.little_reasoning:
        return
    if any(m.has(Kind.REASONING) for m in transcript.messages):
        return
    items = [m for m in transcript.sent if m.speaker is Speaker.ASSISTANT and usable(m.id) and _by_provider(m)]
    if not items:
        return
    first = items[0]
    variant = "call" if first.calls else "message"
    verdict = context.minds("missing-reasoning-item", variant)
    by_itself = verdict is not None and verdict.certain and "thinking" not in verdict.needs
    if not (by_itself or (verdict is not None and request.reasoning)):
        return
    what = "call" if first.calls else "message"
    yield Finding(
        first.at,
        f"the {what} {brief(first.id)} has lost the reasoning item that it was made with",
        variant=variant,
        subject=first,
        cause="the store keeps messages and calls, and drops reasoning items",
        related=also_at([m.at for m in items[1:]], "without its reasoning item too"),
        fill={"id": printed(first.id), "n": "…"},
        severity=None if transcript.is_body else Severity.WARNING,
        help="store the reasoning items, or leave the IDs of the other items out",
        fix=Fix(
            "take the IDs out",
            Safety.UNSAFE,
            "the provider then takes the items for new ones",
            tuple(RemoveKey(m.id_at) for m in items if m.id_at is not None),
        ),
    )


def _by_provider(message: Message) -> bool:
    """Whether the item's ID is one that the provider gave it."""
    return isinstance(message.id, str) and message.id.startswith(("fc_", "msg_")) and message.has(Kind.CALL, Kind.TEXT)


_ASK = {"role": "user", "content": "What time is it in Oslo?"}
_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_time", "arguments": "{}"}
_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "14:02"}
_THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
_ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "14:02", "annotations": []}],
}


def _body(model: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"model": model, "input": list(items)}


RULE = Rule(
    check,
    valid=(
        Example(_body("o4-mini", _ASK, _THOUGHT, _CALL, _OUTPUT), target="openai"),
        Example(_body("gpt-4o", _ASK, _CALL, _OUTPUT), target="openai", title="a model that does not reason"),
        Example(_body("gpt-5.1", _ASK, _CALL, _OUTPUT), target="openai", title="one that reasons only when asked"),
    ),
    invalid=(
        Example(
            _body("o4-mini", _ASK, _CALL, _OUTPUT),
            target="openai",
            at="/input/1",
            says="Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item",
        ),
        Example(
            _body("o3", _ASK, _ANSWER, _ASK),
            target="openai",
            at="/input/1",
            says="Item 'msg_1' was provided without its required 'reasoning' item",
        ),
    ),
)
