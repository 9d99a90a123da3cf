"""Another number of results than of calls, where no ID says which is missing or too many.

What it finds
-------------
A turn with calls whose results stand where they must, and are fewer or more than the calls.  It speaks only where
calls and results carry no IDs; where they do, `unanswered-call` and `orphan-result` name the very ones.

Why it hurts
------------
A target that pairs by place can only count.  It refuses the request, or binds results to the wrong calls.

Fix
---
unsafe: placeholders that say the outcome is unknown for the calls that are left over, or the results that are left
over kept as text.  The real results are not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import State
from turnlint.pairing import CallState, ResultState
from turnlint.repair import InsertPlaceholder, ResultAsText
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import wants_results_alone
from turnlint_rules.wording import beside, label, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Result
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        missing = [c for c in exchange.calls if pairing.call_states[c.number] is CallState.MISCOUNTED]
        extra = [r for r in exchange.results if pairing.result_states[r.number] is ResultState.MISCOUNTED]
        if missing:
            yield _too_few(exchange, missing, context)
        elif extra:
            yield _too_many(exchange, extra)


def _sum(exchange: Exchange) -> str:
    calls, results = len(exchange.calls), len(exchange.results)
    return f"{calls} call{'s' * (calls != 1)} and {results} result{'s' * (results != 1)}"


def _too_few(exchange: Exchange, missing: list[Call], context: Context) -> Finding:
    place = exchange.results[0].message
    return Finding(
        place.at,
        f"the turn has {_sum(exchange)}: {label(missing[0])} is left over"
        + (f", and {len(missing) - 1} more" if len(missing) > 1 else ""),
        subject=place,
        cause="a result was lost, or one of the tools was interrupted",
        related=beside(missing, "no result is left for this call"),
        fill={"n": len(missing), "tool": tool_name(missing[0])},
        severity=Severity.WARNING if context.mode == "saved" and exchange.tail else None,
        help="store one result for each call, in the order of the calls",
        fix=Fix(
            "add placeholders that say the outcome is unknown",
            Safety.UNSAFE,
            "what the tool answered is not in the history, and only place tells which call is left over",
            tuple(InsertPlaceholder(c, alone=wants_results_alone(context)) for c in missing),
        ),
    )


def _too_many(exchange: Exchange, extra: list[Result]) -> Finding:
    return Finding(
        extra[0].at,
        f"the turn has {_sum(exchange)}",
        subject=extra[0],
        cause="a result was stored twice, or its call was lost",
        related=((exchange.calls[0].at, "the turn that makes the calls"), *beside(extra[1:], "one more")),
        fill={"n": len(extra), "tool": tool_name(extra[0])},
        help="keep one result for each call",
        fix=Fix(
            "keep what is too many as plain text",
            Safety.UNSAFE,
            "only place tells which result is too many",
            tuple(ResultAsText(r) for r in extra),
        ),
    )


def _fc(city: str) -> dict[str, object]:
    return {"functionCall": {"name": "get_weather", "args": {"city": city}}}


def _fr(text: str) -> dict[str, object]:
    return {"functionResponse": {"name": "get_weather", "response": {"output": text}}}


_ASK = {"role": "user", "parts": [{"text": "Weather in Oslo and Rome?"}]}
_BOTH = {"role": "model", "parts": [_fc("Oslo"), _fc("Rome")]}
_ONE = {"role": "model", "parts": [_fc("Oslo")]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _BOTH, {"role": "user", "parts": [_fr("4 C"), _fr("21 C")]}], target="gemini"),
        Example([_ASK, _ONE, {"role": "user", "parts": [_fr("4 C")]}], target="gemini"),
    ),
    invalid=(
        Example(
            [_ASK, _BOTH, {"role": "user", "parts": [_fr("4 C")]}],
            target="gemini",
            at="/2",
            says="the number of function response parts is equal to the number of function call parts",
        ),
        Example(
            [_ASK, _ONE, {"role": "user", "parts": [_fr("4 C"), _fr("21 C")]}],
            target="gemini",
            at="/2/parts/1/functionResponse",
            says="the number of function response parts is equal to the number of function call parts",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES, State.REDACTED}),
)
