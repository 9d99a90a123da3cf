"""Breaks a valid history in one place, as real programs break them, and says where.

A fault edits plain JSON through the places that the model names; it names the broken thing as an object (or a member
of one), and the JSON pointer is looked for when all edits are done.  It runs no rule.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnlint import dialects
from turnlint.diagnostic import Place, pointer_of
from turnlint.loading import examine_value, reader
from turnlint.model import Call, Kind, Result, Speaker
from turnlint.pairing import as_converted
from turnlint.registry import entry
from turnlint.testing.conversations import Conversation, Round, Turn, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from turnlint.engine import Examination
    from turnlint.model import Message, Part
    from turnlint.pairing import Exchange
    from turnlint.targets import Judge, PairingPolicy
    from turnlint.testing.writers import Writer

    Choose = Callable[[Sequence[Any]], Any]

Json = Any
Where = tuple[Json, str | int | None]  # an object of the document, and the key of the member that is meant


def _any(_: object) -> bool:
    return True


class Unfit(Exception):  # noqa: N818 - it is no error: another history is drawn
    """This history cannot be broken in this way."""


@dataclass(slots=True)
class Case:
    """A valid history about to be broken.  `choose` takes one of several things; the first is the simplest."""

    document: Json
    seen: Examination
    writer: Writer
    judge: Judge
    native: bool  # the judge reads this dialect itself
    choose: Choose
    policy: PairingPolicy = field(init=False)
    messages: list[Json] = field(init=False)
    # By the id() of a call or result: what stands at its place, the item of a list that holds it, and the keys between
    things: dict[int, Json] = field(init=False)
    items: dict[int, Json] = field(init=False)
    inside: dict[int, tuple[str | int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        assert self.seen.transcript is not None
        policy = self.judge.target.policy(self.judge.api)
        self.policy = policy if self.native else as_converted(policy)
        self.messages = self.resolve(self.seen.transcript.at)
        parts = (*self.seen.transcript.calls(), *self.seen.transcript.results())
        self.things, self.items, self.inside = {}, {}, {}
        for part in parts:
            path = part.at.path
            depth = max(number for number, step in enumerate(path) if isinstance(step, int)) + 1
            self.things[id(part)] = self.resolve(part.at)
            self.items[id(part)] = self.resolve(Place(path[:depth]))
            self.inside[id(part)] = path[depth:]

    # -- looking

    def resolve(self, place: Place) -> Json:
        value = self.document
        for step in place.path:
            value = value[step]
        return value

    def member(self, place: Place | None) -> Where:
        """The member of an object that a place names."""
        if place is None or not place.path:
            raise Unfit
        value = self.document
        for step in place.path[:-1]:
            value = value[step]
        return value, place.path[-1]

    def thing(self, part: Call | Result) -> Json:
        """The object that a rule points at for a call or result."""
        return self.things[id(part)]

    def item(self, part: Part) -> Json:
        """The item of a list that a part is, with what its dialect puts around it; for some results a whole message."""
        return self.items[id(part)]

    def is_block(self, result: Result) -> bool:
        """Whether a result is a part of a message, rather than a message."""
        return self.item(result) is not result.message.raw

    def pointer(self, where: Where) -> str:
        """The JSON pointer of a thing in the document as it is now."""
        wanted, key = where
        stack: list[tuple[Json, tuple[str | int, ...]]] = [(self.document, ())]
        while stack:
            value, path = stack.pop()
            if value is wanted:
                return pointer_of(path if key is None else (*path, key))
            if isinstance(value, dict):
                stack.extend((inner, (*path, name)) for name, inner in value.items())
            elif isinstance(value, list):
                stack.extend((inner, (*path, number)) for number, inner in enumerate(value))
        raise Unfit

    def holder(self, thing: Json) -> tuple[list[Json], int]:
        """The list that a thing stands in, and its place there."""
        stack: list[Json] = [self.document]
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                for number, inner in enumerate(value):
                    if inner is thing:
                        return value, number
            stack.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        raise Unfit

    # -- choosing

    def exchange(self, fits: Callable[[Exchange], bool] = _any) -> Exchange:
        """One exchange of those that fit and whose calls are all answered."""
        pairing = self.seen.pairings[0]
        found = [
            e
            for e in pairing.exchanges
            if e.calls and all(pairing.result_of(c) is not None for c in e.calls) and len(e.messages) >= 1 and fits(e)
        ]
        if not found:
            raise Unfit
        exchange: Exchange = self.choose(found)
        return exchange

    def call(self, fits: Callable[[Call], bool] = _any) -> Call:
        """One answered call of those that fit."""
        found = [c for e in self.seen.pairings[0].exchanges for c in e.calls if fits(c) and self.answers(c)]
        if not found:
            raise Unfit
        call: Call = self.choose(found)
        return call

    def answers(self, call: Call) -> Result | None:
        return self.seen.pairings[0].result_of(call)

    def result(self, call: Call) -> Result:
        found = self.answers(call)
        if found is None or self.item(found) is self.item(
            call
        ):  # call and result are one object: nothing can come between them
            raise Unfit
        return found

    def message(self, speaker: Speaker, fits: Callable[[Message], bool] = _any) -> Message:
        """One message of that speaker, of those that fit."""
        assert self.seen.transcript is not None
        found = [m for m in self.seen.transcript.messages if m.speaker is speaker and fits(m)]
        if not found:
            raise Unfit
        message: Message = self.choose(found)
        return message

    def minds(self, rule: str, *variants: str) -> bool:
        verdict = self.judge.verdict(rule, variants)
        return verdict is not None and verdict.level != "accepts"

    # -- editing

    def remove(self, part: Part) -> None:
        """Take a part out; a message that is empty then goes too."""
        items, number = self.holder(self.item(part))
        del items[number]
        if not items and items is not self.messages:
            self.remove_message(part.message)

    def remove_message(self, message: Message) -> None:
        items, number = self.holder(message.raw)
        del items[number]

    def insert(self, thing: Json, *new: Json, behind: bool = True) -> None:
        """Put something behind (or in front of) a thing, into the same list."""
        items, number = self.holder(thing)
        items[number + behind : number + behind] = new

    def sayings(self) -> tuple[Json, Json]:
        """A message of the user and one of the assistant, in this dialect."""
        made = self.writer.messages(Conversation((Turn("wait", answer="well"),)))
        return made[-2], made[-1]

    def note(self) -> Json:
        """A text part in this dialect."""
        use = Use("call_0", "search", {}, "yes")
        for message in self.writer.messages(Conversation((Turn("?", (Round((use,), "wait"),)),))):
            for parts in message.values():
                if isinstance(parts, list):
                    for part in parts:
                        if isinstance(part, dict) and part.get("text") == "wait":
                            return part
        raise Unfit

    def new_id(self) -> str:
        """An ID of the target's form that no call has."""
        assert self.seen.transcript is not None
        taken = {call.id for call in self.seen.transcript.calls()}
        sample = next((i for i in taken if isinstance(i, str)), "call_0")
        for number in range(9, 1000):
            digits = re.search(r"\d+$", sample)
            width = len(digits[0]) if digits else 0
            made = f"{sample[: len(sample) - width]}{number:0{max(width, 1)}d}"
            if made not in taken and (width <= 1 or len(made) == len(sample)):
                return made
        raise Unfit

    def linked(self, result: Result) -> None:
        """Goes on only where an ID says which call a result answers."""
        if self.policy.match == "order" or not isinstance(result.id, str):
            raise Unfit

    def may_repeat(self, result: Result) -> None:
        """Goes on only where a message with results may stand beside another of the user's."""
        if self.is_block(result) and self.minds("consecutive-roles", "user"):
            raise Unfit

    def roles(self, rule: str, variant: str) -> tuple[str, ...]:
        """The speakers whose messages the verdict means; none where it means any."""
        verdict = self.judge.verdict(rule, variant)
        roles = verdict.limits.get("roles") if verdict is not None else None
        return roles if isinstance(roles, tuple) else ()

    def copied(self, thing: Json) -> Json:
        return json.loads(json.dumps(thing))

    def insert_copy(self, part: Part, change: Callable[[str], str] = str) -> Json:
        """Put a copy of a part behind it, with `change` made in its JSON text; returns what stands at its place."""
        made = json.loads(change(json.dumps(self.item(part))))
        self.insert(self.item(part), made)
        for key in self.inside[id(part)]:
            made = made[key]
        return made

    def set(self, where: Where, value: Json) -> Where:
        container, key = where
        container[key] = value
        return where

    def give_id(self, part: Call | Result, value: str) -> Where:
        """Write another ID; raises where the part has none."""
        if part.id_at is None or part.id_at == part.at or not isinstance(part.id, str):
            raise Unfit
        return self.set(self.member(part.id_at), value)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to get a finding of a rule.

    `variants` are the cases of the rule that come of it; `make` breaks a case and returns what is broken.  `calls` is
    the least number of calls in a round, `rounds` the least number of rounds.
    """

    make: Callable[[Case], Where]
    variants: tuple[str, ...] = ()
    calls: int = 0
    rounds: int = 0


# -- calls and results


def _loose_end(case: Case) -> Exchange:
    """An exchange that can lose results without other trouble: the last one, where the turns have to alternate."""
    strict = case.minds("consecutive-roles", "assistant", "call") or case.minds("misplaced-call-turn", "after-model")
    return case.exchange(lambda e: e.tail or not strict)


def _goes_on(exchange: Exchange) -> bool:
    """Whether something other than the next calls follows: two turns of calls side by side are one more fault."""
    return exchange.after is not None and not exchange.after.calls


def lose_result(case: Case) -> Where:
    """A result is lost; all of the turn's, where the target pairs by place or counts."""
    exchange = _loose_end(case)
    if case.policy.match == "order" or case.policy.count:
        lost: list[Call] = exchange.calls
    else:
        lost = [case.choose(exchange.calls)]
    thing = case.thing(lost[0])
    for call in lost:
        case.remove(case.result(call))
    return thing, None


