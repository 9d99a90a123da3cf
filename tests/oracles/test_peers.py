"""Other checkers of histories find nothing wrong with what the strategies draw.

Two of them take it for a fault that an ID comes again in a later turn, which no provider that they judge for minds
where the first call was answered; such histories they are not asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from turnlint.testing.strategies import conversations
from turnlint.testing.writers import WRITERS

if TYPE_CHECKING:
    from turnlint.testing.conversations import Conversation


def turnsafe(messages: list[Any], dialect: str) -> list[Any]:
    module = pytest.importorskip("turnsafe")
    report = module.validate(messages, "anthropic" if dialect == "anthropic" else "openai")
    return [v for v in report.violations if v.severity == "error"]


def tessera(messages: list[Any], dialect: str) -> list[Any]:
    module = pytest.importorskip("tessera")
    return list(module.inspect(messages, adapter="anthropic" if dialect == "anthropic" else "openai").findings)


def toolrepair(messages: list[Any], dialect: str) -> list[Any]:
    module = pytest.importorskip("toolrepair")
    return list(module.validate(messages, format="anthropic" if dialect == "anthropic" else "openai"))


@pytest.mark.parametrize("dialect", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("peer", [turnsafe, tessera, toolrepair])
def test_drawn_histories_are_fine(peer: Any, dialect: str) -> None:
    @settings(
        max_examples=100,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(conversations(dialect, hosted=False))
    def fine(conversation: Conversation) -> None:
        ids = [use.id for use in conversation.uses()]
        assume(peer is toolrepair or len(set(ids)) == len(ids))
        assert peer(WRITERS[dialect].write(conversation), dialect) == []

    fine()
