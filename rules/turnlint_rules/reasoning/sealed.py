"""Fixes for what a provider has sealed: blocks go as a whole or stay, and only a documented mark takes their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Reasoning
from turnlint.repair import Remove, SetSignature

if TYPE_CHECKING:
    from turnlint.model import Call
    from turnlint.rule import Context


def without_thinking(context: Context) -> Fix | None:
    """Takes all thinking out of a history whose last turn is closed; None in the middle of a tool loop, which needs it.

    One block alone must not go: those that stay are bound to it.
    """
    sent = context.transcript.sent
    if not context.native or (sent and sent[-1].results):
        return None
    blocks = tuple(Remove(p) for p in context.transcript.parts() if isinstance(p, Reasoning))
    return Fix("take all thinking out of the history", Safety.UNSAFE, "the reasoning is gone then", blocks)


def skip_mark(call: Call, context: Context) -> Fix | None:
    """Puts the documented mark in the place of a call's signature; None where the target has none."""
    verdict = context.minds("invalid-signature", "siblings")
    marks = verdict.limits.get("values") if verdict is not None else None
    if not context.native or not isinstance(marks, tuple) or not marks:
        return None
    return Fix(
        "put the documented mark in its place",
        Safety.UNSAFE,
        "the model goes on without its own thoughts, which costs quality",
        (SetSignature(call, marks[0]),),
    )
