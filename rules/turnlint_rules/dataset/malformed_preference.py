"""A preference line of the wrong shape.

What it finds
-------------
A line that holds a preferred or a non-preferred answer, and not all that belongs to it: an `input` with a list of
messages, and one assistant message in each of the two answers.

Why it hurts
------------
The file is refused when the job starts.

Fix
---
None: what is missing is not in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers.fine_tuning import NON_PREFERRED, PREFERRED
from turnlint.rule import Context, Example, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Place


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.kind != "preference" or not isinstance(line.raw, dict):
        return
    given = line.raw.get("input")
    if not isinstance(given, dict):
        at = line.at / "input" if "input" in line.raw else line.at
        yield _finding(at, "a preference has no input object with the messages before the answers")
    elif not isinstance(given.get("messages"), list) or not given["messages"]:
        at = line.at / "input" / "messages" if "messages" in given else line.at / "input"
        yield _finding(at, "the input of the preference has no messages")
    for keys, what in ((PREFERRED, "preferred"), (NON_PREFERRED, "non-preferred")):
        key = next((k for k in keys if k in line.raw), None)
        if key is None:
            yield _finding(line.at, f"the preference has no {what} answer")
        else:
            problem = _problem(line.raw[key])
            if problem is not None:
                yield _finding(line.at / key, f"the {what} answer {problem}")


def _problem(answer: Any) -> str | None:
    if not isinstance(answer, list):
        return "is no list"
    if len(answer) != 1:
        return f"holds {len(answer)} messages, and must hold one"
    if not isinstance(answer[0], dict) or answer[0].get("role") != "assistant":
        return "is no message of the assistant"
    return None


def _finding(at: Place, message: str) -> Finding:
    return Finding(
        at,
        message,
        help="give each line an input with messages, and one assistant message as each of the two answers",
    )


_INPUT = {"messages": [{"role": "user", "content": "What time is it?"}]}
_GOOD = [{"role": "assistant", "content": "14:02"}]
_BAD = [{"role": "assistant", "content": "Late."}]


def _line(**changed: Any) -> dict[str, Any]:
    line = {"input": _INPUT, "preferred_output": _GOOD, "non_preferred_output": _BAD, **changed}
    return {key: value for key, value in line.items() if value is not None}


RULE = Rule(
    check,
    valid=(
        Example(_line(), target="openai", mode="saved"),
        Example(
            {"input": _INPUT, "preferred_completion": _GOOD, "non_preferred_completion": _BAD},
            target="openai",
            mode="saved",
            title="the names of the specification",
        ),
    ),
    invalid=(
        Example(_line(non_preferred_output=None), target="openai", mode="saved"),
        Example(_line(preferred_output=[*_GOOD, *_BAD]), target="openai", mode="saved", at="/preferred_output"),
        Example(_line(input={"text": "What time is it?"}), target="openai", mode="saved", at="/input"),
    ),
)
