"""JSONL in which every line is one message of a single conversation."""

from __future__ import annotations

from turnlint.containers import Container
from turnlint.containers.plain import find_lines, one_message_a_line

CONTAINER = Container(
    name="message-lines",
    title="JSONL, one message a line",
    how="every line is an object that is a message by itself; all lines are one conversation",
    recognise=one_message_a_line,
    find=find_lines,
)
