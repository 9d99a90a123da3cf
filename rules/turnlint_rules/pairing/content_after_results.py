"""Parts behind the results in the same message, where that hurts.

What it finds
-------------
A text or another part that follows the results of a turn in one message.  Some models refuse that.  Where it is only
odd, it is told for the last message of a request alone: there the model answers to it, and may answer with nothing.

Why it hurts
------------
A model that reads a text behind the results as the next user turn, or learns that one always follows, may end its turn
without a word.  Some models answer with an error that speaks of something else.

Fix
---
safe where the target refuses it and takes two user messages in a row: what stands behind gets a message of its own.
Otherwise none: the text may be the user's own words, and where else it may stand hangs on the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Kind, Media, Result, State
from turnlint.repair import SplitMessage
from turnlint.rule import Context, Example, Finding, Rule
from turnlint.targets import Level
from turnlint_rules.wording import fill_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message, Part
    from turnlint.targets import Verdict


def check(context: Context) -> Iterator[Finding]:
    last = context.transcript.sent[-1:]
    for message in context.transcript.messages:
        found = _behind(message)
        if found is None:
            continue
        result, part = found
        variant = "media" if isinstance(part, Media) else "text"
        verdict = context.minds("content-after-results", variant)
        if verdict is None:
            continue
        if verdict.level == "odd" and (context.mode != "request" or message not in last):
            continue  # the model has answered to it already
        yield Finding(
            part.at,
            "something stands behind the results of the turn",
            variant=variant,
            subject=part,
            cause="a note or the user's next words were put into the message with the results",
            related=((result.at, "the last result before it"),),
            fill=fill_for(None, result),
            help="give it a message of its own, or leave it out where it says nothing new",
            fix=_fix(result, verdict, context),
        )


def _fix(last: Result, verdict: Verdict, context: Context) -> Fix | None:
    refused = verdict.level is Level.REJECTS and context.native and not context.pairing.policy.merge
    if not refused or context.minds("consecutive-roles", "user") is not None:
        return None
    message = last.message
    behind = message.parts[message.parts.index(last) + 1 :]
    rest = tuple(p for p in behind if not isinstance(p, Result))
    return Fix("give it a message of its own", verbs=(SplitMessage(message, rest),))


def _behind(message: Message) -> tuple[Result, Part] | None:
    """The first part that follows a client's result, and that result."""
    result: Result | None = None
    for part in message.parts:
        if isinstance(part, Result) and not part.hosted:
            result = part
        elif result is not None and part.kind is not Kind.CONTROL and (part.kind is not Kind.TEXT or part.text):
            return result, part
    return None


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
_NOTE = {"type": "text", "text": "Here is the result."}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": [_USE]}
_ANSWER = {"role": "assistant", "content": "It is 4 C."}
_ASK_GEMINI = {"role": "user", "parts": [{"text": "Weather in Oslo?"}]}
_TURN_GEMINI = {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]}
_RESULT_GEMINI = {"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, {"role": "user", "content": [_RESULT]}], target="anthropic"),
        Example(
            [_ASK, _TURN, {"role": "user", "content": [_RESULT, _NOTE]}, _ANSWER, _ASK],
            target="anthropic",
            title="answered already",
        ),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, {"role": "user", "content": [_RESULT, _NOTE]}],
            target="anthropic",
            at="/2/content/1",
            severity=Severity.INFO,
        ),
        Example(
            [_ASK_GEMINI, _TURN_GEMINI, {"role": "user", "parts": [_RESULT_GEMINI, {"text": "Now answer."}]}],
            target="gemini:gemini-3.8-flash",
            at="/2/parts/1",
            says="Requests ending with a model turn are not supported",
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES}),
    consequence_of=("content-beside-results",),
)
