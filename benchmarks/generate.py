"""Realistic histories of any size, the same bytes on every run.

    python benchmarks/generate.py --kind realistic --dialect openai-chat --megabytes 50 > chat.jsonl

Kinds: ``realistic`` (conversations of some 20 messages with tool calls, one a line), ``long`` (one conversation of
50,000 messages), ``wide`` (one turn of 20,000 parallel calls), ``texts`` (few messages, long texts), ``tools`` (as
realistic, in request bodies that declare their tools), ``dirty`` (as realistic, a finding in every line), ``broken``
(nothing but lines that are cut off), ``files`` (as realistic, a file each) and ``cassettes`` (recorded exchanges, a
file each).  Sizes are in megabytes of 10^6 bytes; ``long`` and ``wide`` take a count instead.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = """
the order weather report file train ticket refund price meeting city budget account please show find again tomorrow
number because result table invoice library error station before after question answer naïve café Zürich größer 東京
résumé → ok
"""
WORDS = TEXT.split()
TOOLS = ("get_weather", "search_orders", "read_file", "send_mail", "lookup_user", "run_query")
KINDS = ("realistic", "long", "wide", "texts", "tools", "dirty", "broken", "files", "cassettes")
DIALECTS = ("openai-chat", "anthropic", "gemini", "openai-responses")

Turn = dict[str, Any]


def text(rng: random.Random, low: int, high: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(low, high)))


def arguments(rng: random.Random) -> dict[str, Any]:
    return {
        "query": text(rng, 1, 6),
        "limit": rng.randint(1, 50),
        "filter": {"since": "2026-01-01", "tags": rng.sample(WORDS[:20], 3)},
    }


def turns(rng: random.Random, messages: int) -> Iterator[Turn]:
    """A conversation in neutral turns: user, assistant text, or calls with their results."""
    made, number = 0, 0
    while made < messages:
        yield {"user": text(rng, 5, 60)}
        made += 1
        for _ in range(rng.randint(0, 3)):
            calls = []
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                number += 1
                calls.append((f"{rng.getrandbits(48):012x}{number:04d}", rng.choice(TOOLS), arguments(rng)))
            said = text(rng, 3, 20) if rng.random() < 0.3 else ""
            yield {"calls": calls, "said": said, "results": [text(rng, 10, 150) for _ in calls]}
            made += 1 + len(calls)
        yield {"assistant": text(rng, 10, 120)}
        made += 1


def openai_chat(stream: Iterator[Turn]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a helpful assistant."}]
    for turn in stream:
        if "user" in turn:
            messages.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            messages.append({"role": "assistant", "content": turn["assistant"]})
        else:
            calls = [
                {"id": f"call_{i}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
                for i, n, a in turn["calls"]
            ]
            messages.append({"role": "assistant", "content": turn["said"] or None, "tool_calls": calls})
            for (i, _, _), result in zip(turn["calls"], turn["results"], strict=True):
                messages.append({"role": "tool", "tool_call_id": f"call_{i}", "content": result})
    return {"messages": messages}


def anthropic(stream: Iterator[Turn]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for turn in stream:
        if "user" in turn:
            messages.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            messages.append({"role": "assistant", "content": [{"type": "text", "text": turn["assistant"]}]})
        else:
            blocks: list[dict[str, Any]] = [{"type": "text", "text": turn["said"]}] if turn["said"] else []
            blocks += [{"type": "tool_use", "id": f"toolu_{i}", "name": n, "input": a} for i, n, a in turn["calls"]]
            messages.append({"role": "assistant", "content": blocks})
            results = [
                {"type": "tool_result", "tool_use_id": f"toolu_{i}", "content": r}
                for (i, _, _), r in zip(turn["calls"], turn["results"], strict=True)
            ]
            messages.append({"role": "user", "content": results})
    return {"system": "You are a helpful assistant.", "messages": messages}


def gemini(stream: Iterator[Turn]) -> dict[str, Any]:
    contents: list[dict[str, Any]] = []
    for turn in stream:
        if "user" in turn:
            contents.append({"role": "user", "parts": [{"text": turn["user"]}]})
        elif "assistant" in turn:
            contents.append({"role": "model", "parts": [{"text": turn["assistant"]}]})
        else:
            parts: list[dict[str, Any]] = [{"text": turn["said"]}] if turn["said"] else []
            parts += [{"functionCall": {"id": i, "name": n, "args": a}} for i, n, a in turn["calls"]]
            contents.append({"role": "model", "parts": parts})
            answers = [
                {"functionResponse": {"id": i, "name": n, "response": {"output": r}}}
                for (i, n, _), r in zip(turn["calls"], turn["results"], strict=True)
            ]
            contents.append({"role": "user", "parts": answers})
    return {"contents": contents}


def openai_responses(stream: Iterator[Turn]) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for turn in stream:
        if "user" in turn:
            items.append({"role": "user", "content": [{"type": "input_text", "text": turn["user"]}]})
        elif "assistant" in turn:
            said = [{"type": "output_text", "text": turn["assistant"], "annotations": []}]
            items.append({"type": "message", "role": "assistant", "content": said})
        else:
            for i, name, args in turn["calls"]:
                items.append(
                    {"type": "function_call", "call_id": f"call_{i}", "name": name, "arguments": json.dumps(args)}
                )
            for (i, _, _), result in zip(turn["calls"], turn["results"], strict=True):
                items.append({"type": "function_call_output", "call_id": f"call_{i}", "output": result})
    return {"instructions": "You are a helpful assistant.", "input": items}


WRITERS = {
    "openai-chat": openai_chat,
    "anthropic": anthropic,
    "gemini": gemini,
    "openai-responses": openai_responses,
}


def realistic(dialect: str, megabytes: float, *, seed: int = 7) -> Iterator[bytes]:
    """Lines of `megabytes` in all, one conversation each."""
    rng, left = random.Random(seed), int(megabytes * 1_000_000)
    while left > 0:
        body = WRITERS[dialect](turns(rng, rng.randint(14, 26)))
        line = json.dumps(body, ensure_ascii=False).encode() + b"\n"
        left -= len(line)
        yield line


def long(dialect: str, messages: int) -> Iterator[bytes]:
    """One conversation of about so many messages."""
    yield json.dumps(WRITERS[dialect](turns(random.Random(11), messages)), ensure_ascii=False).encode() + b"\n"


def wide(dialect: str, calls: int) -> Iterator[bytes]:
    """One turn with so many parallel calls, all answered."""
    rng = random.Random(13)
    turn = {
        "calls": [(f"{n:016x}", rng.choice(TOOLS), {"n": n}) for n in range(calls)],
        "said": "",
        "results": [f"result {n}" for n in range(calls)],
    }
    body = WRITERS[dialect](iter([{"user": "go"}, turn, {"assistant": "done"}]))
    yield json.dumps(body).encode() + b"\n"


def texts(dialect: str, megabytes: float) -> Iterator[bytes]:
    """Conversations of few messages whose texts are long."""
    rng, left = random.Random(17), int(megabytes * 1_000_000)
    while left > 0:
        stream = [{"user": text(rng, 50, 100)}, {"assistant": text(rng, 20_000, 30_000)}]
        line = json.dumps(WRITERS[dialect](iter(stream)), ensure_ascii=False).encode() + b"\n"
        left -= len(line)
        yield line


def dirty(dialect: str, megabytes: float) -> Iterator[bytes]:
    """As realistic, but the first result of every conversation that has one is lost."""
    for line in realistic(dialect, megabytes):
        body = json.loads(line)
        key = next(k for k in ("messages", "contents", "input") if k in body)
        items = body[key]
        at = next((n for n, item in enumerate(items) if _is_result(item)), None)
        if at is None:
            items.append({"role": "nobody", "content": "x", "parts": [{"text": "x"}]})
        else:
            del items[at]
        yield json.dumps(body, ensure_ascii=False).encode() + b"\n"


def tools(dialect: str, megabytes: float) -> Iterator[bytes]:
    """As realistic, in request bodies with a model and the schemas of their tools (Chat Completions alone)."""
    schema = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "filter": {"type": "object"}},
        "required": ["query"],
    }
    declared = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in TOOLS]
    for line in realistic(dialect, megabytes):
        body = {"model": "gpt-4o", "tools": declared, **json.loads(line)}
        yield json.dumps(body, ensure_ascii=False).encode() + b"\n"


def broken(dialect: str, megabytes: float) -> Iterator[bytes]:
    """Lines that are all cut off."""
    for line in realistic(dialect, megabytes):
        yield line[: len(line) * 2 // 3] + b"\n"


def cassette(line: bytes) -> bytes:
    """A recorded exchange: the history without its end as the request, and the end as the reply."""
    *history, reply = json.loads(line)["messages"]
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    declared = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in TOOLS]
    request = {
        "method": "POST",
        "uri": "https://api.openai.com/v1/chat/completions",
        "headers": {"content-type": ["application/json"]},
        "body": json.dumps({"model": "gpt-4o", "tools": declared, "messages": history}),
    }
    answer = {"id": "chatcmpl-1", "model": "gpt-4o", "choices": [{"index": 0, "message": reply}]}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": json.dumps(answer)}}
    return json.dumps({"version": 1, "interactions": [{"request": request, "response": response}]}).encode()


def _is_result(item: dict[str, Any]) -> bool:
    if item.get("role") == "tool" or item.get("type") == "function_call_output":
        return True
    parts = item.get("content") or item.get("parts")
    return isinstance(parts, list) and any(p.get("type") == "tool_result" or "functionResponse" in p for p in parts)


def make(kind: str, dialect: str, megabytes: float, count: int | None = None) -> Iterator[bytes]:
    """The lines of one kind of file, or the files of one kind of folder."""
    if kind == "long":
        return long(dialect, count or 50_000)
    if kind == "wide":
        return wide(dialect, count or 20_000)
    if kind == "cassettes":
        return map(cassette, realistic(dialect, megabytes))
    makers = {"texts": texts, "tools": tools, "dirty": dirty, "broken": broken}
    return makers.get(kind, realistic)(dialect, megabytes)


def write(folder: Path, kind: str, dialect: str, megabytes: float, count: int | None = None) -> list[Path]:
    """Writes one kind of file, or a folder of files, and names them."""
    made = make(kind, dialect, megabytes, count)
    if kind not in ("files", "cassettes"):
        path = folder / f"{kind}-{dialect}.jsonl"
        with path.open("wb") as out:
            out.writelines(made)
        return [path]
    inside = folder / f"{kind}-{dialect}"
    inside.mkdir()
    paths = []
    for number, data in enumerate(made):
        paths.append(inside / f"{number:06}.json")
        paths[-1].write_bytes(data)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="realistic", choices=KINDS)
    parser.add_argument("--dialect", default="openai-chat", choices=DIALECTS)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--count", type=int, help="messages (long) or calls (wide)")
    given = parser.parse_args()
    for line in make(given.kind, given.dialect, given.megabytes, given.count):
        sys.stdout.buffer.write(line)


if __name__ == "__main__":
    main()
