"""A call that the provider runs, saved as one that the client runs.

What it finds
-------------
A call among the client's calls whose ID is one that the provider gives to its own tools (`srvtoolu_…`), that a result
of the provider answers, or whose name the request declares only as a tool that the provider runs.

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
from turnlint.pairing import CallState, usable
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, fill_for, tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnlint.model import Call

NAME = "hosted-call-as-client"
#: How the types of tools begin that a provider defines and the client runs.
CLIENT_RUN = ("bash_", "text_editor_", "computer_", "memory_")


def check(context: Context) -> Iterator[Finding]:
    told = reasons(context)
    for call in context.pairing.calls:
        reason = told(call)
        if reason is not None:
            yield _finding(call, reason, context)


def reasons(context: Context) -> Callable[[Call], str | None]:
    """What tells that a call is one of the provider's own, as a question that each call can be asked."""
    verdict = context.minds(NAME, ("unanswered", "answered"))
    starts = verdict.limits.get("values") if verdict is not None else None
    prefixes = starts if isinstance(starts, tuple) else ()
    tools = context.transcript.tools or []
    clients = {t.name for t in tools if not t.hosted and isinstance(t.name, str)}
    hosted = {t.name for t in tools if t.hosted and isinstance(t.name, str) and not t.type.startswith(CLIENT_RUN)}
    hosted -= clients
    states = context.pairing.call_states

    def reason(call: Call) -> str | None:
        if verdict is None:
            return None
        if usable(call.id) and prefixes and call.id.startswith(prefixes):
            return f"its ID {brief(call.id)} is one of the provider's own"
        if states[call.number] is CallState.HOSTED:
            return "the provider's own result answers it"
        if isinstance(call.name, str) and call.name in hosted and not _of_its_own_type(call):
            return "the request declares it as a tool that the provider runs"
        return None

    return reason


def _of_its_own_type(call: Call) -> bool:
    """Whether the wire has a type of its own for such calls, which tells that the client runs them."""
    return call.type.endswith("_call") and call.type not in ("function_call", "tool_call")


def is_refused(call: Call, context: Context) -> bool:
    """Whether the target finds this call of its own unanswered, and refuses the history for it."""
    verdict = context.minds(NAME, _variant(call, context))
    return verdict is not None and verdict.level == "rejects"


def _variant(call: Call, context: Context) -> tuple[str, ...]:
    state = context.pairing.call_states[call.number]
    lost = state in (CallState.UNANSWERED, CallState.PARTIAL, CallState.HOSTED) or (
        state is CallState.PENDING and context.mode == "request"
    )
    return ("unanswered", "answered") if lost else ("answered",)


def _finding(call: Call, reason: str, context: Context) -> Finding:
    return Finding(
        call.at,
        f"the provider runs {tool_name(call)}, and it is saved as a call for the client: {reason}",
        variant=_variant(call, context),
        subject=call,
        cause="a converter took every call of the answer for one of the client's",
        fill=fill_for(call),
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
        Example(
            {
                "tools": [{"type": "bash_20250124", "name": "bash"}],
                "messages": [
                    _ASK,
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}}],
                    },
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]},
                ],
            },
            target="anthropic",
            title="defined by the provider, and run by the client",
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
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_use("tool_use", "srvtoolu_1"), _RESULT]},
                {"role": "user", "content": "Go on."},
            ],
            target="anthropic",
            at="/1/content/0",
            says="`tool_use` ids were found without `tool_result` blocks immediately after: srvtoolu_1",
            title="its result is there, as the provider's",
        ),
    ),
)
