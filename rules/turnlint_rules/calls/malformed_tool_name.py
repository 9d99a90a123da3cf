"""A tool's name with characters or a length that the target refuses.

What it finds
-------------
The name of a call, a result, a declared tool or a call that the provider runs is outside what the target takes:
another character than letters, digits, `_` and `-` for most, too long, or (for a call that the provider runs) none of
the provider's own tools. One diagnostic a name.

Why it hurts
------------
The request is refused.  Such names come from servers that put a dot, a slash or a blank into them (`files.read`),
from models that make a name up, and from a change of provider: what one takes another does not.

Fix
---
unsafe: the name is rewritten with `_` in every place of the history at once.  The program that runs the tools must
know the new name as well, which this cannot see to.  None where another tool has that name already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from turnlint.diagnostic import Fix, Safety
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief, printed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from turnlint.diagnostic import Place
    from turnlint.model import Part
    from turnlint.targets import Verdict

_LOOKED_AT = 4096  # characters of a name that are matched; a longer one is too long for every target


class _Use(NamedTuple):
    """One place where a name stands."""

    kind: str
    at: Place
    part: Part | None
    number: int


def check(context: Context) -> Iterator[Finding]:
    verdicts = {
        kind: (context.minds("malformed-tool-name", kind), context.minds("malformed-tool-name", (f"{kind}-long", kind)))
        for kind in ("declared", "call", "result", "hosted")
    }
    uses: dict[str, list[_Use]] = {}
    for name, use in _uses(context):
        if name:
            uses.setdefault(name, []).append(use)
    for name, places in uses.items():
        for use in places:
            spelt, long = verdicts[use.kind]
            if long is not None and (reason := _too_long(name, long)):
                verdict, variant = long, f"{use.kind}-long"
            elif spelt is not None and (reason := _reason(name, spelt)):
                verdict, variant = spelt, use.kind
            else:
                continue
            yield _finding(name, use, (variant, use.kind), reason, [u for u in places if u is not use], verdict, uses)
            break


def _uses(context: Context) -> Iterator[tuple[str, _Use]]:
    for number, tool in enumerate(context.transcript.tools or ()):
        if isinstance(tool.name, str) and not tool.hosted and tool.name_at is not None:
            yield tool.name, _Use("declared", tool.name_at, None, number)
    for call in context.transcript.calls():
        if call.hosted and call.type.startswith("mcp"):
            continue  # the tools of a foreign server have its names
        if isinstance(call.name, str) and call.name_at is not None and not call.hidden:
            yield call.name, _Use("hosted" if call.hosted else "call", call.name_at, call, call.number)
    for result in context.pairing.results:
        if isinstance(result.name, str) and result.name_at is not None:
            yield result.name, _Use("result", result.name_at, result, result.number)


def _reason(name: str, verdict: Verdict) -> str | None:
    """Why the target refuses the name, or None."""
    allowed = verdict.limits.get("allowed")
    if isinstance(allowed, tuple):
        return None if name in allowed else "is none of the provider's own tools"
    if reason := _too_long(name, verdict):
        return reason
    pattern = verdict.limits.get("pattern")
    if isinstance(pattern, str) and not re.fullmatch(pattern.removeprefix("^").removesuffix("$"), name[:_LOOKED_AT]):
        return "has characters that the target does not take"
    return None


def _too_long(name: str, verdict: Verdict) -> str | None:
    maximum = verdict.limits.get("maximum")
    if isinstance(maximum, int) and len(name) > maximum:
        return f"has {len(name)} characters, more than {maximum}"
    return None


def _finding(
    name: str,
    use: _Use,
    variant: tuple[str, str],
    reason: str,
    others: list[_Use],
    verdict: Verdict,
    taken: Collection[str],
) -> Finding:
    fix = None
    if use.kind != "hosted":
        new = _rewritten(name, verdict)
        fix = (
            None
            if new in taken
            else Fix(
                f"rename the tool to {brief(new)}",
                Safety.UNSAFE,
                "the program that runs the tool must know the new name",
                tuple(SetValue(u.at, new) for u in (use, *others)),
            )
        )
    return Finding(
        use.at,
        f"the tool name {brief(name)} {reason}",
        variant=variant,
        subject=use.part,
        related=also_at([u.at for u in others], "the same name"),
        fill={
            "tool": brief(name, 200),
            "n": use.number,
            "id": printed(getattr(use.part, "id", "")),
            "ids": len(name),
        },
        help="rename the tool in its declaration, its calls and its results alike",
        fix=fix,
    )


def _rewritten(name: str, verdict: Verdict) -> str:
    maximum = verdict.limits.get("maximum")
    new = re.sub(r"[^A-Za-z0-9_]" if _reason("a-b", verdict) else r"[^A-Za-z0-9_-]", "_", name[:_LOOKED_AT])
    if _reason(new[:1], verdict):
        new = f"_{new}"
    return new[:maximum] if isinstance(maximum, int) else new


def _turn(name: str) -> list[object]:
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
    ]


def _body(name: str) -> dict[str, object]:
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "tools": [{"name": name, "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "Weather in Oslo?"}],
    }


def _declared(name: str) -> dict[str, object]:
    return {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Oslo?"}]}],
        "tools": [{"functionDeclarations": [{"name": name, "description": "What the weather is"}]}],
    }


RULE = Rule(
    check,
    valid=(
        Example(_declared("weather.now:get-it_2"), target="gemini"),
        Example(_turn("get-weather_2"), target="openai"),
        Example(_body("get_weather"), target="anthropic", dialect="anthropic"),
    ),
    invalid=(
        Example(
            _declared("2weather/get"),
            target="gemini",
            at="/tools/0/functionDeclarations/0/name",
            says="Must start with a letter or an underscore.",
        ),
        Example(
            {
                "model": "gpt-4o",
                "tools": [{"type": "function", "function": {"name": "w" * 65, "parameters": {}}}],
                "messages": [{"role": "user", "content": "Weather in Oslo?"}],
            },
            target="openai",
            at="/tools/0/function/name",
            says="maximum length 64, but got a string with length 65",
        ),
        Example(
            _turn("weather.get today"),
            target="openai",
            at="/1/tool_calls/0/function/name",
            says="Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern",
            fixed=_turn("weather_get_today"),
        ),
        Example(
            _body("caldav.create event"),
            target="anthropic",
            dialect="anthropic",
            at="/tools/0/name",
            says="tools.0.custom.name: String should match pattern",
        ),
    ),
)
