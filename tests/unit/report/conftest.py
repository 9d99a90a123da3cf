"""A report with something in every field, and the lines that it points at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from turnlint.diagnostic import (
    Diagnostic,
    Edit,
    FileInfo,
    Fix,
    Judgement,
    Related,
    Report,
    Safety,
    Severity,
    TranscriptInfo,
)
from turnlint.report import Context, RulePage

if TYPE_CHECKING:
    from collections.abc import Callable

SNAPSHOTS = Path(__file__).parent / "snapshots"

LINES = {
    ("chats/session.jsonl", 4): '{"role": "tool", "tool_call_id": "call_9", "content": "14:02"}',
    ("chats/session.jsonl", 7): '{"role": "assistant", "tool_calls": [{"id": "call_1"}, {"id": "call_2"}]}',
    ("chats/öffnung.json", 12): '        "content": "日本 wide"',
}

ORPHAN = Diagnostic(
    rule="orphan-result",
    code="TL102",
    severity=Severity.ERROR,
    message="the result for call_9 answers no call of the turn before it",
    pointer="",
    cause="the head of the history may have been trimmed",
    target="openai",
    provider_error="Invalid parameter: messages with role 'tool' must be a response to a preceeding message",
    status=400,
    verdicts=(
        Judgement("openai", Severity.ERROR, "Invalid parameter: messages with role 'tool' must be a response", 400),
        Judgement("mistral", Severity.WARNING),
    ),
    also=("first-not-user",),
    notes=("the model is not named",),
    message_index=3,
    transcript="s-1",
    path="chats/session.jsonl",
    line=4,
    column=18,
    end_line=4,
    end_column=42,
    related=(Related("", "the last call before it", document=1, line=2, column=5),),
    fix=Fix("remove the result", Safety.UNSAFE, "its text is lost", edits=(Edit(210, 272, "", 4, 1, 5, 1),)),
    url="https://turnlint.readthedocs.io/en/latest/rules/orphan-result/",
    help="put the call back in front of it",
    document=3,
)

UNANSWERED = Diagnostic(
    rule="unanswered-call",
    code="TL101",
    severity=Severity.WARNING,
    message="2 calls have no result",
    pointer="/tool_calls/0",
    target="openai",
    path="chats/session.jsonl",
    line=7,
    column=38,
    end_line=7,
    end_column=54,
    message_index=6,
    transcript="s-1",
    fix=Fix("remove the calls", edits=(Edit(400, 410, '"x"', 7, 38, 7, 48), Edit(420, 421, "", 7, 58, 7, 59))),
    url="https://turnlint.readthedocs.io/en/latest/rules/unanswered-call/",
    document=6,
)

BLANK = Diagnostic(
    rule="blank-text",
    code="TL404",
    severity=Severity.INFO,
    message="the text is blank",
    pointer="/messages/1/content",
    path="chats/öffnung.json",
    line=12,
    column=20,
    end_line=12,
    end_column=23,
    message_index=1,
    transcript="0",
)

REPORT = Report(
    diagnostics=[ORPHAN, UNANSWERED, BLANK],
    files=[
        FileInfo(
            "chats/session.jsonl",
            "checked",
            "jsonl",
            (TranscriptInfo("s-1", "", 1, "openai-chat", ("openai",), "saved", 7, "the file is in openai-chat"),),
        ),
        FileInfo(
            "chats/öffnung.json",
            "checked",
            "plain",
            (
                TranscriptInfo(
                    "0", "/messages", 2, "anthropic", ("anthropic",), "request", 2, "it is named", "incomplete log"
                ),
            ),
        ),
        FileInfo("chats/notes.json", "unrecognised", note="no known dialect"),
    ],
    messages=9,
    transcripts=2,
)

PAGES = {"TL102": RulePage("a result whose call is not in the turn before", "# orphan-result\n\nWhy it hurts.")}


@pytest.fixture
def report() -> Report:
    return replace(REPORT)


@pytest.fixture
def orphan() -> Diagnostic:
    """A diagnostic with something in every field."""
    return ORPHAN


@pytest.fixture
def context() -> Context:
    return Context(
        source_line=lambda path, line: LINES.get((path, line)),
        rule_page=PAGES.get,
        base=Path("/project"),
        version="1.2.3",
        data="2026-01-31",
    )


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare a text with the file that keeps it; TURNLINT_UPDATE_SNAPSHOTS=1 writes the file anew."""

    def compare(name: str, text: str) -> None:
        file = SNAPSHOTS / name
        if os.environ.get("TURNLINT_UPDATE_SNAPSHOTS"):
            SNAPSHOTS.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare
