"""A tool list without tools, or a tool choice without a tool list.

What it finds
-------------
A request with `tools: []`, and one with `tool_choice` or `parallel_tool_calls` where no tools are declared.

Why it hurts
------------
The request is refused.  It happens when code filters its tools down to none, or leaves the tools out for one step and
keeps the settings that go with them.

Fix
---
safe: the member is taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Safety
from turnlint.repair import RemoveKey
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    transcript = context.transcript
    tools = transcript.tools
    if tools:
        return
    if tools is not None and transcript.tools_at is not None:
        yield _finding(transcript.tools_at, "the list of tools is empty", "list")
    request = request_of(transcript)
    if request.tool_choice_at is not None:
        demands = request.tool_choice not in ("auto", "none")
        yield _finding(
            request.tool_choice_at,
            "a tool is chosen, and no tools are declared",
            ("forced-choice", "choice") if demands else "choice",
        )
    if request.parallel_at is not None:
        yield _finding(request.parallel_at, "parallel calls are set, and no tools are declared", ("parallel", "choice"))


def _finding(at: Place, message: str, variant: str | tuple[str, ...]) -> Finding:
    whole = at.path[-2:-1] == ("toolConfig",)  # Bedrock: the tools are all that it must hold
    return Finding(
        at,
        message,
        variant=variant,
        fix=Fix("leave it out", Safety.SAFE, None, (RemoveKey(Place(at.path[:-1], at.document) if whole else at),)),
        help="leave out what belongs to tools when there are none",
    )


_ASK = [{"role": "user", "content": "What time is it?"}]
_TOOL = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}

RULE = Rule(
    check,
    valid=(
        Example({"model": "gpt-4o", "messages": _ASK, "tools": [_TOOL], "tool_choice": "auto"}, target="openai"),
        Example({"model": "gpt-4o", "messages": _ASK}, target="openai"),
    ),
    invalid=(
        Example(
            {"model": "gpt-4o", "messages": _ASK, "tools": []},
            target="openai",
            at="/tools",
            says="Invalid 'tools': empty array",
            fixed={"model": "gpt-4o", "messages": _ASK},
        ),
        Example(
            {"toolConfig": {"tools": []}, "messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
            target="bedrock",
            at="/toolConfig/tools",
            says="Value at 'toolConfig.tools' failed to satisfy constraint",
            fixed={"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
        ),
        Example(
            {"model": "gpt-4o", "messages": _ASK, "tool_choice": "auto"},
            target="openai",
            at="/tool_choice",
            says="'tool_choice' is only allowed when 'tools' are specified",
            fixed={"model": "gpt-4o", "messages": _ASK},
        ),
        Example(
            {"model": "gpt-4.1-mini", "input": _ASK, "tool_choice": "required"},
            target="openai",
            dialect="openai-responses",
            at="/tool_choice",
            says="Tool choice 'required' must be specified with 'tools' parameter.",
            fixed={"model": "gpt-4.1-mini", "input": _ASK},
        ),
    ),
    native_only=True,
)
