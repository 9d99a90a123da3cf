"""LiteLLM's conversion of a chat history to Anthropic's messages loses no exchange."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from turnlint import assert_same_exchanges, assert_valid
from turnlint.testing.strategies import histories

MODEL = "claude-sonnet-4-5"


@pytest.fixture(scope="module")
def convert() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the network for prices when it is imported
        factory = pytest.importorskip("litellm.litellm_core_utils.prompt_templates.factory")
    return factory.anthropic_messages_pt


@settings(deadline=None)
@given(history=histories("openai-chat", system=False, images=False, reasoning=False))
def test_conversion(convert: Any, history: list[dict[str, Any]]) -> None:
    made = convert([dict(message) for message in history], model=MODEL, llm_provider="anthropic")
    assert_valid(made, target=f"anthropic:{MODEL}", dialect="anthropic")
    assert_same_exchanges(history, made, before_dialect="openai-chat", after_dialect="anthropic", regrouped=True)
