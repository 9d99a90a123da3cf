"""Target `mistral` and Mistral's own validator agree, but for what `EXCEPTIONS` lists.

The validator is what the API, vLLM and the tokenizers are built on; its versions differ, and it lets pass some of what
the API is reported to refuse.  Each exception names the fact or the address in the target's sources that says so.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import turnlint
from changing import changed
from turnlint import targets
from turnlint.testing.strategies import histories

if TYPE_CHECKING:
    from turnlint.diagnostic import Diagnostic

pytest.importorskip("mistral_common")

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion

Messages = list[Any]
VERSIONS = [v for v in ("v7", "v11", "v13") if v in {m.value for m in TokenizerVersion}]
FIRST = "https://github.com/mistralai/mistral-common/blob/v1.13.1/src/mistral_common/protocol/instruct/validator.py#L376-L378"


@dataclass(frozen=True)
class Exemption:
    """An error of the target that the validator of some versions does not have, and the fact or address behind it.

    `first`: only where the first message has to do with it, which the validator skips when it counts calls and results.
    """

    rule: str
    source: str
    versions: tuple[str, ...] = ("v7", "v11", "v13")
    first: bool = False

    def covers(self, found: Diagnostic, version: str) -> bool:
        if found.rule != self.rule or version not in self.versions:
            return False
        places = {found.message_index, *(int(r.pointer.split("/")[1]) for r in found.related)}
        return not self.first or 0 in places


EXCEPTIONS: tuple[Exemption, ...] = (
    # the API's older validators refused it, 1.11.2 and later do not
    Exemption("user-after-result", "mistral-003"),
    # the API refuses it; the validator left it to the tokenizer from version 5 on
    Exemption("empty-content", "mistral-010"),
    # the first message is skipped when calls and results are counted
    Exemption("unanswered-call", FIRST, first=True),
    Exemption("orphan-result", "mistral-014", first=True),
    Exemption("result-before-call", "mistral-014", first=True),
    Exemption("duplicate-result", "mistral-014", first=True),
    # before v11 calls and results are counted, and their IDs not compared
    Exemption("orphan-result", "mistral-008", ("v7",)),
    Exemption("unanswered-call", "mistral-008", ("v7",)),
    Exemption("interrupted-results", "mistral-008", ("v7",)),
    Exemption("result-before-call", "mistral-008", ("v7",)),
    Exemption("duplicate-result", "mistral-009", ("v7",)),
    Exemption("duplicate-call-id", "mistral-009", ("v7",)),
    # from v13 on any ID will do
    Exemption("malformed-call-id", "mistral-006", ("v13",)),
)


def refusal(messages: Messages, version: str) -> str | None:
    """None where the validator takes the messages, else what it says."""
    try:
        request: ChatCompletionRequest[Any] = ChatCompletionRequest(messages=copy.deepcopy(messages), model="test")
        get_validator(TokenizerVersion(version), mode=ValidationMode.serving).validate_request(request)
    except (MistralCommonException, ValueError) as refused:
        return f"{type(refused).__name__}: {refused}"
    return None


def errors(messages: Messages, dialect: str) -> list[Diagnostic]:
    found = turnlint.check(messages, target="mistral", dialect=dialect, mode="request").diagnostics
    return [d for d in found if d.severity == "error"]


def begins_with_calls(messages: Messages) -> bool:
    """Of the first message the validator counts no calls, and then finds too many results: see `FIRST`."""
    return bool(messages) and messages[0].get("role") == "assistant" and bool(messages[0].get("tool_calls"))


def disagreement(messages: Messages, version: str, dialect: str) -> str | None:
    """Where one of the two refuses what the other takes, and no exception is listed: what it says."""
    found = errors(messages, dialect)
    refused = refusal(messages, version)
    if refused is not None:
        return None if found or begins_with_calls(messages) else f"turnlint passes it: {refused}"
    unlisted = [d for d in found if not any(e.covers(d, version) for e in EXCEPTIONS)]
    return "; ".join(f"{d.rule}: {d.message}" for d in unlisted) if unlisted else None


quickly = settings(
    max_examples=300, derandomize=True, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("dialect", ["mistral", "openai-chat"])
def test_drawn_histories_are_taken(dialect: str) -> None:
    @settings(quickly, max_examples=100)
    @given(histories(dialect, "mistral"))
    def taken(messages: Messages) -> None:
        assert [refusal(messages, version) for version in VERSIONS] == [None] * len(VERSIONS)

    taken()


@pytest.mark.parametrize("dialect", ["mistral", "openai-chat"])
def test_both_refuse_the_same(dialect: str) -> None:
    @quickly
    @given(changed(histories(dialect, "mistral", unicode=False)))
    def agree(messages: Messages) -> None:
        for version in VERSIONS:
            assert disagreement(messages, version, dialect) is None, version

    agree()


def test_every_exception_has_a_source() -> None:
    verdicts = targets.load("mistral").verdicts
    sources = {source for verdict in verdicts for source in (*verdict.facts, *verdict.sources)}
    assert {e.source for e in EXCEPTIONS} | {FIRST} <= sources
