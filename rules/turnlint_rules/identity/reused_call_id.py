"""An ID used again in a later turn, for a target that minds.

What it finds
-------------
A call that carries the ID of a call of an earlier turn.  It is one diagnostic for each ID.  Most providers pair inside
a turn and take it; many models and servers number their calls from 0 in every turn.

Why it hurts
------------
Code that compares IDs over the whole history takes the second call for answered, or labels a result with the tool of
the other call.

Fix
---
safe: each later call gets an ID of its own, and its result the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import State
from turnlint.pairing import usable
from turnlint.repair import RenameId
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import fresh_id, stands_for_removed, taken_ids
from turnlint_rules.wording import RELATED, fill_for, label, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    users: dict[str, list[Call]] = {}
    for exchange in context.pairing.exchanges:
        first: dict[str, Call] = {}
        for call in exchange.calls:
            if usable(call.id):
                first.setdefault(call.id, call)
        for call_id, call in first.items():
            users.setdefault(call_id, []).append(call)
    again = {call_id: calls for call_id, calls in users.items() if len(calls) > 1}
    if not again:
        return
    taken = taken_ids(context)
    for call_id, calls in again.items():
        yield _finding(calls, taken, context, replaced=stands_for_removed(call_id))


def _finding(calls: list[Call], taken: set[str], context: Context, *, replaced: bool) -> Finding:
    first, second = calls[0], calls[1]
    other_tool = any(c.name != first.name for c in calls[1:])
    verbs = []
    for call in calls[1:]:
        result = context.pairing.partner_of_call[call.number]
        new = fresh_id(call, taken, context)
        if new is not None:
            verbs.append(RenameId(call, (result,) if result is not None else (), new))
    return Finding(
        second.id_at or second.at,
        f"the ID {short(first.id)} of an earlier turn is used again"
        + (f", by {len(calls) - 1} later turns" if len(calls) > 2 else ""),
        variant=("other-tool", "any") if other_tool else "any",
        subject=second,
        cause="the IDs were replaced by one text when the history was redacted"
        if replaced
        else "the model or server numbers its calls anew in each turn",
        related=(
            (first.id_at or first.at, f"the first call with this ID, {label(first)}"),
            *((c.id_at or c.at, "used here too") for c in calls[2:RELATED]),
        ),
        fill=fill_for(second, n=len(calls)),
        severity=Severity.INFO if replaced else None,
        help="give each call of the history an ID of its own",
        fix=Fix("give the later calls, and their results, new IDs", verbs=tuple(verbs))
        if len(verbs) == len(calls) - 1 and not replaced
        else None,
    )


def _turn(tool: str) -> list[dict[str, object]]:
    call = {"id": "call_0", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": "done"},
    ]


_ASK = {"role": "user", "content": "Go on."}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, *_turn("look"), *_turn("look")], target="openai", title="IDs that start anew in each turn"),
        Example([_ASK, *_turn("look")], target="minimax"),
    ),
    invalid=(
        Example(
            [_ASK, *_turn("look"), *_turn("look")],
            target="minimax",
            at="/3/tool_calls/0/id",
            says="tool call result does not follow tool call (2013)",
        ),
        Example(
            [_ASK, *_turn("look"), *_turn("read")],
            target="ollama",
            dialect="openai-chat",
            at="/3/tool_calls/0/id",
            severity=Severity.WARNING,
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL}),
)
