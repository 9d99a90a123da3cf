"""A role that the dialect does not have.

What it finds
-------------
A message whose role is no role of its dialect (`human`, `ai`, `bot`, `thinking`), or on the target's own wire one
that belongs to another provider's (`assistant` for Gemini, `tool` for Anthropic).  All messages of one such role are
one diagnostic.

Why it hurts
------------
Providers refuse the request; lenient servers drop the message without a word.  It comes from training sets, from a
framework's own names, or from a history that moved from one provider to another.

Fix
---
safe: the role is renamed, where the target has a role that plainly means the same speaker.  System messages in front
of the conversation become the system prompt, where that stands beside the list.
unsafe: a role of nobody known becomes the user's, if nothing but texts, pictures and files stand under it: they are
read then, and not taken for the model's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Kind, Speaker
from turnlint.repair import HoistSystem, SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.roles import FOREIGN_ROLES, Roles, lower_role, results_are_users
from turnlint_rules.wording import brief, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message

#: The names that a target may have for a speaker, in the order in which they are tried.
NAMES = {Speaker.USER: ("user",), Speaker.ASSISTANT: ("assistant", "model", "chatbot")}


def check(context: Context) -> Iterator[Finding]:
    roles = Roles(context)
    for variant, messages in roles.found("unknown-role"):
        first = messages[0]
        count = "" if len(messages) == 1 else f" ({several(len(messages), 'message')})"
        foreign = variant == "foreign"
        yield Finding(
            first.role_at or first.at,
            f"there is no role {brief(first.role)!r}{count}",
            variant=variant,
            subject=first,
            cause="the history was written for another provider or tool" if foreign else None,
            related=tuple((m.role_at or m.at, "the same role") for m in messages[1:20]),
            fill={"n": brief(first.role)},
            fix=_fix(messages, roles),
        )


def _fix(messages: list[Message], roles: Roles) -> Fix | None:
    if all(m.index in roles.leading for m in messages):
        return Fix("move it to the system prompt", verbs=(HoistSystem(tuple(messages)),))
    places = [m.role_at for m in messages if m.role_at is not None]
    if len(places) != len(messages):
        return None
    name = _name_for(messages, roles.context)
    if name is not None:
        return Fix(f"name the role {name!r}", verbs=tuple(SetValue(at, name) for at in places))
    if lower_role(messages[0]) in FOREIGN_ROLES or any(
        p.kind not in (Kind.TEXT, Kind.MEDIA) for m in messages for p in m.parts
    ):
        return None
    name = _name_for(messages, roles.context, Speaker.USER)
    verbs = tuple(SetValue(at, name) for at in places)
    return Fix(f"name the role {name!r}", Safety.UNSAFE, "who spoke is not known", verbs) if name is not None else None


def _name_for(messages: list[Message], context: Context, speaker: Speaker | None = None) -> str | None:
    """What the target calls a speaker, or the one whom the role means elsewhere; None where that is not plain."""
    verdict = context.minds("unknown-role", "foreign")
    allowed = verdict.limits.get("allowed") if verdict is not None else None
    role = lower_role(messages[0])
    speaker = speaker or FOREIGN_ROLES.get(role)
    if speaker is Speaker.TOOL and results_are_users(context) and all(m.only_results for m in messages):
        speaker = Speaker.USER
    if speaker is None or not isinstance(allowed, tuple):
        return None
    spelt = {str(name).lower(): str(name) for name in allowed}
    return next((spelt[name] for name in NAMES.get(speaker, ()) if name in spelt and name != role), None)


RULE = Rule(
    check,
    valid=(
        Example(
            [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Weather in Oslo?"}],
            target="openai",
        ),
        Example(
            [{"role": "user", "parts": [{"text": "Hello"}]}, {"role": "model", "parts": [{"text": "Hello."}]}],
            target="gemini",
            mode="saved",
        ),
    ),
    invalid=(
        Example(
            [{"role": "user", "content": "Hello"}, {"role": "planner", "content": "First the map."}],
            target="openai",
            dialect="openai-chat",
            at="/1/role",
            fixed=[{"role": "user", "content": "Hello"}, {"role": "user", "content": "First the map."}],
        ),
        Example(
            [{"role": "human", "content": "Weather in Oslo?"}, {"role": "assistant", "content": "4 C"}],
            target="openai",
            dialect="openai-chat",
            mode="saved",
            at="/0/role",
            says="Invalid value: 'human'",
            fixed=[{"role": "user", "content": "Weather in Oslo?"}, {"role": "assistant", "content": "4 C"}],
        ),
        Example(
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "Hello"}]},
                    {"role": "assistant", "parts": [{"text": "Hello."}]},
                    {"role": "user", "parts": [{"text": "And?"}]},
                ]
            },
            target="gemini",
            at="/contents/1/role",
            says="Please use a valid role: user, model.",
            fixed={
                "contents": [
                    {"role": "user", "parts": [{"text": "Hello"}]},
                    {"role": "model", "parts": [{"text": "Hello."}]},
                    {"role": "user", "parts": [{"text": "And?"}]},
                ]
            },
        ),
        Example(
            {
                "contents": [
                    {"role": "system", "parts": [{"text": "Be brief."}]},
                    {"role": "user", "parts": [{"text": "Hello"}]},
                ]
            },
            target="gemini",
            at="/contents/0/role",
            says="Please use a valid role: user, model.",
            fixed={
                "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
            },
            title="the system prompt stands beside the list",
        ),
        Example(
            [{"role": "user", "content": "Weather in Oslo?"}, {"role": "thinking", "content": "Let me see."}],
            dialect="openai-chat",
            target="generic",
            at="/1/role",
            severity=Severity.WARNING,
        ),
    ),
)
