"""A file checked in slices gives the report that it gives in one go, whatever is wrong with its lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnlint import slices
from turnlint.engine import Settings, check_source

if TYPE_CHECKING:
    from pathlib import Path

_ASK = {"role": "user", "content": "Weather in Zürich?"}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
_CHAT = {
    "messages": [
        _ASK,
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4 °C"},
        {"role": "assistant", "content": "It is 4 °C."},
    ]
}
_LOST = {"messages": [*_CHAT["messages"][:2], _ASK]}
_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}}
_BLOCKS = {
    "messages": [
        _ASK,
        {"role": "assistant", "content": [_USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 °C"}]},
    ]
}
_ODD = {
    "messages": [
        _ASK,
        {"role": "assistant", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]},
        {"role": "tool", "content": "4", "tool_name": "get_weather"},
    ]
}
_WHOLE = [json.dumps(value, ensure_ascii=False).encode() for value in (_CHAT, _LOST, _BLOCKS, _ODD, {"x": 1}, [_ASK])]
_BAD = [
    b"",
    b"\x00\x00\x00",
    b'{"messages": [',
    b"]}",
    b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
    b'{"messages": [{"role": "user", "content": "\xff"}]}',
    _WHOLE[0] + _WHOLE[1],
    _WHOLE[1][:40] + _WHOLE[0],
    _WHOLE[1].replace(b", ", b",\n", 3),
    _WHOLE[0] + b"\r",
    b"null",
]
LINES = st.lists(st.one_of(*[st.sampled_from(_WHOLE)] * 4, st.sampled_from(_BAD)), min_size=5, max_size=60)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    start=st.lists(st.sampled_from(_WHOLE[:4]), min_size=55, max_size=70),
    lines=LINES,
    pieces=st.integers(2, 6),
    bom=st.booleans(),
    ended=st.booleans(),
    target=st.sampled_from(((), ("anthropic",), ("openai", "gemini"))),
)
def test_slices_give_the_same_report(
    start: list[bytes],
    lines: list[bytes],
    pieces: int,
    bom: bool,
    ended: bool,
    target: tuple[str, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("slices") / "lines.jsonl"
    path.write_bytes(bom * b"\xef\xbb\xbf" + b"\n".join((*start, *lines)) + ended * b"\n")
    given = Settings(target)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SMALLEST", 100)
        patch.setattr(slices, "LOOKED_AT", 4000)
        assert _in_slices(path, given, pieces) == _told(check_source(path, name="lines.jsonl", settings=given))


def _in_slices(path: Path, given: Settings, pieces: int) -> Any:
    cut = slices.cut(path, given, pieces)
    if not cut:
        return _told(check_source(path, name="lines.jsonl", settings=given))
    assert cut[-1].end == path.stat().st_size
    assert [s.start for s in cut[1:]] == [s.end for s in cut[:-1]]
    parts = [slices.check(piece, "lines.jsonl", given) for piece in cut]
    report = slices.join(parts, cut, "lines.jsonl", given, named=True)
    assert report is not None
    return _told(report)


def _told(report: Any) -> Any:
    return report.diagnostics, report.files, report.messages, report.transcripts


def test_only_lines_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is one value, compressed, small, or of a container that looks at lines together is read in one go."""
    monkeypatch.setattr(slices, "SMALLEST", 100)
    one = tmp_path / "one.json"
    one.write_bytes(b"[\n" + b",\n".join(_WHOLE[:1] * 100) + b"]")
    assert slices.cut(one, Settings(), 4) == []
    batch = tmp_path / "batch.jsonl"
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "gpt-4o", **_CHAT}}
    batch.write_bytes(json.dumps(line).encode() + b"\n" + b"\n".join([json.dumps(line).encode()] * 99))
    assert slices.cut(batch, Settings(), 4) == []
    few = tmp_path / "few.jsonl"
    few.write_bytes(b"\n".join(_WHOLE[:1] * 10))
    assert slices.cut(few, Settings(), 4) == []
    assert slices.cut(tmp_path / "none.jsonl", Settings(), 4) == []
