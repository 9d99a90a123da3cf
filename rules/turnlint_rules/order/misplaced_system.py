"""A system message at a place where the target takes none.

What it finds
-------------
A system message in a list whose system prompt stands beside it, one behind an assistant message or a result, one in
front of a user message, or any but the first, as the target has it.  A run of system messages is one diagnostic.
A system message without words that only carries settings may stand anywhere.

Why it hurts
------------
The request is refused.  It comes from histories in another provider's shape, and from tools that slip reminders into
the conversation.

Fix
---
safe: those in front of the conversation go where the target takes the system prompt.
unsafe: those inside the conversation go there too; they then hold for what was said before them as well.  Where the
list stands alone, with no request around it that has a system prompt, they are put into the user message beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.repair import HoistSystem
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.roles import BESIDE, Roles, into_user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place
    from turnlint.model import Message
    from turnlint_rules.roles import SystemRun

_WHERE = {
    "first": "a system message stands in the list, and the system prompt belongs beside it",
    "leading": "a second system message stands in front of the conversation",
    "after-assistant": "a system message follows an assistant message",
    "after-result": "a system message follows a tool result",
    "before-user": "a system message stands in front of a user message",
    "after-system": "a second system message stands in front of the conversation",
    "middle": "a system message stands inside the conversation",
}


def check(context: Context) -> Iterator[Finding]:
    roles = Roles(context)
    for run in roles.runs:
        found = roles.misplaced(run)
        if found is not None:
            yield _finding(run, *found, context)


def _finding(run: SystemRun, message: Message, variant: str, context: Context) -> Finding:
    return Finding(
        message.at,
        _WHERE[variant],
        variant=variant,
        subject=message,
        cause="the history is in the shape of another provider" if variant == "first" else None,
        related=tuple(_evidence(run, message, variant)),
        fill={"n": "system"},
        fix=_fix(run, message, context),
    )


def _evidence(run: SystemRun, message: Message, variant: str) -> Iterator[tuple[Place, str]]:
    if variant in ("after-assistant", "after-result") and run.before is not None:
        yield run.before.at, "the message in front of it"
    if variant == "before-user" and run.after is not None:
        yield run.after.at, "the user message that follows"
    for other in run.messages[:20]:
        if other is not message:
            yield other.at, "another system message beside it"


def _fix(run: SystemRun, message: Message, context: Context) -> Fix | None:
    if context.judge.api in BESIDE and not context.transcript.is_body:
        return into_user([run])
    title = "move it to the system prompt"
    if run.leading:
        return Fix(title, verbs=(HoistSystem(run.messages if message is run.messages[0] else run.messages[1:]),))
    return Fix(
        title,
        Safety.UNSAFE,
        "in the system prompt it holds from the beginning on, not from its place in the conversation",
        (HoistSystem(run.messages),),
    )


_HELLO = {"role": "user", "content": "Hello"}
_FRENCH = {"role": "system", "content": "Answer in French."}

RULE = Rule(
    check,
    valid=(
        Example([{"role": "system", "content": "Be brief."}, _HELLO], target="cohere", dialect="openai-chat"),
        Example(
            {"model": "claude-opus-4-8", "messages": [_HELLO, _FRENCH, {"role": "assistant", "content": "Bonjour."}]},
            target="anthropic",
            dialect="anthropic",
            mode="saved",
        ),
        Example(
            [{"role": "system", "content": "Be brief."}, _HELLO],
            target="anthropic",
            dialect="openai-chat",
            title="a shape that has its system prompt in the list is converted",
        ),
    ),
    invalid=(
        Example(
            {"model": "claude-opus-4-8", "messages": [{"role": "system", "content": "Be brief."}, _HELLO]},
            target="anthropic",
            dialect="anthropic",
            at="/messages/0",
            fixed={"model": "claude-opus-4-8", "messages": [_HELLO], "system": "Be brief."},
        ),
        Example(
            [{"role": "system", "content": "Be brief."}, _HELLO],
            target="anthropic",
            dialect="anthropic",
            at="/0",
            says="messages.0: use the top-level 'system' parameter",
        ),
        Example(
            {
                "model": "claude-opus-4-8",
                "messages": [
                    _HELLO,
                    {"role": "assistant", "content": "Hello."},
                    _FRENCH,
                    {"role": "assistant", "content": "Bonjour."},
                    {"role": "user", "content": "Good."},
                ],
            },
            target="anthropic",
            dialect="anthropic",
            at="/messages/2",
            says="messages.2: role 'system' must follow a 'user' message",
        ),
        Example(
            {"model": "claude-opus-4-8", "messages": [_HELLO, _FRENCH, {"role": "user", "content": "Well?"}]},
            target="anthropic",
            dialect="anthropic",
            at="/messages/1",
            says="role 'system' must precede an 'assistant' message or end the array",
        ),
        Example(
            [_HELLO, {"role": "assistant", "content": "Hello."}, _FRENCH, {"role": "user", "content": "Well?"}],
            target="mistral",
            dialect="openai-chat",
            at="/2",
            says="Unexpected role 'system' after role 'assistant'",
        ),
    ),
)
