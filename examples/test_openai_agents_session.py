"""What a session of the OpenAI Agents SDK stored, and what a limit makes of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings

from turnlint import assert_same_exchanges, assert_valid
from turnlint.testing.strategies import histories

agents = pytest.importorskip("agents")

HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city": "Oslo"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": "4 C"},
    {"role": "assistant", "content": "Cold."},
    {"role": "user", "content": "And in Rome?"},
]


def stored(limit: int | None = None, items: Any = HISTORY) -> Any:
    async def run() -> Any:
        session = agents.SQLiteSession("s")
        await session.add_items(items)
        found = await session.get_items(limit)
        session.close()
        return found

    return asyncio.run(run())


@settings(deadline=None, max_examples=30)
@given(histories("openai-responses"))
def test_all_of_it_is_valid(history: list[dict[str, Any]]) -> None:
    assert_valid(stored(items=history), target="openai", dialect="openai-responses")
    assert_same_exchanges(history, stored(items=history))


def test_a_limit_parts_a_pair() -> None:
    with pytest.raises(AssertionError, match="orphan-result"):
        assert_valid(stored(3), target="openai")
