"""A signature that cannot be one.

What it finds
-------------
A signature that is empty, a word that programs put in its place (`reasoning_content`), no base64 at all, or plain
text in base64 where a sealed blob belongs; a redacted block without its data; and the mark that tells Gemini to skip
the check on every call of a batch instead of the first.  Whether a real signature still fits its conversation only
the provider can tell.

Why it hurts
------------
The request is refused.  It happens when reasoning of one provider is stored in the shape of another, when fixtures
are anonymised, and when a stream's last fragment is lost.

Fix
---
safe for the skip mark on later calls: it is taken out.
unsafe: all thinking of the history goes, never this block alone, where no tool loop is open; the documented mark takes
the place of a call's signature; an item with broken encrypted reasoning is taken out.  None inside an open tool loop:
only the stored block will do."""

from __future__ import annotations

import base64
import binascii
import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety, Severity
from turnlint.model import Reasoning
from turnlint.redaction import looks_redacted
from turnlint.repair import Remove, RemoveKey
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.reasoning.sealed import skip_mark, without_thinking
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnlint.diagnostic import Place
    from turnlint.model import Call

NAME = "invalid-signature"
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}", re.ASCII)
_LOOKED_AT = 4096


def check(context: Context) -> Iterator[Finding]:
    gone = cache(partial(without_thinking, context))  # all of it goes, whichever block is wrong
    for part in context.transcript.parts():
        if isinstance(part, Reasoning):
            yield from _block(part, context, gone)
    verdict = context.minds(NAME, "siblings")
    for message in context.transcript.messages:
        calls = message.calls
        marks = verdict.limits.get("values") if verdict is not None else None
        if isinstance(marks, tuple):
            yield from (_sibling(c) for c in calls[1:] if c.signature in marks and c.signature_at is not None)
        for call in calls:
            yield from _call(call, marks if isinstance(marks, tuple) else (), context)


def _block(part: Reasoning, context: Context, gone: Callable[[], Fix | None]) -> Iterator[Finding]:
    at = part.signature_at or part.at
    if part.redacted and not part.encrypted:
        text = "the redacted block has no data"
        yield _finding(at, text, ("redacted",), part, gone())
    if part.signature is not None and not looks_redacted(part.signature):
        verdict = context.minds(NAME, ("placeholder", "foreign"))
        words = verdict.limits.get("values") if verdict is not None else None
        if part.signature == "" or part.signature in (words if isinstance(words, tuple) else ()):
            text = "an empty text" if part.signature == "" else brief(part.signature)
            says = f"the signature is {text}, which cannot be one"
            yield _finding(at, says, ("placeholder",), part, gone())
        elif not _is_base64(part.signature):
            says = "the signature is no base64, and cannot be one"
            yield _finding(at, says, ("placeholder", "foreign"), part, gone())
    if _is_text(part.encrypted) and not part.redacted and not _is_base64(part.encrypted):
        text = "the encrypted reasoning is no base64, and cannot be what the provider gave"
        fix = Fix("take the item out", Safety.UNSAFE, "its reasoning is gone then", (Remove(part),))
        yield _finding(at, text, ("encrypted-content", "foreign"), part, fix)


def _call(call: Call, marks: tuple[str, ...], context: Context) -> Iterator[Finding]:
    signature = call.signature
    if signature is None or call.signature_at is None or _is_mark(signature, marks) or looks_redacted(signature):
        return
    verdict = context.minds(NAME, "foreign")
    if verdict is None or not verdict.certain:
        return  # whether this model looks at signatures is not known
    if not _is_base64(signature) or _is_plain_text(signature):
        says = "the signature of the call cannot be one"
        yield _finding(call.signature_at, says, ("foreign",), call, _replaced(call, context))


