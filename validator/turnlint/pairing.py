"""Calls matched with results, once for each transcript and pairing policy.

Every call and every result ends in exactly one state; rules only read the outcome.  Matching happens inside a turn
first, because IDs restart in every turn of much real data; only what is left over is looked for elsewhere.
Everything is linear in messages, calls and results.
"""

from __future__ import annotations

import re
from collections import deque
from enum import StrEnum
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint.diagnostic import at_hand
from turnlint.model import Call, Kind, Result, Speaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from turnlint.model import Message, Part, Transcript
    from turnlint.targets import PairingPolicy

_P = TypeVar("_P", Call, Result)


@at_hand
class CallState(StrEnum):
    """What became of a call, in the order in which it is tried."""

    HOSTED = "hosted"  # the provider's own result answers it, though it was saved as one for the client
    HIDDEN = "hidden"  # it stands where the provider's call list does not show it
    MISPLACED = "misplaced"  # in a message that is not the assistant's
    ANSWERED = "answered"
    EARLY = "early"  # its result stands before it
    LATE = "late"  # its result stands behind its window
    MISLINKED = "mislinked"  # its result stands in its window, with another ID
    MISCOUNTED = "miscounted"  # results of its turn are missing, and nothing tells whose
    DOUBLED = "doubled"  # its ID stands on an earlier call of the turn, and there is one result too few
    PENDING = "pending"  # the transcript ends before it could be answered
    PARTIAL = "partial"  # the transcript ends, and its siblings are answered
    UNANSWERED = "unanswered"


_MISSED = frozenset(
    {
        CallState.EARLY, CallState.LATE, CallState.MISLINKED, CallState.MISCOUNTED, CallState.PENDING,
        CallState.PARTIAL, CallState.UNANSWERED, CallState.HOSTED,
    }
)  # fmt: skip


@at_hand
class ResultState(StrEnum):
    """What a result is to the calls, in the order in which it is tried."""

    MISPLACED = "misplaced"  # in an assistant message
    ANSWERS = "answers"
    DUPLICATE = "duplicate"  # its call is answered already
    BEFORE_CALL = "before-call"
    INTERRUPTED = "interrupted"  # behind its window, other messages stand between
    SPLIT = "split"  # behind its window, only results stand between
    MISLINKED = "mislinked"  # in the window of the call it answers, with another ID
    MISCOUNTED = "miscounted"  # there are more results than calls, and nothing tells which is too many
    ORPHAN = "orphan"


class Exchange(Struct, eq=False):
    """One assistant turn with calls, and what answers it.

    `messages` are the turn's own; `window` the messages where results are looked for first; `calls` all client calls
    of the turn; `results` the results that stand in the window.  `tail` is True where nothing follows the window.
    """

    messages: list[Message]
    calls: list[Call]
    window: list[Message]
    results: list[Result] = field(default_factory=list)
    tail: bool = False
    after: Message | None = None  # the first message behind the window


class Turn(Struct, eq=False):
    """A run of neighbouring messages of one speaker, or one message where the target does not merge."""

    number: int
    speaker: Speaker
    messages: list[Message]


class Pairing(Struct, eq=False):
    """The outcome.  States and partners are kept by the numbers of calls and results."""

    policy: PairingPolicy
    turns: list[Turn]
    exchanges: list[Exchange]
    calls: list[Call]
    results: list[Result]
    call_states: list[CallState]
    result_states: list[ResultState]
    partner_of_call: list[Result | None]
    partner_of_result: list[Call | None]
    exchange_of_call: list[Exchange | None]
    by_place: set[int]  # numbers of results that were paired by place, as no ID links them
    turn_of: dict[int, Turn]  # by message index
    position_of: dict[int, int]  # place in the list of messages, by message index

    def state(self, part: Call | Result) -> CallState | ResultState:
        """The state of a client call or result."""
        if isinstance(part, Call):
            return self.call_states[part.number]
        return self.result_states[part.number]

    def result_of(self, call: Call) -> Result | None:
        return self.partner_of_call[call.number] if call.number >= 0 else None

    def call_of(self, result: Result) -> Call | None:
        return self.partner_of_result[result.number] if result.number >= 0 else None

    def missed(self, exchange: Exchange) -> list[Call]:
        """The calls of a turn for which the target finds no result where it looks, whatever became of them."""
        return [c for c in exchange.calls if self.call_states[c.number] in _MISSED]


