"""Pairing over drawn histories: every half ends in one state, one change is found, and the work stays linear."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turnlint.diagnostic import Place
from turnlint.model import Call, Candidate, Kind, Message, Part, Result, Speaker, Transcript
from turnlint.pairing import CallState as C
from turnlint.pairing import Pairing, pair
from turnlint.pairing import ResultState as R
from turnlint.targets import PairingPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

#: A part is "text", ("call", ID, name) or ("result", ID, name); a message is a speaker and its parts.
Draft = tuple[Speaker, list[Any]]
A, U, T, S, X = Speaker.ASSISTANT, Speaker.USER, Speaker.TOOL, Speaker.SYSTEM, Speaker.UNKNOWN

POLICIES = {
    "run": PairingPolicy(window="run"),
    "turn": PairingPolicy(merge=True, window="turn"),
    "message": PairingPolicy(window="message"),
    "anywhere": PairingPolicy(window="anywhere"),
    "run by order": PairingPolicy(match="order", window="run"),
    "message by order": PairingPolicy(match="order", window="message", count=True),
}


def history(drafts: list[Draft]) -> Transcript:
    """A transcript of these messages, in no dialect."""
    transcript = Transcript("none", [], Candidate([]))
    for index, (speaker, parts) in enumerate(drafts):
        at = Place((index,))
        message = Message(index, at, {}, speaker.value, speaker)
        for number, part in enumerate(parts):
            place = at / number
            if part == "text":
                message.parts.append(Part(Kind.TEXT, place, {}, message, "text", "words"))
            elif part[0] == "call":
                message.parts.append(Call(Kind.CALL, place, {}, message, "call", id=part[1], name=part[2]))
            else:
                message.parts.append(Result(Kind.RESULT, place, {}, message, "result", id=part[1], name=part[2]))
        transcript.messages.append(message)
    return transcript


def paired(drafts: list[Draft], policy: str) -> Pairing:
    return pair(history(drafts), POLICIES[policy])


# -- any history at all

IDS: st.SearchStrategy[Any] = st.sampled_from(["a", "b", "c", "a:1", "a_1", "", None, 7, ["a"], {}])
NAMES: st.SearchStrategy[Any] = st.sampled_from(["look", "read", "", None, 3])
ANY_PART = st.one_of(st.just("text"), st.tuples(st.just("call"), IDS, NAMES), st.tuples(st.just("result"), IDS, NAMES))
ANY_HISTORY = st.lists(st.tuples(st.sampled_from([A, A, U, T, T, S, X]), st.lists(ANY_PART, max_size=4)), max_size=12)


@given(ANY_HISTORY, st.sampled_from(list(POLICIES)))
def test_every_half_ends_in_one_state(drafts: list[Draft], policy: str) -> None:
    found = paired(drafts, policy)
    parts = [p for _, parts in drafts for p in parts if p != "text"]
    assert len(found.call_states) == len(found.calls) == sum(p[0] == "call" for p in parts)
    assert len(found.result_states) == len(found.results) == sum(p[0] == "result" for p in parts)
    for call in found.calls:
        result = found.result_of(call)
        state = found.state(call)
        if state in (C.ANSWERED, C.EARLY, C.LATE, C.MISLINKED):
            assert result is not None
        if state in (C.UNANSWERED, C.PARTIAL, C.PENDING, C.DOUBLED, C.MISCOUNTED):
            assert result is None
        if result is not None:
            assert found.call_of(result) is call
    for result in found.results:
        call_of = found.call_of(result)
        state = found.state(result)
        if state is R.DUPLICATE:
            assert call_of is not None
            assert found.result_of(call_of) is not result
        elif call_of is not None:
            assert found.result_of(call_of) is result
        if state in (R.ANSWERS, R.BEFORE_CALL, R.INTERRUPTED, R.SPLIT, R.MISLINKED):
            assert call_of is not None
        if state in (R.ORPHAN, R.MISCOUNTED):
            assert call_of is None
        if state is R.BEFORE_CALL:
            assert call_of is not None
            assert result.message.index <= call_of.message.index
        if state in (R.INTERRUPTED, R.SPLIT):
            assert call_of is not None
            assert call_of.message.index <= result.message.index


@given(ANY_HISTORY, st.sampled_from(list(POLICIES)))
def test_a_pair_is_late_on_both_sides_or_on_none(drafts: list[Draft], policy: str) -> None:
    found = paired(drafts, policy)
    sides = {
        R.BEFORE_CALL: C.EARLY,
        R.INTERRUPTED: C.LATE,
        R.SPLIT: C.LATE,
        R.MISLINKED: C.MISLINKED,
        R.ANSWERS: C.ANSWERED,
    }
    apart = (C.HIDDEN, C.HOSTED, C.MISPLACED)
    for result in found.results:
        call, state = found.call_of(result), found.state(result)
        if call is not None and isinstance(state, R) and state in sides and found.state(call) not in apart:
            assert found.state(call) is sides[state]


@given(ANY_HISTORY, st.sampled_from(list(POLICIES)))
def test_pairing_twice_is_pairing_once(drafts: list[Draft], policy: str) -> None:
    transcript = history(drafts)
    first, second = pair(transcript, POLICIES[policy]), pair(transcript, POLICIES[policy])
    assert (first.call_states, first.result_states) == (second.call_states, second.result_states)


# -- whole histories


class Rounds:
    """A history of tool rounds, each with its calls; made into messages as a policy wants them."""

    def __init__(
        self, sizes: list[int], policy: str, *, restart: bool, shuffle: Callable[[list[Any]], list[Any]]
    ) -> None:
        self.policy = policy
        self.sizes = sizes
        self.drafts: list[Draft] = []
        self.call_at: list[int] = []  # for each round the number of its call message
        self.window_at: list[tuple[int, int]] = []
        number = 0
        for size in sizes:
            self.drafts.append((U, ["text"]))
            ids = [None if "order" in policy else f"id{k if restart else number + k}" for k in range(size)]
            names = [f"tool{k % 3}" for k in range(size)]
            number += size
            self.call_at.append(len(self.drafts))
            self.drafts.append((A, ["text", *(("call", i, n) for i, n in zip(ids, names, strict=True))]))
            results = [("result", i, n) for i, n in zip(ids, names, strict=True)]
            if "order" not in policy:
                results = shuffle(results)
            start = len(self.drafts)
            if policy in ("run", "run by order", "anywhere"):
                self.drafts += [(T, [r]) for r in results]
            else:
                self.drafts.append((U, list(results)))
            self.window_at.append((start, len(self.drafts)))
            self.drafts.append((A, ["text"]))
        self.drafts.append((U, ["text"]))

    def paired(self) -> Pairing:
        return paired(self.drafts, self.policy)


@st.composite
def rounds(draw: st.DrawFn, *, least: int = 1, policies: tuple[str, ...] = tuple(POLICIES)) -> Rounds:
    sizes = draw(st.lists(st.integers(least, 4), min_size=1, max_size=4))
    policy = draw(st.sampled_from(policies))
    return Rounds(
        sizes, policy, restart=draw(st.booleans()), shuffle=lambda results: list(draw(st.permutations(results)))
    )


@given(rounds())
def test_a_whole_history_pairs_completely(made: Rounds) -> None:
    found = made.paired()
    assert set(found.call_states) == {C.ANSWERED}
    assert set(found.result_states) == {R.ANSWERS}
    assert len(found.exchanges) == len(made.sizes)
    assert [len(e.calls) for e in found.exchanges] == made.sizes == [len(e.results) for e in found.exchanges]
    assert not any(e.tail for e in found.exchanges)


# -- one change

BY_ID = ("run", "turn", "message", "anywhere")
BOUND = ("run", "turn", "message")


def results_at(made: Rounds, number: int) -> list[tuple[int, int]]:
    """The places (message, part) of the results of a round."""
    start, end = made.window_at[number]
    return [(m, p) for m in range(start, end) for p, part in enumerate(made.drafts[m][1]) if part[0] == "result"]


def take(made: Rounds, place: tuple[int, int]) -> Any:
    """Takes a part out; its message goes too when nothing is left in it."""
    message, part = place
    taken = made.drafts[message][1].pop(part)
    if not made.drafts[message][1]:
        del made.drafts[message]
    return taken


def odd(states: list[Any], usual: object) -> list[Any]:
    return [s for s in states if s is not usual]


@given(rounds(policies=BY_ID), st.data())
def test_a_dropped_call_leaves_an_orphan(made: Rounds, data: st.DataObject) -> None:
    assume(len(set(_ids(made))) == sum(made.sizes))
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    parts = made.drafts[made.call_at[number]][1]
    parts.pop(data.draw(st.integers(1, len(parts) - 1)))
    found = made.paired()
    assert odd(found.call_states, C.ANSWERED) == []
    assert odd(found.result_states, R.ANSWERS) == [R.ORPHAN]


@given(rounds(), st.data())
def test_a_dropped_result_leaves_a_call_open(made: Rounds, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    take(made, data.draw(st.sampled_from(results_at(made, number))))
    found = made.paired()
    lone = made.sizes[number] == 1
    expected = C.MISCOUNTED if "order" in made.policy and not lone else C.UNANSWERED
    assert odd(found.call_states, C.ANSWERED) == [expected]
    assert odd(found.result_states, R.ANSWERS) == []


@given(rounds(), st.data())
def test_a_dropped_result_at_the_end_is_pending_or_partial(made: Rounds, data: st.DataObject) -> None:
    del made.drafts[-2:]
    take(made, data.draw(st.sampled_from(results_at(made, len(made.sizes) - 1))))
    found = made.paired()
    lone = made.sizes[-1] == 1
    expected = C.PENDING if lone else C.MISCOUNTED if "order" in made.policy else C.PARTIAL
    assert odd(found.call_states, C.ANSWERED) == [expected]


@given(rounds(policies=BY_ID), st.data())
def test_a_result_moved_in_front_is_early(made: Rounds, data: st.DataObject) -> None:
    assume(len(set(_ids(made))) == sum(made.sizes))
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    moved = take(made, data.draw(st.sampled_from(results_at(made, number))))
    made.drafts.insert(made.call_at[number], (T if made.policy in ("run", "anywhere") else U, [moved]))
    found = made.paired()
    assert odd(found.call_states, C.ANSWERED) == [C.EARLY]
    assert odd(found.result_states, R.ANSWERS) == [R.BEFORE_CALL]


@given(rounds(policies=BY_ID), st.data())
def test_a_result_moved_to_the_end_is_late(made: Rounds, data: st.DataObject) -> None:
    assume(len(set(_ids(made))) == sum(made.sizes))
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    moved = take(made, data.draw(st.sampled_from(results_at(made, number))))
    made.drafts += [(A, ["text"]), (T if made.policy in ("run", "anywhere") else U, [moved])]
    found = made.paired()
    anywhere = made.policy == "anywhere"
    assert odd(found.call_states, C.ANSWERED) == ([] if anywhere else [C.LATE])
    assert odd(found.result_states, R.ANSWERS) == ([] if anywhere else [R.INTERRUPTED])


@given(rounds(policies=BY_ID), st.data())
def test_a_changed_id_is_one_wrong_link(made: Rounds, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    message, part = data.draw(st.sampled_from(results_at(made, number)))
    made.drafts[message][1][part] = ("result", "other", made.drafts[message][1][part][2])
    found = made.paired()
    assert odd(found.call_states, C.ANSWERED) == [C.MISLINKED]
    assert odd(found.result_states, R.ANSWERS) == [R.MISLINKED]


@given(rounds(policies=BY_ID), st.data())
def test_a_result_said_twice_is_a_duplicate(made: Rounds, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    message, part = data.draw(st.sampled_from(results_at(made, number)))
    speaker, parts = made.drafts[message]
    if speaker is T:
        made.drafts.insert(message + 1, (T, [parts[part]]))
    else:
        parts.append(parts[part])
    found = made.paired()
    assert odd(found.call_states, C.ANSWERED) == []
    assert odd(found.result_states, R.ANSWERS) == [R.DUPLICATE]


@given(rounds(), st.data())
def test_a_user_between_interrupts_the_whole_turn(made: Rounds, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    made.drafts.insert(made.call_at[number] + 1, (U, ["text"]))
    found = made.paired()
    accepted = made.policy in ("turn", "anywhere")
    assert odd(found.call_states, C.ANSWERED) == ([] if accepted else [C.LATE] * made.sizes[number])
    assert odd(found.result_states, R.ANSWERS) == ([] if accepted else [R.INTERRUPTED] * made.sizes[number])


@given(rounds(least=2, policies=("message", "message by order", "turn")), st.data())
def test_results_cut_in_two_are_split(made: Rounds, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(made.sizes) - 1))
    message, _ = made.window_at[number]
    parts = made.drafts[message][1]
    cut = data.draw(st.integers(1, len(parts) - 1))
    made.drafts[message : message + 1] = [(U, parts[:cut]), (U, parts[cut:])]
    found = made.paired()
    behind = 0 if made.policy == "turn" else len(parts) - cut
    assert odd(found.call_states, C.ANSWERED) == [C.LATE] * behind
    assert odd(found.result_states, R.ANSWERS) == [R.SPLIT] * behind


def _ids(made: Rounds) -> list[Any]:
    return [p[1] for _, parts in made.drafts for p in parts if p[0] == "call"]


# -- the work is linear: steps of the interpreter, not seconds


def steps(drafts: list[Draft], policy: str) -> int:
    """How many lines of Python the pairing of a history runs."""
    transcript = history(drafts)
    count = 0

    def local(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return local

    before = sys.gettrace()
    sys.settrace(local)
    try:
        pair(transcript, POLICIES[policy])
    finally:
        sys.settrace(before)
    return count


def results(count: int, start: int = 0) -> list[Any]:
    return [("result", f"id{n}", "look") for n in range(start, start + count)]


def calls(count: int) -> list[Any]:
    return [("call", f"id{n}", "look") for n in range(count)]


def one_by_one(speaker: Speaker, parts: list[Any]) -> list[Draft]:
    return [(speaker, [part]) for part in parts]


def whole_rounds(count: int) -> list[Draft]:
    some, answers = calls(count // 2), results(count // 2)
    return [d for call, result in zip(some, answers, strict=True) for d in ((A, [call]), (T, [result]))]


SHAPES: dict[str, Callable[[int], list[Draft]]] = {
    "parallel calls": lambda n: [(A, calls(n)), *one_by_one(T, results(n))],
    "parallel calls, one message": lambda n: [(A, calls(n)), (U, results(n))],
    "parallel calls, answered backwards": lambda n: [(A, calls(n)), *one_by_one(T, results(n)[::-1])],
    "parallel calls, all late": lambda n: [(A, calls(n)), (U, ["text"]), (A, ["text"]), *one_by_one(T, results(n))],
    "parallel calls, all early": lambda n: [*one_by_one(T, results(n)), (A, calls(n))],
    "parallel calls, other IDs": lambda n: [(A, calls(n)), *one_by_one(T, results(n, start=n))],
    "parallel calls, no IDs": lambda n: [
        (A, [("call", None, "look")] * n),
        *one_by_one(T, [("result", None, None)] * n),
    ],
    "one ID for all": lambda n: [(A, [("call", "id", "look")] * n), *one_by_one(T, [("result", "id", "look")] * n)],
    "one call, many results": lambda n: [(A, calls(1)), *one_by_one(T, [("result", "id0", "look")] * n)],
    "stray halves": lambda n: [(A, [*calls(n), *results(n)])],
    "the user calls": lambda n: [(U, calls(n)), (U, results(n))],
    "rounds": whole_rounds,
    "no call at all": lambda n: one_by_one(T, results(n)),
    "results between speech": lambda n: [
        (A, calls(n // 2)),
        *(d for r in results(n // 2) for d in [(U, ["text"]), (T, [r])]),
    ],
}


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("shape", list(SHAPES))
def test_the_work_grows_with_the_history(shape: str, policy: str) -> None:
    small, large = steps(SHAPES[shape](256), policy), steps(SHAPES[shape](1024), policy)
    assert large <= 4.4 * small + 2000


def test_the_work_on_large_histories() -> None:
    assert steps(SHAPES["parallel calls"](20_000), "run") < 20_000 * 250
    assert steps(whole_rounds(50_000), "run") < 50_000 * 250


@given(st.integers(0, 3))
def test_an_empty_history_has_nothing_to_pair(count: int) -> None:
    found = paired([(U, [])] * count, "turn")
    assert found.calls == []
    assert found.exchanges == []
