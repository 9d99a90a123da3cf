"""More than one system message.

What it finds
-------------
A second system message in front of the conversation, or one inside it, for a target that has room for one alone.
A run of them is one diagnostic.  Most providers take several.

Why it hurts
------------
Templates of open models leave the second one out of the prompt without a word, or raise with a text that names a wrong
cause, such as roles that do not alternate.

Fix
---
safe: neighbours in front of the conversation are merged into one.
unsafe: what one inside the conversation says goes to the first, or the message itself where there is none; it then
holds for what was said before it as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.repair import HoistSystem, MergeMessages
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint_rules.roles import SystemRun


def check(context: Context) -> Iterator[Finding]:
    roles = Roles(context)
    for run in roles.runs:
        extra = run.messages[1:] if run.leading else run.messages
        variant = "leading" if run.leading else "inside"
        if not extra or context.minds("multiple-systems", variant) is None:
            continue
        if any(roles.speaks(m) for m in run.messages) or roles.misplaced(run) is not None:
            continue  # a rule that names the fault more closely has the word
        first = extra[0]
        related = [(m.at, "another system message") for m in run.messages[:20] if m is not first]
        yield Finding(
            first.at,
            "there is a second system message" if run.leading else "there is a system message inside the conversation",
            variant=variant,
            subject=first,
            cause="instructions of several sources were put into the list one by one",
            related=tuple(related),
            fix=_fix(run),
        )


def _fix(run: SystemRun) -> Fix:
    if run.leading:
        return Fix("merge the system messages", verbs=(MergeMessages(run.messages),))
    return Fix(
        "move it to the front",
        Safety.UNSAFE,
        "in front it holds from the beginning on, not from its place in the conversation",
        (HoistSystem(run.messages),),
    )


_HELLO = {"role": "user", "content": "Hello"}
_BRIEF = {"role": "system", "content": "Be brief."}
_FRENCH = {"role": "system", "content": "Answer in French."}

RULE = Rule(
    check,
    valid=(
        Example([_BRIEF, _HELLO], target="chat-template:gemma-3"),
        Example([_BRIEF, _FRENCH, _HELLO], target="openai"),
    ),
    invalid=(
        Example(
            [_BRIEF, _FRENCH, _HELLO],
            target="chat-template:gemma-3",
            at="/1",
            says="Conversation roles must alternate",
        ),
        Example(
            [_BRIEF, _HELLO, _FRENCH, {"role": "user", "content": "Well?"}],
            target="chat-template",
            at="/2",
            severity=Severity.WARNING,
        ),
    ),
)
