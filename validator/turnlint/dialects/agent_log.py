"""What an agent's log says of a conversation, in messages that no provider was ever sent.

Containers write it for logs whose own records are not those of an API: calls and results are told apart and linked
as Chat Completions does it, and nothing but that is judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.dialects import Dialect, Marks
from turnlint.dialects.openai_chat import DIALECT as CHAT

if TYPE_CHECKING:
    from turnlint.model import Candidate, Transcript


def recognise(marks: Marks) -> int:  # noqa: ARG001 - it is named by containers only
    return 0


def read(candidate: Candidate) -> Transcript:
    """The messages as the container made them."""
    transcript = CHAT.read(candidate)
    transcript.dialect = "agent-log"
    return transcript


DIALECT = Dialect(
    name="agent-log",
    title="Agent logs",
    how="never by content: containers give it to records that are no messages of an API",
    recognise=recognise,
    read=read,
    signals=CHAT.signals,
    wire=False,
    by_name_only=True,
)
