"""Call arguments saved as an object where the target wants them as a JSON text.

What it finds
-------------
A call whose arguments are an object, a list or another JSON value, in a dialect that carries them as text
(`"{\\"city\\": \\"Oslo\\"}"`).  It is about the saved shape, so that it says nothing of a history that is judged as
if it were converted.

Why it hurts
------------
The request is refused by its schema.  It comes from code that parses the arguments to run the tool and stores what it
parsed, or from a history of a provider that carries objects (Anthropic, Gemini, Ollama).

Fix
---
safe: the value is written as the JSON text of itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.repair import SetArguments
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call

_FORMS = {dict: "an object", list: "an array", bool: "a boolean", int: "an integer", float: "a decimal"}


def check(context: Context) -> Iterator[Finding]:
    for call in context.pairing.calls:
        if call.custom:
            continue  # shell, computer and the like: the wire has a form of their own for each
        if call.arguments_form in ("object", "other") and call.arguments_at is not None:
            yield _finding(call)


def _finding(call: Call) -> Finding:
    assert call.arguments_at is not None
    form = _FORMS.get(type(call.arguments), "another value")
    fix = None
    try:
        text = json.dumps(call.arguments, ensure_ascii=False)
        fix = Fix("write the arguments as JSON text", Safety.SAFE, None, (SetArguments(call, text),))
    except (ValueError, RecursionError, TypeError):
        pass
    return Finding(
        call.arguments_at,
        f"the arguments of {brief(call.name)} are {form}, where a JSON text is wanted",
        subject=call,
        cause="the arguments were stored as parsed, or come from a provider that carries objects",
        fill={"n": form, "id": printed(call.id), "tool": printed(call.name)},
        help="store the arguments as the text that the model gave",
        fix=fix,
    )


_ASK = {"role": "user", "content": "Weather in Oslo?"}
_ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": "4 C"}


def _turn(arguments: object) -> list[object]:
    function = {"name": "get_weather", "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return [_ASK, {"role": "assistant", "content": None, "tool_calls": [call]}, _ANSWER]


RULE = Rule(
    check,
    valid=(
        Example(_turn('{"city": "Oslo"}'), target="openai"),
        Example(_turn({"city": "Oslo"}), target="anthropic", title="judged as if converted"),
    ),
    invalid=(
        Example(
            _turn({"city": "Oslo"}),
            target="openai",
            at="/1/tool_calls/0/function/arguments",
            says="expected a string, but got an object instead",
            fixed=_turn('{"city": "Oslo"}'),
        ),
        Example(
            _turn(["Oslo"]),
            target="openai",
            at="/1/tool_calls/0/function/arguments",
            says="expected a string, but got an array instead",
            fixed=_turn('["Oslo"]'),
        ),
    ),
    native_only=True,
)
