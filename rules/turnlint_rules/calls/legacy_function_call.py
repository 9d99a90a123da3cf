"""Calls in the older form: `function_call`, role `function`, `functions`.

What it finds
-------------
A history that calls tools in the form that came before tool calls: one call a message, results of role `function`, no
IDs.  It is one diagnostic a history, or two where the target refuses one half and only frowns on the other.

Why it hurts
------------
The form is deprecated.  Newer models refuse the role `function`, and without IDs a call and its result are bound by
their place alone.

Fix
---
safe: each call is written as a tool call with a new ID, which its result gets as well.  A result without a call stays
as it is, and so do the functions that the request declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.repair import MoveCall
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import fresh_id, taken_ids
from turnlint_rules.wording import also_at, printed, several

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.model import Call, Result


def check(context: Context) -> Iterator[Finding]:
    calls = [c for c in context.pairing.calls if c.legacy]
    results = [r for r in context.pairing.results if r.legacy]
    about_calls = context.minds("legacy-function-call", "function-call") if calls else None
    about_results = context.minds("legacy-function-call", "role-function") if results else None
    fix = _fix(calls, context)
    if about_results is not None and (about_calls is None or about_results.level != about_calls.level):
        yield _finding(
            results, "role-function", several(len(results), "result has", "results have") + " the role function", fix
        )
        results = []
    if about_calls is not None:
        text = several(len(calls), "call is", "calls are") + " in the older form, without IDs"
        yield _finding([*calls, *results], "function-call", text, fix)


def _fix(calls: Sequence[Call], context: Context) -> Fix | None:
    taken = taken_ids(context)
    ids = [fresh_id(call, taken, context) for call in calls]
    verbs = tuple(
        MoveCall(call, new, context.pairing.result_of(call))
        for call, new in zip(calls, ids, strict=True)
        if new is not None
    )
    return Fix("write them as tool calls", verbs=verbs) if verbs and len(verbs) == len(calls) else None


def _finding(parts: Sequence[Call | Result], variant: str, message: str, fix: Fix | None) -> Finding:
    first = parts[0]
    return Finding(
        first.at,
        message,
        variant=variant,
        subject=first,
        cause="the history was written for an older interface",
        related=also_at([p.at for p in parts[1:]], "in the older form too"),
        fill={"tool": printed(first.name), "n": len(parts)},
        help="store calls as tool calls with IDs, and results with the ID of their call",
        fix=fix,
    )


_ASK = {"role": "user", "content": "What time is it in Oslo?"}
_CALL = {"role": "assistant", "content": None, "function_call": {"name": "get_time", "arguments": "{}"}}
_RESULT = {"role": "function", "name": "get_time", "content": "14:02"}
_NEW_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
_NEW = [
    _ASK,
    {"role": "assistant", "content": None, "tool_calls": [_NEW_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "14:02"},
]

RULE = Rule(
    check,
    valid=(Example(_NEW, target="openai"), Example(_NEW, target="openai:o3")),
    invalid=(
        Example([_ASK, _CALL, _RESULT], target="openai:gpt-4o", at="/1/function_call", severity=Severity.INFO),
        Example(
            [_ASK, _CALL, _RESULT],
            target="openai:o3",
            at="/2",
            says="'messages[2].role' does not support 'function' with this model",
        ),
    ),
    native_only=True,
)
