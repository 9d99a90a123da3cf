"""Model names as they stand in real requests, logs and settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint import models
from turnlint.models import normalise

READ = {
    # names found in recorded requests and in saved sessions
    "claude-2.1": ("claude", None, (2, 1)),
    "claude-3-5-haiku-20241022": ("claude", "haiku", (3, 5)),
    "claude-3-5-haiku-latest": ("claude", "haiku", (3, 5)),
    "claude-3-5-sonnet-20240620": ("claude", "sonnet", (3, 5)),
    "claude-3-5-sonnet-20241022": ("claude", "sonnet", (3, 5)),
    "claude-3-7-sonnet-20250219": ("claude", "sonnet", (3, 7)),
    "claude-3-haiku-20240307": ("claude", "haiku", (3,)),
    "claude-3-opus-20240229": ("claude", "opus", (3,)),
    "claude-3-sonnet-20240229": ("claude", "sonnet", (3,)),
    "claude-haiku-4-5": ("claude", "haiku", (4, 5)),
    "claude-haiku-4-5-20251001": ("claude", "haiku", (4, 5)),
    "claude-opus-4-1-20250805": ("claude", "opus", (4, 1)),
    "claude-opus-4-6": ("claude", "opus", (4, 6)),
    "claude-sonnet-4": ("claude", "sonnet", (4,)),
    "claude-sonnet-4-20250514": ("claude", "sonnet", (4,)),
    "claude-sonnet-4-5": ("claude", "sonnet", (4, 5)),
    "claude-sonnet-4-5-20250929": ("claude", "sonnet", (4, 5)),
    "claude-sonnet-4-6": ("claude", "sonnet", (4, 6)),
    "claude-x": ("claude", "x", None),
    "anthropic/claude-x": ("claude", "x", None),
    "sonnet": ("claude", "sonnet", None),
    "haiku": ("claude", "haiku", None),
    "anthropic.claude-3-5-haiku-20241022-v1:0": ("claude", "haiku", (3, 5)),
    "anthropic.claude-3-haiku-20240307-v1": ("claude", "haiku", (3,)),
    "anthropic.claude-3-haiku-20240307-v1:0": ("claude", "haiku", (3,)),
    "anthropic.claude-3-sonnet-20240229-v1:0": ("claude", "sonnet", (3,)),
    "anthropic.claude-v2": ("claude", None, (2,)),
    "us.anthropic.claude-3-5-haiku-20241022-v1:0": ("claude", "haiku", (3, 5)),
    "us.anthropic.claude-3-5-sonnet-20240620-v1:0": ("claude", "sonnet", (3, 5)),
    "amazon.nova-lite-v1:0": ("nova", "lite", None),
    "amazon.nova-micro-v1:0": ("nova", "micro", None),
    "us.amazon.nova-lite-v1:0": ("nova", "lite", None),
    "amazon.titan-text-lite-v1": ("titan", "lite", None),
    "meta.llama3-2-1b-instruct-v1:0": ("llama", None, (3, 2)),
    "meta-llama/Llama-3.2-1B-Instruct": ("llama", None, (3, 2)),
    "llama3": ("llama", None, (3,)),
    "llama3.1": ("llama", None, (3, 1)),
    "ollama/llama3.1": ("llama", None, (3, 1)),
    "llama3-8b-8192": ("llama", None, (3,)),
    "command": ("command", None, None),
    "command-r": ("command", "r", None),
    "command-r-08-2024": ("command", "r", None),
    "command-r7b-12-2024": ("command", "r7b", None),
    "deepseek-chat": ("deepseek", "chat", (3, 2)),
    "gemini-2.0-flash-001": ("gemini", "flash", (2, 0)),
    "gemini-2.5-flash": ("gemini", "flash", (2, 5)),
    "google/gemini-2.5-flash": ("gemini", "flash", (2, 5)),
    "gemini-2.5-pro": ("gemini", "pro", (2, 5)),
    "gemini-3-flash-preview": ("gemini", "flash", (3,)),
    "gemini-flash-latest": ("gemini", "flash", None),
    "gemma3:1b": ("gemma", None, (3,)),
    "mistral-tiny": ("mistral", "tiny", None),
    "mistralai/Mixtral-8x7B-Instruct-v0.1": ("mistral", "mixtral", None),
    "gpt-3.5-turbo": ("gpt", "turbo", (3, 5)),
    "gpt-35-turbo": ("gpt", "turbo", (3, 5)),
    "gpt-3.5-turbo-0613": ("gpt", "turbo", (3, 5)),
    "gpt-4": ("gpt", None, (4,)),
    "gpt-4-vision-preview": ("gpt", "vision-preview", (4,)),
    "gpt-4.1": ("gpt", None, (4, 1)),
    "gpt-4.1-mini-2025-04-14": ("gpt", "mini", (4, 1)),
    "gpt-4.1-nano": ("gpt", "nano", (4, 1)),
    "gpt-4o": ("gpt", None, (4,)),
    "gpt-4o-2024-08-06": ("gpt", None, (4,)),
    "gpt-4o-audio-preview": ("gpt", "audio-preview", (4,)),
    "gpt-4o-mini": ("gpt", "mini", (4,)),
    "gpt-4o-mini-2024-07-18": ("gpt", "mini", (4,)),
    "openai/gpt-4o-mini": ("gpt", "mini", (4,)),
    "gpt-5": ("gpt", None, (5,)),
    "gpt-5-mini": ("gpt", "mini", (5,)),
    "gpt-5-nano": ("gpt", "nano", (5,)),
    "gpt-5.1": ("gpt", None, (5, 1)),
    "gpt-5.2": ("gpt", None, (5, 2)),
    "gpt-5.2-codex": ("gpt", "codex", (5, 2)),
    "gpt-5.4": ("gpt", None, (5, 4)),
    "gpt-5.5": ("gpt", None, (5, 5)),
    "gpt-5.6-luna": ("gpt", "luna", (5, 6)),
    "gpt-5.6-sol": ("gpt", "sol", (5, 6)),
    "o4-mini": ("o", "mini", (4,)),
    "kimi-k2.7-code": ("kimi", "code", (2, 7)),
    "moonshot-ai/kimi-k2.7-code": ("kimi", "code", (2, 7)),
    "palmyra-x4": ("palmyra", "x", (4,)),
    # spellings of hosts, tuned models and aliases
    "ft:gpt-4o-mini:org::id": ("gpt", "mini", (4,)),
    "ft:gpt-3.5-turbo-0613:org:name:id": ("gpt", "turbo", (3, 5)),
    "models/gemini-2.5-flash": ("gemini", "flash", (2, 5)),
    "publishers/google/models/gemini-2.5-pro": ("gemini", "pro", (2, 5)),
    "gemini-2.5-flash-preview-05-20": ("gemini", "flash", (2, 5)),
    "gemini-pro": ("gemini", "pro", (1, 0)),
    "gemini-pro-latest": ("gemini", "pro", None),
    "claude-haiku-4-5@20251001": ("claude", "haiku", (4, 5)),
    "claude-opus-4-6[1m]": ("claude", "opus", (4, 6)),
    "claude-fable-5.1": ("claude", "fable", (5, 1)),
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0": (
        "claude",
        "sonnet",
        (4, 5),
    ),
    "o1-preview": ("o", "preview", (1,)),
    "o1-2024-12-17": ("o", None, (1,)),
    "chatgpt-4o-latest": ("gpt", "latest", (4,)),
    "openai/gpt-oss-120b": ("gpt-oss", None, None),
    "deepseek-r1": ("deepseek", "r", (1,)),
    "DeepSeek-V3.1": ("deepseek", None, (3, 1)),
    "deepseek-v4-flash": ("deepseek", "flash", (4,)),
    "kimi-k2-0905-preview": ("kimi", None, (2,)),
    "qwen-3.5": ("qwen", None, (3, 5)),
    "qwen3-235b-a22b": ("qwen", None, (3,)),
    "mistral-small-2402": ("mistral", "small", None),
    "mistral-small-3.2": ("mistral", "small", (3, 2)),
    "mistral-7b-instruct-v0.1": ("mistral", "7b", (0, 1)),
    "devstral-latest": ("mistral", "devstral", None),
    "gemma-3": ("gemma", None, (3,)),
    "gemma-2-9b-it": ("gemma", None, (2,)),
    "gemma-7b": ("gemma", None, (1,)),
    "grok-code-fast-1": ("grok", "code-fast", (1,)),
    "MiniMax-M2.5": ("minimax", None, (2, 5)),
}

UNKNOWN = [
    "facebook/opt-125m",
    "openllmetry-testing",
    "this-model-does-not-exist",
    "does-not-exist",
    "gmini-pro",
    "pi-fixture-model",
    "codex-auto-review",
    "gpt-realtime-2",
    "text-embedding-ada-002",
    "eleven_v3",
    "my-claude-4-proxy-for-gpt-4",
    "not-gpt-4o",
    "",
    "/",
    ":",
    "x" * 500,
]


@pytest.mark.parametrize("name", READ)
def test_a_name_is_read(name: str) -> None:
    model = normalise(name)
    assert (model.family, model.tier, model.generation) == READ[name]
    assert model.known
    assert model.name == name


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_that_no_pattern_matches_as_a_whole_is_unknown(name: str) -> None:
    assert not normalise(name).known
    assert normalise(name).family is None


def test_families_limit_the_patterns() -> None:
    assert normalise("gpt-4o", ("claude",)).known is False
    assert normalise("gpt-4o", ("gpt", "o")).family == "gpt"


@pytest.mark.parametrize(
    ("entry", "name", "fits"),
    [
        ("claude-opus-5.5", "claude-opus-5-5-20260801", True),
        ("claude-opus-5.5", "claude-sonnet-5-5", False),
        ("llama-3.1", "meta.llama3-1-8b-instruct-v1:0", True),
        ("llama-3", "llama3.1", True),
        ("llama-3.1", "llama3", False),
        ("gpt-5.4", "gpt-5.4-mini", True),
        ("kimi-k2", "kimi-k2.5", True),
        ("kimi-k2.5", "kimi-k2", False),
        ("gemini", "gemini-2.5-pro", True),
        ("house-model", "House-Model", True),
        ("house-model", "gpt-4", False),
    ],
)
def test_fits(entry: str, name: str, fits: bool) -> None:
    assert normalise(name).fits(normalise(entry)) is fits


def test_a_generation_that_the_name_does_not_tell_is_assumed() -> None:
    latest = normalise("gemini-flash-latest")
    assert not latest.fits(normalise("gemini-3.8-flash"))
    assert latest.fits(normalise("gemini-3.8-flash"), assumed=(3, 8))


def test_every_family_with_generations_names_its_newest() -> None:
    for family in ("claude", "gpt", "gemini", "o", "deepseek", "qwen"):
        assert models.newest(family)
    assert models.newest("gpt-oss") is None
    assert models.newest("no-such-family") is None


@given(st.text(max_size=60))
def test_any_text_is_read_or_unknown(name: str) -> None:
    model = normalise(name)
    assert model.name == name
    assert model.known == (model.family is not None)


@given(
    st.sampled_from(sorted(READ)), st.sampled_from(["", "-latest", "-20260101", "-2026-01-01", ":0", "-v1:0", "@001"])
)
def test_a_suffix_does_not_change_what_is_read(name: str, suffix: str) -> None:
    if name.endswith("-latest") or READ[name][2] is None:
        return  # an alias is read with its suffix
    assert normalise(name + suffix).family == READ[name][0]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple), st.integers(1, 4))
def test_padded_has_the_length_asked_for(generation: tuple[int, ...], length: int) -> None:
    assert len(models.padded(generation, length)) == length
