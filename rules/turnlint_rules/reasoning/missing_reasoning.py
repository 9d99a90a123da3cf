"""Reasoning that must be handed back and is not there.

What it finds
-------------
An assistant message without its reasoning, for targets that want it back: DeepSeek and Kimi on messages of a turn
that used tools, Claude with extended thinking at the beginning of the tool loop that is still open.  Which messages
are meant is the target's word.  It speaks only where thinking is on: the request says so, the model thinks unless it
is told not to, or other messages of the history carry reasoning.  One diagnostic a history, with the other messages
as related.

Why it hurts
------------
The request is refused, and with it the whole conversation until the reasoning is back or thinking is off.  It happens
when messages are stored as role, content and calls, and everything else is dropped.

Fix
---
unsafe: an empty text in its place for DeepSeek, which takes that; for Claude and Kimi thinking is turned off, where
there is a request around the history.  Otherwise none: reasoning cannot be made up.  Better restore it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Speaker
from turnlint.repair import SetReasoning, StopThinking
from turnlint.request import request_of
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import also_at, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Message
    from turnlint.targets import Verdict

NAME = "missing-reasoning"


def check(context: Context) -> Iterator[Finding]:
    spans = _spans(context.transcript.sent)
    yield from _open_loop(spans, context)
    lacking: list[tuple[Message, tuple[str, ...]]] = []
    for number, span in enumerate(spans):
        last = number == len(spans) - 1
        for message in span:
            if message.speaker is Speaker.ASSISTANT and not message.has(Kind.REASONING) and not _only_control(message):
                variants = _variants(message, span, open_loop=last and _is_open(span))
                verdict = context.minds(NAME, variants)
                if verdict is not None and not _loop_only(verdict) and _thinks(verdict, context):
                    lacking.append((message, variants))
    if lacking and any(m.item for m, _ in lacking):
        lacking = [(m, v) for m, v in lacking if _first_of_batch(m, context)]
    if lacking:
        yield _finding([m for m, _ in lacking], lacking[0][1], context)


def _loop_only(verdict: Verdict) -> bool:
    """Whether the target asks for the open tool loop alone, as a whole."""
    return verdict.when is not None and set(verdict.when) == {"open-loop"}


def _spans(messages: list[Message]) -> list[list[Message]]:
    """The history cut at each new word of the user: what belongs to one request, from that word on."""
    spans: list[list[Message]] = [[]]
    for message in messages:
        if message.speaker is Speaker.USER and (message.has(Kind.TEXT, Kind.MEDIA) or not message.results):
            spans.append([])
        spans[-1].append(message)
    return spans


def _is_open(span: list[Message]) -> bool:
    """Whether a span ends in results, which the model is about to read."""
    return bool(span) and bool(span[-1].results)


def _only_control(message: Message) -> bool:
    return not message.parts or all(p.kind in (Kind.CONTROL, Kind.UNKNOWN) for p in message.parts)


def _variants(message: Message, span: list[Message], *, open_loop: bool) -> tuple[str, ...]:
    if message.calls:
        return ("open-loop", "call", "turn") if open_loop else ("call", "turn")
    return ("turn", "plain") if any(m.calls for m in span) else ("plain",)


def _first_of_batch(message: Message, context: Context) -> bool:
    """In a list of items: whether a call has no reasoning right in front of it."""
    messages = context.transcript.messages
    before = next((m for m in reversed(messages[: message.index]) if m.index < message.index), None)
    return bool(message.calls) and (before is None or not before.has(Kind.REASONING))


def _thinks(verdict: Verdict, context: Context) -> bool:
    """Whether the model thinks: the request says so, or thinking is the default here and nothing says otherwise."""
    default = "thinking-default" in verdict.needs
    thinking = request_of(context.transcript).thinking
    if thinking is not None:
        return thinking == "on" or (thinking == "adaptive" and default)
    if not default:
        return False
    return verdict.certain or any(m.has(Kind.REASONING) for m in context.transcript.messages)


def _open_loop(spans: list[list[Message]], context: Context) -> Iterator[Finding]:
    """Claude: the turn that opened the tool loop must begin with its thinking; later turns of the loop need none."""
    verdict = context.minds(NAME, "open-loop")
    span = spans[-1]
    if verdict is None or not _loop_only(verdict) or not _is_open(span) or not _thinks(verdict, context):
        return
    turns = [m for m in span if m.speaker is Speaker.ASSISTANT]
    if not any(m.calls for m in turns) or any(m.has(Kind.REASONING) for m in turns):
        return
    last = turns[-1]
    first = last.parts[0] if last.parts else None
    yield Finding(
        first.at if first is not None else last.at,
        "thinking is on, and the turn that called the tools has none of it",
        variant="open-loop",
        subject=first or last,
        cause="the turn was stored without its thinking, or thinking was turned on in the middle of the loop",
        related=((span[-1].at, "the results that the model is to go on from"),),
        fill={"n": "tool_use" if first is not None and first.kind is Kind.CALL else "text"},
        help="send the thinking blocks of this turn back as they came, or turn thinking off until the loop is done",
        fix=_without(context),
    )


_OFF = frozenset({"anthropic", "vertex-anthropic", "moonshot"})  # whose requests can say that no thinking is wanted


def _without(context: Context) -> Fix | None:
    if not context.native or not context.transcript.is_body or context.judge.target.name not in _OFF:
        return None
    reason = "the model answers without thinking then"
    return Fix("turn thinking off for this request", Safety.UNSAFE, reason, (StopThinking(),))


def _fix(messages: list[Message], context: Context) -> Fix | None:
    if not context.native or context.judge.target.name != "deepseek":
        return _without(context)
    verbs = tuple(SetReasoning(m, "") for m in messages)
    return Fix("write an empty text in its place", Safety.UNSAFE, "what the model thought is lost", verbs)


def _finding(messages: list[Message], variants: tuple[str, ...], context: Context) -> Finding:
    first = messages[0]
    more = f", and so have {len(messages) - 1} more" if len(messages) > 1 else ""
    what = several(len(first.calls), "call") if first.calls else "the answer of a turn with tools"
    return Finding(
        first.at,
        f"the assistant message with {what} has lost its reasoning{more}",
        variant=variants,
        subject=first,
        cause="messages were stored as role, content and calls, and the reasoning was dropped",
        related=also_at([m.at for m in messages[1:]], "without reasoning too"),
        fill={"n": len(messages)},
        help="store the reasoning with each message and send it back, or turn thinking off",
        fix=_fix(messages, context),
    )


_ASK = {"role": "user", "content": "What time is it in Oslo?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
_TOOL = {"role": "tool", "tool_call_id": "call_1", "content": "14:02"}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_time", "input": {}}
_THOUGHT = {"type": "thinking", "thinking": "Look it up.", "signature": "EqKSAg=="}
_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "14:02"}]}


def _deepseek(**extra: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": [_CALL], **extra}
    return {"model": "deepseek-v4-flash", "messages": [_ASK, message, _TOOL]}


def _claude(kind: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": "claude-sonnet-4-5",
        "thinking": {"type": kind, "budget_tokens": 1024},
        "tools": [{"name": "get_time", "input_schema": {"type": "object"}}],
        "messages": [_ASK, {"role": "assistant", "content": list(blocks)}, _RESULT],
    }


RULE = Rule(
    check,
    valid=(
        Example(_deepseek(reasoning_content="Look it up."), target="deepseek"),
        Example(_claude("enabled", _THOUGHT, _USE), target="anthropic"),
        Example(_claude("disabled", _USE), target="anthropic", title="thinking is off"),
    ),
    invalid=(
        Example(
            _deepseek(),
            target="deepseek",
            at="/messages/1",
            says="The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        Example(
            _claude("enabled", _USE),
            target="anthropic",
            at="/messages/1/content/0",
            says="messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`",
            fixed={**_claude("enabled", _USE), "thinking": {"type": "disabled"}},
        ),
    ),
)
