"""An item named by its ID that the provider has not stored.

What it finds
-------------
A request that says nothing is to be stored, and yet holds an item that is nothing without what the provider keeps: a
reference, or reasoning without its encrypted content.  Whether an item of another request, account or region is
stored cannot be told from a history; there it is silent.

Why it hurts
------------
The provider looks the item up, does not find it and answers 404.

Fix
---
unsafe: the item is taken out, as nothing of it is in the history.  Whole items are better: ask for the encrypted
content of reasoning, or let the provider store them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Reasoning, State
from turnlint.pairing import usable
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    if context.transcript.stored is not False:
        return
    verdict = context.minds("unpersisted-item", "store-false")
    types = verdict.limits.get("values", ()) if verdict is not None else ()
    if not isinstance(types, tuple):
        return
    for message in context.transcript.messages:
        if message.item in types and usable(message.id) and _is_empty(message):
            yield Finding(
                message.at,
                f"the {message.item} {brief(message.id)} is named by its ID alone, and nothing is stored",
                variant="store-false",
                subject=message,
                cause="the history was made by requests that stored their items, or the reasoning was not sealed",
                fill={"id": printed(message.id)},
                help="send the whole item, or leave it out",
                fix=Fix("take the item out", Safety.UNSAFE, "what it stood for is lost", (Remove(message),)),
            )


def _is_empty(message: Message) -> bool:
    """Whether the item says nothing by itself."""
    return all(p.kind is Kind.CONTROL or (isinstance(p, Reasoning) and not p.encrypted) for p in message.parts)


_ASK = {"role": "user", "content": "Plan it."}
_ANSWER = {"role": "assistant", "content": "Done."}
_THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}


def _request(*items: Mapping[str, object], store: bool) -> dict[str, object]:
    return {"model": "gpt-5", "input": [_ASK, *items, _ANSWER, _ASK], "store": store}


RULE = Rule(
    check,
    valid=(
        Example(_request({**_THOUGHT, "encrypted_content": "gAAAAABo"}, store=False), target="openai"),
        Example(_request({"type": "item_reference", "id": "rs_1"}, store=True), target="openai"),
    ),
    invalid=(
        Example(
            _request({"type": "item_reference", "id": "rs_1"}, store=False),
            target="openai",
            at="/input/1",
            fixed=_request(store=False),
            says="Item with id 'rs_1' not found. Items are not persisted when `store` is set to false",
        ),
        Example(
            _request(_THOUGHT, store=False),
            target="openai",
            at="/input/1",
            says="Item with id 'rs_1' not found. Items are not persisted when `store` is set to false",
        ),
    ),
    native_only=True,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD}),
)
