"""A call ID with characters or a length that the target refuses.

What it finds
-------------
The ID of a call, or of a result without one, that does not match the target's pattern or is too short or too long.
Call and result together are one diagnostic, at the call.

Why it hurts
------------
IDs travel: a history begun with one provider and sent on to another carries IDs that the second one refuses
(`functions.Bash:0`, `call_abc123` where nine characters are wanted).

Fix
---
safe: call and result get an ID made from the old one that the target takes, the same in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Call, Kind, Result, State
from turnlint.pairing import usable
from turnlint.repair import RenameId
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.identity.fresh import RULE as NAME
from turnlint_rules.identity.fresh import fresh_id, taken_ids
from turnlint_rules.limits import fits
from turnlint_rules.wording import fill_for, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.targets import Verdict


def check(context: Context) -> Iterator[Finding]:
    client = context.minds(NAME, "client")
    hosted = context.minds(NAME, "hosted")
    if client is not None and client.limits:
        yield from _client(client, context)
    if hosted is not None and hosted.limits:
        for call in context.transcript.calls():
            own = call.kind is Kind.HOSTED_CALL and not call.type.startswith("mcp")  # a foreign server's has other IDs
            if own and usable(call.id) and not fits(call.id, hosted):
                yield _finding(call, None, hosted, "hosted", None)


def _client(verdict: Verdict, context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    taken: set[str] | None = None
    for call in pairing.calls:
        if not usable(call.id) or fits(call.id, verdict):
            continue
        if taken is None:
            taken = taken_ids(context)
        result = pairing.partner_of_call[call.number]
        new = fresh_id(call, taken, context)
        yield _finding(call, result, verdict, "client", new)
    for result in pairing.results:
        partner = pairing.partner_of_result[result.number]
        if usable(result.id) and not fits(result.id, verdict) and (partner is None or partner.id != result.id):
            yield _finding(result, None, verdict, "client", None)


def _finding(part: Call | Result, result: Result | None, verdict: Verdict, variant: str, new: str | None) -> Finding:
    fix = None
    if isinstance(part, Call) and new is not None:
        fix = Fix(
            "give call and result an ID that the target takes",
            verbs=(RenameId(part, (result,) if result is not None else (), new),),
        )
    return Finding(
        part.id_at or part.at,
        f"the ID {short(part.id)} {_what(part.id, verdict)}",
        variant=variant,
        subject=part,
        cause="the history comes from another provider or server, whose IDs look different",
        related=((result.id_at or result.at, "its result carries it too"),) if result is not None else (),
        fill=fill_for(part, n=len(part.id)) if isinstance(part, Call) else fill_for(None, part, n=len(part.id)),
        help="give call and result another ID, the same on both",
        fix=fix,
    )


def _what(value: str, verdict: Verdict) -> str:
    minimum, maximum = verdict.limits.get("minimum"), verdict.limits.get("maximum")
    if isinstance(maximum, int) and len(value) > maximum:
        return f"has {len(value)} characters, and {maximum} are taken"
    if isinstance(minimum, int) and len(value) < minimum:
        return f"has {len(value)} characters, and {minimum} are wanted"
    return f"does not match {verdict.limits.get('pattern')}"


def _use(call_id: str) -> dict[str, object]:
    return {"type": "tool_use", "id": call_id, "name": "get_weather", "input": {"city": "Oslo"}}


def _answer(call_id: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": "4 C"}]}


def _chat(call_id: str) -> list[dict[str, object]]:
    call = {"id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    return [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": "4 C"},
    ]


_ASK = {"role": "user", "content": "Weather in Oslo?"}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": [_use("call_1")]}, _answer("call_1")], target="anthropic"),
        Example(_chat("a1B2c3D4e"), target="mistral", dialect="openai-chat"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_use("functions.weather:0")]}, _answer("functions.weather:0")],
            target="anthropic",
            at="/1/content/0/id",
            says="messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            fixed=[
                _ASK,
                {"role": "assistant", "content": [_use("functions_weather_0")]},
                _answer("functions_weather_0"),
            ],
        ),
        Example(
            _chat("call_abc123"),
            target="mistral",
            dialect="openai-chat",
            at="/1/tool_calls/0/id",
            says="Tool call id was call_abc123 but must be a-z, A-Z, 0-9, with a length of 9",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.PARTIAL_TAIL}),
)