def side(speaker: Speaker) -> Speaker:
    """The side of the conversation: tool results come from the user's side where turns are merged."""
    return Speaker.USER if speaker is Speaker.TOOL else speaker


def turns_of(messages: Sequence[Message], *, merge: bool, hoist_system: bool) -> list[Turn]:
    """The turns as the target sees them.  `hoist_system`: system messages leave the list when it is converted.

    Items that are no messages (calls, reasoning) of one assistant turn stand side by side and are one turn in any case.
    """
    turns: list[Turn] = []
    for message in messages:
        if hoist_system and message.speaker is Speaker.SYSTEM:
            continue
        speaker = side(message.speaker) if merge else message.speaker
        last = turns[-1] if turns else None
        if (
            last is not None
            and last.speaker is speaker
            and (
                speaker is not Speaker.UNKNOWN
                if merge
                else speaker is Speaker.ASSISTANT and message.item != "" and last.messages[-1].item != ""
            )
        ):
            last.messages.append(message)
        else:
            turns.append(Turn(len(turns), speaker, [message]))
    return turns


def usable(value: object) -> TypeGuard[str]:
    """Whether an ID can link anything."""
    return isinstance(value, str) and value != ""


_SEPARATORS = re.compile(r"[\W_]+", re.ASCII)


def kin(value: str) -> str:
    """What is left of an ID when a writer has replaced its odd characters: equal for both sides of one link."""
    return _SEPARATORS.sub("", value).lower()


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
    return turn.speaker is Speaker.TOOL or (
        turn.speaker is not Speaker.ASSISTANT and any(m.results for m in turn.messages)
    )


def _speaks(turn: Turn) -> bool:
    """Whether a turn is the assistant's, or makes calls under a role that the dialect does not have."""
    return turn.speaker is Speaker.ASSISTANT or (
        turn.speaker is Speaker.UNKNOWN and any(m.calls for m in turn.messages)
    )


def _says_nothing(message: Message) -> bool:
    """Whether a message is no speech: results, or marks that steer the provider."""
    return bool(message.parts) and all(
        p.kind is Kind.CONTROL or (isinstance(p, Result) and not p.hosted) for p in message.parts
    )


