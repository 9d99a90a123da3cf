"""Calls matched with results, once for each transcript and pairing policy.

Every call and every result ends in exactly one state; rules only read the outcome.  Matching happens inside a turn
first, because IDs restart in every turn of much real data; only what is left over is looked for elsewhere.
Everything is linear in messages, calls and results.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from turnlint.model import Call, Kind, Result, Speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from turnlint.model import Message, Transcript
    from turnlint.targets import PairingPolicy


class CallState(StrEnum):
    """What became of a call."""

    ANSWERED = "answered"
    HIDDEN = "hidden"  # it stands where the provider's call list does not show it
    MISPLACED = "misplaced"  # in a message that is not the assistant's
    LATE = "late"  # its result stands behind its window
    EARLY = "early"  # its result stands before it
    MISLINKED = "mislinked"  # one lone result with another ID stands in its window
    PENDING = "pending"  # the transcript ends before it could be answered
    PARTIAL = "partial"  # the transcript ends, and its siblings are answered
    UNANSWERED = "unanswered"


class ResultState(StrEnum):
    """What a result is to the calls."""

    ANSWERS = "answers"
    MISPLACED = "misplaced"  # in an assistant message
    DUPLICATE = "duplicate"  # its call is answered already
    BEFORE_CALL = "before-call"
    INTERRUPTED = "interrupted"  # behind its window, other messages stand between
    SPLIT = "split"  # behind its window, only results stand between
    MISLINKED = "mislinked"  # the only one left beside the only call left, with another ID
    ORPHAN = "orphan"


@dataclass(slots=True, eq=False)
class Exchange:
    """One assistant turn with calls, and what answers it.

    `messages` are the turn's own; `window` the messages where results must stand; `calls` all client calls of the
    turn; `results` the results that stand in the window.  `tail` is True where nothing follows the window.
    """

    messages: list[Message]
    calls: list[Call]
    window: list[Message]
    results: list[Result] = field(default_factory=list)
    tail: bool = False
    after: Message | None = None  # the first message behind the window


@dataclass(slots=True, eq=False)
class Turn:
    """A run of neighbouring messages of one speaker, or one message where the target does not merge."""

    number: int
    speaker: Speaker
    messages: list[Message]


@dataclass(slots=True, eq=False)
class Pairing:
    """The outcome.  States and partners are kept by the numbers of calls and results."""

    turns: list[Turn]
    exchanges: list[Exchange]
    calls: list[Call]
    results: list[Result]
    call_states: list[CallState]
    result_states: list[ResultState]
    partner_of_call: list[Result | None]
    partner_of_result: list[Call | None]
    exchange_of_call: list[Exchange | None]
    by_place: set[int]  # numbers of results that were paired by place, as an ID is missing
    turn_of: dict[int, Turn]  # by message index

    def state(self, part: Call | Result) -> CallState | ResultState:
        """The state of a client call or result."""
        if isinstance(part, Call):
            return self.call_states[part.number]
        return self.result_states[part.number]

    def result_of(self, call: Call) -> Result | None:
        return self.partner_of_call[call.number] if call.number >= 0 else None

    def call_of(self, result: Result) -> Call | None:
        return self.partner_of_result[result.number] if result.number >= 0 else None


def side(speaker: Speaker) -> Speaker:
    """The side of the conversation: tool results come from the user's side where turns are merged."""
    return Speaker.USER if speaker is Speaker.TOOL else speaker


def turns_of(messages: Sequence[Message], *, merge: bool, hoist_system: bool) -> list[Turn]:
    """The turns as the target sees them.  `hoist_system`: system messages leave the list when it is converted."""
    turns: list[Turn] = []
    for message in messages:
        if hoist_system and message.speaker is Speaker.SYSTEM:
            continue
        speaker = side(message.speaker) if merge else message.speaker
        if merge and turns and turns[-1].speaker is speaker and speaker is not Speaker.UNKNOWN:
            turns[-1].messages.append(message)
        else:
            turns.append(Turn(len(turns), speaker, [message]))
    return turns


