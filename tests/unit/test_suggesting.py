"""The edits of single fixes: made on the bytes of the file, they do what fixing the file does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from turnlint import check_path
from turnlint.diagnostic import Diagnostic, Fix, Safety
from turnlint.engine import Settings
from turnlint.fixing import fix_source

SAMPLES = Path(__file__).parents[2] / "sample_transcripts/invalid"
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"role": "user", "content": "ä"}
ASKED: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "öl"}
BACKWARDS = [USER, RESULT, ASKED, {"role": "assistant", "content": "done"}]


def edited(data: bytes, fix: Fix) -> bytes:
    """The bytes with the edits of a fix made, as a program that reads the report would do it."""
    pieces = []
    last = 0
    for edit in fix.edits:
        assert last <= edit.start <= edit.end
        pieces += [data[last : edit.start], edit.text.encode()]
        last = edit.end
    return b"".join([*pieces, data[last:]])


def fixable(path: Path) -> list[Diagnostic]:
    return [diagnostic for diagnostic in check_path(path).diagnostics if diagnostic.fix is not None]


def fix_of(diagnostic: Diagnostic) -> Fix:
    assert diagnostic.fix is not None
    return diagnostic.fix


@pytest.mark.parametrize(
    "path",
    sorted(path for path in SAMPLES.rglob("*") if path.is_file() and ".fixed." not in path.name),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_a_lone_fix_does_what_fixing_the_file_does(path: Path) -> None:
    found = fixable(path)
    made = fix_source(path, name=str(path), settings=Settings(), unsafe=True)
    if len(found) == 1 and len(made.outcome.applied) == 1:
        assert edited(path.read_bytes(), fix_of(found[0])) == made.after


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("indent", [None, 2])
def test_offsets_are_those_of_the_file(tmp_path: Path, bom: bytes, indent: int | None) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(bom + json.dumps(BACKWARDS, ensure_ascii=False, indent=indent).encode())
    (found,) = fixable(file)
    made = edited(file.read_bytes(), fix_of(found))
    assert made.startswith(bom)
    assert json.loads(made) == [USER, ASKED, RESULT, BACKWARDS[3]]


def test_lines_and_columns_count_code_points(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(BACKWARDS, ensure_ascii=False), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    (found,) = fixable(file)
    data = file.read_bytes()
    for edit in fix_of(found).edits:
        assert (edit.line, edit.end_line) == (1, 1)
        assert edit.column == len(data[: edit.start].decode()) + 1
        assert edit.end_column == len(data[: edit.end].decode()) + 1
    assert not text.isascii()


@pytest.mark.parametrize("end", ["\n", ""])
def test_lines_that_move(tmp_path: Path, end: str) -> None:
    file = tmp_path / "a.jsonl"
    lines = [json.dumps(message) for message in BACKWARDS]
    file.write_text("\n".join(lines) + end, encoding="utf-8")
    made = fix_source(file, name=str(file), settings=Settings(), unsafe=True)
    (found,) = fixable(file)
    assert edited(file.read_bytes(), fix_of(found)) == made.after


def test_the_safety_is_that_of_the_place(tmp_path: Path) -> None:
    """A fix before signed reasoning is unsafe, whatever the rule says."""
    signed = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk" * 20}
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "now"}, {"type": "tool_result", "tool_use_id": "t1"}]},
        {"role": "assistant", "content": [signed, {"type": "text", "text": "b"}]},
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps(history), encoding="utf-8")
    fixes = [fix_of(found) for found in fixable(file)]
    assert fixes
    assert {fix.safety for fix in fixes} == {Safety.UNSAFE}


def test_no_edits_where_offsets_would_mean_nothing(tmp_path: Path) -> None:
    text = json.dumps(BACKWARDS)
    packed, wide = tmp_path / "a.json.gz", tmp_path / "b.json"
    packed.write_bytes(gzip.compress(text.encode()))
    wide.write_bytes(text.encode("utf-16"))
    for file in (packed, wide):
        (found,) = fixable(file)
        assert fix_of(found).edits == ()


def test_no_edits_for_several_targets(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(BACKWARDS), encoding="utf-8")
    found = [d for d in check_path(file, target=["openai", "mistral"]).diagnostics if d.fix is not None]
    assert found
    assert all(fix_of(diagnostic).edits == () for diagnostic in found)
