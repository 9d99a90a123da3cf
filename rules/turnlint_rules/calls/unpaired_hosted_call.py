"""A call that the provider runs, or its result, without its other half.

What it finds
-------------
A call of a tool that the provider runs (web search, code execution, MCP) that has no result although the conversation
went on, or a result whose call does not stand before it.  A turn that was paused may end in an open call, and a turn
that also calls the client's tools stays open until these are answered.

Why it hurts
------------
The request is refused: the provider put both halves into one answer and wants both back.  It happens when an answer
is stored without its results, or when blocks of unknown types are filtered out.

Fix
---
unsafe: the half that is left is taken out.  What the model wrote after it may rest on what is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Speaker
from turnlint.pairing import hosted_pairs, usable
from turnlint.repair import Remove
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.pairing.content_beside_results import beside_results, open_hosted_calls
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message, Result


def check(context: Context) -> Iterator[Finding]:
    waiting, stray = hosted_pairs(context.transcript)
    closed = _went_on(context) if waiting else None
    if closed is not None:
        told = _told_beside_results(context)
        for call in waiting:
            if call.message.index < closed.index and call not in told:
                yield _unanswered(call, closed)
    clients = {c.id for c in context.pairing.calls if usable(c.id)} if stray else set()
    for result in stray:
        if result.id not in clients:  # else its call is there, saved as one of the client's
            yield _orphan(result)


def _told_beside_results(context: Context) -> set[Call]:
    """Calls that wait for the client's results: what else stands beside these is what the target minds."""
    if context.minds("content-beside-results", "open-hosted-call") is None:
        return set()
    found = open_hosted_calls(context)
    return {found[m.index] for m in context.transcript.messages if m.index in found and beside_results(m) is not None}


def _went_on(context: Context) -> Message | None:
    """The last message in which the user said something new: what was open before it is closed by it."""
    for message in reversed(context.transcript.messages):
        if message.speaker is Speaker.USER and not message.only_results and message.parts:
            return message
    return None


def _variants(part: Call | Result, plain: str) -> tuple[str, ...]:
    if "approval" in part.type:
        return ("approval",)
    return ("mcp",) if part.type.startswith("mcp") else (plain,)


def _unanswered(call: Call, closed: Message) -> Finding:
    name = brief(call.name) if isinstance(call.name, str) else brief(call.type)
    return Finding(
        call.at,
        f"the provider's call of {name} has no result, and the conversation goes on",
        variant=_variants(call, "unanswered"),
        subject=call,
        cause="the answer was cut off, or its result blocks were filtered out",
        related=((closed.at, "the user goes on here"),),
        fill={"id": printed(call.id), "tool": name, "n": name},
        help="store the provider's answer whole",
        fix=_removal(call),
    )


def _orphan(result: Result) -> Finding:
    name = result.type.removesuffix("_tool_result").removesuffix("_result")
    return Finding(
        result.at,
        f"the result of a tool that the provider ran ({brief(result.id)}) has no call in front of it",
        variant=_variants(result, "orphan"),
        subject=result,
        cause="the provider's call was filtered out, or the head of the turn was trimmed",
        fill={"id": printed(result.id), "tool": name, "n": name},
        help="store the provider's answer whole",
        fix=_removal(result),
    )


def _removal(part: Call | Result) -> Fix:
    what = "call" if part.kind is Kind.HOSTED_CALL else "result"
    return Fix(f"take the {what} out", Safety.UNSAFE, "what follows may rest on what is lost", (Remove(part),))


_ASK = {"role": "user", "content": "Any news?"}
_NEXT = {"role": "user", "content": "Go on"}
_CALL = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "news"}}
_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, {"role": "assistant", "content": [_CALL, _RESULT]}, _NEXT], target="anthropic"),
        Example([_ASK, {"role": "assistant", "content": [_CALL]}], target="anthropic", title="a paused turn"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": [_CALL]}, _NEXT],
            target="anthropic",
            at="/1/content/0",
            says="`web_search` tool use with id `srvtoolu_1` was found without a corresponding",
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [_RESULT]}, _NEXT],
            target="anthropic",
            at="/1/content/0",
            says="unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1",
        ),
    ),
)
