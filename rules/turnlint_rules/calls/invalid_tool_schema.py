"""A declared tool whose parameters are no JSON Schema.

What it finds
-------------
The parameters of a declared tool do not hold as JSON Schema in any draft: a type that does not exist (`dict`,
`float`), `required: true` on a property, a text in place of the schema.  Gemini's upper-case types and OpenAPI's
`nullable` are taken as what they mean.  A tool without parameters is legal for most targets; for those that want them
it is found here too.  Some take a part of JSON Schema only.  Gemini refuses a keyword outside of it (`$schema`,
`const`), a list of types, properties of what is no object, and on Vertex a required property that is not declared.
OpenAI and Anthropic want an object at the top, without `anyOf`, `oneOf` or `allOf` beside it.  OpenAI and Gemini want
to know what an array holds.

Why it hurts
------------
The request is refused, or the tool reaches the model without its parameters.

Fix
---
safe where parameters are missing altogether: an object without properties; and for `$schema`, which is taken out.
Any other schema is only reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Place, Severity
from turnlint.repair import RemoveKey, SetSchema
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.calls.schema_subset import beyond
from turnlint_rules.wording import also_at, brief, printed

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
        elif context.native and tool.schema_at is not None and tool.schema_at.step != "parametersJsonSchema":
            yield from _beyond(tool, number, context)


_WHAT: dict[str | tuple[str, ...], str] = {
    "keyword": "has {word}, which is not taken",
    "type-list": "has a list of types, where one is taken",
    "unknown-required": "requires {word}, which it does not declare",
    "untyped": "does not say what type {word} is",
    "choice-at-top": "has {word} at the top, where only an object may stand",
    ("no-type", "not-object"): "does not say that it is an object",
    "not-object": "is of type {word}, where an object is wanted",
    "no-properties": "is an object without properties, and does not say that it has none",
    "array-without-items": "does not say what the array {word} holds",
    "only-of-objects": "has {word} where the type is none of an object",
}


def _beyond(tool: Tool, number: int, context: Context) -> Iterator[Finding]:
    """What goes beyond the part of JSON Schema that the target takes: one finding a tool and kind."""
    assert tool.schema_at is not None
    if not any(context.minds("invalid-tool-schema", variant) for variant in _WHAT):
        return
    verdict = context.minds("invalid-tool-schema", "keyword")
    refused = verdict.limits.get("values") if verdict is not None else None
    found: dict[str | tuple[str, ...], list[tuple[Place, str]]] = {}
    for variant, path, word in beyond(tool.schema, refused if isinstance(refused, tuple) else ()):
        found.setdefault(variant, []).append((Place((*tool.schema_at.path, *path), tool.schema_at.document), word))
    for variant, places in found.items():
        if not context.minds("invalid-tool-schema", variant):
            continue
        at, word = places[0]
        only_draft = all(each == "$schema" for _, each in places)
        yield Finding(
            at,
            f"the schema of {brief(tool.name)} {_WHAT[variant].format(word=brief(word))}",
            variant=variant,
            related=also_at([place for place, _ in places[1:]], "here too"),
            fill={"tool": printed(tool.name), "n": brief(word), "part": number},
            help="write the parameters in the part of JSON Schema that the provider documents",
            fix=Fix("take it out", verbs=tuple(RemoveKey(place) for place, _ in places)) if only_draft else None,
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


def _gemini(parameters: object, key: str = "parameters") -> dict[str, object]:
    return {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Oslo?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", key: parameters}]}],
    }


_SOUND = {"type": "object", "properties": {"city": {"type": "string"}}}

RULE = Rule(
    check,
    valid=(
        Example(_body(_SOUND), target="openai"),
        Example(_body(None), target="openai", title="no parameters"),
        Example(_body({**_SOUND, "$defs": {"days": {"type": "array", "items": {}}}}), target="openai"),
        Example(
            _gemini({**_SOUND, "additionalProperties": False, "$schema": "x"}, "parametersJsonSchema"),
            target="gemini",
            title="a whole JSON Schema has a member of its own",
        ),
    ),
    invalid=(
        Example(
            _body({"type": "object", "properties": {"days": {"type": "array"}}}),
            target="openai",
            at="/tools/0/function/parameters/properties/days",
            says="In context=('properties', 'days'), array schema missing items.",
        ),
        Example(
            _body({**_SOUND, "anyOf": [{"required": ["city"]}]}),
            target="openai",
            at="/tools/0/function/parameters/anyOf",
            says="schema must have type 'object' and not have",
        ),
        Example(
            _body({"properties": {"city": {"type": "string"}}}),
            target="openai",
            at="/tools/0/function/parameters",
            says="got 'type: \"None\"'",
        ),
        Example(
            _gemini({"type": "object", "properties": {"city": {"type": "string", "required": ["name"]}}}),
            target="gemini",
            at="/tools/0/functionDeclarations/0/parameters/properties/city/required",
            says="only allowed for OBJECT type",
        ),
        Example(
            _body({"type": "dict", "properties": {"city": {"type": "string"}}}),
            target="openai",
            at="/tools/0/function/parameters",
            says="Invalid schema for function 'get_weather'",
        ),
        Example(
            _body({"type": "dict", "properties": {"city": {"type": "string"}}}),
            target="qwen",
            at="/tools/0/function/parameters",
            severity=Severity.WARNING,
        ),
        Example(
            _body(None),
            target="minimax",
            at="/tools/0/function",
            says="function parameters is empty",
        ),
        Example(
            _gemini({**_SOUND, "$schema": "http://json-schema.org/draft-07/schema#"}),
            target="gemini",
            at="/tools/0/functionDeclarations/0/parameters/$schema",
            says='Unknown name "$schema"',
            fixed=_gemini(_SOUND),
        ),
        Example(
            _gemini({"type": "object", "properties": {"days": {"type": ["integer", "null"]}}}),
            target="gemini",
            at="/tools/0/functionDeclarations/0/parameters/properties/days/type",
            says="Proto field is not repeating, cannot start list.",
        ),
        Example(
            _gemini({**_SOUND, "required": ["town"]}),
            target="vertex",
            at="/tools/0/functionDeclarations/0/parameters/required",
            says="required fields ['town'] are not defined in the schema properties.",
        ),
    ),
)