def cut_head(case: Case) -> Where:
    """The head is trimmed away in front of results."""
    exchange = case.exchange()
    first = min((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    thing = case.thing(first)
    _, number = case.holder(first.message.raw)
    del case.messages[:number]
    return thing, None


def lose_call_turn(case: Case) -> Where:
    """An assistant turn is lost, and its results are not."""
    exchange = case.exchange()
    first = min((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    case.may_repeat(first)
    for message in exchange.messages:
        case.remove_message(message)
    return case.thing(first), None


def stray_result(case: Case) -> Where:
    """A result of another conversation stands among those of a turn."""
    result = case.result(case.call())
    case.linked(result)
    old, new = json.dumps(result.id), json.dumps(case.new_id())
    return case.insert_copy(result, lambda text: text.replace(old, new)), None


def result_first(case: Case) -> Where:
    """A result was stored before the assistant message that made its call."""
    exchange = case.exchange(lambda e: len(e.calls) == 1 and len(e.messages) == 1 and _goes_on(e))
    result = case.result(exchange.calls[0])
    case.linked(result)
    case.may_repeat(result)
    if not result.message.only_results:
        raise Unfit
    case.remove_message(result.message)
    case.insert(exchange.messages[0].raw, result.message.raw, behind=False)
    return case.thing(result), None


def double_result(case: Case) -> Where:
    """A result was stored twice."""
    result = case.result(case.call())
    case.linked(result)
    return case.insert_copy(result), None


def speak_between(case: Case) -> Where:
    """The user speaks while the tool is running."""
    exchange = case.exchange(lambda e: len(e.calls) == 1)
    result = case.result(exchange.calls[0])
    case.linked(result)
    user, assistant = case.sayings()
    merged = (
        case.is_block(result) or case.policy.merge
    )  # the user's words alone would be taken for one turn with the result
    case.insert(exchange.messages[-1].raw, *((user, assistant) if merged else (user,)))
    return case.thing(result), None


def split_results(case: Case) -> Where:
    """The results of one turn are spread over two messages."""
    exchange = case.exchange(lambda e: len(e.calls) > 1)
    results = sorted((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    message = results[0].message
    if not case.is_block(results[0]) or any(r.message is not message for r in results):
        raise Unfit
    new = case.copied({k: v for k, v in message.raw.items() if not isinstance(v, list)})
    items, number = case.holder(case.item(results[1]))
    key = next(k for k, v in message.raw.items() if v is items)
    new[key] = items[number:]
    del items[number:]
    case.insert(message.raw, new)
    return new, None


def miscount(case: Case) -> Where:
    """One of several results is lost, and nothing says whose it was."""
    exchange = case.exchange(lambda e: len(e.calls) > 1)
    results = sorted((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    if isinstance(results[0].id, str):
        raise Unfit
    case.remove(results[-1])
    return results[0].message.raw, None


def swap_results(case: Case) -> Where:
    """Results stand in the order in which the tools finished."""
    exchange = case.exchange(lambda e: len(e.calls) > 1)
    results = [case.result(c) for c in exchange.calls]
    case.linked(results[0])
    if any(r.number != results[0].number + n for n, r in enumerate(results)):
        raise Unfit
    first, second = case.item(results[0]), case.item(results[1])
    items, number = case.holder(first)
    others, other = case.holder(second)
    items[number], others[other] = second, first
    return case.thing(results[1]), None


def rename_result(case: Case) -> Where:
    """A result names another tool."""
    result = case.result(case.call(lambda c: isinstance(c.name, str)))
    if not isinstance(result.name, str) or result.name_at in (None, result.at):
        raise Unfit
    return case.set(case.member(result.name_at), "another_tool")


def text_in_front(case: Case) -> Where:
    """A note stands in front of the results."""
    exchange = case.exchange()
    first = min((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    if not case.is_block(first):
        raise Unfit
    case.insert(case.item(first), case.note(), behind=False)
    return case.thing(first), None


def text_behind(case: Case) -> Where:
    """A note stands behind the last results of the history."""
    exchange = case.exchange(lambda e: e.tail)
    last = max((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    if not case.is_block(last):
        raise Unfit
    note = case.note()
    case.insert(case.item(last), note)
    return note, None


def results_of_assistant(case: Case) -> Where:
    """Results were stored with the role of the message before them."""
    exchange = case.exchange(_goes_on)
    result = min((case.result(c) for c in exchange.calls), key=lambda r: r.number)
    if not case.is_block(result) or "role" not in exchange.messages[0].raw:
        raise Unfit
    result.message.raw["role"] = exchange.messages[0].raw["role"]
    return case.thing(result), None


# -- IDs


def _one_of_several(case: Case) -> Call:
    """The only call of its turn, where other calls show that the shape has IDs."""
    call = case.exchange(lambda e: len(e.calls) == 1).calls[0]
    if not case.native and len(case.seen.pairings[0].calls) < 2:
        raise Unfit
    return call


def no_call_id(case: Case) -> Where:
    call = _one_of_several(case)
    container, key = case.give_id(call, "")
    del container[key]
    return case.thing(call), None


def null_call_id(case: Case) -> Where:
    return case.set(case.give_id(_one_of_several(case), ""), None)


def no_result_id(case: Case) -> Where:
    exchange = case.exchange(lambda e: len(e.calls) == 1)
    result = case.result(exchange.calls[0])
    container, key = case.give_id(result, "")
    del container[key]
    return case.thing(result), None


def null_result_id(case: Case) -> Where:
    exchange = case.exchange(lambda e: len(e.calls) == 1)
    return case.set(case.give_id(case.result(exchange.calls[0]), ""), None)


def same_id_twice(case: Case) -> Where:
    """Two calls of one turn, and their results, carry one ID."""
    exchange = case.exchange(lambda e: len(e.calls) > 1)
    first, second = exchange.calls[:2]
    if not isinstance(first.id, str):
        raise Unfit
    case.give_id(case.result(second), first.id)
    return case.give_id(second, first.id)


def same_id_again(case: Case) -> Where:
    """A call of a later turn, and its result, carry the ID of an earlier one."""
    pairing = case.seen.pairings[0]
    ids = [c.id for e in pairing.exchanges for c in e.calls]
    if len(pairing.exchanges) < 2 or len(set(ids)) < len(ids):
        raise Unfit
    first, second = pairing.exchanges[0].calls[0], pairing.exchanges[1].calls[0]
    if not isinstance(first.id, str):
        raise Unfit
    case.give_id(case.result(second), first.id)
    return case.give_id(second, first.id)


def odd_id(case: Case) -> Where:
    """A call and its result carry an ID that the target does not take."""
    verdict = case.judge.verdict("malformed-call-id", "client")
    pattern, maximum = (None, None) if verdict is None else (verdict.limits.get(k) for k in ("pattern", "maximum"))
    call = case.call()
    if isinstance(pattern, str) and not re.fullmatch(pattern, "call 1!"):
        bad = "call 1!"
    elif isinstance(maximum, int):
        bad = "x" * (maximum + 1)
    else:
        raise Unfit
    case.give_id(case.result(call), bad)
    return case.give_id(call, bad)


# -- content


def _own_content(case: Case, message: Message) -> Where:
    if message.content_at is None or message.content_at == message.at:
        raise Unfit
    return case.member(message.content_at)


def _plain_user(case: Case) -> Message:
    return case.message(Speaker.USER, lambda m: m.has(Kind.TEXT) and not m.results and not m.item)


def _plain_assistant(case: Case) -> Message:
    return case.message(Speaker.ASSISTANT, lambda m: [p.kind for p in m.parts] == [Kind.TEXT] and not m.item)


def empty_text_content(case: Case) -> Where:
    return case.set(_own_content(case, _who_may_be_empty(case, "empty-string")), "")


def empty_list_content(case: Case) -> Where:
    return case.set(_own_content(case, _who_may_be_empty(case, "empty-list")), [])


def _who_may_be_empty(case: Case, variant: str) -> Message:
    roles = case.roles("empty-content", variant)
    return _plain_user(case) if not roles or "user" in roles else _plain_assistant(case)


def null_user(case: Case) -> Where:
    return case.set(_own_content(case, _plain_user(case)), None)


def null_assistant(case: Case) -> Where:
    return case.set(_own_content(case, _plain_assistant(case)), None)


def null_result(case: Case) -> Where:
    result = case.result(case.call())
    if case.is_block(result):
        raise Unfit
    return case.set(case.member(result.content_at), None)


def empty_result(case: Case) -> Where:
    result = case.result(case.call(lambda c: not case.result(c).is_error))
    if result.content_at in (None, result.at) or not isinstance(result.content, str):
        raise Unfit
    return case.set(case.member(result.content_at), "")


def empty_text_part(case: Case) -> Where:
    """An empty text stands among the parts of a message."""
    message = case.message(Speaker.ASSISTANT, lambda m: bool(m.calls) and any(p.kind is Kind.CALL for p in m.parts))
    call = message.calls[0]
    note = case.note()
    note["text"] = ""
    if case.item(call) is message.raw:
        raise Unfit
    items, number = case.holder(case.item(call))
    if items is message.raw.get("tool_calls"):
        raise Unfit
    items.insert(number, note)
    return note, "text"


def no_calls_listed(case: Case) -> Where:
    message = _plain_assistant(case)
    message.raw["tool_calls"] = []
    return message.raw, "tool_calls"


def result_as_text(case: Case) -> Where:
    result = case.result(case.call())
    where = case.member(result.content_at)
    if isinstance(result.content, list):  # a dialect that marks values as JSON
        case.set(where, [{"json": "yes"}])
        return where[0][where[1]][0], "json"
    return case.set(where, "yes")


def result_as_list(case: Case) -> Where:
    result = case.result(case.call())
    if case.is_block(result) or not isinstance(result.content, str):
        raise Unfit
    return case.set(case.member(result.content_at), [{"type": "text", "text": result.content}])


# -- arguments and names


def arguments_as_text(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "object")
    return case.set(case.member(call.arguments_at), json.dumps(call.arguments))


def arguments_as_object(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "text")
    return case.set(case.member(call.arguments_at), json.loads(call.arguments))


def cut_arguments(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "text")
    return case.set(case.member(call.arguments_at), '{"city": "Os')


def doubled_arguments(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "text")
    return case.set(case.member(call.arguments_at), call.arguments * 2)


def no_arguments(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "text")
    return case.set(case.member(call.arguments_at), "")


def list_of_arguments(case: Case) -> Where:
    call = case.call(lambda c: c.arguments_form == "text")
    return case.set(case.member(call.arguments_at), "[1, 2]")


def _named(case: Case, call: Call, name: str) -> Where:
    where = case.set(case.member(call.name_at), name)
    result = case.result(call)
    if isinstance(result.name, str) and result.name_at is not None:
        case.set(case.member(result.name_at), name)
    return where


def no_tool_name(case: Case) -> Where:
    call = case.call()
    if isinstance(case.result(call).name, str) or case.minds("missing-tool-name", "result"):
        raise Unfit
    return case.set(case.member(call.name_at), "")


def no_result_name(case: Case) -> Where:
    result = case.result(case.call())
    if result.name_at in (None, result.at):
        raise Unfit
    return case.set(case.member(result.name_at), "")


def odd_tool_name(case: Case) -> Where:
    return _named(case, case.call(), "read file!")


# -- order


def odd_role(case: Case) -> Where:
    message = _plain_user(case)
    if "role" not in message.raw:
        raise Unfit
    message.raw["role"] = "robot"
    return message.raw, "role"


FAULTS: dict[str, tuple[Fault, ...]] = {
    "unanswered-call": (Fault(lose_result, ("missing",), rounds=1),),
    "orphan-result": (
        Fault(cut_head, ("no-call-turn",), rounds=1),
        Fault(lose_call_turn, ("no-call-turn",), rounds=1),
        Fault(stray_result, ("unknown-id",), rounds=1),
    ),
    "result-before-call": (Fault(result_first, ("before-call",), rounds=1),),
    "duplicate-result": (Fault(double_result, ("same-group",), rounds=1),),
    "interrupted-results": (Fault(speak_between, ("any-role",), rounds=1),),
    "split-results": (Fault(split_results, (), calls=2, rounds=1),),
    "result-count-mismatch": (Fault(miscount, (), calls=2, rounds=1),),
    "reordered-results": (Fault(swap_results, ("by-id", "by-place"), calls=2, rounds=1),),
    "result-name-mismatch": (Fault(rename_result, (), rounds=1),),
    "content-before-results": (Fault(text_in_front, ("text",), rounds=1),),
    "content-after-results": (Fault(text_behind, ("text",), rounds=1),),
    "misplaced-result": (Fault(results_of_assistant, ("in-assistant",), rounds=1),),
    "missing-call-id": (
        Fault(no_call_id, ("missing",), rounds=1),
        Fault(null_call_id, ("null", "missing"), rounds=1),
    ),
    "missing-result-id": (
        Fault(no_result_id, ("missing",), rounds=1),
        Fault(null_result_id, ("null", "missing"), rounds=1),
    ),
    "duplicate-call-id": (Fault(same_id_twice, (), calls=2, rounds=1),),
    "reused-call-id": (Fault(same_id_again, ("any",), rounds=2),),
    "malformed-call-id": (Fault(odd_id, ("client",), rounds=1),),
    "empty-result": (Fault(empty_result, ("empty-string",), rounds=1),),
    "empty-content": (
        Fault(empty_text_content, ("empty-string",)),
        Fault(empty_list_content, ("empty-list",)),
    ),
    "null-content": (
        Fault(null_user, ("user",)),
        Fault(null_assistant, ("assistant-without-calls",)),
        Fault(null_result, ("result",), rounds=1),
    ),
    "blank-text": (Fault(empty_text_part, ("empty",), rounds=1),),
    "empty-call-list": (Fault(no_calls_listed, ()),),
    "result-not-object": (Fault(result_as_text, (), rounds=1),),
    "content-not-string": (Fault(result_as_list, ("result",), rounds=1),),
    "arguments-not-object": (Fault(arguments_as_text, ("text",), rounds=1),),
    "arguments-not-string": (Fault(arguments_as_object, (), rounds=1),),
    "malformed-arguments": (
        Fault(cut_arguments, ("not-json",), rounds=1),
        Fault(doubled_arguments, ("trailing", "not-json"), rounds=1),
        Fault(list_of_arguments, ("not-object",), rounds=1),
        Fault(no_arguments, ("empty",), rounds=1),
    ),
    "missing-tool-name": (
        Fault(no_tool_name, ("call",), rounds=1),
        Fault(no_result_name, ("result",), rounds=1),
    ),
    "malformed-tool-name": (Fault(odd_tool_name, ("call",), rounds=1),),
    "unknown-role": (Fault(odd_role, ("unknown",)),),
}


def faults_of(rule: str, writer: Writer, judge: Judge, *, native: bool, objects: bool) -> Iterator[Fault]:
    """The ways to break a history of this writer so that this judge finds the rule.

    `native`: the judge reads the dialect itself; `objects`: arguments are written as objects.
    """
    known = entry(rule)
    if (known.load().native_only and not native) or not (known.pairing or dialects.get(writer.dialect).wire):
        return
    for fault in FAULTS.get(rule, ()):
        verdict = judge.verdict(rule, fault.variants)
        minds = verdict is not None and verdict.level in ("rejects", "harms")
        if minds and _can_be_made(fault, writer, judge, native=native, objects=objects):
            yield fault


def _can_be_made(fault: Fault, writer: Writer, judge: Judge, *, native: bool, objects: bool) -> bool:
    """Whether the dialect has what the fault breaks: tried on a history in which there is some of everything."""
    uses = [Use(writer.call_id.format(n), "search", {"a": n}, f"found {n}") for n in range(1, 5)]
    first = Turn("one", (Round((uses[0], uses[1]), "wait"), Round((uses[2],))), "two")
    conversation = Conversation((first, Turn("three", (Round((uses[3],)),))))
    document = json.loads(json.dumps(writer.write(conversation, objects=objects)))
    seen = next(iter(examine_value(document, reader((judge.spec,), writer.dialect))))
    try:
        fault.make(Case(document, seen, writer, judge, native, lambda things: things[0]))
    except Unfit:
        return False
    return True
