"""A call or result without the tool's name.

What it finds
-------------
A call whose name is missing or empty, and a result that lacks it where the target needs it: Gemini binds a response
to its function by name, Ollama shows it to the model, and the older role `function` requires it.

Why it hurts
------------
The request is refused.  Calls lose their name when a stream's first fragment is lost; results lose it when they come
from a provider that links them by ID alone.

Fix
---
safe: a result gets the name of the call that it answers, and a call that of its result.
unsafe: a call that nothing names gets the name of the only tool that the request declares, or `unknown_tool`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.repair import SetName
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.neutral import UNKNOWN_TOOL
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place
    from turnlint.model import Call, Result


def check(context: Context) -> Iterator[Finding]:
    for call in context.pairing.calls:
        if _unnamed(call.name) and not call.hidden:
            yield _call(call, context.pairing.result_of(call), context)
    if not context.native:
        return  # a history in another shape gets the names of its results from the calls when it is converted
    # Most wires have no such name.
    for result in context.pairing.results:
        if _unnamed(result.name) and context.minds("missing-tool-name", _variants(result)) is not None:
            yield _result(result, context.pairing.call_of(result))


def _variants(result: Result) -> tuple[str, ...]:
    if result.legacy:
        return ("function-role", "result")
    return ("empty-in-result", "result") if isinstance(result.name, str) else ("result",)


def _unnamed(name: object) -> bool:
    return not isinstance(name, str) or not name.strip()


def _name(call: Call, result: Result | None, context: Context) -> Fix:
    if result is not None and isinstance(result.name, str) and not _unnamed(result.name):
        return Fix("give the call the name that its result has", Safety.SAFE, None, (SetName(call, result.name),))
    declared = [t.name for t in context.transcript.tools or () if isinstance(t.name, str) and t.name.strip()]
    name = declared[0] if len(declared) == 1 else UNKNOWN_TOOL
    return Fix(f"name the tool {name!r}", Safety.UNSAFE, "which tool was called is not known", (SetName(call, name),))


def _call(call: Call, result: Result | None, context: Context) -> Finding:
    assert call.name_at is not None
    lack = "an empty" if isinstance(call.name, str) else "no"
    which = f" {brief(call.id)}" if isinstance(call.id, str) else ""
    return Finding(
        call.name_at,
        f"the call{which} has {lack} tool name",
        variant="call",
        subject=call,
        cause="the first fragment of a stream, which carries the name, was lost",
        fill={"id": printed(call.id), "tool": "" if call.name is None else brief(call.name)},
        help="remove the call with its result, or restore the name",
        fix=_name(call, result, context),
    )


def _result(result: Result, call: Call | None) -> Finding:
    assert result.name_at is not None
    fix = None
    related: tuple[tuple[Place, str], ...] = ()
    if call is not None and isinstance(call.name, str) and not _unnamed(call.name):
        fix = Fix("give the result the name of its call", Safety.SAFE, None, (SetName(result, call.name),))
        related = ((call.at, f"it answers this call of {brief(call.name)}"),)
    return Finding(
        result.name_at,
        "the result does not name its tool",
        variant=_variants(result),
        subject=result,
        cause="results that only carry an ID were converted from another provider",
        related=related,
        fill={"id": printed(result.id), "tool": printed(call.name) if call is not None else ""},
        help="name the tool in every result",
        fix=fix,
    )


_ASK = {"role": "user", "content": "Weather in Oslo?"}


def _chat(name: str) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        _ASK,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
    ]


def _gemini(name: str) -> list[object]:
    return [
        {"role": "user", "parts": [{"text": "Weather in Oslo?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": "4 C"}}}]},
    ]


RULE = Rule(
    check,
    valid=(
        Example(_chat("get_weather"), target="openai", title="a result need not name its tool here"),
        Example(_gemini("get_weather"), target="gemini"),
    ),
    invalid=(
        Example(
            _chat(""),
            target="openai",
            fixed=_chat(UNKNOWN_TOOL),
            at="/1/tool_calls/0/function/name",
            says="Invalid 'messages[1].tool_calls[0].function.name': empty string",
        ),
        Example(
            _gemini(""),
            target="gemini",
            at="/2/parts/0/functionResponse/name",
            says="contents[2].parts[0].function_response.name: Name cannot be empty",
            fixed=_gemini("get_weather"),
        ),
    ),
)
