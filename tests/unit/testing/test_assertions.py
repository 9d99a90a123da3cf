"""What the assertions say, and what they count as the same."""

from __future__ import annotations

import itertools
import unittest
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import turnlint
from turnlint import UsageError, assert_same_exchanges, assert_valid
from turnlint.testing import HistoryAssertions
from turnlint.testing.strategies import conversations
from turnlint.testing.writers import WRITERS

if TYPE_CHECKING:
    from turnlint.testing.conversations import Conversation

Messages = list[dict[str, Any]]
quickly = settings(
    max_examples=15, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def call(call_id: str, name: str = "get_weather", arguments: str = '{"city": "Oslo"}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(call_id: str, content: Any = "4 C") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


HISTORY: Messages = [
    {"role": "user", "content": "Weather in Oslo, and the time?"},
    {"role": "assistant", "content": None, "tool_calls": [call("call_1"), call("call_2", "get_time", "{}")]},
    result("call_1"),
    result("call_2", "noon"),
    {"role": "assistant", "content": "It is 4 C at noon."},
    {"role": "user", "content": "And tomorrow?"},
    {"role": "assistant", "content": None, "tool_calls": [call("call_3", "get_weather", '{"day": 1}')]},
    result("call_3", "5 C"),
]


def failure_of(*args: Any, **given: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_valid(*args, **given)
    return str(caught.value)


# -- assert_valid


def test_the_failure_reads_like_the_command_line() -> None:
    assert failure_of(HISTORY[:3] + HISTORY[4:]) == (
        "the history is not valid for openai (mode request; the file is in openai-chat): 1 error\n"
        "\n"
        "/1/tool_calls/1: error unanswered-call (TL101): the call get_time (call_2) has no result\n"
        '    [0] user      "Weather in Oslo, and the time?"\n'
        '  > [1] assistant call get_weather({"city": "Oslo"}) call_1, call get_time({}) call_2\n'
        '    [2] tool      result call_1 "4 C"\n'
        "  = openai answers 400: \"An assistant message with 'tool_calls' must be followed by tool messages responding"
        " to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_2\"\n"
        "  = cause: some results of the turn were lost, or one of the tools was interrupted\n"
        "  = help: store the result behind the call, or remove the call together with what depends on it\n"
        "  = fix: add a placeholder that says the outcome is unknown"
        " (unsafe: what the tool answered is not in the history)\n"
        "\n"
        "turnlint.fix(history, unsafe=True) would change:\n"
        "  @@ -33,2 +33,7 @@\n"
        "    {\n"
        '  +  "role": "tool",\n'
        '  +  "tool_call_id": "call_2",\n'
        '  +  "content": "[no result was recorded for this tool call; its outcome is unknown]"\n'
        "  + },\n"
        "  + {\n"
        '     "role": "assistant",'
    )


def test_the_diff_is_that_of_the_safe_fixes_where_there_are_any() -> None:
    text = failure_of([*HISTORY[:7], result("call_9", "5 C")])
    assert text.endswith(
        "turnlint.fix(history) would change:\n"
        "  @@ -61,3 +61,3 @@\n"
        '     "role": "tool",\n'
        '  -  "tool_call_id": "call_9",\n'
        '  +  "tool_call_id": "call_3",\n'
        '     "content": "5 C"'
    )
    two = failure_of([*HISTORY[:7], result("call_9", "5 C")], target=["openai", "deepseek"])
    assert "would change" not in two  # what is right for one target may be wrong for another


def test_related_messages_are_shown_and_what_is_between_left_out() -> None:
    late = [*HISTORY[:3], *HISTORY[4:6], {"role": "assistant", "content": "Well."}, HISTORY[3]]
    text = failure_of(late)
    assert "  > [6] tool      result call_2" in text
    assert "    [1] assistant call get_weather" in text
    assert "      …\n" in text


def test_hostile_text_is_cleaned_and_cut() -> None:
    text = failure_of([result("\x1b[31m" + "x" * 500, "\u202e" + "y" * 500)])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "…" in text
    assert max(map(len, text.splitlines())) < 400


def test_many_findings_are_counted() -> None:
    lines = [m for n in range(9) for m in ({"role": "user", "content": "?"}, result(f"call_{n}"))]
    text = failure_of(lines)
    assert text.count("orphan-result (TL102)") == 5
    assert "… and 4 more findings" in text
    assert "more lines" in text


def test_a_value_that_is_no_history() -> None:
    assert "unrecognised-format" in failure_of({"no": "history"})


def test_the_fail_on_level() -> None:
    open_calls = HISTORY[:2]
    assert_valid(open_calls, mode="saved")
    assert "pending-call" in failure_of(open_calls, mode="saved", fail_on="info")
    with pytest.raises(UsageError, match="did you mean 'warning'"):
        assert_valid(HISTORY, fail_on="warn")


# -- assert_same_exchanges


def difference(before: Any, after: Any, **given: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_same_exchanges(before, after, **given)
    return str(caught.value)


def test_the_same_is_the_same() -> None:
    assert_same_exchanges(HISTORY, HISTORY)
    assert_same_exchanges([], [])


def test_lost() -> None:
    text = difference(HISTORY, HISTORY[:6])
    assert text == (
        "the histories do not hold the same exchanges: 1 lost\n"
        "\n"
        'lost: get_weather({"day": 1}) -> "5 C"\n'
        "  before: call /6/tool_calls/0, result /7\n"
        "  after: neither half is there"
    )


def test_a_trimmed_history_may_have_dropped_whole_pairs_only() -> None:
    assert_same_exchanges(HISTORY, HISTORY[5:], dropped=True)
    assert_same_exchanges(HISTORY, [], dropped=True)
    text = difference(HISTORY, HISTORY[2:], dropped=True)
    assert text.startswith("the histories do not hold the same exchanges: 2 parted\n")
    assert "after: result /0 is left without its call" in text
    text = difference(HISTORY, HISTORY[:7], dropped=True)
    assert "parted: get_weather" in text
    assert "after: call /6/tool_calls/0 is left without its result" in text


def test_halves_that_no_longer_belong_together() -> None:
    renamed = [*HISTORY[:7], result("call_9", "5 C")]
    assert "call /6/tool_calls/0 and result /7 do not belong together any more" in difference(HISTORY, renamed)


def test_a_changed_result() -> None:
    cleared = [*HISTORY[:7], result("call_3", "[cleared]")]
    text = difference(HISTORY, cleared)
    assert 'changed: get_weather({"day": 1}) -> "5 C": its result' in text
    assert_same_exchanges(HISTORY, cleared, results=False)


def test_added_and_swapped() -> None:
    assert "1 added" in difference(HISTORY[:6], HISTORY)
    swapped = [*HISTORY[:2], result("call_2"), result("call_1", "noon"), *HISTORY[4:]]
    assert "2 changed" in difference(HISTORY, swapped)
    text = difference(HISTORY, HISTORY[5:] + HISTORY[:5])
    assert "moved" in text


def test_parallel_calls_in_turns_of_their_own() -> None:
    single: Messages = [
        HISTORY[0],
        {**HISTORY[1], "tool_calls": HISTORY[1]["tool_calls"][:1]},
        HISTORY[2],
        {**HISTORY[1], "tool_calls": HISTORY[1]["tool_calls"][1:]},
        *HISTORY[3:],
    ]
    assert "regrouped: get_time({})" in difference(HISTORY, single)
    assert "in a turn of its own" in difference(single, HISTORY)
    assert_same_exchanges(HISTORY, single, regrouped=True)


def test_results_in_another_order_are_the_same() -> None:
    assert_same_exchanges(HISTORY, [*HISTORY[:2], HISTORY[3], HISTORY[2], *HISTORY[4:]])


def test_wrappings_do_not_count() -> None:
    parts = [*HISTORY[:7], result("call_3", [{"type": "text", "text": "5"}, {"type": "text", "text": " C"}])]
    assert_same_exchanges(HISTORY, parts)
    wrapped = [*HISTORY[:7], result("call_3", '{"result": "5 C"}')]
    assert_same_exchanges(HISTORY, wrapped)
    deep: Any = "5 C"
    for _ in range(300):
        deep = {"result": deep}
    assert "changed" in difference(HISTORY, [*HISTORY[:7], result("call_3", [deep])])


def test_what_is_no_history() -> None:
    with pytest.raises(UsageError, match="before_dialect"):
        assert_same_exchanges({"no": 1}, HISTORY)


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(sorted(WRITERS), 2)))
def test_across_dialects(one: str, other: str) -> None:
    @quickly
    @given(conversations("gemini", mode="saved"))  # results stand in the order of the calls: not every dialect has IDs
    def holds(conversation: Conversation) -> None:
        before, after = WRITERS[one].write(conversation), WRITERS[other].write(conversation)
        assert_same_exchanges(before, after, before_dialect=one, after_dialect=other)

    holds()


# -- unittest


class Case(HistoryAssertions, unittest.TestCase):
    turnlint_target = "anthropic"

    def test_history(self) -> None:
        self.assertValidHistory(HISTORY)
        self.assertSameExchanges(HISTORY, HISTORY[5:], dropped=True)
        with pytest.raises(AssertionError, match=r"for anthropic .*1 error"):
            self.assertValidHistory(HISTORY[:3] + HISTORY[4:])
        self.assertValidHistory(HISTORY[:2], mode="saved")


def test_the_names_are_exported() -> None:
    assert {"assert_valid", "assert_same_exchanges", "load"} <= set(turnlint.__all__)
    for name in turnlint.testing.__all__:
        assert callable(getattr(turnlint.testing, name))
    with pytest.raises(AttributeError):
        turnlint.testing.nothing  # noqa: B018
