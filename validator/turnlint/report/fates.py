"""What became of a call, and what a result is to the calls, in the words that people are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.pairing import CallState, ResultState

if TYPE_CHECKING:
    from collections.abc import Mapping

_CALLS: Mapping[CallState, str] = {
    CallState.PENDING: "not answered yet",
    CallState.PARTIAL: "not answered yet",
    CallState.EARLY: "its result stands before it",
    CallState.LATE: "its result comes too late",
    CallState.MISLINKED: "its result has another ID",
    CallState.MISPLACED: "a call where none belongs",
    CallState.HOSTED: "run by the provider",
    CallState.DOUBLED: "its ID is taken",
    CallState.MISCOUNTED: "no result",
    CallState.UNANSWERED: "no result",
}
_RESULTS: Mapping[ResultState, str] = {
    ResultState.DUPLICATE: "its call is answered already",
    ResultState.BEFORE_CALL: "before its call",
    ResultState.INTERRUPTED: "too late: something stands between",
    ResultState.SPLIT: "apart from the others of its turn",
    ResultState.MISLINKED: "with another ID",
    ResultState.MISPLACED: "a result where none belongs",
    ResultState.MISCOUNTED: "more results than calls",
    ResultState.ORPHAN: "of no call",
}


def of_call(state: CallState) -> str:
    """What is wrong with a call; empty for one that is answered."""
    return _CALLS.get(state, "")


def of_result(state: ResultState) -> str:
    """What is wrong with a result; empty for one that answers its call."""
    return _RESULTS.get(state, "")
