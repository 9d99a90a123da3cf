"""A declared tool whose parameters are no JSON Schema.

What it finds
-------------
The parameters of a declared tool do not hold as JSON Schema in any draft: a type that does not exist (`dict`,
`float`), `required: true` on a property, a text in place of the schema.  Gemini's upper-case types and OpenAPI's
`nullable` are taken as what they mean.  A tool without parameters is legal for most targets; for those that want them
it is found here too.

Why it hurts
------------
The request is refused, or the tool reaches the model without its parameters.

Fix
---
safe where parameters are missing altogether: an object without properties.  A wrong schema is only reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.repair import SetSchema
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Tool


def check(context: Context) -> Iterator[Finding]:
    from turnlint_rules.json_schema import UnusableError, compiled

    wanted = context.minds("invalid-tool-schema", "missing") is not None
    for number, tool in enumerate(context.transcript.tools or ()):
        if tool.hosted or (tool.type == "custom" and tool.schema is None):
            continue
        if tool.schema is None:
            if wanted and isinstance(tool.name, str):
                says = f"the tool {brief(tool.name)} has no parameters"
                none = Fix("declare that it takes none", verbs=(SetSchema(tool, {"type": "object", "properties": {}}),))
                yield _finding(tool, says, "missing", number, none)
            continue
        try:
            problem = compiled(tool.schema).problem
        except UnusableError:
            continue
        if problem is not None:
            yield _finding(
                tool, f"the parameters of {brief(tool.name)} are no JSON Schema: {problem}", "invalid", number
            )


def _finding(tool: Tool, message: str, variant: str, number: int, fix: Fix | None = None) -> Finding:
    return Finding(
        tool.schema_at or tool.at,
        message,
        variant=variant,
        fill={"tool": printed(tool.name), "n": number},
        help="write the parameters as a JSON Schema of type object",
        fix=fix,
    )


def _body(parameters: object) -> dict[str, object]:
    function = {"name": "get_weather"} if parameters is None else {"name": "get_weather", "parameters": parameters}
    return {
        "model": "gpt-4o",
        "tools": [{"type": "function", "function": function}],
        "messages": [{"role": "user", "content": "Weather in Oslo?"}],
    }


_SOUND = {"type": "object", "properties": {"city": {"type": "string"}}}

RULE = Rule(
    check,
    valid=(
        Example(_body(_SOUND), target="openai"),
        Example(_body(None), target="openai", title="no parameters"),
    ),
    invalid=(
        Example(
            _body({"type": "dict", "properties": {"city": {"type": "string"}}}),
            target="openai",
            at="/tools/0/function/parameters",
            severity=Severity.WARNING,
        ),
        Example(
            _body(None),
            target="minimax",
            at="/tools/0/function",
            says="function parameters is empty",
        ),
    ),
)
