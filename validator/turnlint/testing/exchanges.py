"""Whether two histories hold the same calls with the same results, whatever shape each is in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnlint.errors import UsageError
from turnlint.model import Kind
from turnlint.pairing import ResultState
from turnlint.report.terminal import clean
from turnlint.testing.excerpt import answered, called, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from turnlint.model import Call, Result
    from turnlint.pairing import Exchange, Pairing

_MOST = 10  # differences told

#: Keys that dialects put around what a tool answered, and those that say something about it.
_WRAPPERS = frozenset({"result", "output", "content", "response", "error", "text", "json", "document", "data", "value"})
_ASIDES = frozenset({"type", "status", "is_error", "isError", "id", "name"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A call and its result, with the number of the exchange that holds them."""

    call: Call
    result: Result
    exchange: int
    asked: str  # name and arguments, the same in every dialect
    said: str  # what the result says, the same in every dialect

    def __str__(self) -> str:
        return f"{called(self.call)} -> {shortened(answered(self.result))}"


@dataclass(slots=True)
class Exchanges:
    """The answered pairs of a document in their order, and the halves that are left over."""

    pairs: list[Pair] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


def exchanges_of(document: Any, *, target: str | None = None, dialect: str | None = None) -> Exchanges:
    """The exchanges of all histories in `document`, paired as `target` pairs them.

    Raises `UsageError` if there is no history in a known dialect.  An empty list has no exchanges.
    """
    from turnlint.loading import examine_value, reader

    found = Exchanges()
    read = False
    for seen in examine_value(document, reader((target,) if target else (), dialect)):
        if seen.transcript is not None:
            read = True
            _collect(seen.pairings[0], found)
    if not read and document not in ([], ()):
        raise UsageError("there is no history in a known dialect; name it with `before_dialect` or `after_dialect`")
    return found


def _collect(pairing: Pairing, found: Exchanges) -> None:
    numbers: dict[int, int] = {}
    first = len(found.pairs)
    answered_calls = set()
    for result in pairing.results:
        call = pairing.call_of(result)
        if call is None or pairing.result_states[result.number] is not ResultState.ANSWERS:
            found.results.append(result)
            continue
        answered_calls.add(call.number)
        number = numbers.setdefault(_key(pairing.exchange_of_call[call.number]), first + len(numbers))
        found.pairs.append(Pair(call, result, number, asked(call), said(result)))
    found.calls += [c for c in pairing.calls if c.number not in answered_calls]
    order = {id(p): p.call.number for p in found.pairs[first:]}
    found.pairs[first:] = sorted(found.pairs[first:], key=lambda p: order[id(p)])  # results may come in any order


def _key(exchange: Exchange | None) -> int:
    return -1 if exchange is None else exchange.calls[0].number


def asked(call: Call) -> str:
    """Name and arguments, written in one way."""
    return f"{call.name}({_canonical(_parsed(call.arguments) or {})})"


def said(result: Result) -> str:
    """What a result says, without what the dialect put around it, and without white space."""
    if result.parts and any(p.kind in (Kind.TEXT, Kind.MEDIA) for p in result.parts):
        pieces = [
            p.text if p.text is not None else f"[{p.kind.value}]" if p.kind is Kind.MEDIA else _canonical(_bare(p.raw))
            for p in result.parts
        ]
        return _canonical(_bare("".join(pieces)))
    return _canonical(_bare(result.content))


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _bare(value: Any) -> Any:
    """`value` out of its wrappers: lists of one, objects with one key that only says "here it is", JSON in a text."""
    for _ in range(8):  # hostile text may be wrapped for ever
        inner = _parsed(value)
        if isinstance(inner, list) and inner and all(_is_text(item) for item in inner):
            inner = "".join(item if isinstance(item, str) else item["text"] for item in inner)
        elif isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        elif isinstance(inner, dict):
            keys = inner.keys() - _ASIDES
            if len(keys) == 1 and keys <= _WRAPPERS:
                inner = inner[keys.pop()]
        if inner == value:
            break
        value = inner
    return value


def _is_text(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("text"), str))


