"""A tool call without its result where the target wants it.

What it finds
-------------
An assistant turn asks for tools, and for at least one of its calls no result stands where this target looks for it,
nor anywhere else in the history.  It is one diagnostic for each assistant turn, with all its unanswered IDs.
In `saved` mode a history may end in open calls (that is `pending-call`); a turn of which some calls are answered and
others are not is a warning there.  A call that the provider runs, or that has no ID or a doubled one, is told by the
rule for that; where nothing but the number of results is wrong, `result-count-mismatch` tells it.

Why it hurts
------------
Every provider with IDs refuses the whole request, and will refuse it for ever, because the same history is sent again
with each turn.  Permissive servers answer, and the model makes the missing result up.

Fix
---
unsafe: a neutral placeholder result behind the call.  It says that the outcome is not known, never that the user
cancelled or that the tool succeeded.  What the tool said is not in the history.
None for a call of OpenAI's own tools whose output must say more than a text can: a screenshot, how a command ended,
whether a patch was applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety, Severity
from turnlint.model import Speaker, State
from turnlint.pairing import CallState, usable
from turnlint.repair import InsertPlaceholder
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.arguments import broken
from turnlint_rules.calls.hosted_call_as_client import is_refused, reasons
from turnlint_rules.identity.fresh import tells_missing
from turnlint_rules.neutral import wants_results_alone
from turnlint_rules.pairing.flattened_result import flattened
from turnlint_rules.pairing.pending_call import ends_run, holds_out
from turnlint_rules.wording import beside, label, labels, printed, printed_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    counts = context.minds("result-count-mismatch") is not None
    no_ids = tells_missing("missing-call-id", context)
    hosted = reasons(context)
    for exchange in context.pairing.exchanges:
        calls = [
            c
            for c in exchange.calls
            if _is_open(c, context, counts=counts, no_ids=no_ids)
            and not (hosted(c) is not None and is_refused(c, context))
        ]
        if calls:
            yield _finding(calls, exchange, context)


def _is_open(call: Call, context: Context, *, counts: bool, no_ids: bool) -> bool:
    """Whether the call is this rule's; `counts`, `no_ids`: another rule speaks of wrong counts and of missing IDs."""
    state = context.pairing.call_states[call.number]
    if state is CallState.MISCOUNTED:
        return not counts
    if state is CallState.PENDING:
        wanted = context.mode == "request"
    elif state is CallState.PARTIAL:
        wanted = context.mode == "request" or not holds_out(call)
    else:
        wanted = state in (CallState.UNANSWERED, CallState.HOSTED)
    return wanted and not (no_ids and not usable(call.id) and context.pairing.policy.match == "id" and not call.legacy)


def _finding(calls: list[Call], exchange: Exchange, context: Context) -> Finding:
    first = calls[0]
    if len(calls) == 1:
        message = f"the call {label(first)} has no result"
    else:
        names = labels(calls)
        message = f"{len(calls)} of {len(exchange.calls)} calls of this turn have no result: {names}"
    cause, evidence = _cause(calls, exchange, context)
    states = {context.pairing.call_states[c.number] for c in calls}
    variant = (*_kind(first), *_at_end(states), "missing")
    verdict = context.minds("unanswered-call", variant)
    fill: dict[str, object] = {
        "ids": printed_ids(context.pairing.missed(exchange)),
        "id": printed(first.id),
        "tool": printed(first.name),
        "n": len(calls),
        "turn": context.view.behind(exchange.messages),
    }
    if verdict is not None and verdict.index == "result-message":
        fill["message"] = fill["turn"]
    return Finding(
        first.at,
        message,
        variant=variant,
        subject=first,
        cause=cause,
        related=(*beside(calls[1:], "this call has no result either"), *evidence),
        fill=fill,
        severity=Severity.WARNING if context.mode == "saved" and CallState.PARTIAL in states else None,
        help="store the result behind the call, or remove the call together with what depends on it",
        fix=Fix(
            "add a placeholder that says the outcome is unknown",
            Safety.UNSAFE,
            "what the tool answered is not in the history",
            tuple(InsertPlaceholder(c, alone=wants_results_alone(context)) for c in calls),
        ),
    )


def _at_end(states: set[CallState]) -> tuple[str, ...]:
    if CallState.PARTIAL in states:
        return ("partly-at-end",)
    return ("at-end",) if CallState.PENDING in states else ()


def _kind(call: Call) -> tuple[str, ...]:
    return tuple(kind for kind in ("computer", "custom") if call.type.startswith(kind))


def _cause(calls: list[Call], exchange: Exchange, context: Context) -> tuple[str, list[tuple[Place, str]]]:
    """The likeliest reason, with what it is inferred from."""
    first, after = calls[0], exchange.after
    text = flattened(exchange)
    if text is not None:
        return "the result was rewritten as plain text", [(text.at, "this text reads like the result")]
    if len(calls) == 1 and first.state is not None and first.state.startswith("approval"):
        return "the call was waiting for approval when the history was saved", []
    if len(calls) == 1 and ends_run(first):
        return "the tool ends the run, and nothing was stored as its answer", []
    if len(calls) == 1 and isinstance(first.arguments, str) and not first.custom and broken(first.arguments):
        return (
            "the arguments are no JSON object, so that the tool could not be run",
            [(first.arguments_at or first.at, "the arguments")],
        )
    if context.pairing.call_states[first.number] is CallState.HOSTED:
        return "the provider ran this tool itself, and the call was saved as one for the client", []
    if context.pairing.call_states[first.number] is CallState.MISCOUNTED or len(calls) < len(exchange.calls):
        return "some results of the turn were lost, or one of the tools was interrupted", []
    hosted = _hosted_tool(calls, context)
    if hosted is not None:
        return (
            "the provider runs this tool itself, and its call was saved as one for the client",
            [(hosted, "the tool is declared as the provider's own")],
        )
    if after is None:
        return "the run was interrupted, or the history was cut behind the call", []
    if after.speaker is Speaker.ASSISTANT:
        return (
            "results were trimmed away, or an answer was stored without the results that led to it",
            [(after.at, "the next assistant message follows directly")],
        )
    if after.speaker is Speaker.SYSTEM:
        return (
            "the run was interrupted, or the results were trimmed away",
            [(after.at, "a system message follows instead of a result")],
        )
    return (
        "the user went on before the tool had answered, or its answer was never stored",
        [(after.at, "the conversation goes on here without a result")],
    )


def _hosted_tool(calls: list[Call], context: Context) -> Place | None:
    """The declaration that makes the tool of these calls one that the provider runs."""
    names = {c.name for c in calls if usable(c.name)}
    for tool in context.transcript.tools or ():
        if tool.hosted and usable(tool.name) and tool.name in names:
            return tool.at
    return None


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
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
