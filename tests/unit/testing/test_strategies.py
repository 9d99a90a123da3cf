"""Drawn histories are valid for their target, and find what is wrong in code that trims, stores and converts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from turnlint import UsageError, assert_same_exchanges, assert_valid, targets
from turnlint.engine import Settings, check_document
from turnlint.testing.strategies import conversations, histories
from turnlint.testing.writers import WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnlint.testing.conversations import Conversation

Json = Any
Messages = list[dict[str, Any]]

quickly = settings(
    max_examples=15, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("mode", ["request", "saved"])
@pytest.mark.parametrize("body", [False, True], ids=["list", "body"])
@pytest.mark.parametrize("dialect", sorted(WRITERS))
def test_histories_are_valid_for_the_owner(dialect: str, body: bool, mode: Any) -> None:
    if body and WRITERS[dialect].body is None:
        pytest.skip("no wire")

    @quickly
    @given(histories(dialect, mode=mode, body=body))
    def holds(history: Json) -> None:
        assert_valid(history, dialect=dialect, mode=mode, fail_on="warning")

    holds()


#: A wire of each kind: merging or not, pairing by order, IDs of one form, no images, text only beside calls.
JUDGES = ["anthropic", "bedrock", "cloudflare", "deepseek", "gemini", "mistral", "ollama", "openai", "vllm"]


@pytest.mark.parametrize("target", JUDGES)
@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_histories_are_valid_for_any_target(dialect: str, target: str) -> None:
    assert target in targets.names()

    @settings(quickly, max_examples=8)
    @given(histories(dialect, target))
    def holds(history: Json) -> None:
        assert_valid(history, dialect=dialect, target=target)

    holds()


def test_what_is_drawn() -> None:
    """Everything that the switches name does occur, and does not when it is switched off."""

    def some(seen: Callable[[Conversation], object], dialect: str = "anthropic", **options: Any) -> bool:
        looking = settings(quickly, max_examples=60)
        try:
            find(conversations(dialect, **options), lambda c: bool(seen(c)), settings=looking)
        except NoSuchExample:
            return False
        return True

    def parallel(c: Conversation) -> bool:
        return any(len(r.uses) > 1 for t in c.turns for r in t.rounds)

    def texts(c: Conversation) -> str:
        return "".join([c.system, *(t.question + t.answer for t in c.turns), *(u.result or "" for u in c.uses())])

    assert some(parallel)
    assert not some(parallel, max_calls=1)
    assert some(lambda c: c.thinks)
    assert not some(lambda c: c.thinks, reasoning=False)
    assert some(lambda c: c.searches)
    assert not some(lambda c: c.searches, hosted=False)
    assert not some(lambda c: c.searches, "openai-chat")
    assert some(lambda c: any(t.image for t in c.turns))
    assert not some(lambda c: any(t.image for t in c.turns), images=False)
    assert some(lambda c: not texts(c).isascii())
    assert not some(lambda c: not texts(c).isascii(), unicode=False)
    assert some(lambda c: any(r.order not in ((), tuple(range(len(r.uses)))) for t in c.turns for r in t.rounds))
    assert some(lambda c: len({u.id for u in c.uses()}) < len(list(c.uses())))
    assert not some(lambda c: len({u.id for u in c.uses()}) < len(list(c.uses())), target="minimax")
    assert some(lambda c: any(u.result is None for u in c.uses()), mode="saved")
    assert not some(lambda c: any(u.result is None for u in c.uses()), mode="request")


def has_results(history: Messages) -> bool:
    return any(m["role"] == "tool" for m in history)


def test_ids_are_of_the_form_that_the_target_takes() -> None:
    history = find(histories("openai-chat", "mistral", max_turns=1), has_results)
    assert all(len(m["tool_call_id"]) == 9 and m["tool_call_id"].isalnum() for m in history if m["role"] == "tool")


def test_it_shrinks_to_something_readable() -> None:
    history = find(histories("openai-chat"), has_results, settings=settings(deadline=None))
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    assert history == [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "yes"},
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"dialect": "openai-chatt"}, "did you mean 'openai-chat'"),
        ({"target": "antropic"}, "did you mean 'anthropic'"),
        ({"mode": "requests"}, "did you mean 'request'"),
        ({"min_turns": 3, "max_turns": 2}, "min_turns <= max_turns"),
    ],
)
def test_usage(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        histories(**given)


# -- what they are for.  Each of these is a real way to break a history; the default number of examples must do.

findings = settings(deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def found_in(change: Callable[[Messages], Messages], dialect: str = "openai-chat") -> str:
    @findings
    @given(histories(dialect))
    def survives(history: Messages) -> None:
        assert_valid(change(history), dialect=dialect)

    with pytest.raises(AssertionError) as caught:
        survives()
    return str(caught.value)


def test_a_trimmer_that_keeps_the_last_few_messages() -> None:
    def trim(history: Messages) -> Messages:
        first = [m for m in history if m["role"] == "system"]
        return first + history[-4:]

    assert "orphan-result" in found_in(trim)


def test_a_deduplication_by_global_id() -> None:
    def deduplicate(history: Messages) -> Messages:
        seen: set[str] = set()
        kept = []
        for message in history:
            if message["role"] == "tool":
                if message["tool_call_id"] in seen:
                    continue
                seen.add(message["tool_call_id"])
            kept.append(message)
        return kept

    assert "unanswered-call" in found_in(deduplicate)


def test_a_store_that_reorders_rows() -> None:
    def store(history: Messages) -> Messages:
        """Rows come back ordered by their second and their role, as a database may when the clock is too coarse."""
        rows = [(number // 3, message["role"], message) for number, message in enumerate(history)]
        return [message for _, _, message in sorted(rows, key=lambda row: row[:2])]

    assert found_in(store)


def to_anthropic(history: Messages, *, all_calls: bool = True) -> Messages:
    made: Messages = []
    for message in history:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            if made[-1]["role"] == "user" and isinstance(made[-1]["content"], list):
                made[-1]["content"].append(block)
            else:
                made.append({"role": "user", "content": [block]})
        elif message["role"] != "system":
            blocks: list[Json] = [{"type": "text", "text": message["content"]}] if message["content"] else []
            calls = message.get("tool_calls", [])
            for call in calls if all_calls else calls[:1]:
                inner = call["function"]
                arguments = json.loads(inner["arguments"])
                blocks.append({"type": "tool_use", "id": call["id"], "name": inner["name"], "input": arguments})
            made.append({"role": message["role"], "content": blocks if calls else message["content"]})
    return made


def test_a_converter_that_loses_parallel_calls() -> None:
    @findings
    @given(histories("openai-chat", images=False))
    def survives(history: Messages) -> None:
        assert_valid(to_anthropic(history, all_calls=False), target="anthropic")

    with pytest.raises(AssertionError, match="orphan-result"):
        survives()

    @findings
    @given(histories("openai-chat", images=False))
    def is_the_same(history: Messages) -> None:
        assert_same_exchanges(history, to_anthropic(history, all_calls=False))

    with pytest.raises(AssertionError, match=r"parted: .*\n.*\n  after: result .* is left without its call"):
        is_the_same()


def test_a_converter_that_loses_nothing() -> None:
    @quickly
    @given(histories("openai-chat", images=False))
    def survives(history: Messages) -> None:
        made = to_anthropic(history)
        assert_valid(made, target="anthropic", dialect="anthropic")
        assert_same_exchanges(history, made, after_dialect="anthropic")

    survives()


def test_examples_are_shown_as_what_they_are() -> None:
    """A failing example prints as the history, not as how it was made."""

    @settings(max_examples=1, phases=[Phase.generate], database=None, deadline=None)
    @given(history=histories("openai-chat", max_rounds=0, max_turns=1, system=False, unicode=False, images=False))
    def fails(history: Messages) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        fails()
    assert "history=[{'role': 'user', 'content': '" in "\n".join(caught.value.__notes__)


@quickly
@given(data=st.data())
def test_the_quick_pass_and_the_rules_agree(data: st.DataObject) -> None:
    """What is drawn is clean whether or not the signals are looked at."""
    dialect = data.draw(st.sampled_from(sorted(WRITERS)))
    history = data.draw(histories(dialect))
    report = check_document(history, Settings(dialect=dialect, mode="request", triggers=False))
    assert report.ok, report.diagnostics