class _Matcher:
    def __init__(self, messages: Sequence[Message], policy: PairingPolicy, *, hoist_system: bool) -> None:
        self.policy = policy
        self.messages = messages
        self.by_order = policy.match == "order"
        self.turns = turns_of(messages, merge=policy.merge, hoist_system=hoist_system)
        self.position_of = {m.index: n for n, m in enumerate(messages)}
        self.calls: list[Call] = []
        self.results: list[Result] = []
        self.hosted_answers: set[str] = set()
        for message in messages:
            for part in message.parts:
                if type(part) is Call:
                    part.number = -1
                    if not part.hosted:
                        part.number = len(self.calls)
                        self.calls.append(part)
                elif type(part) is Result:
                    part.number = -1
                    if not part.hosted:
                        part.number = len(self.results)
                        self.results.append(part)
                    elif usable(part.id):
                        self.hosted_answers.add(part.id)
        self.wanted: set[str] = set()  # IDs of calls that no result in their window has answered
        self.call_states: list[CallState | None] = [None] * len(self.calls)
        self.result_states: list[ResultState | None] = [None] * len(self.results)
        self.partner_of_call: list[Result | None] = [None] * len(self.calls)
        self.partner_of_result: list[Call | None] = [None] * len(self.results)
        self.exchange_of_call: list[Exchange | None] = [None] * len(self.calls)
        self.by_place: set[int] = set()
        self.exchanges: list[Exchange] = []

    def run(self) -> Pairing:
        self._set_apart()
        if self.policy.window == "anywhere":
            self._open_exchanges_anywhere()
            self._match_anywhere()
        else:
            self._open_exchanges()
        for exchange in self.exchanges:
            self._match_ids(exchange)
        if None in self.partner_of_call or None in self.partner_of_result:
            self._match_the_rest()
        turn_of = {m.index: turn for turn in self.turns for m in turn.messages}
        return Pairing(
            self.policy,
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
            self.position_of,
        )

    def _match_the_rest(self) -> None:
        """All that is left when calls and results of one ID in one exchange have found each other."""
        left = [e for e in self.exchanges if any(map(self._open, e.calls)) or any(map(self._loose, e.results))]
        self.wanted = {c.id for c in self.calls if usable(c.id) and self._open(c)}
        for exchange in left:
            self._match_places(exchange)
        self._match_misplaced()
        self._match_duplicates()
        self._match_elsewhere()
        self._match_behind()
        self._match_ahead()
        for exchange in left:
            self._match_changed(exchange)
            self._name_the_rest(exchange)

    # -- what is hosted, hidden or on the wrong side, and what needs no window: one saved object that is call and result

    def _set_apart(self) -> None:
        answered = {r.id for r in self.results if usable(r.id)} if self.hosted_answers else set()
        for call in self.calls:
            if usable(call.id) and call.id in self.hosted_answers and call.id not in answered:
                self.call_states[call.number] = CallState.HOSTED
            elif call.hidden:
                self.call_states[call.number] = CallState.HIDDEN
            elif call.message.speaker not in (Speaker.ASSISTANT, Speaker.UNKNOWN):
                self.call_states[call.number] = CallState.MISPLACED
        for message in self.messages:
            if message.speaker is not Speaker.ASSISTANT or not message.results:
                continue
            before: Part | None = None
            for part in message.parts:
                if isinstance(part, Result) and not part.hosted:
                    if (
                        isinstance(before, Call)
                        and before.number >= 0
                        and before.raw is part.raw
                        and self._open(before)
                    ):
                        self._join(before, part)
                    elif self.policy.window != "anywhere":
                        self.result_states[part.number] = ResultState.MISPLACED
                before = part

    # -- exchanges

    def _open_exchange(self, messages: list[Message], calls: list[Call], window: list[Message], end: int) -> None:
        exchange = Exchange(messages, calls, window)
        exchange.results = [r for m in window for r in m.results]
        exchange.tail = end >= len(self.turns)
        exchange.after = None if exchange.tail else self.turns[end].messages[0]
        for call in calls:
            self.exchange_of_call[call.number] = exchange
        self.exchanges.append(exchange)

    def _open_exchanges(self) -> None:
        turns = self.turns
        for number, turn in enumerate(turns):
            if not _speaks(turn):
                continue
            calls = [c for m in turn.messages for c in m.calls]
            if not calls:
                continue
            window: list[Message] = []
            end = number + 1
            if self.policy.window == "run":
                while end < len(turns) and _carries(turns[end]):
                    window.extend(turns[end].messages)
                    end += 1
                    if not window[-1].only_results and window[-1].speaker is not Speaker.TOOL:
                        break  # a shape that keeps results and text in one message: what follows is behind the text
            elif end < len(turns) and _carries(turns[end]):
                window.extend(turns[end].messages)
                end += 1
            self._open_exchange(turn.messages, calls, window, end)

    def _open_exchanges_anywhere(self) -> None:
        """Exchanges for a target where results may stand anywhere behind their call.

        The window is what lies before the next assistant turn: only what has no usable ID is bound to it.
        """
        end_of_speech = 0
        for number, turn in enumerate(self.turns):
            if not all(_says_nothing(m) for m in turn.messages):
                end_of_speech = number + 1
        number = 0
        while number < len(self.turns):
            if not _speaks(self.turns[number]):
                number += 1
                continue
            run: list[Message] = []
            while number < len(self.turns) and _speaks(self.turns[number]):
                run.extend(self.turns[number].messages)
                number += 1
            after = number
            window: list[Message] = []
            while number < len(self.turns) and not _speaks(self.turns[number]):
                window.extend(self.turns[number].messages)
                number += 1
            calls = [c for m in run for c in m.calls]
            if calls:
                self._open_exchange(run, calls, window, len(self.turns) if after >= end_of_speech else after)

    def _match_anywhere(self) -> None:
        """By ID over the whole list: a result answers the first open call of its ID in the latest turn that has one."""
        waiting: dict[str, list[tuple[Exchange | None, deque[Call]]]] = {}
        last: dict[str, Call] = {}
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, Call) and not part.hosted and usable(part.id) and self._open(part):
                    exchange = self.exchange_of_call[part.number]
                    stack = waiting.setdefault(part.id, [])
                    if not stack or stack[-1][0] is not exchange:
                        stack.append((exchange, deque()))
                    stack[-1][1].append(part)
                elif isinstance(part, Result) and not part.hosted and usable(part.id) and self._loose(part):
                    found = waiting.get(part.id)
                    if found:
                        queue = found[-1][1]
                        last[part.id] = queue.popleft()
                        self._join(last[part.id], part)
                        if not queue:
                            found.pop()
                    elif part.id in last:
                        self._double(last[part.id], part)

    # -- matching

    def _join(self, call: Call, result: Result, *, place: bool = False) -> None:
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.ANSWERED
        if self.result_states[result.number] is None:
            self.result_states[result.number] = ResultState.ANSWERS
        self._link(call, result, place=place)

    def _link(self, call: Call, result: Result, *, place: bool = False) -> None:
        self.partner_of_call[call.number] = result
        self.partner_of_result[result.number] = call
        if place:
            self.by_place.add(result.number)

    def _double(self, call: Call, result: Result) -> None:
        self.result_states[result.number] = ResultState.DUPLICATE
        self.partner_of_result[result.number] = call

    def _open(self, call: Call) -> bool:
        return self.partner_of_call[call.number] is None

    def _loose(self, result: Result) -> bool:
        return self.partner_of_result[result.number] is None and self.result_states[result.number] is None

    def _match_ids(self, exchange: Exchange) -> None:
        calls, results = exchange.calls, exchange.results
        if len(calls) == len(results) == 1 and usable(calls[0].id) and calls[0].id == results[0].id:
            if self._open(calls[0]) and self._loose(results[0]):
                self._join(calls[0], results[0])
            return
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
                self._double(last[result.id], result)

    def _match_places(self, exchange: Exchange) -> None:
        calls = [c for c in exchange.calls if self._open(c)]
        results = [r for r in exchange.results if self._loose(r)]
        for call, result in self._by_place(calls, results):
            self._join(call, result, place=True)

    def _by_place(self, calls: list[Call], results: list[Result]) -> list[tuple[Call, Result]]:
        """Pairs that no ID links.

        Where IDs count, a result whose ID an open call carries anywhere waits for that call, one with another ID can
        only answer a call that lacks one, and two different names never make a pair.
        """
        if self.by_order:
            return _in_order(calls, results)
        if all(usable(c.id) for c in calls):
            results = [r for r in results if not usable(r.id)]
        else:
            results = [r for r in results if not usable(r.id) or r.id not in self.wanted]
        return _in_order(calls, results, heed_ids=True) if calls and results else []

    def _match_misplaced(self) -> None:
        """A pair with one half on the wrong side is one fault, at that half: the other half is not reported."""
        strayed = {c.id: c for c in self.calls if self.call_states[c.number] is CallState.MISPLACED and usable(c.id)}
        if strayed:
            for result in self.results:
                if (
                    self._loose(result)
                    and usable(result.id)
                    and result.id in strayed
                    and self._open(strayed[result.id])
                ):
                    self._join(strayed[result.id], result)
        stray = [
            r
            for r in self.results
            if self.result_states[r.number] is ResultState.MISPLACED and self.partner_of_result[r.number] is None
        ]
        if stray:
            open_calls: dict[str, deque[Call]] = {}
            for call in self.calls:
                if self._open(call) and usable(call.id):
                    open_calls.setdefault(call.id, deque()).append(call)
            for result in stray:
                queue = open_calls.get(result.id) if usable(result.id) else None
                if queue:
                    self._join(queue.popleft(), result)
        self._match_misplaced_by_place(stray)

    def _match_misplaced_by_place(self, stray: list[Result]) -> None:
        """What has no usable ID: a stray result with the calls of its message or the one before, a stray call with the
        results of the next."""
        groups: dict[int, list[Result]] = {}
        for result in stray:
            if self.partner_of_result[result.number] is None:
                groups.setdefault(self.position_of[result.message.index], []).append(result)
        for position, results in groups.items():
            own = self.messages[position].calls
            near = own or (self.messages[position - 1].calls if position else [])
            for call, result in self._by_place([c for c in near if self._open(c)], results):
                self._join(call, result, place=True)
        calls_at: dict[int, list[Call]] = {}
        for call in self.calls:
            if self.call_states[call.number] is CallState.MISPLACED and self._open(call):
                calls_at.setdefault(self.position_of[call.message.index], []).append(call)
        for position, calls in calls_at.items():
            near_results = self.messages[position].results
            if not near_results and position + 1 < len(self.messages):
                near_results = self.messages[position + 1].results
            for call, result in self._by_place(calls, [r for r in near_results if self._loose(r)]):
                self._join(call, result, place=True)

    def _match_duplicates(self) -> None:
        """A left-over result whose ID an answered call before it carries is a second answer to that call.

        Where IDs start anew in later turns, it must say the same, too: else it may answer a call that is gone.
        """
        loose = {r.number for r in self.results if self._loose(r) and usable(r.id)}
        if not loose:
            return
        restart = self._ids_restart()
        answered: dict[str, Call] = {}
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, Call) and part.number >= 0 and usable(part.id):
                    if self._open(part):
                        answered.pop(part.id, None)
                    else:
                        answered[part.id] = part
                elif isinstance(part, Result) and part.number in loose:
                    call = answered.get(part.id)
                    if call is not None and (not restart or self._says_the_same(call, part)):
                        self._double(call, part)

    def _ids_restart(self) -> bool:
        """Whether an ID stands on calls of several turns."""
        seen: dict[str, Exchange | None] = {}
        for call in self.calls:
            exchange = self.exchange_of_call[call.number]
            if usable(call.id) and seen.setdefault(call.id, exchange) is not exchange:
                return True
        return False

    def _says_the_same(self, call: Call, result: Result) -> bool:
        first = self.partner_of_call[call.number]
        return first is not None and first.content == result.content

    def _match_elsewhere(self) -> None:
        """Left-over results with left-over calls of the same ID in another place: late ones first, then early ones."""
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
                self._put_ahead(call, queue.popleft())

    def _match_behind(self) -> None:
        """Left-over results that no ID links, with the open calls of the turn that they stand behind."""
        loose = {
            r.number
            for r in self.results
            if self._loose(r) and (not usable(r.id) or (self.by_order and r.id not in self.wanted))
        }
        if not loose:
            return
        ends = {e.messages[-1].index: e for e in self.exchanges}
        found: list[tuple[Exchange, list[Result]]] = []
        behind: list[Result] | None = None
        for message in self.messages:
            exchange = ends.get(message.index)
            if exchange is not None:
                behind = []
                found.append((exchange, behind))
            elif message.speaker is Speaker.ASSISTANT:
                behind = None
            elif behind is not None:
                behind.extend(r for r in message.results if r.number in loose)
        speech = self._speech_before()
        for exchange, results in found:
            for call, result in (
                self._by_place([c for c in exchange.calls if self._open(c)], results) if results else ()
            ):
                self._displace(call, result, speech)
                self.by_place.add(result.number)

    def _match_ahead(self) -> None:
        """Left-over results that no ID links, right in front of a turn of as many calls that nothing answers."""
        for exchange in self.exchanges:
            if exchange.results or not all(self._open(c) for c in exchange.calls):
                continue
            position = self.position_of[exchange.messages[0].index] - 1
            ahead: list[Result] = []
            while position >= 0 and len(ahead) < len(exchange.calls) and self.messages[position].only_results:
                ahead.extend(reversed(self.messages[position].results))
                position -= 1
            ahead.reverse()
            if len(ahead) != len(exchange.calls) or not all(self._loose(r) and not usable(r.id) for r in ahead):
                continue
            pairs = _in_order(exchange.calls, ahead)
            if not any(_names_differ(call, result) for call, result in pairs):
                for call, result in pairs:
                    self._put_ahead(call, result)
                    self.by_place.add(result.number)

    def _put_ahead(self, call: Call, result: Result) -> None:
        """`result` stands in front of `call`."""
        self.result_states[result.number] = ResultState.BEFORE_CALL
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.EARLY
        self._link(call, result)

    def _speech_before(self) -> list[int]:
        """For each message number, how many messages before it hold anything but results."""
        counts, seen = [], 0
        in_turns = {m.index for turn in self.turns for m in turn.messages}
        for message in self.messages:
            counts.append(seen)
            seen += message.index in in_turns and not message.only_results
        return counts

    def _displace(self, call: Call, result: Result, speech: list[int]) -> None:
        """`result` stands behind the window of `call`."""
        at, stop = self.position_of[call.message.index], self.position_of[result.message.index]
        between = speech[stop] - speech[at] - 1
        self.result_states[result.number] = (
            ResultState.SPLIT if between <= 0 and stop != at else ResultState.INTERRUPTED
        )
        if self.call_states[call.number] is None:
            self.call_states[call.number] = CallState.LATE
        self._link(call, result)

    def _match_changed(self, exchange: Exchange) -> None:
        """Open calls and left-over results of one exchange whose IDs differ: the ID was changed on the way.

        It is believed where the result names the call's item instead, where both IDs are one but for their odd
        characters, and where as many calls as results are left.
        """
        if self.by_order:
            return
        calls = [c for c in exchange.calls if self.call_states[c.number] is None and self._open(c) and usable(c.id)]
        results = [r for r in exchange.results if self._loose(r) and usable(r.id)]
        if not calls or not results:
            return
        for call, result in (*_by_key(calls, results, _item_of, _id_of), *_by_key(calls, results, _kin_of, _kin_of)):
            if self._open(call) and self._loose(result):
                self._mislink(call, result)
        calls = [c for c in calls if self._open(c)]
        results = [r for r in results if self._loose(r)]
        if len(calls) == len(results):
            pairs = _in_order(calls, results)
            if not any(_names_differ(call, result) for call, result in pairs):
                for call, result in pairs:
                    self._mislink(call, result)

    def _mislink(self, call: Call, result: Result) -> None:
        self.call_states[call.number] = CallState.MISLINKED
        self.result_states[result.number] = ResultState.MISLINKED
        self._link(call, result)

    def _name_the_rest(self, exchange: Exchange) -> None:
        rest = [c for c in exchange.calls if self.call_states[c.number] is None]
        extra = [r for r in exchange.results if self._loose(r)]
        if (
            self.by_order
            and exchange.results
            and not (all(usable(c.id) for c in exchange.calls) and all(usable(r.id) for r in exchange.results))
        ):
            # nothing but the count tells that something is missing, and not what
            for call in rest:
                self.call_states[call.number] = CallState.MISCOUNTED
            for result in extra:
                self.result_states[result.number] = ResultState.MISCOUNTED
            return
        if not rest:
            return
        if not exchange.tail:
            state = CallState.UNANSWERED
        elif any(not self._open(c) for c in exchange.calls):
            state = CallState.PARTIAL
        else:
            state = CallState.PENDING
        seen: set[str] = set()
        for call in exchange.calls:
            doubled = usable(call.id) and call.id in seen
            if self.call_states[call.number] is None:
                self.call_states[call.number] = CallState.DOUBLED if doubled else state
            if usable(call.id):
                seen.add(call.id)


