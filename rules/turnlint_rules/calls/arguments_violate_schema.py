"""Call arguments that the declared schema of the tool refuses.

What it finds
-------------
The request declares a tool with a JSON Schema, and the history holds a call of that tool whose arguments do not fit
it: a required parameter is missing, a value has another type or is none of those allowed, a parameter is not known.
One diagnostic a call.  Free text of custom tools, redacted values and tools declared twice are passed over.

Why it hurts
------------
No provider checks a history against the tools, so that the request is answered.  But the tool's signature was changed
since the history was saved, or the model called it wrongly, and it will copy its own wrong call.

Fix
---
None: nobody but the tool's author knows what the value should be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.redaction import looks_redacted
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.arguments import value_of
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from turnlint.model import Call, Tool
    from turnlint_rules.json_schema import Compiled, Violation


def check(context: Context) -> Iterator[Finding]:
    tools = _schemas(context.transcript.tools or [])
    if not tools:
        return
    for call in context.pairing.calls:
        if isinstance(call.name, str) and call.name in tools and not call.custom and not call.hidden:
            tool, schema = tools[call.name]
            finding = _finding(call, tool, schema)
            if finding is not None:
                yield finding


def _schemas(tools: list[Tool]) -> dict[str, tuple[Tool, Compiled]]:
    """The sound schemas by the tool's name; a name that is declared twice is left out."""
    from turnlint_rules.json_schema import UnusableError, compiled

    found: dict[str, tuple[Tool, Compiled]] = {}
    twice: set[str] = set()
    for tool in tools:
        if not isinstance(tool.name, str) or tool.hosted or tool.schema is None:
            continue
        if tool.name in found:
            twice.add(tool.name)
            continue
        try:
            schema = compiled(tool.schema)
        except UnusableError:
            continue
        if schema.problem is None:
            found[tool.name] = (tool, schema)
    return {name: pair for name, pair in found.items() if name not in twice}


def _finding(call: Call, tool: Tool, schema: Compiled) -> Finding | None:
    value = value_of(call)
    if value is None:
        if call.arguments_form != "missing":
            return None
        value = {}
    violations = [v for v in schema.violations(value) if not looks_redacted(_value_at(value, v.path))]
    if not violations:
        return None
    first = violations[0]
    more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
    assert call.arguments_at is not None
    at = call.arguments_at
    if len(violations) == 1 and call.arguments_form != "missing":
        for step in first.path:
            at = at / step
    return Finding(
        at,
        f"the arguments of {brief(call.name)} do not fit its schema: {first.message}{more}",
        subject=call,
        cause=_cause(violations),
        related=((tool.schema_at or tool.at, "the schema that the request declares"),),
        fill={"id": printed(call.id), "tool": printed(call.name)},
        help="send the tool's definition of that time, or remove the call with its result",
    )


def _value_at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _cause(violations: list[Violation]) -> str:
    if any("required" in v.message or "dditional" in v.message for v in violations):
        return "the tool's parameters were changed after the call was saved, or the model left one out or made one up"
    return "the model gave a value of another kind, or the value was changed when the history was stored"


_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
_TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": _SCHEMA}}


def _body(arguments: str, tool: object = _TOOL) -> dict[str, object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    return {
        "model": "gpt-4o",
        "tools": [tool],
        "messages": [
            {"role": "user", "content": "Weather in Oslo?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
        ],
    }


_REMOTE = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"$ref": "https://example.com/s.json"}},
}

RULE = Rule(
    check,
    valid=(
        Example(_body('{"city": "Oslo", "days": 2}'), target="openai"),
        Example(_body('{"place": "Oslo"}', _REMOTE), target="openai", title="a schema elsewhere is not fetched"),
    ),
    invalid=(
        Example(
            _body('{"city": "Oslo", "days": "two"}'),
            target="openai",
            at="/messages/1/tool_calls/0/function/arguments/days",
            severity=Severity.WARNING,
        ),
        Example(
            _body('{"days": 2}'),
            target="openai",
            at="/messages/1/tool_calls/0/function/arguments",
            severity=Severity.WARNING,
        ),
    ),
    consequence_of=("malformed-arguments", "arguments-not-object", "arguments-not-string", "truncated-call"),
)
