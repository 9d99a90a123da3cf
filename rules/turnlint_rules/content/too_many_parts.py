"""More parts, documents, images or cache marks than the target takes.

What it finds
-------------
More images or documents in the request than the target takes, more cache marks over tools, system prompt and
messages, or more than one browser state in a result.

Why it hurts
------------
The request is refused.  It happens when every turn adds a mark, or a screenshot, and none is taken away.

Fix
---
safe: the oldest cache marks of messages are removed until as many are left as are taken.  None for images, documents
and browser states: which of them the conversation can do without is not turnlint's to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix
from turnlint.repair import RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.content.mismatched_media import media_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place


def check(context: Context) -> Iterator[Finding]:
    yield from _cache_marks(context)
    for variant, kind in (("images", "image"), ("documents", "document")):
        most = _most(variant, context)
        found = [m for m in media_of(context) if m.media == kind] if most is not None else []
        if most is not None and len(found) > most:
            yield Finding(
                found[most].at,
                f"there are {len(found)} {variant}, and {most} are taken",
                variant=variant,
                subject=found[most],
                fill={"n": len(found)},
                help="leave out the oldest ones",
            )
    yield from _browser_states(context)


def _most(variant: str, context: Context) -> int | None:
    verdict = context.minds("too-many-parts", variant)
    most = verdict.limits.get("maximum") if verdict is not None else None
    return most if isinstance(most, int) else None


def _cache_marks(context: Context) -> Iterator[Finding]:
    marks, most = context.transcript.cache_marks, _most("cache-marks", context)
    if most is None or len(marks) <= most:
        return
    dead = [at for at in marks if _in_list(at, context)][: len(marks) - most]
    yield Finding(
        (dead or marks)[0],
        f"there are {len(marks)} cache marks, and {most} are taken",
        variant="cache-marks",
        cause="each turn added a mark and none was taken away",
        related=tuple((at, "another mark") for at in marks[-20:] if at != (dead or marks)[0]),
        fill={"n": len(marks)},
        fix=Fix("remove the oldest marks", verbs=tuple(RemoveKey(at) for at in dead))
        if len(dead) == len(marks) - most
        else None,
    )


def _in_list(at: Place, context: Context) -> bool:
    return any(at.path[: len(m.at.path)] == m.at.path for m in context.transcript.messages)


def _browser_states(context: Context) -> Iterator[Finding]:
    most = _most("browser-states", context)
    for result in context.transcript.results() if most is not None else ():
        states = [p for p in result.parts if p.type == "browser_state"]
        if most is not None and len(states) > most:
            yield Finding(
                states[most].at,
                f"the result has {len(states)} browser states, and {most} is taken",
                variant="browser-states",
                subject=result,
                fill={"n": len(states)},
            )


_MARK = {"cache_control": {"type": "ephemeral"}}


def _marked(count: int, drop: int = 0) -> dict[str, object]:
    parts = [{"type": "text", "text": str(n), **(_MARK if n >= drop else {})} for n in range(count)]
    return {
        "system": [{"type": "text", "text": "Be brief.", **_MARK}],
        "messages": [{"role": "user", "content": parts}],
    }


def _documents(count: int) -> list[object]:
    documents = [{"document": {"format": "txt", "name": f"doc {n}", "source": {"text": "a"}}} for n in range(count)]
    return [{"role": "user", "content": [{"text": "Read them."}, *documents]}]


RULE = Rule(
    check,
    valid=(
        Example(_marked(3), target="anthropic", dialect="anthropic"),
        Example(_documents(5), target="bedrock", dialect="bedrock-converse"),
    ),
    invalid=(
        Example(
            _marked(4),
            target="anthropic",
            dialect="anthropic",
            at="/messages/0/content/0/cache_control",
            says="A maximum of 4 blocks with cache_control may be provided. Found 5.",
            fixed=_marked(4, drop=1),
        ),
        Example(
            _documents(6),
            target="bedrock",
            dialect="bedrock-converse",
            at="/0/content/6/document",
            says="You can't include more than 5 documents in a request.",
        ),
    ),
)
