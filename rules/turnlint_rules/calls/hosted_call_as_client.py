"""A call that the provider runs, saved as one that the client runs.

What it finds
-------------
A call among the client's calls whose ID is one that the provider gives to its own tools (`srvtoolu_…`), or whose name
the request declares only as a tool that the provider runs.

Why it hurts
------------
The provider ran the tool itself and answered in the same turn.  As a client's call it has no result, so that the
history is refused for an unanswered call, or the agent tries to run a tool that it does not have.

Fix
---
None: the provider's own result has to be restored with the call, in the shape in which it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.pairing import usable
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    verdict = context.minds("hosted-call-as-client")
    if verdict is None:
        return
    starts = verdict.limits.get("values")
    prefixes = starts if isinstance(starts, tuple) else ()
    tools = context.transcript.tools or []
    clients = {t.name for t in tools if not t.hosted and isinstance(t.name, str)}
    hosted = {t.name for t in tools if t.hosted and isinstance(t.name, str)} - clients
    for call in context.pairing.calls:
        if usable(call.id) and prefixes and call.id.startswith(prefixes):
            yield _finding(call, f"its ID {brief(call.id)} is one of the provider's own")
        elif isinstance(call.name, str) and call.name in hosted:
            yield _finding(call, "the request declares it as a tool that the provider runs")


def _finding(call: Call, reason: str) -> Finding:
    return Finding(
        call.at,
        f"the provider runs {brief(call.name)}, and it is saved as a call for the client: {reason}",
        subject=call,
        cause="a converter took every call of the answer for one of the client's",
        fill={"id": str(call.id), "tool": str(call.name)},
        help="keep the provider's calls and their results as they came",
    )


_ASK = {"role": "user", "content": "Any news?"}
_SEARCH = {"type": "web_search_20250305", "name": "web_search"}
_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def _use(kind: str, call_id: str) -> dict[str, object]:
    return {"type": kind, "id": call_id, "name": "web_search", "input": {"query": "news"}}


def _body(*blocks: object) -> dict[str, object]:
    return {"tools": [_SEARCH], "messages": [_ASK, {"role": "assistant", "content": list(blocks)}]}


RULE = Rule(
    check,
    valid=(
        Example(_body(_use("server_tool_use", "srvtoolu_1"), _RESULT), target="anthropic", mode="saved"),
        Example(
            [
                _ASK,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "call_1", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}
                    ],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": "none"},
            ],
            target="openai",
        ),
    ),
    invalid=(
        Example(
            _body(_use("tool_use", "srvtoolu_1")),
            target="anthropic",
            mode="saved",
            at="/messages/1/content/0",
            severity=Severity.WARNING,
            title="the provider's ID",
        ),
        Example(
            _body(_use("tool_use", "toolu_1")),
            target="anthropic",
            mode="saved",
            at="/messages/1/content/0",
            severity=Severity.WARNING,
            title="declared as the provider's",
        ),
    ),
)
