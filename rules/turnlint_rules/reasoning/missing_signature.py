"""A thinking block or a call without its signature.

What it finds
-------------
A thinking block of Claude without `signature`, the first call of a step in Gemini's current turn without a thought
signature (or with one that stands inside the call instead of beside it), and a result of a hosted web search without
its sealed text. Gemini's current turn begins at the last message of the user that is more than results; earlier turns
are not checked.

Why it hurts
------------
The request is refused: the signature proves that the model made this block.  It is lost when a stream's reader keeps
only text and calls, when a history is made with another provider, and when messages are rebuilt from their text.

Fix
---
safe for a signature inside the call: it is moved beside it.
unsafe: an unsigned block goes with all other thinking where no tool loop is open; a call without its signature gets the
mark that Gemini documents for that.  Otherwise none: a signature cannot be made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Place, Safety
from turnlint.dialects.flaws import flaws_of
from turnlint.model import Kind, Reasoning, Speaker
from turnlint.repair import RemoveKey, SetValue
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.reasoning.sealed import skip_mark, without_thinking
from turnlint_rules.wording import brief, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Call, Message


def check(context: Context) -> Iterator[Finding]:
    if context.minds("missing-signature", "thinking"):
        unsigned = [p for p in context.transcript.parts() if isinstance(p, Reasoning) and _is_unsigned(p)]
        gone = without_thinking(context) if unsigned else None
        yield from (_thinking(part, gone) for part in unsigned)
    if context.minds("missing-signature", "search-result"):
        for flaw in flaws_of(context.transcript):
            if flaw.kind == "seal":
                yield Finding(
                    flaw.at,
                    flaw.message,
                    variant=flaw.variants,
                    subject=flaw.subject,
                    cause="the sealed text was taken out to make the history smaller",
                    fill={"n": flaw.word},
                    help="keep the provider's results as they came",
                )
    if context.minds("missing-signature", "nested"):
        for call in context.pairing.calls:
            if call.signature_at is not None and call.signature_at.path[: len(call.at.path)] == call.at.path:
                yield _nested(call)
    yield from _first_calls(context)


def _is_unsigned(part: Reasoning) -> bool:
    return part.signature is None and not part.redacted and part.type not in ("reasoning", "signature", "thought")


def _thinking(part: Reasoning, gone: Fix | None) -> Finding:
    return Finding(
        part.at,
        "the thinking block has no signature",
        variant="thinking",
        subject=part,
        cause="a stream's reader dropped it, or the block comes from another provider",
        help="store the signature with the block; without it, leave all thinking of the history out",
        fix=gone,
    )


def _nested(call: Call) -> Finding:
    assert call.signature_at is not None
    outside = Place(call.at.path[:-1], call.at.document) / call.signature_at.path[-1]
    return Finding(
        call.signature_at,
        f"the signature of {brief(call.name)} stands inside the call, and belongs beside it",
        variant="nested",
        subject=call,
        cause="a converter put every field of the part into the call",
        fill={"tool": printed(call.name), "n": call.message.index + 1},
        help="keep the parts of the model as they came",
        fix=Fix(
            "move it beside the call",
            Safety.SAFE,
            None,
            (SetValue(outside, call.signature), RemoveKey(call.signature_at)),
        ),
    )


def _first_calls(context: Context) -> Iterator[Finding]:
    """The first call of each step in the current turn; later calls of a batch carry no signature of their own."""
    verdict = context.minds("missing-signature", "first-call")
    if verdict is None or not (verdict.certain or any(c.signature for c in context.pairing.calls)):
        return  # nothing tells that this model signs its calls
    before: Message | None = None
    for message in _current_turn(context.transcript.sent):
        step_goes_on = before is not None and before.speaker is Speaker.ASSISTANT and before.calls
        calls = message.calls
        if calls and not step_goes_on and not calls[0].signature and not _sealed_beside(message):
            yield _unsigned_call(calls[0], context)
        before = message


def _sealed_beside(message: Message) -> bool:
    """Whether the signature travels on the message, in the details of a router, and not on the call."""
    for part in message.parts:
        if isinstance(part, Reasoning) and part.type == "reasoning_details" and isinstance(part.raw, list):
            return any(isinstance(one, dict) and (one.get("data") or one.get("signature")) for one in part.raw)
    return False


def _current_turn(messages: list[Message]) -> list[Message]:
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if message.speaker is Speaker.USER and message.has(Kind.TEXT, Kind.MEDIA):
            return messages[position + 1 :]
    return messages


def _unsigned_call(call: Call, context: Context) -> Finding:
    return Finding(
        call.at,
        f"the call of {brief(call.name)} has lost its thought signature, and its turn is not over",
        variant="first-call",
        subject=call,
        cause="the call was stored without its signature, or made by another model",
        fill={"tool": printed(call.name), "n": call.message.index + 1},
        help="send the model's parts back as they came; where the signature is really lost, the documented "
        "skip_thought_signature_validator on the first call of each step is the last resort",
        fix=skip_mark(call, context),
    )


_ASK = {"role": "user", "content": "Hi"}


def _claude(**signature: str) -> list[object]:
    thought = {"type": "thinking", "thinking": "A greeting.", **signature}
    return [_ASK, {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello"}]}, _ASK]


def _gemini(*parts: dict[str, Any], then: tuple[object, ...] = ()) -> dict[str, Any]:
    answer = {"functionResponse": {"name": "multiply", "response": {"output": 4}}}
    return {
        "model": "gemini-3-pro-preview",
        "contents": [
            {"role": "user", "parts": [{"text": "2*2?"}]},
            {"role": "model", "parts": list(parts)},
            {"role": "user", "parts": [answer]},
            *then,
        ],
    }


_CALL: dict[str, Any] = {"functionCall": {"name": "multiply", "args": {"x": 2}}}
_SIGNED = {**_CALL, "thoughtSignature": "CiQBjz1rX4mVw3Yp"}
_NEXT = ({"role": "model", "parts": [{"text": "4"}]}, {"role": "user", "parts": [{"text": "And 3*3?"}]})

RULE = Rule(
    check,
    valid=(
        Example(_claude(signature="EqKSAg=="), target="anthropic"),
        Example(_gemini(_SIGNED), target="gemini"),
        Example(_gemini(_CALL, then=_NEXT), target="gemini", title="an earlier turn is not checked"),
    ),
    invalid=(
        Example(_claude(), target="anthropic", at="/1/content/0"),
        Example(
            _gemini({"functionCall": {**_CALL["functionCall"], "thoughtSignature": "CiQBjz1rX4mVw3Yp"}}),
            target="gemini",
            at="/contents/1/parts/0/functionCall/thoughtSignature",
            fixed=_gemini(_SIGNED),
        ),
        Example(
            _gemini(_CALL),
            target="gemini",
            at="/contents/1/parts/0/functionCall",
            says="function call `default_api:multiply` , position 2",
        ),
    ),
    native_only=True,
)
