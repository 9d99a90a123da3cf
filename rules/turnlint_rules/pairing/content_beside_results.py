"""Anything beside results, for a target that wants them alone.

What it finds
-------------
A message that holds results and something else, on either side, for a target or model that refuses the mixture; and
a message that answers a turn in which a call of the provider's own is still open.

Why it hurts
------------
The request is refused, at times with a text that speaks of something else: an image beside results may be counted as
one more result, and a note beside them as the end of the turn in which the provider's call was running.

Fix
---
safe where the target takes two user messages in a row: what stands beside the results gets a message of its own
behind them.  unsafe where it does not: a message of the assistant that says that no answer was recorded comes in
between.  None while a call of the provider's own is open: it ends only with the next answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Call, Kind, Media, Result, Speaker, State
from turnlint.pairing import usable
from turnlint.repair import InsertMessage, SplitMessage
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import NO_ANSWER
from turnlint_rules.wording import fill_for, label, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part


def check(context: Context) -> Iterator[Finding]:
    open_before = open_hosted_calls(context)
    for message in context.transcript.messages:
        mixed = beside_results(message)
        if mixed is None:
            continue
        result, part = mixed
        hosted = open_before.get(message.index)
        kind = "media" if isinstance(part, Media) else "text"
        variant = ("open-hosted-call", kind) if hosted is not None else (kind,)
        if context.minds("content-beside-results", variant) is None:
            continue
        related = [(result.at, "a result in the same message")]
        if hosted is not None:
            related.append((hosted.at, "the provider's own call, which is still open"))
        yield Finding(
            part.at,
            "something stands beside the results of the turn"
            if hosted is None
            else f"something stands beside the results, while the provider's own call {label(hosted)} is still open",
            variant=variant,
            subject=part,
            cause="a note, an image or the user's next words were put into the message with the results",
            related=tuple(related),
            fill=fill_for(None, result)
            if hosted is None
            else {"id": printed(hosted.id), "ids": printed(hosted.id), "tool": printed(hosted.name), "n": 1},
            help="give it a message of its own behind the turn, or put it into the result",
            fix=_fix(message, context) if hosted is None else None,
        )


def _fix(message: Message, context: Context) -> Fix | None:
    if not context.native or context.pairing.policy.merge or message.speaker is Speaker.ASSISTANT:
        return None
    rest = tuple(p for p in message.parts if not isinstance(p, Result))
    split = SplitMessage(message, rest)
    if context.minds("consecutive-roles", "user") is None:
        return Fix("give it a message of its own", verbs=(split,))
    return Fix(
        "give it a message of its own, behind one that says that no answer was recorded",
        Safety.UNSAFE,
        "the assistant did not write that",
        (InsertMessage(Speaker.ASSISTANT, NO_ANSWER, message), split),
    )


def beside_results(message: Message) -> tuple[Result, Part] | None:
    """A client's result and the first part beside it."""
    result: Result | None = None
    other: Part | None = None
    for part in message.parts:
        if isinstance(part, Result):
            result = result or (None if part.hosted else part)
        elif part.kind is not Kind.CONTROL and not isinstance(part, Call):
            other = other or part
        if result is not None and other is not None:
            return result, other
    return None


def open_hosted_calls(context: Context) -> dict[int, Call]:
    """For messages that answer a turn with client calls: the hosted call of that turn that has no result yet."""
    found: dict[int, Call] = {}
    for exchange in context.pairing.exchanges:
        waiting: dict[str, Call] = {}
        for message in exchange.messages:
            for part in message.parts:
                if part.kind is Kind.HOSTED_CALL and isinstance(part, Call) and usable(part.id):
                    waiting[part.id] = part
                elif isinstance(part, Result) and part.hosted and usable(part.id):
                    waiting.pop(part.id, None)
        if waiting:
            for message in exchange.window:
                found[message.index] = next(iter(waiting.values()))
    return found


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_FETCH = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_fetch",
    "input": {"url": "https://example.com"},
}
_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
_NOTE = {"type": "text", "text": "And hurry."}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": [_FETCH, _USE]}
_ASK_GEMINI = {"role": "user", "parts": [{"text": "A picture, please."}]}
_TURN_GEMINI = {"role": "model", "parts": [{"functionCall": {"name": "screenshot", "args": {"page": 1}}}]}
_RESULT_GEMINI = {"functionResponse": {"name": "screenshot", "response": {"output": "done"}}}
_IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
_ASK_BEDROCK = {"role": "user", "content": [{"text": "Weather in Oslo?"}]}
_TURN_BEDROCK = {
    "role": "assistant",
    "content": [{"toolUse": {"toolUseId": "tooluse_1", "name": "get_weather", "input": {"city": "Oslo"}}}],
}
_RESULT_BEDROCK = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "4 C"}]}}
_NOTE_BEDROCK = {"text": "And hurry."}
_NO_ANSWER_BEDROCK = {"role": "assistant", "content": [{"text": NO_ANSWER}]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, {"role": "user", "content": [_RESULT]}], target="anthropic"),
        Example(
            [_ASK, {"role": "assistant", "content": [_USE]}, {"role": "user", "content": [_RESULT, _NOTE]}],
            target="anthropic",
            title="no call of the provider's own is open",
        ),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, {"role": "user", "content": [_RESULT, _NOTE]}],
            target="anthropic",
            at="/2/content/1",
            says="tool use with id `srvtoolu_1` was found without a corresponding `web_fetch_tool_result` block",
        ),
        Example(
            [_ASK_GEMINI, _TURN_GEMINI, {"role": "user", "parts": [_RESULT_GEMINI, _IMAGE]}],
            target="gemini",
            at="/2/parts/1",
            severity=Severity.WARNING,
            says="the number of function response parts is equal to the number of function call parts",
        ),
        Example(
            [_ASK_BEDROCK, _TURN_BEDROCK, {"role": "user", "content": [_RESULT_BEDROCK, _NOTE_BEDROCK]}],
            target="bedrock:meta.llama3-1-70b-instruct-v1:0",
            at="/2/content/1",
            fixed=[
                _ASK_BEDROCK,
                _TURN_BEDROCK,
                {"role": "user", "content": [_RESULT_BEDROCK]},
                _NO_ANSWER_BEDROCK,
                {"role": "user", "content": [_NOTE_BEDROCK]},
            ],
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES}),
)
