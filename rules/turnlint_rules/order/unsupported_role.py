"""A role of the dialect that this target or model refuses.

What it finds
-------------
A message with a role that its dialect has, and that the target or the model does not take: `developer` outside OpenAI,
`system` for a model without system prompts, `function` and `tool` where only `user` and `model` are left.

Why it hurts
------------
The request is refused, or the message is left out of the prompt, so that the instructions in it have no effect.

Fix
---
safe: `developer` becomes `system`, and a result under `function` or `tool` becomes `user` where the target wants that.
unsafe: what a system message says to a model that takes none is put into the user message beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Severity
from turnlint.model import Speaker
from turnlint.repair import SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.roles import Roles, into_user, results_are_users
from turnlint_rules.wording import brief, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    roles = Roles(context)
    for variant, messages in roles.found("unsupported-role"):
        first = messages[0]
        if not context.native and first.speaker is not Speaker.SYSTEM:
            continue  # converting the history writes the role anew
        count = "" if len(messages) == 1 else f" ({several(len(messages), 'message')})"
        where = " inside the conversation" if variant == "system-inside" else ""
        yield Finding(
            first.role_at or first.at,
            f"the role {brief(first.role)!r} is not taken{where}{count}",
            variant=variant,
            subject=first,
            cause="the history was made for another provider or model",
            related=tuple((m.role_at or m.at, "the same role") for m in messages[1:20]),
            fill={"n": brief(first.role)},
            help=_HELP.get(variant),
            fix=_fix(variant, messages, roles),
        )


_HELP = {
    "system": "put the instructions into the first user message",
    "system-inside": "put the instructions into the system prompt, or into a user message",
}


def _fix(variant: str, messages: list[Message], roles: Roles) -> Fix | None:
    context = roles.context
    if variant in ("system", "system-inside") or (variant == "developer" and _no_systems(context)):
        gone = {m.index for m in messages}
        return into_user([run for run in roles.runs if any(m.index in gone for m in run.messages)])
    if variant == "developer" and context.minds("unsupported-role", "system") is None:
        name = "system"
    elif variant in ("function", "tool") and all(m.only_results for m in messages) and results_are_users(context):
        name = "user"
    else:
        return None
    places = [m.role_at for m in messages if m.role_at is not None]
    return Fix(f"name the role {name!r}", verbs=tuple(SetValue(at, name) for at in places)) if places else None


def _no_systems(context: Context) -> bool:
    """Whether the target takes no system messages under any role."""
    return context.minds("unsupported-role", "system") is not None


_ASK = {"role": "user", "content": "What time is it in Oslo?"}
_GEMINI_CALL = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2ln"}
_GEMINI_RESULT = {"functionResponse": {"name": "get_weather", "response": {"output": "7 C"}}}
_GEMINI_TURNS = [{"role": "user", "parts": [{"text": "Oslo?"}]}, {"role": "model", "parts": [_GEMINI_CALL]}]

RULE = Rule(
    check,
    valid=(
        Example([{"role": "system", "content": "Be brief."}, _ASK], target="deepseek"),
        Example([{"role": "developer", "content": "Be brief."}, _ASK], target="openai"),
        Example(
            {
                "model": "claude-opus-4-8",
                "messages": [{"role": "user", "content": "Hello"}, {"role": "system", "content": "Answer in French."}],
            },
            target="anthropic",
            dialect="anthropic",
            title="a model that takes instructions inside the conversation",
        ),
    ),
    invalid=(
        Example(
            [{"role": "developer", "content": "Be brief."}, _ASK],
            target="deepseek",
            at="/0/role",
            says="messages[0].role: unknown variant `developer`",
            fixed=[{"role": "system", "content": "Be brief."}, _ASK],
        ),
        Example(
            {"model": "o1-mini", "messages": [{"role": "system", "content": "Be brief."}, _ASK]},
            target="openai",
            at="/messages/0/role",
            says="'messages[0].role' does not support 'system' with this model.",
        ),
        Example(
            {
                "model": "claude-haiku-4-5",
                "messages": [{"role": "user", "content": "Hello"}, {"role": "system", "content": "Answer in French."}],
            },
            target="anthropic",
            dialect="anthropic",
            at="/messages/1/role",
            says="role 'system' is not supported on this model",
        ),
        Example(
            {
                "model": "gemini-3.6-flash",
                "contents": [*_GEMINI_TURNS, {"role": "function", "parts": [_GEMINI_RESULT]}],
            },
            target="gemini",
            at="/contents/2/role",
            says="Role 'function' is not supported.",
            fixed={
                "model": "gemini-3.6-flash",
                "contents": [*_GEMINI_TURNS, {"role": "user", "parts": [_GEMINI_RESULT]}],
            },
        ),
        Example(
            [{"role": "developer", "content": "Be brief."}, _ASK],
            target="ollama",
            dialect="openai-chat",
            at="/0/role",
            severity=Severity.WARNING,
        ),
    ),
)
