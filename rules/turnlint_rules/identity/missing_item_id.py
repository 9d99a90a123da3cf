"""An item whose type needs an ID, without one.

What it finds
-------------
An item of a Responses request whose type must carry the ID that the provider gave it (searches, computer calls, MCP
items, reasoning without its encrypted content), and does not.

Why it hurts
------------
The provider refuses the request.  It happens when a client strips all IDs because those of messages and function calls
may be left out.

Fix
---
unsafe: the item is taken out, as its ID is the provider's and cannot be made.  None for a call that the client
answers: its result would lose it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Reasoning, State
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("missing-item-id")
    types = verdict.limits.get("values", ()) if verdict is not None else ()
    if not isinstance(types, tuple):
        return
    for message in context.transcript.messages:
        if message.item not in types or message.id is not None:
            continue
        if any(isinstance(p, Reasoning) and p.encrypted for p in message.parts):
            continue  # sealed reasoning is whole without its ID: clients send it so
        yield Finding(
            message.id_at or message.at,
            f"this {message.item} has no ID",
            subject=message,
            cause="the client strips the IDs of all items before it sends them again",
            fill={"id": "None"},
            help="keep the ID that the provider gave, or leave the item out",
            fix=None
            if message.calls or message.results
            else Fix("take the item out", Safety.UNSAFE, "what it tells is lost", (Remove(message),)),
        )


_ASK = {"role": "user", "content": "Any news?"}
_SEARCH = {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "news"}}
_SEALED = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}
_ANSWER = {"role": "assistant", "content": "None."}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {**_SEARCH, "id": "ws_1"}, _ANSWER, _ASK], target="openai"),
        Example([_ASK, _SEALED, _ANSWER, _ASK], target="openai"),
    ),
    invalid=(
        Example(
            [_ASK, _SEARCH, _ANSWER, _ASK],
            target="openai",
            at="/1",
            says="Missing required parameter: 'input[1].id'",
            fixed=[_ASK, _ANSWER, _ASK],
        ),
        Example(
            [_ASK, {"type": "reasoning", "summary": []}, _ANSWER, _ASK],
            target="openai",
            at="/1",
            says="Missing required parameter: 'input[1].id'",
        ),
    ),
    native_only=True,
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD}),
)
