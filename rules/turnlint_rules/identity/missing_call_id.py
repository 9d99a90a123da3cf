"""A tool call without an ID.

What it finds
-------------
A call whose ID is missing, null, empty or no text, for a target whose wire has IDs.  Its result, found by name and
place, is named beside it.  Older calls of the `function_call` form have none and are left alone.

Why it hurts
------------
The provider refuses the message, or cannot tell which result answers the call.  It happens when a stream's first piece
is lost, when a model or server without IDs wrote the history, or when a store keeps no field for them.

Fix
---
safe: the call gets the ID that its result carries, or where that has none either, both get a new one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import State
from turnlint.pairing import usable
from turnlint.repair import RenameId
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import fresh_id, lacks, taken_ids, wants_ids
from turnlint_rules.limits import fits
from turnlint_rules.wording import fill_for, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    if not wants_ids("missing-call-id", context):
        return
    taken: set[str] | None = None
    bearers: Counter[str] = Counter()
    for call in pairing.calls:
        if usable(call.id) or call.legacy:
            continue
        if taken is None:
            taken, bearers = taken_ids(context), _bearers(context)
        yield _finding(call, taken, bearers, context)


def _finding(call: Call, taken: set[str], bearers: Counter[str], context: Context) -> Finding:
    result = context.pairing.partner_of_call[call.number]
    there = call.id_at is not None and call.id_at != call.at
    variant = lacks(call.id, there=there)
    how = {"empty": "is empty", "null": "is null"}.get(variant[0], "is no text" if there else "is missing")
    return Finding(
        call.id_at or call.at,
        f"the ID of the call of {tool_name(call)} {how}",
        variant=variant,
        subject=call,
        cause="the piece of the stream with the ID was lost, or the history comes from a server without IDs",
        related=((result.at, "the result that answers it by its place"),) if result is not None else (),
        fill=fill_for(call),
        help="give the call an ID, and its result the same one",
        fix=_fix(call, result, taken, bearers, context),
    )


def _fix(call: Call, result: Result | None, taken: set[str], bearers: Counter[str], context: Context) -> Fix | None:
    form = context.minds("malformed-call-id", "client")
    if result is not None and usable(result.id) and bearers[result.id] == 1 and fits(result.id, form):
        return Fix("give the call the ID that its result carries", verbs=(RenameId(call, (), result.id),))
    new = fresh_id(call, taken, context)
    if new is None:
        return None
    return Fix("give call and result a new ID", verbs=(RenameId(call, (result,) if result is not None else (), new),))


def _bearers(context: Context) -> Counter[str]:
    """How many calls and results carry each ID."""
    pairing = context.pairing
    ids = [c.id for c in pairing.calls] + [r.id for r in pairing.results]
    return Counter(i for i in ids if usable(i))


_FUNCTION = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_GOOD = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": _FUNCTION}]}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _GOOD, {"role": "tool", "tool_call_id": "c1", "content": "4 C"}], target="openai"),
        Example(
            [
                {"role": "user", "parts": [{"text": "Weather in Oslo?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}],
                },
            ],
            target="gemini",
            title="a wire on which IDs are optional",
        ),
    ),
    invalid=(
        Example(
            [
                _ASK,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": None, "type": "function", "function": _FUNCTION}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "4 C"},
            ],
            target="openai",
            at="/1/tool_calls/0/id",
            says="Invalid type for 'messages[1].tool_calls[0].id': expected a string, but got null instead",
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [{k: v for k, v in _USE.items() if k != "id"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
            target="anthropic",
            at="/1/content/0",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_TAIL}),
)