class _Queue:
    """Calls in their order, those with and without an ID apart."""

    __slots__ = ("with_id", "without")

    def __init__(self) -> None:
        self.with_id: deque[Call] = deque()
        self.without: deque[Call] = deque()

    def add(self, call: Call, *, with_id: bool) -> None:
        (self.with_id if with_id else self.without).append(call)

    def take(self, *, any_id: bool) -> Call | None:
        """The first call, or the first without an ID, taken out."""
        with_id, without = self.with_id, self.without
        if with_id and any_id and not (without and without[0].number < with_id[0].number):
            return with_id.popleft()
        return without.popleft() if without else None

    def head(self, *, any_id: bool) -> Call | None:
        with_id, without = self.with_id, self.without
        if with_id and any_id and not (without and without[0].number < with_id[0].number):
            return with_id[0]
        return without[0] if without else None


def _in_order(calls: list[Call], results: list[Result], *, heed_ids: bool = False) -> list[tuple[Call, Result]]:
    """Pairs of one name in their order, then in their order alone.

    `heed_ids`: a result with an ID only answers a call without one, and two different names never make a pair.
    """
    pairs: list[tuple[Call, Result]] = []
    taken: set[int] = set()
    named: dict[str, _Queue] = {}
    for call in calls:
        if usable(call.name):
            named.setdefault(call.name, _Queue()).add(call, with_id=heed_ids and usable(call.id))
    later: list[Result] = []
    for result in results:
        queue = named.get(result.name) if usable(result.name) else None
        found = queue.take(any_id=not heed_ids or not usable(result.id)) if queue is not None else None
        if found is None:
            later.append(result)
        else:
            taken.add(found.number)
            pairs.append((found, result))
    rest = _Queue()
    for call in calls:
        if call.number not in taken:
            rest.add(call, with_id=heed_ids and usable(call.id))
    for result in later:
        any_id = not heed_ids or not usable(result.id)
        head = rest.head(any_id=any_id)
        if head is not None and not (heed_ids and _names_differ(head, result)):
            rest.take(any_id=any_id)
            pairs.append((head, result))
    return pairs


