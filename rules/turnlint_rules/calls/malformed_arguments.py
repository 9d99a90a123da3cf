"""Call arguments that are not JSON, or not one JSON object.

What it finds
-------------
A call whose arguments, given as text, do not parse, have something behind the first value, or are JSON but no object.
An empty text is what some providers send for a tool without parameters: most take it.  Text that stands for
something taken out (`[REDACTED …]`, `…`) is passed over, and so is the free text of custom tools.

Why it hurts
------------
OpenAI itself takes such a call and hands it to the model; servers that parse arguments for a template, xAI, MiniMax,
Qwen and most gateways refuse the history from then on.  The model also learns from its own broken call.

Fix
---
safe where nothing was given (`{}`), where the same object stands there twice (one is kept), and where a Python dict
was written out (it becomes JSON).  unsafe: different objects in one text become calls of their own under the same
name, as a stream's reader joined them; anything else becomes `{}`, because what the model asked for is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Stop, stop_of
from turnlint.redaction import looks_redacted
from turnlint.repair import SetArguments, SplitCall
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.arguments import Broken, as_json, broken, objects_in
from turnlint_rules.identity.fresh import fresh_id, taken_ids
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place
    from turnlint.model import Call


def check(context: Context) -> Iterator[Finding]:
    if context.native and context.minds("arguments-not-object", "text"):
        return  # here a text is wrong whatever is in it
    taken: set[str] | None = None
    for call in context.pairing.calls:
        if call.arguments_form != "text" or call.custom or looks_redacted(call.arguments):
            continue
        fault = broken(call.arguments)
        if fault is not None:
            taken = taken_ids(context) if taken is None else taken
            yield _finding(call, fault, taken, context)


def _finding(call: Call, fault: Broken, taken: set[str], context: Context) -> Finding:
    assert call.arguments_at is not None
    name = brief(call.name)
    if fault.kind == "empty":
        message = f"the arguments of {name} are an empty text"
    elif fault.kind == "trailing":
        message = f"the arguments of {name} go on behind the first JSON value, at column {fault.column}"
    elif fault.kind == "not-object":
        message = f"the arguments of {name} are {fault.reason}, no JSON object"
    else:
        message = f"the arguments of {name} are not JSON: {fault.reason} at column {fault.column}"
    cause, evidence = _cause(call, fault)
    variant = ("trailing", "not-json") if fault.kind == "trailing" else fault.kind
    verdict = context.minds("malformed-arguments", variant)
    numbers: tuple[object, ...] = (fault.line, fault.column, fault.offset)
    if verdict is not None and verdict.texts and verdict.texts[0].startswith("{n}:"):
        numbers = (fault.python, *numbers)  # a server that hands on what Python's parser says
    return Finding(
        call.arguments_at,
        message,
        variant=variant,
        subject=call,
        cause=cause,
        related=evidence,
        fill={"id": printed(call.id), "tool": printed(call.name), "n": numbers},
        help="store arguments only once the stream has ended, and check that they parse",
        fix=_fix(call, fault, taken, context),
    )


def _cause(call: Call, fault: Broken) -> tuple[str | None, tuple[tuple[Place, str], ...]]:
    if fault.kind == "empty":
        return (
            "a provider that sends an empty text for a tool without parameters, or a stream whose arguments never came",
            (),
        )
    if fault.kind == "trailing" and fault.equal:
        return "a stream's fragments were put together twice", ()
    if fault.kind == "trailing" and fault.doubled:
        return "the fragments of two calls of a stream were joined into one", ()
    if stop_of(call.message.stop_reason) is Stop.LENGTH:
        return "the output limit cut the call off", ((call.message.at, "the message stopped at the output limit"),)
    if fault.cut:
        return "the call was cut off: by the output limit, an interrupted stream, or a limit on stored text", ()
    text = call.arguments.lstrip()
    if text.startswith(("{'", "['")):
        return "a Python dict was written with str() instead of as JSON", ()
    return None, ()


def _fix(call: Call, fault: Broken, taken: set[str], context: Context) -> Fix | None:
    if fault.kind == "empty":
        return Fix("write {} for no arguments", Safety.SAFE, None, (SetArguments(call, "{}"),))
    if fault.kind == "trailing":
        if not fault.equal:
            return _split(call, taken, context)
        return Fix("keep one of the two equal objects", Safety.SAFE, None, (SetArguments(call, fault.first),))
    written = as_json(call.arguments)
    if written is not None:
        return Fix("write the Python dict as JSON", Safety.SAFE, None, (SetArguments(call, written),))
    return Fix(
        "write {} in place of the arguments",
        Safety.UNSAFE,
        "what the model asked for is lost",
        (SetArguments(call, "{}"),),
    )


def _split(call: Call, taken: set[str], context: Context) -> Fix | None:
    """Calls of their own for the objects in one text."""
    texts = objects_in(call.arguments)
    ids = [fresh_id(call, taken, context) for _ in texts[1:]]
    known = tuple(i for i in ids if i is not None)
    if len(texts) < 2 or len(known) < len(ids):
        return None
    return Fix(
        "make a call of each object",
        Safety.UNSAFE,
        "the names of the further calls are lost, and taken to be the same",
        (SplitCall(call, tuple(texts), known),),
    )


_ASK = {"role": "user", "content": "Run it"}


def _turn(arguments: str) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": arguments}}
    return [
        _ASK,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "missing argument: command"},
        {"role": "user", "content": "Try again"},
    ]


_AT = "/1/tool_calls/0/function/arguments"

RULE = Rule(
    check,
    valid=(
        Example(_turn('{"command": "ls"}'), target="xai"),
        Example(_turn('{"command": "ls"}\n'), target="xai", title="white space behind it is JSON"),
        Example(_turn("[REDACTED_ARGUMENTS len=153]"), target="xai", title="a redacted fixture"),
    ),
    invalid=(
        Example(
            _turn('{"command": "echo hel'),
            target="minimax",
            at=_AT,
            says="invalid function arguments json string, tool_call_id: call_1",
            title="cut off",
        ),
        Example(
            _turn(""),
            target="xai",
            at=_AT,
            says="The arguments to a tool_call with ID 'call_1' are not a valid JSON string",
            fixed=_turn("{}"),
            title="nothing there",
        ),
        Example(
            _turn('{"command": "ls"}{"command": "ls"}'),
            target="qwen",
            at=_AT,
            says='The "function.arguments" parameter of the code model must be in JSON format',
            fixed=_turn('{"command": "ls"}'),
            title="put together twice",
        ),
    ),
    consequence_of=("truncated-call",),
)
