"""Work grows as its input does: four times as much of anything takes some four times as many steps, never sixteen.

Steps are lines of Python, counted: they are the same on every run, whatever else the machine does.
"""

from __future__ import annotations

import copy
import json
import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from turnlint.cli import main
from turnlint.engine import Settings, check_document, check_source, rules
from turnlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TIMES = 4
SLACK = 1.3  # for what is done in powers of two, and in steps of a block


def steps(work: Callable[[], object]) -> int:
    count = 0

    def trace(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def assert_linear(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """`work(n)` makes something of size `n` ready, and returns what is counted."""
    work(size)()  # what is loaded once, and kept
    few, many = steps(work(size)), steps(work(size * TIMES))
    assert many <= few * TIMES * SLACK, f"{few} steps for {size}, {many} for {size * TIMES}: {many / few:.1f} times"


# -- shapes of histories, in the dialects with a quick pass


def _chat(turns: int, calls: int, *, lost: bool = False) -> Any:
    messages: list[Any] = []
    for turn in range(turns):
        ids = [f"call_{turn}_{number}" for number in range(calls)]
        asked = [
            {"id": i, "type": "function", "function": {"name": "look", "arguments": f'{{"n": "{i}"}}'}} for i in ids
        ]
        messages += [{"role": "user", "content": f"Look {turn}"}]
        messages += [{"role": "assistant", "content": None, "tool_calls": asked}]
        messages += [{"role": "tool", "tool_call_id": i, "content": "seen"} for i in ids[lost:]]
        messages += [{"role": "assistant", "content": f"Done {turn}"}]
    return {"messages": messages}


def _anthropic(turns: int, calls: int, *, lost: bool = False) -> Any:
    messages: list[Any] = []
    for turn in range(turns):
        ids = [f"toolu_{turn}_{number}" for number in range(calls)]
        uses = [{"type": "tool_use", "id": i, "name": "look", "input": {"n": i}} for i in ids]
        results = [{"type": "tool_result", "tool_use_id": i, "content": "seen"} for i in ids[lost:]]
        messages += [{"role": "user", "content": f"Look {turn}"}, {"role": "assistant", "content": uses}]
        messages += [{"role": "user", "content": results or "no"}]
        messages += [{"role": "assistant", "content": [{"type": "text", "text": f"Done {turn}"}]}]
    return {"messages": messages}


def _gemini(turns: int, calls: int, *, lost: bool = False) -> Any:
    contents: list[Any] = []
    for turn in range(turns):
        uses = [{"functionCall": {"name": "look", "args": {"n": [turn, number]}}} for number in range(calls)]
        results = [{"functionResponse": {"name": "look", "response": {"output": "seen"}}} for _ in range(calls - lost)]
        contents += [{"role": "user", "parts": [{"text": f"Look {turn}"}]}, {"role": "model", "parts": uses}]
        contents += [{"role": "user", "parts": results or [{"text": "no"}]}]
        contents += [{"role": "model", "parts": [{"text": f"Done {turn}"}]}]
    return {"contents": contents}


def _responses(turns: int, calls: int, *, lost: bool = False) -> Any:
    items: list[Any] = []
    for turn in range(turns):
        ids = [f"call_{turn}_{number}" for number in range(calls)]
        items += [{"role": "user", "content": f"Look {turn}"}]
        items += [{"type": "function_call", "call_id": i, "name": "look", "arguments": f'{{"n": "{i}"}}'} for i in ids]
        items += [{"type": "function_call_output", "call_id": i, "output": "seen"} for i in ids[lost:]]
        items += [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Done {turn}"}]}
        ]
    return {"input": items}


SHAPES = {"openai-chat": _chat, "anthropic": _anthropic, "gemini": _gemini, "openai-responses": _responses}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def _checked(document: Any, *targets: str, triggers: bool = True) -> Callable[[], object]:
    return lambda: check_document(document, Settings(targets, triggers=triggers))


@shapes
@pytest.mark.parametrize("lost", [False, True])
def test_messages(shape: Any, lost: bool) -> None:
    assert_linear(lambda n: _checked(shape(n, 1, lost=lost)), 40)


@shapes
@pytest.mark.parametrize("lost", [False, True])
def test_calls_in_a_turn(shape: Any, lost: bool) -> None:
    assert_linear(lambda n: _checked(shape(1, n, lost=lost)), 100)


@shapes
def test_every_rule_whatever_the_signals(shape: Any) -> None:
    assert_linear(lambda n: _checked(shape(n, 3), triggers=False), 20)


@shapes
def test_another_target(shape: Any) -> None:
    """One that pairs in another way, and minds much."""
    assert_linear(lambda n: _checked(shape(n, 2, lost=True), "anthropic", "gemini", "mistral"), 20)


# -- findings: the examples of every rule, again and again


def _again(document: Any, times: int) -> Any:
    """The document with its messages so many times, or None where it holds no list of them."""
    document = copy.deepcopy(document)
    if isinstance(document, list):
        return document * times
    if isinstance(document, dict):
        for key in ("messages", "contents", "input"):
            if isinstance(document.get(key), list):
                document[key] = document[key] * times
                return document
    return None


@pytest.mark.parametrize("name", [entry.name for entry in rules() if not entry.engine])
def test_findings_of_a_rule(name: str) -> None:
    entry = next(entry for entry in rules() if entry.name == name)
    example = entry.load().invalid[0]
    if not _again(example.document, 1):
        pytest.skip("its example has no messages")
    settings = Settings(
        targets=(example.target,) if example.target else (),
        dialect=example.dialect,
        mode=example.mode,
        select=(name,),
        limits=example.settings,
    )
    assert_linear(lambda n: lambda: check_document(_again(example.document, n), settings), 25)


# -- text


def _read(text: bytes, name: str = "lines.jsonl") -> Callable[[], object]:
    return lambda: check_source(None, BytesIO(text), name=name, settings=Settings())


_LINE = json.dumps(_chat(1, 2)).encode()
_LOST = json.dumps(_chat(1, 2, lost=True)).encode()


@pytest.mark.parametrize(
    "line",
    [_LINE, _LOST, _LINE[:-20], _LINE[10:], _LINE + _LINE, b"\x00" * 20, b"[", b"}", _LINE[:90] + _LOST],
    ids=["clean", "dirty", "cut", "headless", "doubled", "nul", "open", "close", "glued"],
)
def test_lines(line: bytes) -> None:
    assert_linear(lambda n: _read((line + b"\n") * n), 60)


@pytest.mark.parametrize(
    "char",
    ["x", "\n", "é", "\\", '"', "\ud83d\ude00"[:1]],
    ids=["letter", "escaped", "wide", "backslash", "quote", "half"],
)
def test_length_of_a_line(char: str) -> None:
    def work(size: int) -> Callable[[], object]:
        document = _chat(1, 2, lost=True)
        document["messages"][0]["content"] = char * size * 100
        return _read(json.dumps(document).encode())

    assert_linear(work, 50)


@pytest.mark.parametrize("depth", [60, 1200], ids=["shallow", "deeper than decoders go"])
def test_depth(depth: int) -> None:
    def work(size: int) -> Callable[[], object]:
        inner = b"[" * size + b"]" * size
        return _read(_LOST[:-1] + b', "metadata": ' + inner + b"}")

    assert_linear(work, depth)


def test_one_value_on_many_lines() -> None:
    assert_linear(lambda n: _read(json.dumps(_chat(n, 1, lost=True), indent=1).encode(), "one.json"), 30)


# -- files, and what is written of them


@pytest.mark.parametrize("output_format", FORMATS)
def test_files(output_format: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def work(count: int) -> Callable[[], object]:
        folder = tmp_path / str(count)
        folder.mkdir(exist_ok=True)
        for number in range(count):
            (folder / f"{number:04}.json").write_bytes(_LOST)
        command = ["check", "--isolated", "--jobs", "1", "--output-format", output_format, str(folder)]
        return lambda: main(command)

    assert_linear(work, 20)
    capfd.readouterr()