def _canonical(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=repr)
    return "".join(text.split())


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same: `kind` is lost, parted, changed, added or regrouped."""

    kind: str
    text: str
    places: tuple[str, ...]


def differences(
    before: Exchanges, after: Exchanges, *, dropped: bool = False, regrouped: bool = False, results: bool = True
) -> list[Difference]:
    """What `after` lost, parted, changed or added.  See `assert_same_exchanges` for the switches."""
    matched, new = _match(before.pairs, after.pairs, results=results)
    kept = {id(old) for old, _ in matched}
    lost = [pair for pair in before.pairs if id(pair) not in kept]
    found = []
    for pair in lost:
        difference = _of_lost(pair, after, new)
        if difference.kind != "lost" or not dropped:
            found.append(difference)
    found += [
        Difference("added", str(pair), (f"after: call {_at(pair.call)}, result {_at(pair.result)}",)) for pair in new
    ]
    if not regrouped:
        found += _regrouped(matched)
    return found


def _match(
    before: Sequence[Pair], after: Sequence[Pair], *, results: bool
) -> tuple[list[tuple[Pair, Pair]], list[Pair]]:
    """Pairs of `after` with what they were in `before`, in order; and those that were not there."""

    def key(pair: Pair) -> tuple[str, str]:
        return pair.asked, pair.said if results else ""

    places: dict[tuple[str, str], list[int]] = {}
    for number, pair in enumerate(before):
        places.setdefault(key(pair), []).append(number)
    matched, new, position = [], [], 0
    for pair in after:
        at = next((n for n in places.get(key(pair), ()) if n >= position), -1)
        if at < 0:
            new.append(pair)
        else:
            matched.append((before[at], pair))
            position = at + 1
    return matched, new


def _of_lost(pair: Pair, after: Exchanges, new: list[Pair]) -> Difference:
    """What became of a pair that is not there any more; takes it out of `new` where it was changed."""
    was = f"before: call {_at(pair.call)}, result {_at(pair.result)}"
    for other in new:
        same_call, same_result = other.asked == pair.asked, other.said == pair.said
        if same_call and same_result:
            new.remove(other)
            now = f"after: call {_at(other.call)}, result {_at(other.result)}"
            return Difference("moved", f"{pair}, to another place among the calls", (was, now))
        if same_call or same_result:
            new.remove(other)
            what = "its result" if same_call else "its call"
            now = f"after: call {_at(other.call)}, result {_at(other.result)}: {other}"
            return Difference("changed", f"{pair}: {what}", (was, now))
    call = next((c for c in after.calls if asked(c) == pair.asked), None)
    result = next((r for r in after.results if said(r) == pair.said), None)
    if call is None and result is None:
        return Difference("lost", str(pair), (was, "after: neither half is there"))
    now = "after: " + (
        f"call {_at(call)} and result {_at(result)} do not belong together any more"
        if call is not None and result is not None
        else f"call {_at(call)} is left without its result"
        if call is not None
        else f"result {_at(result)} is left without its call"
    )
    return Difference("parted", str(pair), (was, now))


def _regrouped(matched: Iterable[tuple[Pair, Pair]]) -> list[Difference]:
    """Calls of one turn that are in several now, and calls of several turns that are in one."""
    found = []
    now_of: dict[int, tuple[int, Pair]] = {}
    was_of: dict[int, tuple[int, Pair]] = {}
    for old, new in matched:
        turn, first = now_of.setdefault(old.exchange, (new.exchange, new))
        origin, other = was_of.setdefault(new.exchange, (old.exchange, old))
        if turn != new.exchange:
            now = f"after: call {_at(first.call)} and call {_at(new.call)} are in different turns"
            found.append(Difference("regrouped", f"{old}, which was made beside another call", (now,)))
        elif origin != old.exchange:
            was = f"before: call {_at(other.call)} and call {_at(old.call)} were in different turns"
            found.append(Difference("regrouped", f"{old}, which was made in a turn of its own", (was,)))
    return found


def _at(part: Call | Result | None) -> str:
    return "" if part is None else clean(part.at.pointer) or "(document)"


def failure(found: Sequence[Difference]) -> str:
    """The text of a failed assertion."""
    counts: dict[str, int] = {}
    for difference in found:
        counts[difference.kind] = counts.get(difference.kind, 0) + 1
    lines = [f"the histories do not hold the same exchanges: {', '.join(f'{n} {kind}' for kind, n in counts.items())}"]
    for difference in found[:_MOST]:
        lines += ["", f"{difference.kind}: {difference.text}", *(f"  {place}" for place in difference.places)]
    if len(found) > _MOST:
        lines += ["", f"… and {len(found) - _MOST} more"]
    return "\n".join(lines)
