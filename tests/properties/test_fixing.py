"""Whatever is broken: a fix makes it no worse, loses nothing that was said, and is done once for all."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shapes import WIRES, Use
from turnlint import dialects, fix, targets
from turnlint.diagnostic import Safety
from turnlint.engine import Settings, check_document
from turnlint.fixing import fix_source
from turnlint.source.scan import locate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapes import Wire

QUIET = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TARGETS = st.sampled_from(targets.names())
MODES = st.sampled_from(("saved", "request"))


def errors(document: Any, chosen: Settings) -> int:
    """How many errors there are, those included that only show when others are gone."""
    found = [d for d in check_document(document, chosen).diagnostics if d.severity == "error"]
    return len(found) + sum(len(d.also) for d in found)


@pytest.mark.parametrize("dialect", [None, *(d.name for d in dialects.all())])
@QUIET
@given(data=st.data(), target=TARGETS, mode=MODES, unsafe=st.booleans())
def test_any_document(
    documents: st.SearchStrategy[Any], dialect: str | None, data: st.DataObject, target: str, mode: str, unsafe: bool
) -> None:
    document = data.draw(documents)
    before = copy.deepcopy(document)
    fixed = fix(document, target=target, dialect=dialect, mode=mode, unsafe=unsafe)
    assert document == before
    chosen = Settings(targets=(target,), dialect=dialect, mode=mode)
    assert errors(fixed.document, chosen) <= errors(document, chosen)
    assert fixed.applied or fixed.document == before
    assert unsafe or all(done.safety is Safety.SAFE for done in fixed.applied)
    again = fix(fixed.document, target=target, dialect=dialect, mode=mode, unsafe=unsafe)
    assert again.document == fixed.document
    assert not again.applied


# -- valid histories with one fault


@dataclass(frozen=True)
class Round:
    """A question, calls with their results, and the answer; every text in it is its own."""

    number: int
    uses: tuple[Use, ...]

    def text(self, what: str) -> str:
        return f"{what} number {self.number}."

    def whole(self, wire: Wire) -> list[Any]:
        return self.around(wire, [*wire.calls(self.uses), *wire.results(self.uses)])

    def around(self, wire: Wire, messages: Sequence[Any]) -> list[Any]:
        return [wire.user(self.text("question")), *messages, wire.say(self.text("answer"))]

    def broken(self, wire: Wire, fault: str, at: int) -> list[Any]:
        calls, results = wire.calls(self.uses), wire.results(self.uses)
        one = self.uses[at % len(self.uses)]
        rest = [u for u in self.uses if u is not one]
        first, others = wire.results([one]), wire.results(rest) if rest else []
        match fault:
            case "early":
                return self.around(wire, [*results, *calls])
            case "late":
                return [*self.around(wire, calls), wire.user(self.text("note")), *results]
            case "interrupted":
                return self.around(wire, [*calls, *others, wire.user(self.text("note")), *first])
            case "split":
                return self.around(wire, [*calls, *(m for u in self.uses for m in wire.results([u]))])
            case "reordered":
                return self.around(wire, [*calls, *wire.results(self.uses[::-1])])
            case "changed-id":
                changed = [replace(u, id="other9999") if u is one else u for u in self.uses]
                return self.around(wire, [*calls, *wire.results(changed)])
            case "doubled":
                return self.around(wire, [*calls, *results, *first])
            case "unanswered":
                left = [replace(u, result="") if u is one else u for u in self.uses]
                return self.around(wire, [*wire.calls(left), *others])
            case "orphan":
                stray = Use(f"stray{self.number:04}", "Nowhere", f"stray result {self.number}")
                return self.around(wire, [*calls, *wire.results([*self.uses, stray])])
            case "note-first":
                return self.around(wire, [*calls, wire.user(self.text("note")), *results])
        raise AssertionError(fault)


FAULTS = {
    "early": False, "late": True, "interrupted": True, "split": False, "reordered": False, "changed-id": True,
    "doubled": True, "unanswered": False, "orphan": True, "note-first": True,
}  # fmt: skip


@st.composite
def rounds(draw: st.DrawFn) -> list[Round]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        uses = tuple(
            Use(f"call{number}{n}000"[:9], f"city {number} {n}", f"result {number} {n}", f"tool_{number}_{n}")
            for n in range(draw(st.integers(1, 3)))
        )
        found.append(Round(number, uses))
    return found


def said(value: object) -> set[str]:
    """Every text in a value that is no key, the JSON in texts included."""
    found: set[str] = set()
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list):
            rest.extend(one)
        elif isinstance(one, str):
            found.add(one)
    return found


ALL_WIRES = pytest.mark.parametrize("name", WIRES)


@ALL_WIRES
@QUIET
@given(data=st.data(), history=rounds(), at=st.integers(0, 2))
def test_one_fault(name: str, data: st.DataObject, history: list[Round], at: int) -> None:
    wire = WIRES[name]
    faults = [f for f, ids in FAULTS.items() if (wire.ids or not ids) and (wire.moves or f == "unanswered")]
    fault = data.draw(st.sampled_from(faults))
    victim = data.draw(st.integers(0, len(history) - 1))
    foreign = data.draw(st.sampled_from([None, "openai", "anthropic", "gemini", "bedrock", "mistral", "cohere"]))
    ask = wire.user("one more question")
    good = [m for r in history for m in r.whole(wire)]
    chosen = Settings(dialect=wire.dialect, mode="request", targets=(foreign,) if foreign else ())
    assume(not errors([*good, ask], chosen))
    bad = [m for r in history for m in (r.broken(wire, fault, at) if r.number == victim else r.whole(wire))]
    document = [*bad, ask]

    fixed = fix(document, target=foreign, dialect=wire.dialect, mode="request", unsafe=True)
    assert errors(fixed.document, chosen) == 0
    assert not [reason for reason in fixed.refused if "report it" in reason]
    whole_text = json.dumps(fixed.document)
    for text in said(document):
        if " number " in text or text.startswith(("result ", "stray result ", "city ")):
            assert text in whole_text
    again = fix(fixed.document, target=foreign, dialect=wire.dialect, mode="request", unsafe=True)
    assert again.document == fixed.document

    safe = fix(document, target=foreign, dialect=wire.dialect, mode="request")
    assert said(safe.document) <= said(document) | {"text"} | {"\n\n".join(pair) for pair in pairs(document)}
    for text in said(document):
        if " number " in text or text.startswith(("result ", "stray result ", "city ")):
            assert text in json.dumps(safe.document)


def pairs(document: Any) -> list[tuple[str, str]]:
    """Texts that a merged message may hold together."""
    texts = sorted(t for t in said(document) if " number " in t or t.startswith("one more"))
    return [(one, other) for one in texts for other in texts]


# -- bytes


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "indent": draw(st.sampled_from([None, 1, 3, "\t"])),
        "separators": draw(st.sampled_from([None, (",", ":"), (" , ", " : "), (", ", ":\t")])),
        "ensure_ascii": draw(st.booleans()),
    }


def written(messages: list[Any], layout: dict[str, Any]) -> str:
    return json.dumps(messages, **layout)


def fixed_bytes(data: bytes, wire: Wire, *, unsafe: bool = True) -> bytes:
    chosen = Settings(dialect=wire.dialect, mode="request")
    made = fix_source(None, io.BytesIO(data), name="<stdin>", settings=chosen, unsafe=unsafe)
    return data if made.encoded is None else made.encoded


BYTE_WIRES = [WIRES[n] for n in ("openai-chat", "anthropic", "gemini", "bedrock-converse", "langchain-data")]


@QUIET
@given(
    data=st.data(),
    wire=st.sampled_from(BYTE_WIRES),
    history=rounds(),
    layout=layouts(),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]),
    at=st.integers(0, 2),
)
def test_bytes_outside_the_edits_stay(
    data: st.DataObject,
    wire: Wire,
    history: list[Round],
    layout: dict[str, Any],
    newline: str,
    encoding: str,
    at: int,
) -> None:
    fault = data.draw(st.sampled_from([f for f, ids in FAULTS.items() if wire.ids or not ids]))
    victim = data.draw(st.integers(0, len(history) - 1))
    foreign = wire.user("naïve \u2028 東京 \\u00e9 \U0001f469")
    bad = [m for r in history for m in (r.broken(wire, fault, at) if r.number == victim else r.whole(wire))]
    document = [*bad, foreign]
    text = written(document, layout).replace("\n", newline)
    before = text.encode(encoding)
    after = fixed_bytes(before, wire)
    assert fixed_bytes(after, wire) == after
    new = after.decode(encoding)
    if encoding == "utf-8-sig":
        assert after.startswith(b"\xef\xbb\xbf")
    old = text.encode()
    spans = locate(old, [f"/{n}" for n in range(len(document))])
    kept = json.loads(new)
    for number, message in enumerate(document):
        if message in kept:
            span = spans[f"/{number}"]
            assert old[span.start : span.end].decode() in new
    assert new.count("\r\n") == new.count("\n") if newline == "\r\n" else "\r" not in new


@QUIET
@given(
    data=st.data(),
    wire=st.sampled_from(BYTE_WIRES),
    history=rounds(),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.booleans(),
    at=st.integers(0, 2),
)
def test_lines_outside_the_edits_stay(
    data: st.DataObject, wire: Wire, history: list[Round], newline: str, end: bool, at: int
) -> None:
    """One conversation a line: the broken one changes, and nothing else."""
    fault = data.draw(st.sampled_from([f for f, ids in FAULTS.items() if wire.ids or not ids]))
    victim = data.draw(st.integers(0, len(history) - 1))
    ask = wire.user("one more question")
    documents = [[*(r.broken(wire, fault, at) if r.number == victim else r.whole(wire)), ask] for r in history]
    texts = [json.dumps(d, separators=(",", ": ")) for d in documents]
    text = newline.join(texts) + newline * end
    after = fixed_bytes(text.encode(), wire).decode()
    changed = after.removesuffix(newline).split(newline) if end else after.split(newline)
    assert after.endswith(newline) == end
    assert [n for n, (old, new) in enumerate(zip(texts, changed, strict=True)) if old != new] in ([], [victim])


@QUIET
@given(
    data=st.data(),
    history=rounds(),
    at=st.integers(0, 2),
    style=st.sampled_from(["plain", "single", "double", "literal"]),
)
def test_cassettes_keep_everything_else(data: st.DataObject, history: list[Round], at: int, style: str) -> None:
    wire = WIRES["openai-chat"]
    fault = data.draw(st.sampled_from(sorted(FAULTS)))
    victim = data.draw(st.integers(0, len(history) - 1))
    bad = [m for r in history for m in (r.broken(wire, fault, at) if r.number == victim else r.whole(wire))]
    body = json.dumps({"model": "gpt-4o", "messages": [*bad, wire.user("one more question")]})
    scalar = {
        "plain": "'" + body.replace("'", "''") + "'",
        "single": "'" + body.replace("'", "''") + "'",
        "double": json.dumps(body),
        "literal": "|-\n      " + body,
    }[style]
    head = "# kept by hand\nversion: 1\ninteractions:\n- request:\n    method: POST\n"
    head += "    uri: https://api.openai.com/v1/chat/completions\n    headers: {A: ['b']}   # odd\n    body: "
    tail = "\n  response:\n    status: {code: 500, message: x}\n    headers: {}\n    body: {string: ''}\n"
    before = f"{head}{scalar}{tail}".encode()
    made = fix_source(None, io.BytesIO(before), name="<stdin>", settings=Settings(), unsafe=True)
    after = before if made.encoded is None else made.encoded
    assert after.startswith(head.encode())
    assert after.endswith(tail.encode())
    again = fix_source(None, io.BytesIO(after), name="<stdin>", settings=Settings(), unsafe=True)
    assert again.encoded is None
    assert not [d for d in made.outcome.remaining if d.severity == "error"]
