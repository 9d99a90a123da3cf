"""New IDs in the place of bad ones: made from the old one alone, so that both sides and every run agree."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from turnlint import targets
from turnlint.pairing import usable
from turnlint.redaction import looks_redacted
from turnlint_rules.limits import fits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call
    from turnlint.rule import Context

RULE = "malformed-call-id"
_ODD = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def taken_ids(context: Context) -> set[str]:
    """Every ID that a call or result of the history carries; what `fresh_id` gives out is added."""
    calls, results = context.transcript.calls(), context.transcript.results()
    return {c.id for c in calls if usable(c.id)} | {r.id for r in results if usable(r.id)}


def fresh_id(call: Call, taken: set[str], context: Context) -> str | None:
    """An ID for `call` that the target takes and nothing else has, or None where no known form fits."""
    verdict = context.judge.verdict(RULE, "client")
    for candidate in _candidates(call):
        if candidate not in taken and fits(candidate, verdict):
            taken.add(candidate)
            return candidate
    return None


def _candidates(call: Call) -> Iterator[str]:
    old = call.id if usable(call.id) else ""
    clean = _ODD.sub("_", old)
    if clean.strip("_"):
        yield clean
        yield f"{clean[:48]}_{call.number}"
    digest = _digest(f"{old}\n{call.number}")
    yield f"call_{digest[:24]}"
    yield digest[:9]
    name = call.name if usable(call.name) else "tool"
    yield f"functions.{name}:{call.number}"


def _digest(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:20], "big")
    letters = []
    for _ in range(26):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)


def wants_ids(rule: str, context: Context) -> bool:
    """Whether a missing ID is a fault of the saved shape; else whoever converts the history makes the IDs."""
    if context.native:
        return True
    dialect = context.transcript.dialect
    verdict = targets.load(targets.owner(dialect)).judge(dialect).verdict(rule, "missing")
    return verdict is not None and verdict.level != "accepts"


def tells_missing(rule: str, context: Context) -> bool:
    """Whether `rule` speaks of a missing ID here, so that nothing else has to."""
    return context.minds(rule, ("null", "missing")) is not None and wants_ids(rule, context)


def lacks(value: object, *, there: bool) -> tuple[str, ...]:
    """The variants of a missing ID, the narrowest first; an empty tuple where there is one."""
    if usable(value):
        return ()
    if not there:
        return ("missing",)
    return ("empty", "missing") if value == "" else ("null", "missing") if value is None else ("missing",)


def stands_for_removed(value: str) -> bool:
    """Whether an ID is a text that was put in the place of many when a history was redacted."""
    return not value.isalnum() and looks_redacted(value)
