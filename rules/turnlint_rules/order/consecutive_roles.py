"""The same role twice in a row, for a target that wants roles to alternate.

What it finds
-------------
Two or more neighbouring messages of the user, or of the assistant; for a target that knows these two roles alone also a
tool result.  A run is one diagnostic, at its second message.  Most providers merge such a run or take it as it is.

Why it hurts
------------
The request is refused, or the template of an open model raises.  It comes from a user who wrote twice, from a turn that
failed and left no answer, and from results stored one by one.

Fix
---
safe: the messages of a run are merged into one; texts stay apart as parts, or by a blank line.  None where a message
without calls follows one whose calls are not answered: the results belong between the two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.model import Speaker
from turnlint.pairing import CallState
from turnlint.repair import MergeMessages
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import several

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.model import Message


def check(context: Context) -> Iterator[Finding]:
    messages: Sequence[Message] = context.transcript.messages
    if context.hoists_system:
        messages = [m for m in messages if m.speaker is not Speaker.SYSTEM]
    for run in _runs(messages):
        variant = _variant(run)
        if context.minds("consecutive-roles", variant):
            yield _finding(run, variant, context)
    first_result = next((m for m in messages if m.speaker is Speaker.TOOL), None)
    if first_result is not None and context.minds("consecutive-roles", "result") and context.native:
        yield Finding(
            first_result.at,
            "a tool result breaks the turns of user and assistant",
            variant="result",
            subject=first_result,
            cause="the model, or its template, knows no tools",
        )


def _runs(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Neighbours of one speaker, user or assistant, two at least."""
    run: list[Message] = []
    for message in messages:
        if run and message.speaker is run[0].speaker:
            if message.item or run[-1].item:
                run.pop()  # items of one turn, which are one message once they are converted
            run.append(message)
            continue
        if len(run) > 1:
            yield run
        run = [message] if message.speaker in (Speaker.USER, Speaker.ASSISTANT) else []
    if len(run) > 1:
        yield run


def _variant(run: list[Message]) -> str:
    if run[0].speaker is Speaker.USER:
        return "user"
    return "call" if any(m.calls for m in run) else "assistant"


def _parted(run: list[Message], context: Context) -> bool:
    """Whether the assistant speaks on behind calls that are not answered yet: their results belong in between."""
    states = context.pairing.call_states
    return any(
        not after.calls and any(states[c.number] is not CallState.ANSWERED for c in before.calls)
        for before, after in pairwise(run)
    )


def _finding(run: list[Message], variant: str, context: Context) -> Finding:
    second = run[1]
    who = "user" if variant == "user" else "assistant"
    if variant == "user":
        cause = "a turn was sent twice or got no answer"
    else:
        cause = "one turn was stored as several messages"
    return Finding(
        second.at,
        f"{several(len(run), who + ' message')} follow each other",
        variant=variant,
        subject=second,
        cause=cause,
        related=((run[0].at, "the message before it"), *((m.at, "and another") for m in run[2:20])),
        fill={"n": run[0].index},
        fix=None if _parted(run, context) else Fix("merge them into one message", verbs=(MergeMessages(tuple(run)),)),
    )


_HELLO = {"role": "user", "content": [{"text": "Hello"}]}
_AGAIN = {"role": "user", "content": [{"text": "Are you there?"}]}

RULE = Rule(
    check,
    consequence_of=("split-results", "interrupted-results"),
    valid=(
        Example(
            [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Are you there?"}],
            target="openai",
        ),
        Example(
            [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Are you there?"}],
            target="anthropic",
            dialect="anthropic",
            title="the provider merges them",
        ),
    ),
    invalid=(
        Example(
            [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Are you there?"}],
            target="bedrock",
            dialect="openai-chat",
            at="/1",
            says="A conversation must alternate between user and assistant roles.",
        ),
        Example(
            [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Are you there?"}],
            target="chat-template:gemma-3",
            at="/1",
            says="Conversation roles must alternate user/assistant",
            fixed=[{"role": "user", "content": "Hello\n\nAre you there?"}],
        ),
    ),
)