def usable(value: object) -> bool:
    """Whether an ID can link anything."""
    return isinstance(value, str) and value != ""


def as_converted(policy: PairingPolicy) -> PairingPolicy:
    """The policy for a history in another shape, judged as if it were converted: neighbouring results share a turn."""
    if policy.window in ("turn", "message"):
        return replace(policy, merge=True, window="turn", match="id")
    return policy


def pair(transcript: Transcript, policy: PairingPolicy, *, hoist_system: bool = False) -> Pairing:
    """Match all client calls and results of `transcript` under `policy`."""
    return _Matcher(transcript.messages, policy, hoist_system=hoist_system).run()


def _carries(turn: Turn) -> bool:
    """Whether a turn holds results, or is meant to."""
    return turn.speaker is Speaker.TOOL or (turn.speaker is not Speaker.ASSISTANT and any(m.results for m in turn.messages))


class _Matcher:
    def __init__(self, messages: Sequence[Message], policy: PairingPolicy, *, hoist_system: bool) -> None:
        self.policy = policy
        self.messages = messages
        self.turns = turns_of(messages, merge=policy.merge, hoist_system=hoist_system)
        self.calls: list[Call] = []
        self.results: list[Result] = []
        for message in messages:
            for part in message.parts:
                if isinstance(part, Call) and not part.hosted:
                    part.number = len(self.calls)
                    self.calls.append(part)
                elif isinstance(part, Result) and not part.hosted:
                    part.number = len(self.results)
                    self.results.append(part)
        self.call_states: list[CallState | None] = [None] * len(self.calls)
        self.result_states: list[ResultState | None] = [None] * len(self.results)
        self.partner_of_call: list[Result | None] = [None] * len(self.calls)
        self.partner_of_result: list[Call | None] = [None] * len(self.results)
        self.exchange_of_call: list[Exchange | None] = [None] * len(self.calls)
        self.by_place: set[int] = set()
        self.exchanges: list[Exchange] = []
        self._position_of: dict[int, int] = {}

    def run(self) -> Pairing:
        self._set_apart()
        if self.policy.window == "anywhere":
            self._open_exchanges_anywhere()
            self._match_anywhere()
        else:
            self._open_exchanges()
        for exchange in self.exchanges:
            self._match_inside(exchange)
        self._match_misplaced()
        self._match_elsewhere()
        self._match_duplicates()
        for exchange in self.exchanges:
            self._match_lone(exchange)
        self._name_the_rest()
        turn_of = {m.index: turn for turn in self.turns for m in turn.messages}
        return Pairing(
            self.turns,
            self.exchanges,
            self.calls,
            self.results,
            [s or CallState.UNANSWERED for s in self.call_states],
            [s or ResultState.ORPHAN for s in self.result_states],
            self.partner_of_call,
            self.partner_of_result,
            self.exchange_of_call,
            self.by_place,
            turn_of,
        )

    # -- what stands on the wrong side, or is hidden, is no part of any exchange

    def _set_apart(self) -> None:
        for call in self.calls:
            if call.message.speaker not in (Speaker.ASSISTANT, Speaker.UNKNOWN):
                self.call_states[call.number] = CallState.MISPLACED
            elif call.hidden:
                self.call_states[call.number] = CallState.HIDDEN
        for result in self.results:
            if result.message.speaker is Speaker.ASSISTANT:
                self.result_states[result.number] = ResultState.MISPLACED

    # -- exchanges

    def _open_exchanges(self) -> None:
        turns, window_kind = self.turns, self.policy.window
        for number, turn in enumerate(turns):
            if turn.speaker is not Speaker.ASSISTANT:
                continue
            calls = [
                c for m in turn.messages for c in m.calls if self.call_states[c.number] not in (CallState.MISPLACED,)
            ]
            if not calls:
                continue
            window: list[Message] = []
            end = number + 1
            if window_kind == "run":
                while end < len(turns) and _carries(turns[end]):
                    window.extend(turns[end].messages)
                    end += 1
                    if not all(m.only_results for m in window[-1:]) and window[-1].speaker is not Speaker.TOOL:
                        break  # a shape that keeps results and text in one message: what follows is behind the text
            elif end < len(turns) and turns[end].speaker in (Speaker.USER, Speaker.TOOL):
                # The next turn is the window whether or not it holds results: a count of nothing is a count too.
                window.extend(turns[end].messages)
                if any(m.results for m in turns[end].messages):
                    end += 1
                else:
                    window = []
            exchange = Exchange(turn.messages, calls, window)
            exchange.results = [r for m in window for r in m.results]
            exchange.tail = end >= len(turns)
            exchange.after = None if exchange.tail else turns[end].messages[0]
            for call in calls:
                self.exchange_of_call[call.number] = exchange
            self.exchanges.append(exchange)

    def _open_exchanges_anywhere(self) -> None:
        """Exchanges for a target where results may stand anywhere behind their call: a turn and all that follows."""
        last_speech = max(
            (i for i, t in enumerate(self.turns) if not all(m.only_results for m in t.messages)), default=-1
        )
        run: list[Message] = []
        for number, turn in enumerate(self.turns):
            if turn.speaker is Speaker.ASSISTANT:
                run.extend(turn.messages)
                following = self.turns[number + 1] if number + 1 < len(self.turns) else None
                if following is not None and following.speaker is Speaker.ASSISTANT:
                    continue
                calls = [c for m in run for c in m.calls]
                if calls:
                    exchange = Exchange(run, calls, [])
                    exchange.tail = number >= last_speech
                    if not exchange.tail:
                        exchange.after = self.turns[number + 1].messages[0]
                    for call in calls:
                        self.exchange_of_call[call.number] = exchange
                    self.exchanges.append(exchange)
                run = []

    def _match_anywhere(self) -> None:
        """By ID, each result with the latest call of that ID before it that is still open; then the others by place."""
        open_by_id: dict[str, deque[Call]] = {}
        without_id: deque[Call] = deque()
        last_by_id: dict[str, Call] = {}
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, Call) and not part.hosted:
                    if usable(part.id):
                        open_by_id.setdefault(part.id, deque()).append(part)
                        last_by_id[part.id] = part
                    else:
                        without_id.append(part)
                elif isinstance(part, Result) and not part.hosted:
                    if not usable(part.id):
                        if without_id:
                            self._join(without_id.popleft(), part, place=True)
                        continue
                    waiting = open_by_id.get(part.id)
                    if waiting:
                        call = waiting.popleft()
                        self._join(call, part)
                        exchange = self.exchange_of_call[call.number]
                        if exchange is not None:
                            exchange.results.append(part)
                    elif part.id in last_by_id:
                        self.result_states[part.number] = ResultState.DUPLICATE
                        self.partner_of_result[part.number] = last_by_id[part.id]

    # -- matching

    def _join(self, call: Call, result: Result, *, place: bool = False) -> None:
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.ANSWERED
        if self.result_states[result.number] is None:
            self.result_states[result.number] = ResultState.ANSWERS
        self.partner_of_call[call.number] = result
        self.partner_of_result[result.number] = call
        if place:
            self.by_place.add(result.number)

    def _open(self, call: Call) -> bool:
        return self.partner_of_call[call.number] is None

    def _loose(self, result: Result) -> bool:
        return self.partner_of_result[result.number] is None and self.result_states[result.number] is None

    def _match_inside(self, exchange: Exchange) -> None:
        if self.policy.match == "id":
            waiting: dict[str, deque[Call]] = {}
            for call in exchange.calls:
                if usable(call.id) and self._open(call):
                    waiting.setdefault(call.id, deque()).append(call)
            last: dict[str, Call] = {}
            for result in exchange.results:
                if not self._loose(result) or not usable(result.id):
                    continue
                queue = waiting.get(result.id)
                if queue:
                    last[result.id] = queue[0]
                    self._join(queue.popleft(), result)
                elif result.id in last:
                    self.result_states[result.number] = ResultState.DUPLICATE
                    self.partner_of_result[result.number] = last[result.id]
        self._match_by_place(exchange)

    def _match_by_place(self, exchange: Exchange) -> None:
        """Those without an ID: first by name and order, then by order alone."""
        by_order = self.policy.match == "order"
        calls = [c for c in exchange.calls if self._open(c)]
        results = [r for r in exchange.results if self._loose(r)]
        if not calls or not results:
            return
        if not by_order and not any(not usable(x.id) for x in (*calls, *results)):
            return
        # A result with an ID can only take a call that lacks one; a result without takes any.
        named: dict[object, tuple[deque[Call], deque[Call]]] = {}
        for call in calls:
            with_id, without = named.setdefault(call.name if isinstance(call.name, str) else None, (deque(), deque()))
            (with_id if usable(call.id) and not by_order else without).append(call)
        later: list[Result] = []
        for result in results:
            queues = named.get(result.name) if isinstance(result.name, str) and result.name else None
            call_at = self._take(queues, result, by_order=by_order) if queues else None
            if call_at is not None:
                self._join(call_at, result, place=True)
            else:
                later.append(result)
        rest = deque(c for c in calls if self._open(c))
        for result in later:
            if not rest:
                break
            if isinstance(result.name, str) and result.name and isinstance(rest[0].name, str) and not by_order:
                continue  # both are named, and differently: place alone proves nothing
            if by_order or not usable(rest[0].id) or not usable(result.id):
                self._join(rest.popleft(), result, place=True)

    @staticmethod
    def _take(queues: tuple[deque[Call], deque[Call]], result: Result, *, by_order: bool) -> Call | None:
        with_id, without = queues
        if (by_order or usable(result.id)) or not with_id:
            return without.popleft() if without else None
        if without and without[0].number < with_id[0].number:
            return without.popleft()
        return with_id.popleft()

    def _match_misplaced(self) -> None:
        """A pair with one half on the wrong side is one fault, at that half: the other half is not reported."""
        calls = {c.id: c for c in self.calls if self.call_states[c.number] is CallState.MISPLACED and usable(c.id)}
        if calls:
            for result in self.results:
                if self._loose(result) and result.id in calls and self._open(calls[result.id]):
                    self._join(calls[result.id], result)
        stray = [r for r in self.results if self.result_states[r.number] is ResultState.MISPLACED and usable(r.id)]
        if stray:
            open_calls: dict[str, deque[Call]] = {}
            for call in self.calls:
                if self._open(call) and usable(call.id):
                    open_calls.setdefault(call.id, deque()).append(call)
            for result in stray:
                queue = open_calls.get(result.id)
                if queue and self.partner_of_result[result.number] is None:
                    self._join(queue.popleft(), result)

    def _match_elsewhere(self) -> None:
        """Left-over results with left-over calls of the same ID in another place: late ones first, then early ones."""
        if self.policy.match != "id":
            return
        calls = [c for c in self.calls if self._open(c) and usable(c.id)]
        results = [r for r in self.results if self._loose(r) and usable(r.id)]
        if not calls or not results:
            return
        speech = self._speech_before()
        waiting: dict[str, list[Call]] = {}
        position = 0
        early: dict[str, deque[Result]] = {}
        for result in results:
            while position < len(calls) and calls[position].message.index <= result.message.index:
                waiting.setdefault(calls[position].id, []).append(calls[position])
                position += 1
            stack = waiting.get(result.id)
            if stack:
                self._displace(stack.pop(), result, speech)
            else:
                early.setdefault(result.id, deque()).append(result)
        for call in calls:
            queue = early.get(call.id)
            if queue and self._open(call) and queue[0].message.index <= call.message.index:
                result = queue.popleft()
                self.result_states[result.number] = ResultState.BEFORE_CALL
                if self.call_states[call.number] is None:
                    self.call_states[call.number] = CallState.EARLY
                self.partner_of_call[call.number] = result
                self.partner_of_result[result.number] = call

    def _speech_before(self) -> list[int]:
        """For each message number, how many messages before it hold anything but results."""
        counts, seen = [], 0
        for message in self.messages:
            counts.append(seen)
            seen += not message.only_results
        return counts

    def _displace(self, call: Call, result: Result, speech: list[int]) -> None:
        positions = self._positions()
        between = speech[positions[result.message.index]] - speech[positions[call.message.index]] - 1
        own = call.message is result.message
        self.result_states[result.number] = (
            ResultState.SPLIT if between <= 0 and not own else ResultState.INTERRUPTED
        )
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.LATE
        self.partner_of_call[call.number] = result
        self.partner_of_result[result.number] = call

    def _positions(self) -> dict[int, int]:
        if not self._position_of:
            self._position_of = {m.index: n for n, m in enumerate(self.messages)}
        return self._position_of

    def _match_duplicates(self) -> None:
        """A left-over result whose ID an answered call before it carries is a second answer to that call."""
        answered: dict[str, Call] = {}
        loose = {r.number for r in self.results if self._loose(r) and usable(r.id)}
        if not loose or self.policy.match != "id":
            return
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, Call) and part.number >= 0 and usable(part.id):
                    if self.partner_of_call[part.number] is not None:
                        answered[part.id] = part
                    else:
                        answered.pop(part.id, None)
                elif isinstance(part, Result) and part.number in loose:
                    call = answered.get(part.id)
                    if call is not None:
                        self.result_states[part.number] = ResultState.DUPLICATE
                        self.partner_of_result[part.number] = call

    def _match_lone(self, exchange: Exchange) -> None:
        """One call and one result left in an exchange, with different IDs: the ID was changed on the way."""
        calls = [c for c in exchange.calls if self._open(c)]
        if len(calls) != 1:
            return
        results = [r for r in exchange.results if self._loose(r)]
        if self.policy.window == "anywhere":
            results = [r for r in self._results_behind(exchange) if self._loose(r)]
        if len(results) != 1:
            return
        call, result = calls[0], results[0]
        if isinstance(call.name, str) and isinstance(result.name, str) and result.name and call.name != result.name:
            return
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.MISLINKED
        self.result_states[result.number] = ResultState.MISLINKED
        self.partner_of_call[call.number] = result
        self.partner_of_result[result.number] = call

    def _results_behind(self, exchange: Exchange) -> Iterable[Result]:
        """The results directly behind an exchange's turn, where the window has no bounds of its own."""
        position = self._positions()[exchange.messages[-1].index] + 1
        while position < len(self.messages) and self.messages[position].only_results:
            yield from self.messages[position].results
            position += 1

    def _name_the_rest(self) -> None:
        for exchange in self.exchanges:
            rest = [c for c in exchange.calls if self.call_states[c.number] is None]
            if not rest:
                continue
            if not exchange.tail:
                state = CallState.UNANSWERED
            elif any(self.partner_of_call[c.number] is not None for c in exchange.calls):
                state = CallState.PARTIAL
            else:
                state = CallState.PENDING
            for call in rest:
                self.call_states[call.number] = state


def hosted_pairs(transcript: Transcript) -> tuple[list[Call], list[Result]]:
    """Hosted calls without a result, and hosted results without a call before them, by ID over the transcript."""
    waiting: dict[object, Call] = {}
    stray: list[Result] = []
    for part in transcript.parts():
        if part.kind is Kind.HOSTED_CALL and isinstance(part, Call) and usable(part.id):
            waiting[part.id] = part
        elif part.kind is Kind.HOSTED_RESULT and isinstance(part, Result) and usable(part.id):
            if waiting.pop(part.id, None) is None:
                stray.append(part)
    return list(waiting.values()), stray
