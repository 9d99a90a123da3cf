"""What a request says beside its history, in neutral words: thinking, storage, tool choice.

Only a few members of a body bear on the history.  They are named alike by most providers, so one reader serves all
dialects; what a body does not say is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.diagnostic import Place
    from turnlint.model import Transcript

#: Objects inside a body in which SDKs and gateways put what the provider reads at the top.
_NESTED = ("additionalModelRequestFields", "extra_body", "chat_template_kwargs")


class Request(Struct, frozen=True):
    """The settings of a request that some rule asks about.

    `thinking`: ``on`` (asked for), ``adaptive`` (the model decides), ``off``, or None where the request does not say.
    `reasoning`: a member of the request asks for reasoning; `little_reasoning`: for little or none. `store` is what
    it says of storing the response, `chained` that it builds on a stored one. `context_tokens` is the size of the
    window where the request sets it. `tool_choice` is what it says of
    choosing a tool; `tool_choice_at` and `parallel_at` are the places of these members where they are set.
    """

    thinking: Literal["on", "adaptive", "off"] | None = None
    reasoning: bool = False
    little_reasoning: bool = False
    store: bool | None = None
    chained: bool = False
    context_tokens: int | None = None
    tool_choice: Any = None
    tool_choice_at: Place | None = None
    parallel_at: Place | None = None


def request_of(transcript: Transcript) -> Request:
    """The settings of the request around a transcript; all unknown where there is none."""
    body = transcript.candidate.body
    if not body:
        return Request()
    at = transcript.candidate.body_at
    store = body.get("store")
    return Request(
        thinking=next((t for level in _levels(body) if (t := _thinking(level)) is not None), None),
        reasoning=_effort(body) not in (None, *_LITTLE),
        little_reasoning=_effort(body) in _LITTLE,
        store=store if isinstance(store, bool) else None,
        chained=bool(body.get("previous_response_id") or body.get("conversation")),
        context_tokens=_window(body),
        tool_choice=body.get("tool_choice"),
        tool_choice_at=at / "tool_choice" if body.get("tool_choice") is not None else None,
        parallel_at=at / "parallel_tool_calls" if body.get("parallel_tool_calls") is not None else None,
    )


_LITTLE = ("none", "minimal", "low")


def _effort(body: Mapping[str, Any]) -> str | None:
    """How much reasoning is asked for, in the provider's word; ``default`` where it is asked for without one."""
    effort, reasoning = body.get("reasoning_effort"), body.get("reasoning")
    if isinstance(reasoning, dict):
        effort = reasoning.get("effort") or "default"
    return effort if isinstance(effort, str) else None


def _window(body: Mapping[str, Any]) -> int | None:
    options = body.get("options")
    size = options.get("num_ctx") if isinstance(options, dict) else None
    return size if isinstance(size, int) and not isinstance(size, bool) else None


def _levels(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield body
    for key in _NESTED:
        inner = body.get(key)
        if isinstance(inner, dict):
            yield inner
            deeper = inner.get("chat_template_kwargs")
            if isinstance(deeper, dict):
                yield deeper


def _thinking(body: Mapping[str, Any]) -> Literal["on", "adaptive", "off"] | None:
    for key in ("thinking", "enable_thinking", "think"):
        value = body.get(key)
        if isinstance(value, dict):
            value = value.get("type")
        if value in ("enabled", True):
            return "on"
        if value in ("adaptive", "auto"):
            return "adaptive"
        if value in ("disabled", False):
            return "off"
    return None
