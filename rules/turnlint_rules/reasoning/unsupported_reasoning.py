"""Reasoning fields that the target refuses or does not read.

What it finds
-------------
Reasoning under a key that the target refuses (`reasoning_content` at Cerebras, at DeepSeek R1 in its time), under one
that it passes over (Ollama reads `thinking`), a Responses reasoning item with content of its own, and a thinking
block in the last message while thinking is off.  One diagnostic a key.

Why it hurts
------------
The request is refused, or the reasoning is dropped without a word.  It happens when the provider is changed, and when
a history made with thinking is continued without.

Fix
---
safe for a key that is refused: it is taken out everywhere.
unsafe for blocks and items: they are taken out, and their reasoning is gone then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Reasoning, Speaker
from turnlint.repair import Remove, RemoveKey
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Part

NAME = "unsupported-reasoning"


def check(context: Context) -> Iterator[Finding]:
    by_key: dict[str, list[Reasoning]] = {}
    for message in context.transcript.messages:
        for part in message.parts:
            if isinstance(part, Reasoning):
                if part.content_form == "null" or (part.content_form == "list" and part.content):
                    yield _item(part)
                elif part.at != message.at and part.at.path[-1:] == (part.type,) and part.text:
                    by_key.setdefault(part.type, []).append(part)
    for key, parts in by_key.items():
        if context.minds(NAME, key.replace("_", "-")):
            yield _key(key, parts)
    yield from _trailing(context)


def _key(key: str, parts: list[Reasoning]) -> Finding:
    return Finding(
        parts[0].at,
        f"reasoning is saved as {brief(key)}, which the target does not take",
        variant=key.replace("_", "-"),
        subject=parts[0],
        cause="reasoning was stored as another provider gave it",
        related=also_at([p.at for p in parts[1:]], "the same key"),
        fill={"n": key},
        help="leave reasoning out of what is sent to this target, or rename the key to the one that it reads",
        fix=Fix("take the reasoning out", Safety.SAFE, None, tuple(RemoveKey(p.at) for p in parts)),
    )


def _item(part: Reasoning) -> Finding:
    null = part.content_form == "null"
    return Finding(
        part.content_at or part.at,
        "the reasoning item has content: null" if null else "the reasoning item has content beside its summary",
        variant="item-content-null" if null else "item-content",
        subject=part,
        cause="the item comes from another provider" if not null else "the item was dumped with its empty members",
        fill={"n": len(part.content) if isinstance(part.content, list) else 0},
        help="leave the member out",
        fix=Fix("leave it out", Safety.SAFE, None, (RemoveKey(part.content_at),))
        if null and part.content_at
        else Fix("take the item out", Safety.UNSAFE, "its reasoning is gone then", (Remove(part),)),
    )


def _trailing(context: Context) -> Iterator[Finding]:
    """A thinking block in the last message, from the assistant, while the request does not ask for thinking."""
    messages = context.transcript.sent
    if not messages or messages[-1].speaker is not Speaker.ASSISTANT or not context.transcript.is_body:
        return
    if request_of(context.transcript).thinking in ("on", "adaptive"):
        return
    thoughts: list[Part] = [p for p in messages[-1].parts if p.kind is Kind.REASONING and p.type == "thinking"]
    if thoughts:
        yield Finding(
            thoughts[0].at,
            "the last message holds thinking, and the request does not turn thinking on",
            variant="trailing-thinking",
            subject=thoughts[0],
            cause="a history made with thinking is continued without",
            help="turn thinking on, or leave the thinking of the last message out",
            fix=Fix(
                "take it out of the last message",
                Safety.UNSAFE,
                "its reasoning is gone then",
                tuple(Remove(p) for p in thoughts),
            ),
        )


_ASK = {"role": "user", "content": "Hi"}


def _chat(**extra: str) -> list[object]:
    return [_ASK, {"role": "assistant", "content": "Hello", **extra}, _ASK]


def _claude(**settings: object) -> dict[str, object]:
    thought = {"type": "thinking", "thinking": "A greeting.", "signature": "EqKSAg=="}
    answer = {"role": "assistant", "content": [thought, {"type": "text", "text": "Hel"}]}
    return {"model": "claude-opus-4-1", "max_tokens": 2000, **settings, "messages": [_ASK, answer]}


RULE = Rule(
    check,
    valid=(
        Example(_chat(reasoning="hm"), target="cerebras"),
        Example(_claude(thinking={"type": "enabled", "budget_tokens": 1024}), target="anthropic"),
    ),
    invalid=(
        Example(
            _chat(reasoning_content="hm"),
            target="cerebras",
            at="/1/reasoning_content",
            says="messages.1.assistant.reasoning_content",
            fixed=_chat(),
        ),
        Example(
            _claude(),
            target="anthropic",
            at="/messages/1/content/0",
            says="When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`",
        ),
    ),
    native_only=True,
)
