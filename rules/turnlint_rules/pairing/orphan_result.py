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
safe where one lone call stands beside it: the result gets that call's ID.  Otherwise unsafe: the orphan is kept as
plain text in its place, as its call cannot be brought back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety
from turnlint.model import Speaker, State
from turnlint.pairing import ResultState, usable
from turnlint.repair import Relink, ResultAsText
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message, Result


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    run: list[Result] = []
    for result in pairing.results:
        state = pairing.result_states[result.number]
        if state is ResultState.MISLINKED:
            call = pairing.partner_of_result[result.number]
            assert call is not None
            yield _mislinked(result, call)
        elif state is ResultState.ORPHAN:
            if run and not _neighbours(run[-1], result):
                yield _orphans(run, context)
                run = []
            run.append(result)
    if run:
        yield _orphans(run, context)


def _neighbours(one: Result, other: Result) -> bool:
    """Whether two orphans stand so close that they come from one turn."""
    if one.message is other.message:
        return True
    return other.message.index == one.message.index + 1 and one.message.only_results and other.message.only_results


def _mislinked(result: Result, call: Call) -> Finding:
    return Finding(
        result.at,
        f"the result is linked to {short(result.id)}, and the only open call beside it is {short(call.id)}",
        variant="unknown-id",
        subject=result,
        cause="the ID was changed on the way: one lone call and one lone result stand side by side",
        related=((call.at, "the call that is left without a result"),),
        fill={"id": str(result.id), "ids": str(call.id), "tool": str(call.name), "n": 1},
        help="give the result the ID of its call",
        fix=Fix("link the result to the call beside it", Safety.SAFE, None, (Relink(result, call),)),
    )


def short(value: object) -> str:
    """An ID as a message shows it, cut short."""
    if not usable(value):
        return "no ID"
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _orphans(run: list[Result], context: Context) -> Finding:
    first = run[0]
    before = _message_before(first, context)
    after_calls = before is not None and bool(before.calls)
    ids = ", ".join(short(r.id) for r in run if usable(r.id))
    if len(run) == 1:
        message = f"the result for {short(first.id)} has no call"
    else:
        message = f"{len(run)} results in a row have no call: {ids or 'without IDs'}"
    related: list[tuple[Place, str]] = [(r.at, "this result has no call either") for r in run[1:]]
    if before is None:
        cause = "the head of the history was trimmed away between the call and its result"
    elif after_calls:
        cause = "the result belongs to another conversation or to a call that was removed from this turn"
        related.append((before.at, "the turn before, which does not make this call"))
    elif before.speaker is Speaker.ASSISTANT:
        cause = "the assistant turn was rebuilt from its text, and its calls were lost"
        related.append((before.at, "the turn before, which makes no call"))
    else:
        cause = "the assistant turn with the call was trimmed or summarised away"
        related.append((before.at, "what stands before it makes no call"))
    return Finding(
        first.at,
        message,
        variant="unknown-id" if after_calls else "no-call-turn",
        subject=first,
        cause=cause,
        related=tuple(related),
        fill={"id": str(first.id), "ids": ids, "tool": str(first.name), "n": len(run)},
        help="restore the assistant turn that made the call, or remove the result",
        fix=Fix(
            "keep the result as plain text" if len(run) == 1 else "keep the results as plain text",
            Safety.UNSAFE,
            "the call it answers is not in the history",
            tuple(ResultAsText(r) for r in run),
        ),
    )


def _message_before(result: Result, context: Context) -> Message | None:
    """The nearest message before the result's that holds anything but results."""
    position = result.message.index
    for message in reversed(context.transcript.messages[: min(position, len(context.transcript.messages))]):
        if message.index < position and not message.only_results:
            return message if message.speaker is not Speaker.SYSTEM else None
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
            at="/2/content/0",
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
