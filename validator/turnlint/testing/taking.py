"""What a target takes of a dialect, as far as its verdicts tell: the strategies draw nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from turnlint import dialects, targets
from turnlint.targets import Judge, Level

if TYPE_CHECKING:
    from turnlint.testing.writers import Writer

#: Forms of call IDs, tried after the writer's own: the first that the target takes is used.
_CALL_IDS = ("call_{}", "call{:05d}", "toolu_{}", "call_{:024d}")


@dataclass(frozen=True, slots=True)
class Taking:
    """What may be drawn for a target.

    `restart`: IDs may begin anew in every round; `shuffle`: results may come in another order than their calls;
    `calls`: False where the model knows no tools; `objects`: arguments must be objects where they usually are text;
    `texts`: a text may stand beside calls, `must_say`: has to; `thoughts`: reasoning may be kept, `must_think`: has to.
    """

    target: str
    model: str | None
    call_id: str
    restart: bool
    shuffle: bool
    calls: bool
    parallel: bool
    objects: bool
    texts: bool
    must_say: bool
    images: bool
    system: bool
    hosted: bool
    failures: bool
    thoughts: bool
    must_think: bool


def judge_of(writer: Writer, target: str | None) -> tuple[Judge, bool]:
    """Who judges what the writer writes, and whether it is that target's own shape.  Raises `UsageError`."""
    dialect = dialects.get(writer.dialect)
    found, model = targets.resolve(target if target is not None else targets.owner(writer.dialect))
    native = next((api for api in (dialect.apis or (dialect.name,)) if api in found.dialects), None)
    return found.judge(native or found.api, model), native is not None


@lru_cache(maxsize=256)
def taking(writer: Writer, target: str | None) -> Taking:
    """What `target` (by default the dialect's owner) takes of what `writer` writes."""
    judge, native = judge_of(writer, target)

    def minds(rule: str, *variants: str) -> bool:
        verdict = judge.verdict(rule, variants)
        return verdict is not None and verdict.level is not Level.ACCEPTS

    keeps = writer.keeps
    texts = "texts" in keeps and not minds("text-beside-calls")
    must_think = "thoughts" in keeps and native and _wants_thoughts(judge)
    return Taking(
        target=judge.target.name,
        model=judge.model.name if judge.model is not None else None,
        call_id=_call_id(writer, judge),
        restart="ids" not in keeps or not minds("reused-call-id"),
        shuffle="ids" in keeps and not minds("reordered-results", "by-id"),
        calls=not _knows_no_tools(judge),
        parallel=not _one_call(judge),
        objects=writer.dialect == "openai-chat" and native and minds("arguments-not-object", "text"),
        texts=texts,
        must_say=texts and writer.dialect == "openai-chat" and minds("null-content", "assistant-with-calls"),
        images="images" in keeps
        and not minds("unsupported-content", "image")
        and not minds("content-not-string", "user"),
        system="system" not in keeps
        or not (minds("unsupported-role", "system") or (native and minds("misplaced-system", "first"))),
        hosted="hosted" in keeps and native,
        failures="failures" in keeps,
        thoughts=must_think or ("thoughts" in keeps and native and writer.dialect != "openai-chat"),
        must_think=must_think,
    )


def _wants_thoughts(judge: Judge) -> bool:
    """Whether this very model refuses calls without the reasoning that led to them, whatever the request says."""
    if judge.model is None or judge.api == "anthropic":
        return False
    wanting = (
        judge.verdict("missing-reasoning", ("open-loop", "call")),
        judge.verdict("missing-signature", "first-call"),
    )
    return any(v is not None and v.certain and v.gate is not None for v in wanting)


def _knows_no_tools(judge: Judge) -> bool:
    """Whether the model, or its template, takes users and assistants alone."""
    verdict = judge.verdict("consecutive-roles", "result")
    return verdict is not None and "result" in (verdict.when or ())


def _one_call(judge: Judge) -> bool:
    verdict = judge.verdict("too-many-calls")
    return verdict is not None and verdict.limits.get("maximum", 1) == 1


def _call_id(writer: Writer, judge: Judge) -> str:
    verdict = judge.verdict("malformed-call-id", "client")
    if verdict is None or verdict.level is Level.ACCEPTS:
        return writer.call_id
    pattern, least, most = (verdict.limits.get(key) for key in ("pattern", "minimum", "maximum"))
    for form in (writer.call_id, *_CALL_IDS):
        made = form.format(0)
        if isinstance(pattern, str) and not re.fullmatch(pattern, made):
            continue
        if isinstance(least, int) and len(made) < least:
            continue
        if isinstance(most, int) and len(made) > most:
            continue
        return form
    return writer.call_id