def _names_differ(call: Call, result: Result) -> bool:
    """Whether call and result name two different tools."""
    return usable(call.name) and usable(result.name) and call.name != result.name


def _by_key(
    calls: list[Call],
    results: list[Result],
    key_of_call: Callable[[Call], str | None],
    key_of_result: Callable[[Result], str | None],
) -> Iterator[tuple[Call, Result]]:
    """Pairs of one key, where each side has it once."""
    wanted = _singles(calls, key_of_call)
    given = _singles(results, key_of_result)
    for key, result in given.items():
        call = wanted.get(key)
        if call is not None:
            yield call, result


def _singles(parts: Iterable[_P], key_of: Callable[[_P], str | None]) -> dict[str, _P]:
    counts: dict[str, int] = {}
    found: dict[str, _P] = {}
    for part in parts:
        key = key_of(part)
        if key:
            counts[key] = counts.get(key, 0) + 1
            found[key] = part
    return {key: part for key, part in found.items() if counts[key] == 1}


def _item_of(call: Call) -> str | None:
    return call.message.id if call.message.item and usable(call.message.id) else None


def _id_of(part: Call | Result) -> str | None:
    return part.id if usable(part.id) else None


def _kin_of(part: Call | Result) -> str | None:
    return kin(part.id) if usable(part.id) else None


def hosted_pairs(transcript: Transcript) -> tuple[list[Call], list[Result]]:
    """Hosted calls without a result, and hosted results without a call before them, by ID over the transcript."""
    waiting: dict[object, Call] = {}
    stray: list[Result] = []
    for part in transcript.parts():
        if part.kind is Kind.HOSTED_CALL and isinstance(part, Call) and usable(part.id):
            waiting[part.id] = part
        elif (
            part.kind is Kind.HOSTED_RESULT
            and isinstance(part, Result)
            and usable(part.id)
            and waiting.pop(part.id, None) is None
        ):
            stray.append(part)
    return list(waiting.values()), stray
