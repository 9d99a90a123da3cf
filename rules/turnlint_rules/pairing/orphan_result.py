"""A result whose call is not in the turn before it, nor anywhere else in the history.

What it finds
-------------
A tool result that no call of the history answers to.  Neighbouring orphans that come from one trimmed turn are one
diagnostic.  A lone result beside a lone open call with another ID is this rule too, with the cause "ID changed": the
real result is there, and only its link is wrong.

Why it hurts
------------
Providers refuse the request.  It happens when a history is trimmed from its head between a call and its result, when
an assistant turn is rebuilt from its text alone, or when an ID is made anew on the way.

Fix
---
safe where one lone call stands beside it, or where both IDs are one but for their odd characters: the result gets that
call's ID.  unsafe where several calls and results of a turn have lost their links, and only order tells which is whose.
Otherwise unsafe: the orphan is kept as plain text in its place, with the pictures and files in it as they are, as its
call cannot be brought back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety
from turnlint.model import Call, Kind, Speaker, State
from turnlint.pairing import CallState, ResultState, kin, usable
from turnlint.repair import Relink, ResultAsText
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import tells_missing
from turnlint_rules.wording import beside, fill_for, label, listed, printed, printed_ids, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.model import Message, Result
    from turnlint.pairing import Exchange


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    counts = context.minds("result-count-mismatch") is not None
    no_ids = tells_missing("missing-result-id", context) and pairing.policy.match == "id"
    before = _speech_before(context)
    windows: dict[int, Exchange] = {}
    for exchange in pairing.exchanges:
        windows.update(dict.fromkeys((r.number for r in exchange.results), exchange))
    changed = _changed_by_turn(context)
    run: list[Result] = []
    for result in pairing.results:
        state = pairing.result_states[result.number]
        if state is ResultState.MISLINKED:
            call = pairing.partner_of_result[result.number]
            assert call is not None
            turn = pairing.exchange_of_call[call.number]
            yield _mislinked(result, call, lone=turn is None or changed[turn.calls[0].number] == 1)
        elif state is ResultState.ORPHAN or (state is ResultState.MISCOUNTED and not counts):
            if no_ids and not usable(result.id) and not result.legacy:
                continue  # the missing ID is told first
            if run and before[_position(run[0], context)] != before[_position(result, context)]:
                yield _orphans(run, before[_position(run[0], context)], windows, context)
                run = []
            run.append(result)
    if run:
        yield _orphans(run, before[_position(run[0], context)], windows, context)


def _position(result: Result, context: Context) -> int:
    return context.pairing.position_of[result.message.index]


def _speech_before(context: Context) -> list[int]:
    """For each message the position of the nearest one before it that holds anything but results, or -1."""
    found, last = [], -1
    for position, message in enumerate(context.transcript.messages):
        found.append(last)
        if not message.only_results:
            last = position
    return found


# -- the ID was changed


def _changed_by_turn(context: Context) -> dict[int, int]:
    """How many links of each turn were changed, by the number of its first call."""
    pairing = context.pairing
    counts: dict[int, int] = {}
    for call in pairing.calls:
        exchange = pairing.exchange_of_call[call.number]
        if exchange is not None and pairing.call_states[call.number] is CallState.MISLINKED:
            first = exchange.calls[0].number
            counts[first] = counts.get(first, 0) + 1
    return counts


def _mislinked(result: Result, call: Call, *, lone: bool) -> Finding:
    sure, cause = _change(result, call, lone=lone or (usable(call.name) and call.name == result.name))
    return Finding(
        result.id_at or result.at,
        f"the result is linked to {short(result.id)}, and the open call beside it is {label(call)}",
        variant="unknown-id",
        subject=result,
        cause=cause,
        related=((call.at, "the call that is left without a result"),),
        fill={**fill_for(call, result), "ids": printed(call.id)},
        help="give the result the ID of its call",
        fix=Fix(
            "link the result to the call beside it",
            Safety.SAFE if sure else Safety.UNSAFE,
            None if sure else "several calls are open, and only the order of the results tells which is whose",
            (Relink(result, call),),
        ),
    )


def _change(result: Result, call: Call, *, lone: bool) -> tuple[bool, str]:
    """Whether the link is beyond doubt, and what probably happened to the ID."""
    given, wanted = str(result.id), str(call.id)
    if call.message.item and call.message.id == result.id:
        return True, "the result names the item that holds the call instead of the call"
    if kin(given) == kin(wanted) != "":
        return True, "the ID was rewritten on one side only: its odd characters were replaced"
    if len(given) >= 4 and wanted.startswith(given):
        return lone, "the ID was cut short on one side"
    if len(wanted) >= 4 and given.startswith(wanted):
        return lone, "the ID was lengthened, or two IDs were joined, on one side"
    return lone, "the ID was changed on the way: call and result stand side by side, each without its other half"


# -- the call is gone

_SUMMARY = re.compile(r"summar|compact|condens|earlier conversation|previous conversation", re.IGNORECASE)
_CALL_TEXT = re.compile(
    r"\s*[\[(<*`]*\s*(?:call(?:ed|ing)?|us(?:ed|ing)|tool[ _-]?(?:call|use)|function[ _-]?call)\b", re.IGNORECASE
)


def _orphans(run: list[Result], before_at: int, windows: Mapping[int, Exchange], context: Context) -> Finding:
    first = run[0]
    before = context.transcript.messages[before_at] if before_at >= 0 else None
    if len(run) == 1:
        message = f"the result for {short(first.id)} has no call" if usable(first.id) else "the result has no call"
    else:
        names = listed([short(r.id) for r in run if usable(r.id)])
        message = f"{len(run)} results in a row have no call" + (f": {names}" if names else "")
    cause, evidence = _cause(first, before, context)
    return Finding(
        first.at,
        message,
        variant=_variant(before, windows.get(first.number)),
        subject=first,
        cause=cause,
        related=(*beside(run[1:], "this result has no call either"), *evidence),
        fill={**fill_for(None, first, n=len(run)), "ids": printed_ids(run)},
        help="restore the assistant turn that made the call, or remove the result",
        fix=Fix(
            "keep the result as plain text" if len(run) == 1 else "keep the results as plain text",
            Safety.UNSAFE,
            "the call it answers is not in the history",
            tuple(ResultAsText(r) for r in run),
        ),
    )


def _variant(before: Message | None, exchange: Exchange | None) -> tuple[str, ...]:
    """`exchange` is the one in whose window the orphan stands."""
    if before is not None and before.speaker is Speaker.SYSTEM:
        return ("after-system", "no-call-turn")
    if before is None or before.speaker is Speaker.USER or not before.calls:
        return ("no-call-turn",)
    if exchange is None or len(exchange.results) > len(exchange.calls):
        return ("too-many", "unknown-id")
    return ("unknown-id",)


def _cause(first: Result, before: Message | None, context: Context) -> tuple[str, list[tuple[Place, str]]]:
    hosted = _hosted_call(first, context) if usable(first.id) else None
    if hosted is not None:
        return (
            "the provider runs this call itself, and its result was saved as one of the client",
            [(hosted.at, "the call, which is the provider's own")],
        )
    if before is None or (before.speaker is Speaker.SYSTEM and context.pairing.position_of[before.index] == 0):
        return "the head of the history was trimmed away between the call and its result", []
    if _SUMMARY.search(before.text[:400]):
        return (
            "the assistant turn with the call was summarised away, and its result was kept",
            [(before.at, "this reads like a summary of what was there")],
        )
    if before.speaker is not Speaker.ASSISTANT and not before.calls:
        return (
            "the assistant turn with the call was trimmed away",
            [(before.at, "what stands before it makes no call")],
        )
    if before.calls:
        return (
            "the result belongs to another conversation or to a call that was removed from this turn",
            [(before.at, "the turn before, which does not make this call")],
        )
    if _CALL_TEXT.match(before.text[:200]):
        return "the call was rewritten as plain text", [(before.at, "this text reads like the call")]
    if not before.text.strip():
        return (
            "the assistant turn was stored without its calls",
            [(before.at, "the turn before is empty")],
        )
    return (
        "the assistant turn was rebuilt from its text, and its calls were lost",
        [(before.at, "the turn before, which makes no call")],
    )


def _hosted_call(result: Result, context: Context) -> Call | None:
    """The provider's own call of this ID in the messages before the result."""
    position = _position(result, context)
    for message in context.transcript.messages[max(0, position - 4) : position]:
        for part in message.parts:
            if part.kind is Kind.HOSTED_CALL and isinstance(part, Call) and part.id == result.id:
                return part
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
                {"role": "system", "content": "You look things up."},
                {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
                {"role": "assistant", "content": "It is 4 C."},
                {"role": "user", "content": "And tomorrow?"},
            ],
            target="openai",
            at="/1",
            says="messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
            title="the head was trimmed",
        ),
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "4 C"}]},
            ],
            target="anthropic",
            at="/2/content/0/tool_use_id",
            says="unexpected `tool_use_id` found in `tool_result` blocks: toolu_9",
            title="the ID was changed",
            fixed=[
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
            ],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_TAIL, State.TRUNCATED_VALUES, State.REDACTED}),
)
