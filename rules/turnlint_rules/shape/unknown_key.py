"""A key that the target's schema does not have, for a target that refuses such keys.

What it finds
-------------
Members of messages, parts, calls and results that are no part of the dialect (`timestamp`, `metadata`,
`parsed_output`), or of another provider's (`reasoning_content` at Groq and Mistral), where the target refuses what it
does not know.  One diagnostic a key, with the other places as related.  A record at rest may
keep more than is sent: in `saved` mode a message's own keys are passed over, and reasoning is an info.

Why it hurts
------------
Strict providers refuse the request.  It happens when answers are stored as they came and sent back as they are, when
a history is annotated in place, and when the provider is changed in the middle.

Fix
---
safe: the key is taken out everywhere.  None for one under which another dialect keeps calls, or links results to them:
convert the messages instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.dialects.flaws import flaws_of
from turnlint.model import Message
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Flaw
    from turnlint.targets import Verdict


def check(context: Context) -> Iterator[Finding]:
    found: dict[tuple[str, str], list[Flaw]] = {}
    for flaw in flaws_of(context.transcript):
        if flaw.kind == "key" and not (context.mode == "saved" and flaw.variants[0] == "message"):
            verdict = context.minds("unknown-key", flaw.variants)
            if verdict is not None and _refused(str(flaw.at.step), verdict):
                found.setdefault((flaw.variants[0], flaw.word), []).append(flaw)
    for (variant, word), flaws in found.items():
        first = flaws[0]
        at_rest = context.mode == "saved" and variant == "reasoning"
        yield Finding(
            first.at,
            first.message,
            variant=first.variants,
            subject=first.subject,
            cause="reasoning was stored as another provider gave it" if variant == "reasoning" else None,
            related=also_at([f.at for f in flaws[1:]], "the same key"),
            fill=_fill(first, word, context),
            severity=Severity.INFO if at_rest else None,
            help="send only the keys that the provider knows, and keep your own beside the messages",
            fix=Fix("take the key out", Safety.SAFE, None, tuple(v for f in flaws for v in f.verbs))
            if all(f.verbs for f in flaws)
            else None,
        )


def _fill(flaw: Flaw, word: str, context: Context) -> dict[str, object]:
    """What the provider's text names: the key, in some texts with the role or the number of the line before it."""
    verdict = context.minds("unknown-key", flaw.variants)
    with_role = verdict is not None and verdict.texts and verdict.texts[0].count("{n}") > 1
    before = flaw.subject.role if isinstance(flaw.subject, Message) else str(flaw.at.document)
    return {"n": (brief(before), word) if with_role else word}


def _refused(key: str, verdict: Verdict) -> bool:
    """Whether the verdict is about this key: it lists those refused, or those allowed, or means any."""
    values, allowed = verdict.limits.get("values"), verdict.limits.get("allowed")
    if isinstance(values, tuple):
        return key in values
    return not isinstance(allowed, tuple) or key not in allowed


_ASK = {"role": "user", "content": "Best wood for a bench?"}
_NEXT = {"role": "user", "content": "And for a roof?"}
_PARSED = {"type": "text", "text": "Oak.", "parsed_output": None}

RULE = Rule(
    check,
    valid=(
        Example(
            [_ASK, {"role": "assistant", "content": "Oak.", "reasoning_content": "hm"}, _NEXT],
            target="openai",
            title="ignored here",
        ),
        Example([_ASK, {"role": "assistant", "content": "Oak."}, _NEXT], target="groq"),
    ),
    invalid=(
        Example(
            [_ASK, {"role": "assistant", "content": "Oak.", "reasoning_content": "hm"}, _NEXT],
            target="groq",
            at="/1/reasoning_content",
            says="property 'reasoning_content' is unsupported",
            fixed=[_ASK, {"role": "assistant", "content": "Oak."}, _NEXT],
        ),
        Example(
            [_ASK, {"role": "assistant", "content": [_PARSED]}, _NEXT],
            target="anthropic",
            dialect="anthropic",
            at="/1/content/0/parsed_output",
            says="messages.1.content.0.text.parsed_output: Extra inputs are not permitted",
            fixed=[_ASK, {"role": "assistant", "content": [{"type": "text", "text": "Oak."}]}, _NEXT],
        ),
    ),
    native_only=True,
)
