"""Calls and results in the history, and no tools in the request.

What it finds
-------------
A request body whose history holds calls or results of the client's tools while the request declares no tools at all,
for targets that want them declared (Anthropic, Bedrock Converse).  Also a turn that goes on in the middle of a call
that the provider runs, when the request no longer declares that tool.  A bare list of messages says nothing about
tools and is passed over.

Why it hurts
------------
The request is refused as a whole.  It happens when an agent is switched, when a server of tools is gone, and when a
history with tools is sent to a step that only summarises.

Fix
---
unsafe: the client's tools that were called are declared with any arguments, and with a choice of none where the API
knows one, as the request offered none.  Better send the tools again as they were.  None for a tool that the provider
runs: how it was set up is not in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Call, Kind
from turnlint.pairing import hosted_pairs
from turnlint.repair import DeclareTools
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, listed, printed, several

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    if not transcript.is_body:
        return
    if not transcript.tools:
        uses = [p for m in transcript.messages for p in m.parts if p.kind in (Kind.CALL, Kind.RESULT)]
        if uses:
            names = dict.fromkeys(c.name for c in context.pairing.calls if isinstance(c.name, str))
            called = f" ({listed(names)})" if names else ""
            yield Finding(
                uses[0].at,
                f"the history holds {several(len(uses), 'call or result', 'calls and results')} of tools{called}, "
                "and the request declares no tools",
                variant="client",
                subject=uses[0],
                cause="the tools were left out for this step, or their server is gone",
                related=((transcript.tools_at, "the list is empty"),) if transcript.tools_at is not None else (),
                fill={"tool": brief(next(iter(names), "")), "n": len(uses)},
                help="send the tools that the history uses; a tool choice of none keeps the model from calling them",
                fix=_declare(names),
            )
    yield from _open_hosted(context)


def _declare(names: Iterable[str]) -> Fix | None:
    known = tuple(name for name in names if name.strip())
    if not known:
        return None
    title = "declare the tools that were called, with any arguments"
    return Fix(title, Safety.UNSAFE, "how the tools were declared is not known", (DeclareTools(known),))


def _open_hosted(context: Context) -> Iterator[Finding]:
    """A call run by the provider that is still open in the last assistant turn, and its tool is not declared."""
    transcript = context.transcript
    declared = {t.name for t in transcript.tools or () if isinstance(t.name, str)}
    turn = context.pairing.turns[-1] if context.pairing.turns else None
    if turn is None:
        return
    waiting, _ = hosted_pairs(transcript)
    last = {id(m) for m in turn.messages}
    for call in waiting:
        if id(call.message) in last and isinstance(call.name, str) and call.name not in declared and _named(call):
            yield Finding(
                call.at,
                f"the turn goes on in the middle of {brief(call.name)}, which the request does not declare",
                variant="hosted",
                subject=call,
                fill={"tool": call.name, "id": printed(call.id)},
                help="send the same tools with which the turn began",
            )


def _named(call: Call) -> bool:
    """Whether the provider's tool goes by its name: calls to a server of tools do not."""
    return not call.type.startswith("mcp")


_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_MESSAGES = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": [_USE]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}]},
]
_TOOL = {"name": "get_weather", "input_schema": {"type": "object"}}
_FETCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {"url": "https://example.com"}}

RULE = Rule(
    check,
    valid=(
        Example({"messages": _MESSAGES, "tools": [_TOOL]}, target="anthropic"),
        Example(_MESSAGES, target="anthropic", title="a bare list says nothing of tools"),
    ),
    invalid=(
        Example(
            {"messages": _MESSAGES, "tools": []},
            target="anthropic",
            at="/messages/1/content/0",
            says="must define tools",
        ),
        Example(
            {"messages": [_MESSAGES[0], {"role": "assistant", "content": [_FETCH]}], "tools": [_TOOL]},
            target="anthropic",
            at="/messages/1/content/0",
            says="but no `web_fetch` tool was provided",
        ),
    ),
)
