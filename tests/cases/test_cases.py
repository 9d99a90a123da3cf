"""Small histories re-created from public bug reports: the fault is found where it is, and its fix does no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import turnlint
from said import lost, real

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()
]
FAULTS = [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] != "accepted"]
REPAIRED = [pytest.param(case, id=case["id"]) for case in CASES if case["fixed_history"]]

#: What a fix may write that nobody said: placeholders, neutral messages, roles, and marks of the shape.
NEUTRAL = {
    "[no result was recorded for this tool call; its outcome is unknown]",
    "(no answer was recorded)",
    "(the beginning of the conversation was not recorded)",
    "Continue.",
    "The tool failed without output.",
    "{}",
}
AS_TEXT = "[result of an earlier tool call] "


def judged(case: dict[str, Any]) -> dict[str, Any]:
    return {"target": case["target"], "dialect": case["dialect"], "mode": case["mode"]}


def message_of(pointer: str, list_at: str) -> str:
    """The part of a pointer that names the message."""
    rest = pointer.removeprefix(list_at).split("/")
    return f"{list_at}/{rest[1]}" if len(rest) > 1 else list_at


def errors(document: Any, case: dict[str, Any]) -> list[tuple[str, str]]:
    found = turnlint.check(document, **judged(case)).diagnostics
    return [(d.rule, d.pointer) for d in found if d.severity == "error"]


def around(case: dict[str, Any], history: Any) -> Any:
    """The document of a case with another history in it."""
    if not case["list_at"]:
        return history
    document = json.loads(json.dumps(case["document"]))
    *way, last = case["list_at"].split("/")[1:]
    holder = document
    for step in way:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    holder[int(last) if isinstance(holder, list) else last] = history
    return document


@pytest.mark.parametrize("case", FAULTS)
def test_the_fault_is_found(case: dict[str, Any]) -> None:
    found = turnlint.check(case["document"], **judged(case)).diagnostics
    places = {message_of(expected["at"], case["list_at"]) for expected in case["expected"]}
    rules = {expected["rule"] for expected in case["expected"]}
    there = [
        d
        for d in found
        if d.rule in rules
        and {message_of(p, case["list_at"]) for p in (d.pointer, *(r.pointer for r in d.related))} & places
    ]
    assert there, [(d.rule, d.pointer) for d in found]


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["kind"] == "accepted"])
def test_what_looks_wrong_and_is_accepted_is_quiet(case: dict[str, Any]) -> None:
    found = turnlint.check(case["document"], **judged(case)).diagnostics
    assert [(d.rule, d.pointer) for d in found if d.severity != "info"] == []


@pytest.mark.parametrize("case", REPAIRED)
def test_the_fix_does_what_a_repair_by_hand_does(case: dict[str, Any]) -> None:
    document, given = case["document"], around(case, case["fixed_history"])
    fixed = turnlint.fix(document, unsafe=True, **judged(case))
    assert fixed.document != document
    assert errors(fixed.document, case) == []
    assert errors(given, case) == []
    kept = real(given, case["dialect"], case["target"]) & real(document, case["dialect"], case["target"])
    assert lost(kept, fixed.document) == []
    again = turnlint.fix(fixed.document, unsafe=True, **judged(case))
    assert again.document == fixed.document
    assert not again.applied


@pytest.mark.parametrize("case", REPAIRED)
def test_nothing_new_is_said(case: dict[str, Any]) -> None:
    fixed = turnlint.fix(case["document"], unsafe=True, **judged(case))
    new = {text.removeprefix(AS_TEXT) for text in real(fixed.document, case["dialect"], case["target"])} - NEUTRAL
    pieces = {piece for text in new for piece in text.split("\n\n")}  # of several texts that became one
    assert not lost(pieces, case["document"])


@pytest.mark.parametrize("case", REPAIRED)
def test_a_safe_fix_keeps_all_that_was_said(case: dict[str, Any]) -> None:
    fixed = turnlint.fix(case["document"], **judged(case))
    assert not lost(real(case["document"], case["dialect"], case["target"]), fixed.document)
