"""What a fix may put where nothing was recorded: short texts that claim nothing, and where they go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Speaker
from turnlint.repair import InsertMessage
from turnlint.targets import Level

if TYPE_CHECKING:
    from turnlint.rule import Context

NO_BEGINNING = "(the beginning of the conversation was not recorded)"
NO_ANSWER = "(no answer was recorded)"
GO_ON = "Continue."
NO_OUTPUT = "(no output)"
FAILED = "The tool failed without output."
ELSEWHERE = "(what the tool handed back follows in a message of its own)"
UNKNOWN_TOOL = "unknown_tool"
NO_WORDS = "(nothing was said about this)"


def begin_with_user(context: Context) -> Fix:
    """Puts a neutral user message in front of the conversation, behind leading system messages."""
    behind = None
    for message in context.transcript.messages:
        if message.speaker is not Speaker.SYSTEM:
            break
        behind = message
    return Fix(
        "begin with a user message that says that the beginning is missing",
        Safety.UNSAFE,
        "the user did not write it",
        (InsertMessage(Speaker.USER, NO_BEGINNING, behind),),
    )


def wants_results_alone(context: Context) -> bool:
    """Whether the target refuses text beside results, so that moved and added ones need a message of their own."""
    verdicts = (context.minds(rule, "text") for rule in ("content-beside-results", "content-after-results"))
    return any(verdict is not None and verdict.level is Level.REJECTS for verdict in verdicts)