def _is_mark(signature: Any, marks: tuple[str, ...]) -> bool:
    """One of the marks that stand for a signature, as text or as an SDK encodes bytes."""
    if not isinstance(signature, str):
        return False
    return signature in marks or any(base64.b64encode(mark.encode()).decode() == signature for mark in marks)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != "" and not looks_redacted(value)


def _is_base64(value: Any) -> bool:
    return isinstance(value, str) and _BASE64.fullmatch(value) is not None


def _is_plain_text(value: str) -> bool:
    """Whether base64 decodes to words: a seal never does."""
    head = value[: _LOOKED_AT // 4 * 4]
    try:
        data = base64.b64decode(head + "=" * (-len(head) % 4), altchars=b"-_", validate=False)
    except (binascii.Error, ValueError):
        return False
    return len(data) >= 6 and all(32 <= byte < 127 for byte in data)


def _replaced(call: Call, context: Context) -> Fix | None:
    """The documented mark on the first call of a batch; later ones carry none."""
    assert call.signature_at is not None
    if call is call.message.calls[0]:
        return skip_mark(call, context)
    return Fix("take it off", Safety.UNSAFE, "what the model thought is lost", (RemoveKey(call.signature_at),))


def _finding(at: Place, message: str, variants: tuple[str, ...], part: Any, fix: Fix | None) -> Finding:
    return Finding(
        at,
        message,
        variant=variants,
        subject=part,
        cause="reasoning of another provider was stored in this shape, or the signature was lost on the way",
        fill={"n": "…", "tool": printed(getattr(part, "name", "")), "id": printed(getattr(part, "id", ""))},
        help="send signed blocks back as they came, or leave all of them out",
        fix=fix,
    )


def _sibling(call: Call) -> Finding:
    assert call.signature_at is not None
    return Finding(
        call.signature_at,
        f"the skip mark stands on {brief(call.name)} too, and belongs on the first call of the batch only",
        variant="siblings",
        subject=call,
        cause="the mark was put on every call alike",
        fill={"tool": printed(call.name), "id": printed(call.id)},
        help="mark the first call of each step and no other",
        fix=Fix("take the mark off", Safety.SAFE, None, (RemoveKey(call.signature_at),)),
    )


_ASK = {"role": "user", "content": "Check the diary"}


def _claude(signature: str) -> list[object]:
    thought = {"type": "thinking", "thinking": "I should open it.", "signature": signature}
    return [_ASK, {"role": "assistant", "content": [thought, {"type": "text", "text": "Done."}]}, _ASK]


def _gemini(*signatures: str) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    for number, signature in enumerate(signatures):
        part: dict[str, Any] = {"functionCall": {"name": f"get_{number}", "args": {}}}
        calls.append({**part, "thoughtSignature": signature} if signature else part)
    results = [{"functionResponse": {"name": f"get_{n}", "response": {"o": 1}}} for n in range(len(signatures))]
    return {
        "model": "gemini-3-pro-preview",
        "contents": [
            {"role": "user", "parts": [{"text": "Both"}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": results},
        ],
    }


_SKIP = "skip_thought_signature_validator"

RULE = Rule(
    check,
    valid=(
        Example(_claude("EqKSAg=="), target="anthropic"),
        Example(_gemini(_SKIP, ""), target="gemini", title="the documented mark, on the first call"),
        Example(
            _gemini("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", ""), target="gemini", title="the mark in base64"
        ),
    ),
    invalid=(
        Example(
            _claude("reasoning_content"),
            target="anthropic",
            at="/1/content/0/signature",
            says="messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        Example(
            _gemini(_SKIP, _SKIP),
            target="gemini",
            at="/contents/1/parts/1/thoughtSignature",
            severity=Severity.WARNING,
            fixed=_gemini(_SKIP, ""),
        ),
        Example(
            _gemini("bm90LWEtc2ln"),
            target="gemini",
            at="/contents/1/parts/0/thoughtSignature",
            says="Corrupted thought signature.",
        ),
    ),
    native_only=True,
)
