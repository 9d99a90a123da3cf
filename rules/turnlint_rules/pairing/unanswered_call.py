"""A tool call without its result where the target wants it.

What it finds
-------------
An assistant turn asks for tools, and for at least one of its calls no result stands where this target looks for it,
nor anywhere else in the history.  It is one diagnostic for each assistant turn, with all its unanswered IDs.
In `saved` mode a history may end in open calls (that is `pending-call`); a turn of which some calls are answered and
others are not is a warning there.

Why it hurts
------------
Every provider with IDs refuses the whole request, and will refuse it for ever, because the same history is sent again
with each turn.  Permissive servers answer, and the model makes the missing result up.

Fix
---
unsafe: a neutral placeholder result behind the call.  It says that the outcome is not known, never that the user
cancelled or that the tool succeeded.  There is no safe fix, as what the tool said is not in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety, Severity
from turnlint.pairing import CallState, usable
from turnlint.repair import InsertPlaceholder
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        open_calls = [c for c in exchange.calls if _is_open(pairing.call_states[c.number], context.mode)]
        if open_calls:
            yield _finding(open_calls, exchange, context)


def _is_open(state: CallState, mode: str) -> bool:
    if state is CallState.PENDING:
        return mode == "request"
    return state in (CallState.UNANSWERED, CallState.PARTIAL)


def _finding(calls: list[Call], exchange: Exchange, context: Context) -> Finding:
    first = calls[0]
    names = ", ".join(label(c) for c in calls[:4]) + (f" and {len(calls) - 4} more" if len(calls) > 4 else "")
    if len(calls) == 1:
        message = f"the call {names} has no result"
    else:
        message = f"{len(calls)} of {len(exchange.calls)} calls of this turn have no result: {names}"
    cause, evidence = _cause(calls, exchange, context)
    related = [(c.at, "this call has no result either") for c in calls[1:]]
    related += evidence
    partial = context.pairing.call_states[first.number] is CallState.PARTIAL
    return Finding(
        first.at,
        message,
        variant="custom" if first.custom else _variant(first),
        subject=first,
        cause=cause,
        related=tuple(related),
        fill={
            "ids": ", ".join(str(c.id) for c in calls if usable(c.id)),
            "id": str(first.id),
            "tool": str(first.name),
            "n": len(calls),
        },
        severity=Severity.WARNING if partial and context.mode == "saved" else None,
        help="store the result behind the call, or remove the call together with what depends on it",
        fix=Fix(
            "add a placeholder that says the outcome is unknown",
            Safety.UNSAFE,
            "what the tool answered is not in the history",
            tuple(InsertPlaceholder(c) for c in calls),
        ),
    )


def label(call: Call) -> str:
    """A call as a message names it: the tool and the ID, as far as they are there, cut short."""
    name = call.name if isinstance(call.name, str) and call.name else "of an unnamed tool"
    name = name if len(name) <= 60 else name[:59] + "…"
    return f"{name} ({call.id if len(call.id) <= 60 else call.id[:59] + '…'})" if usable(call.id) else name


def _variant(call: Call) -> str:
    return {"computer_call": "computer"}.get(call.type, "missing")


def _cause(calls: list[Call], exchange: Exchange, context: Context) -> tuple[str, list[tuple[Place, str]]]:
    """The likeliest reason, with the message that it is inferred from."""
    if len(calls) < len(exchange.calls):
        return "some results of the turn were lost, or one of the tools was interrupted", []
    after = exchange.after
    if after is None:
        return "the run was interrupted, or the history was cut behind the call", []
    if after.speaker == "assistant":
        return (
            "results were trimmed away, or an answer was stored without the results that led to it",
            [(after.at, "the next assistant message follows directly")],
        )
    return (
        "the user went on before the tool had answered, or its answer was never stored",
        [(after.at, "the conversation goes on here without a result")],
    )


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}

RULE = Rule(
    check,
    valid=(
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
            ],
            target="openai",
        ),
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
            target="anthropic",
        ),
    ),
    invalid=(
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                {"role": "user", "content": "Hello?"},
            ],
            target="openai",
            at="/1/tool_calls/0",
            says="did not have response messages: call_1",
        ),
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": "Hello?"},
            ],
            target="anthropic",
            at="/1/content/0",
            says="`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
        ),
    ),
)
