"""What is settled for one history holds for the next of its shape: no finding hangs on what was checked before."""

from __future__ import annotations

import copy
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import engine, targets
from turnlint.engine import Settings, check_document, check_source

if TYPE_CHECKING:
    from turnlint.diagnostic import Report

TARGETS = st.sampled_from(((), (), *((name,) for name in targets.names()), ("openai", "anthropic")))
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
_ANSWER = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 C"}
_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_ASK = {"role": "user", "content": "Weather in Oslo?"}
#: Everyday histories, one a dialect with a quick pass: the changes decide how far from everyday they end up.
EVERYDAY: tuple[Any, ...] = (
    {
        "messages": [
            {"role": "system", "content": "Be brief."},
            _ASK,
            {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
            {"role": "assistant", "content": "It is 4 C."},
        ]
    },
    {
        "model": "gpt-4o",
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": _SCHEMA}}],
        "messages": [
            _ASK,
            {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
        ],
    },
    {
        "messages": [_ASK, {"role": "assistant", "content": [_USE]}, {"role": "user", "content": [_ANSWER]}],
    },
    {
        "system": "Be brief.",
        "tools": [{"name": "get_weather", "input_schema": _SCHEMA}],
        "messages": [_ASK, {"role": "assistant", "content": [_USE]}, {"role": "user", "content": [_ANSWER]}],
    },
    {
        "contents": [
            {"role": "user", "parts": [{"text": "Weather in Oslo?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "4 C"}}}]},
            {"role": "model", "parts": [{"text": "It is 4 C."}]},
        ]
    },
    {
        "input": [
            _ASK,
            {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city": "Oslo"}'},
            {"type": "function_call_output", "call_id": "call_1", "output": "4 C"},
        ]
    },
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), target=TARGETS, mode=st.sampled_from(("auto", "saved", "request")))
def test_histories_of_one_shape(change: Any, data: st.DataObject, target: tuple[str, ...], mode: str) -> None:
    kept = Settings(target, mode=mode)
    first = data.draw(st.sampled_from(EVERYDAY))
    check_document(first, kept)
    document = copy.deepcopy(first)
    for _ in range(data.draw(st.integers(0, 3))):
        change(document, data.draw)
    assert _told(check_document(document, kept)) == _told(_alone(document, target, mode))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), target=TARGETS)
def test_lines_of_any_shape(change: Any, data: st.DataObject, target: tuple[str, ...]) -> None:
    """The same through text: a file of lines is the sum of its lines."""
    lines = []
    for first in data.draw(st.lists(st.sampled_from(EVERYDAY), min_size=2, max_size=6)):
        document = copy.deepcopy(first)
        if data.draw(st.booleans()):
            change(document, data.draw)
        lines.append(document)
    text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    report = check_source(None, BytesIO(text), name="lines.jsonl", settings=Settings(target, dialect="plain"))
    whole = check_source(
        None, BytesIO(text), name="lines.jsonl", settings=Settings(target, dialect="plain", triggers=False)
    )
    assert _told(report) == _told(whole)


def _alone(document: Any, target: tuple[str, ...], mode: str) -> Report:
    """The report of a checker that has seen nothing, and runs every rule."""
    engine._kept.clear()
    report = check_document(document, Settings(target, mode=mode, triggers=False))
    engine._kept.clear()
    return report


def _told(report: Report) -> Any:
    found = [
        (d.rule, d.severity, d.pointer, d.line, d.message, d.provider_error, d.verdicts, d.also, d.related, d.notes)
        for d in report.diagnostics
    ]
    return found, report.files, report.messages, report.transcripts


def test_a_checker_keeps_no_history() -> None:
    import gc
    import weakref

    class Held(dict[str, Any]):
        """A message that tells when it is gone."""

    kept = Settings()
    for roles in (("user", "assistant"), ("user", "nobody")):
        held = Held(role=roles[1], content="Hello.")
        alive = weakref.ref(held)
        checker = engine.checker_for(kept)
        check_document({"messages": [*EVERYDAY[0]["messages"], {"role": roles[0], "content": "Hi"}, held]}, kept)
        del held
        gc.collect()
        assert alive() is None
        assert engine.checker_for(kept) is checker


@pytest.mark.parametrize("number", range(len(EVERYDAY)))
def test_everyday_histories_are_clean(number: int) -> None:
    assert check_document(EVERYDAY[number], Settings()).diagnostics == []
