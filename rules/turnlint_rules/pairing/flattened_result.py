"""A tool result that was rewritten as plain text.

What it finds
-------------
A text that reads like a tool result ("[Tool result] ...", "<tool_result>...") right behind an assistant turn with a
call that nothing answers.  It looks only there: agents that call tools by text write the same on purpose.

Why it hurts
------------
The provider sees a call without its result and refuses the request (`unanswered-call` tells that).  Where it is let
through, the model learns to write results, and then calls, as text.  It happens when a history is converted by code
that knows texts only, or when a person's rejection of a call is stored as an ordinary message.

Fix
---
None: what the tool really answered cannot be told from the text around it.  Store it as a result again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.model import Kind, State
from turnlint.pairing import CallState
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.model import Part
    from turnlint.pairing import Exchange

_READS_LIKE_RESULT = re.compile(
    r"\s{0,20}[\[(<*#`]{0,4}\s{0,4}"
    r"(?:(?:the |your )?(?:tool|function)[ _-]?(?:call[ _-]?)?(?:results?|responses?|outputs?)"
    r"|(?:results?|output|response) (?:of|from) (?:the |your |an? )?(?:earlier )?(?:tool|function))"
    r"\b[^\n]{0,100}?(?:[\])>:`*]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_OPEN = (CallState.UNANSWERED, CallState.PARTIAL, CallState.MISCOUNTED)


def flattened(exchange: Exchange) -> Part | None:
    """The text behind an exchange, or in its window, that reads like a result."""
    near = exchange.window[-1:] if exchange.after is None else [*exchange.window[-1:], exchange.after]
    for message in near:
        for part in message.parts[:20]:
            if part.kind is Kind.TEXT and part.text and _READS_LIKE_RESULT.match(part.text[:200]):
                return part
    return None


def check(context: Context) -> Iterator[Finding]:
    pairing = context.pairing
    for exchange in pairing.exchanges:
        lost = [c for c in exchange.calls if pairing.call_states[c.number] in _OPEN]
        text = flattened(exchange) if lost else None
        if text is not None:
            yield Finding(
                text.at,
                "this text reads like the result of a call that is not answered",
                subject=text,
                cause="the history was converted by code that keeps texts only",
                related=((lost[0].at, "the call without a result"),),
                help="store it as a tool result",
            )


_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
_TURN = {"role": "assistant", "content": None, "tool_calls": [_CALL]}

RULE = Rule(
    check,
    valid=(
        Example([_ASK, _TURN, {"role": "tool", "tool_call_id": "call_1", "content": "[Tool result] 4 C"}]),
        Example(
            [
                {"role": "user", "content": "Weather in Oslo?"},
                {"role": "assistant", "content": "<tool>get_weather Oslo</tool>"},
                {"role": "user", "content": "[Tool result] 4 C"},
            ],
            target="openai",
            title="an agent that calls by text",
        ),
    ),
    invalid=(
        Example(
            [_ASK, _TURN, {"role": "user", "content": "[Tool result: get_weather] 4 C"}],
            target="openai",
            at="/2/content",
            severity=Severity.INFO,
        ),
        Example(
            [
                _ASK,
                {"role": "assistant", "content": [_USE]},
                {"role": "user", "content": [{"type": "text", "text": "<tool_result>4 C</tool_result>"}]},
            ],
            target="anthropic",
            at="/2/content/0",
            severity=Severity.INFO,
        ),
    ),
    states=frozenset({State.COMPLETE, State.PARTIAL_HEAD, State.TRUNCATED_VALUES}),
)
