"""Fixing: choose what may be fixed, carry it out, write the bytes, and check again, until nothing changes.

A pass takes fixes that do not touch each other, makes their edits on the bytes as read, and is kept only if the
outcome parses and brings no error that was not there before, or none that further fixes do not take away at once.  What
cannot be kept is undone and reported; the input is never harmed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.containers.plain import given
from turnlint.diagnostic import Diagnostic, Place, Safety, Severity
from turnlint.engine import Checker, Settings
from turnlint.errors import UsageError
from turnlint.model import Message, Part, Reasoning, State
from turnlint.repair import MoveCall, MoveResult, Relink, Remove, RenameId, SplitCall
from turnlint.repairing import PLACEHOLDER, Repairer, Unfixable
from turnlint.source.decode import decode
from turnlint.source.document import MISSING, Document
from turnlint.source.patch import Insert, Move, PatchError, apply, apply_tree, edits_for
from turnlint.source.pointer import around
from turnlint.source.tree import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from turnlint.containers import Container
    from turnlint.diagnostic import Fix
    from turnlint.model import Candidate, Transcript
    from turnlint.repair import Verb
    from turnlint.repairing import Edits
    from turnlint.source.patch import TreeEdit

MAX_ATTEMPTS = 96  # passes over one source, those that were undone included
LOOKAHEAD = 3  # passes by which what a fix uncovers must be fixed too
_UNDONE = "the fix was undone, as {why}: please report it"


class Applied(Struct, frozen=True):
    """One fix that was carried out.  `line` is that of the text as it was before the pass of this fix."""

    rule: str
    pointer: str
    title: str
    safety: Safety
    line: int | None = None


class Outcome(Struct):
    """What came of fixing some documents.

    `origins` tells for each document the position that it had before, None for one that was added.
    """

    documents: list[Document]
    applied: list[Applied] = field(default_factory=list)
    remaining: list[Diagnostic] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    origins: list[int | None] = field(default_factory=list)


class Fixed(Struct):
    """A repaired value.  `document` is a copy, or the input itself where nothing changed."""

    document: Any
    applied: list[Applied] = field(default_factory=list)
    remaining: list[Diagnostic] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class _Choice(Struct):
    """A diagnostic whose fix may be carried out, with what carries out those of its transcript."""

    diagnostic: Diagnostic
    fix: Fix
    repairer: Repairer
    safety: Safety


class _State(Struct):
    """The documents as they are after some passes, what is wrong in them, and what of it may be fixed."""

    documents: list[Document]
    origins: list[int | None]
    found: list[Diagnostic]
    choices: list[_Choice]
    histories: int = 0


_Step = tuple[_State, list[Applied]]


def fix_value(document: Any, settings: Settings, *, unsafe: bool = False) -> Fixed:
    """A repaired copy of a Python value; the input is not touched."""
    outcome = fix_documents([Document(document, b"", format="object")], settings, unsafe=unsafe)
    value = outcome.documents[0].value if outcome.documents else document
    return Fixed(value, outcome.applied, outcome.remaining, outcome.refused)


class FileFix(Struct):
    """What fixing came to for one source.  `after` is None where nothing may or need be written.

    `before` and `after` are the text as UTF-8 without a byte order mark; `encoded` is `after` as the file is kept.
    """

    outcome: Outcome
    before: bytes = b""
    after: bytes | None = None
    encoded: bytes | None = None
    signature: tuple[int, int] | None = None


def fix_source(
    path: Path | None, stream: BinaryIO | None = None, *, name: str, settings: Settings, unsafe: bool = False
) -> FileFix:
    """Fix one file or stream in memory; nothing is written."""
    from turnlint.source.reader import read

    if path is not None and path.exists() and not path.is_file():
        return FileFix(Outcome([], refused=["it is no regular file; as a filter, `turnlint fix -` takes any text"]))
    source = read(path, stream, name=name, keep=True)
    if source.kind == "binary":
        return FileFix(Outcome([], refused=["a file of this kind is read and not written"]))
    if source.faults:
        return FileFix(Outcome([]))
    documents = list(source.documents())
    before = text = source.text()
    mended: list[Applied] = []
    while source.kind == "jsonl" and _TORN in Checker(settings).names and len(mended) < _MOST_MENDED:
        text, more = _mended(text, documents, unsafe=unsafe)
        if not more:
            break
        mended += more
        documents = list(read(None, BytesIO(text), name=name, keep=True).documents())
    outcome = fix_documents(documents, settings, unsafe=unsafe)
    outcome.applied[:0] = mended
    if not outcome.applied:
        return FileFix(outcome, before)
    after = _joined(text, documents, outcome)
    return FileFix(outcome, before, after, source.encode(after), source.signature)


_TORN = "torn-line"  # raised by the engine, as only it sees the text; so its fixes are made here
_NUL = b"\0"
_MOST_MENDED = 1000  # lines; behind one that is cut off there may be another


def _mended(text: bytes, documents: Sequence[Document], *, unsafe: bool) -> tuple[bytes, list[Applied]]:
    """A JSONL text whose records stand each on a line of its own, and what was done for that.

    Line ends are put between records, NUL bytes between them are taken out, and so is what there is of a last line that
    was not written to its end, which is unsafe where that is more than NUL bytes.
    """
    newline = b"\r\n" if b"\r\n" in text[:65536] else b"\n"
    edits: list[tuple[int, int, bytes]] = []
    applied: list[Applied] = []

    def note(document: Document, title: str, safety: Safety = Safety.SAFE) -> None:
        applied.append(Applied(_TORN, "", title, safety, document.line))

    end = 0
    for document in documents:
        start, stop = document.offset, document.offset + len(document.data)
        torn = any(fault.kind == "torn" for fault in document.faults)
        gap = text[end:start]
        if torn and not document.readable:
            empty = not document.data.strip(_NUL + b" \t\r\n")
            if document is documents[-1] and document.number and (empty or unsafe):
                edits.append((start, len(text), b""))
                title = "cut the NUL bytes off" if empty else "cut off the line that was not written to its end"
                note(document, title, Safety.SAFE if empty else Safety.UNSAFE)
        elif torn and _NUL in gap:
            edits.append((end, start, gap.replace(_NUL, b"")))
            note(document, "take out the NUL bytes")
        elif torn and document.number and b"\n" not in gap:
            edits.append((end, start, newline))
            note(document, "put the records on lines of their own")
        end = stop
    return apply(text, edits), applied


def _joined(before: bytes, documents: Sequence[Document], outcome: Outcome) -> bytes:
    """The text with the fixed documents in it; what stands between documents stays where it is."""
    if outcome.origins == list(range(len(documents))):
        pairs = zip(documents, outcome.documents, strict=True)
        return apply(
            before,
            [(old.offset, old.offset + len(old.data), new.data) for old, new in pairs if old.data != new.data],
        )
    # Lines came, went or moved: each goes with the line end behind it, and with the blank lines before it.
    leads, trails, end = _around(before, documents)
    newline = next((trail for trail in trails if trail), b"\n")
    open_end = bool(trails) and not trails[-1]
    pieces: list[bytes] = []
    for position, (document, origin) in enumerate(zip(outcome.documents, outcome.origins, strict=True)):
        last = position == len(outcome.documents) - 1
        trail = newline if origin is None else trails[origin] or newline
        pieces += (b"" if origin is None else leads[origin], document.data, b"" if last and open_end else trail)
    return b"".join([*pieces, end])


def _around(text: bytes, documents: Sequence[Document]) -> tuple[list[bytes], list[bytes], bytes]:
    """What stands before each document, the line end behind each, and what stands behind the last line."""
    leads: list[bytes] = []
    trails: list[bytes] = []
    position = 0
    for document in documents:
        leads.append(text[position : document.offset])
        stop = document.offset + len(document.data)
        position = stop
        while text[position : position + 1] in (b" ", b"\t", b"\r"):
            position += 1
        position = position + 1 if text[position : position + 1] == b"\n" else stop
        trails.append(text[stop:position])
    return leads, trails, text[position:]


def fix_documents(documents: Sequence[Document], settings: Settings, *, unsafe: bool = False) -> Outcome:
    """Fix the documents of one source, which belong together or stand alone as their container has it."""
    if len(settings.targets) > 1:
        raise UsageError("fixing takes exactly one target: what is right for one provider is wrong for another")
    everything: list[int | None] = list(range(len(documents)))
    checker = Checker(settings)
    container, find = _finder(documents, checker)
    if container is not None and not container.writable:
        reason = f"a source of the kind {container.name} cannot be written"
        return Outcome(list(documents), refused=[reason], origins=everything)
    if container is None or not container.streaming:
        return _Fixer(checker, find, unsafe=unsafe).run(list(documents), everything)
    whole = Outcome([])
    for position, document in enumerate(documents):
        part = _Fixer(checker, find, unsafe=unsafe).run([document], [position])
        whole.documents.extend(part.documents)
        whole.applied.extend(part.applied)
        whole.remaining.extend(part.remaining)
        whole.refused.extend(part.refused)
        whole.origins.extend(part.origins)
    return whole


def single_fixes(
    documents: Sequence[Document], settings: Settings
) -> Iterator[tuple[Diagnostic, Safety, Callable[[], Edits]]]:
    """Every fix that may be carried out, its safety here, and what makes its edits (raises `Unfixable`)."""
    checker = Checker(settings)
    container, find = _finder(documents, checker)
    if len(settings.targets) > 1 or (container is not None and not container.writable):
        return
    alone = container is not None and container.streaming
    for group in ([document] for document in documents) if alone else (list(documents),):
        for choice in _Fixer(checker, find, unsafe=True).choices(group):
            yield choice.diagnostic, choice.safety, partial(choice.repairer.run, choice.fix.verbs)


def _finder(documents: Sequence[Document], checker: Checker) -> tuple[Container | None, _Find]:
    """The container of some documents, and what finds the histories in them."""
    head = [d for d in documents[: containers.HEAD] if d.readable]
    container = checker.container or containers.recognise(head)
    named: _Find = _named if checker.settings.dialect is not None and head else _nothing
    return container, named if container is None else container.find


_Find = Callable[[Iterable[Document]], Iterator["Candidate | Skipped"]]


def _nothing(_documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    yield from ()


def _named(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    """The history in a first document that no container knows, for a dialect that somebody named."""
    for document in documents:
        candidate = given(document.value, Place((), document.number))
        if candidate is not None:
            yield candidate
        return


class _Fixer:
    """Fixes documents that belong together, pass by pass."""

    def __init__(self, checker: Checker, find: _Find, *, unsafe: bool) -> None:
        self.checker = checker
        self.find = find
        self.unsafe = unsafe
        self.attempts = 0
        self.closed: dict[_Key, str] = {}  # what the shape or the log forbids
        self.refused: dict[_Key, str] = {}  # what cannot be done with the documents as they are now
        self.suspects: set[_Key] = set()  # fixes of which one is known to do harm
        self.bad: set[_Key] = set()  # those that did harm by themselves: they are tried again when all else is done
        self.placeholder = str(checker.settings.limits.get("placeholder") or PLACEHOLDER)

    def run(self, documents: list[Document], origins: list[int | None]) -> Outcome:
        applied: list[Applied] = []
        state = self._look(documents, origins)
        while (step := self._advance(state)) is not None:
            state, done = step
            applied.extend(done)
        reasons = dict.fromkeys([*self.closed.values(), *self.refused.values()])
        return Outcome(state.documents, applied, state.found, list(reasons), state.origins)

    # -- what there is to do

    def choices(self, documents: list[Document]) -> list[_Choice]:
        """What may be fixed in these documents."""
        return self._look(documents, list(range(len(documents)))).choices

    def _look(self, documents: list[Document], origins: list[int | None]) -> _State:
        """What is wrong in these documents, and what of it may be fixed."""
        state = _State(documents, origins, [], [])
        numbers = {d.number: d for d in documents}

        def resolve(place: Place) -> Any:
            return _resolve(numbers[place.document].value, place)

        for candidate in self.find(iter(documents)):
            if isinstance(candidate, Skipped):
                continue
            seen = self.checker.examine(candidate)
            state.found.extend(seen.diagnostics)
            state.histories += seen.info is not None
            if seen.transcript is None or seen.dialect is None or not seen.diagnostics:
                continue
            shape, reason = seen.dialect.shape, _why_not(candidate)
            if reason is not None or shape is None:
                fault = next((d for d in seen.diagnostics if d.severity is Severity.ERROR), None)
                if fault is not None:
                    _note(self.closed, fault, reason or f"{seen.dialect.name} is read and not written")
                continue
            repairer = Repairer(
                seen.transcript,
                seen.pairings[0],
                shape,
                resolve,
                placeholder=self.placeholder,
                records=lambda: ((d.number, d.value) for d in documents),
            )
            sealed_after = _last_signed(seen.transcript)
            for diagnostic in seen.diagnostics:
                fix = diagnostic.fix
                if fix is None or not fix.verbs:
                    continue
                safety = _safety(fix, seen.transcript, sealed_after)
                if safety is Safety.SAFE or (self.unsafe and diagnostic.severity is not Severity.INFO):
                    state.choices.append(_Choice(diagnostic, fix, repairer, safety))
        return state

    # -- passes

    def _advance(self, state: _State) -> _Step | None:
        """One pass that makes things better; None where there is none.

        Safe fixes come first, and of these the ones that bring calls and results together: where messages are merged
        or taken out is plain only then.
        """
        self.refused.clear()
        pools: dict[tuple[bool, bool, bool, bool], list[_Choice]] = {}
        for choice in state.choices:
            key = _key(choice.diagnostic)
            rank = (key in self.bad, choice.safety is Safety.UNSAFE, not _links(choice.fix), key in self.suspects)
            pools.setdefault(rank, []).append(choice)
        for rank in sorted(pools):
            rest = pools[rank]
            while rest:
                group = self._apart(rest)[: 1 if rank[0] else None]
                step = self._most_of(state, group, suspect=rank[-1]) if group else None
                if step is not None:
                    return step
                tried = {id(c) for c in group}
                rest = [c for c in rest if id(c) not in tried and _key(c.diagnostic) not in self.refused]
        return None

    def _apart(self, choices: Iterable[_Choice], *, ahead: bool = False) -> list[_Choice]:
        """Those that can be carried out and touch nothing that one before them touches; the others wait.

        `ahead`: the documents are a try, so that what cannot be done with them is not worth telling.
        """
        claims = _Claims()
        chosen = []
        for choice in choices:
            try:
                edits = choice.repairer.run(choice.fix.verbs)
            except Unfixable as reason:
                if not ahead:
                    _note(self.refused, choice.diagnostic, str(reason))
                continue
            if claims.take(edits, _marks(choice.fix.verbs)):
                chosen.append(choice)
        return chosen

    def _most_of(self, state: _State, group: list[_Choice], *, suspect: bool = False) -> _Step | None:
        """All of a group, or where that does harm a half of it, and so on down to a single fix.

        `suspect`: one of them is known to do harm.  Which fixes are still suspect is kept for the next pass, so that a
        single bad one costs few more passes than there are halves.
        """
        if not suspect or len(group) == 1:
            step = self._try(state, group, state.found)
            if step is not None:
                self.suspects.difference_update(_key(c.diagnostic) for c in group)
                return step
        if len(group) == 1 or self.attempts >= MAX_ATTEMPTS:
            self.bad.update(_key(c.diagnostic) for c in group)
            for choice in group:
                _note(self.refused, choice.diagnostic, _UNDONE.format(why="it did not make things better"))
            return None
        half, rest = group[: len(group) // 2], group[len(group) // 2 :]
        self.suspects = {_key(c.diagnostic) for c in group}
        step = self._most_of(state, half)
        if step is not None:
            self.suspects = {_key(c.diagnostic) for c in rest}
            return step
        return self._most_of(state, rest)

    def _try(self, state: _State, group: list[_Choice], base: Sequence[Diagnostic], depth: int = 0) -> _Step | None:
        """The state after these fixes, and those that they make necessary; None where that is no better than `base`."""
        if self.attempts >= MAX_ATTEMPTS:
            return None
        self.attempts += 1
        try:
            documents, origins = _rewritten(state, _edits(group))
        except (Unfixable, PatchError) as reason:
            if len(group) == 1 and depth == 0:
                _note(self.refused, group[0].diagnostic, str(reason))
            return None
        now = self._look(documents, origins)
        if now.histories < state.histories:
            return None  # nothing would be wrong any more because nobody would look any more
        done = _told(state.documents, group)
        new = _new_errors(base, now.found)
        if not new and _weight(now.found) < _weight(base):
            return now, done
        if depth == LOOKAHEAD:
            return None
        uncovered = new or _risen(base, now.found)
        follow = self._apart((c for c in now.choices if c.diagnostic.rule in uncovered), ahead=True)
        step = self._try(now, follow, base, depth + 1) if follow else None
        if step is None:
            if len(group) == 1 and depth == 0 and new:
                why = f"it brings what {' and '.join(sorted(new))} tells"
                _note(self.refused, group[0].diagnostic, _UNDONE.format(why=why))
            return None
        return step[0], done + step[1]


_Key = tuple[str, int, str]


def _key(found: Diagnostic) -> _Key:
    return found.rule, found.document, found.pointer


def _note(reasons: dict[_Key, str], found: Diagnostic, reason: str) -> None:
    """Note why a finding is not fixed; the first reason is the one that is told."""
    reasons.setdefault(_key(found), f"{found.rule} at {found.pointer or '/'}: {reason}")


def _links(fix: Fix) -> bool:
    """Whether a fix brings calls and results together."""
    return any(isinstance(verb, (MoveResult, Relink, RenameId, MoveCall, SplitCall)) for verb in fix.verbs)


def _why_not(candidate: Candidate) -> str | None:
    """Why nothing of a candidate may be written."""
    if candidate.state is not State.COMPLETE:
        return f"the log is not complete ({candidate.state.value})"
    if not candidate.fixable:
        return "this kind of file is read and not written"
    return None


def _edits(choices: Sequence[_Choice]) -> list[Edits]:
    """The edits of several fixes, those of one transcript made together."""
    groups: dict[int, list[_Choice]] = {}
    for choice in choices:
        groups.setdefault(id(choice.repairer), []).append(choice)
    return [group[0].repairer.run(v for c in group for v in c.fix.verbs) for group in groups.values()]


# -- whether a pass made things better


def _spoken(found: Iterable[Diagnostic]) -> Iterator[tuple[Severity, str]]:
    """Every finding and every consequence of one, which shows once its cause is gone."""
    for diagnostic in found:
        yield diagnostic.severity, diagnostic.rule
        for rule in diagnostic.also:
            yield diagnostic.severity, rule


def _weight(found: Sequence[Diagnostic]) -> tuple[int, ...]:
    """How much is wrong: errors first, then warnings, then infos."""
    counts = Counter(severity for severity, _ in _spoken(found))
    return tuple(counts[severity] for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO))


def _new_errors(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> set[str]:
    """The rules of which there are more errors than before."""
    old = Counter(rule for severity, rule in _spoken(before) if severity is Severity.ERROR)
    new = Counter(d.rule for d in after if d.severity is Severity.ERROR)
    return {rule for rule, count in new.items() if count > old[rule]}


def _risen(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> set[str]:
    """The rules of which there are more findings than before."""
    old, new = (Counter(rule for _, rule in _spoken(found)) for found in (before, after))
    return {rule for rule, count in new.items() if count > old[rule]}


# -- whether a fix is safe


def _last_signed(transcript: Transcript) -> int:
    """The index of the last message with signed reasoning, where signatures bind what stands before them; else -1."""
    if transcript.dialect not in _BOUND:
        return -1
    signed = (p.message.index for p in transcript.parts() if isinstance(p, Reasoning) and (p.signature or p.encrypted))
    return max(signed, default=-1)


_BOUND = frozenset({"anthropic", "bedrock-converse"})


def _safety(fix: Fix, transcript: Transcript, last_signed: int) -> Safety:
    """A fix upstream of a signed reasoning block is unsafe: on some models the signature binds what stands before."""
    if fix.safety is Safety.UNSAFE or last_signed < 0:
        return fix.safety
    first = min((i for v in fix.verbs for i in _indexes(v, transcript)), default=last_signed)
    return Safety.UNSAFE if first < last_signed else Safety.SAFE


def _objects(verb: Verb) -> Iterator[Part | Message]:
    """The parts and messages that a verb changes or leans on."""
    for name in verb.__struct_fields__:
        value = getattr(verb, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, (Part, Message)):
                yield item


def _indexes(verb: Verb, transcript: Transcript) -> Iterator[int]:
    """The indexes of the messages that a verb touches; what stands beside the list has none."""
    for item in _objects(verb):
        yield item.index if isinstance(item, Message) else item.message.index
    at: Place | None = getattr(verb, "at", None)
    if at is None:
        return
    places, base = transcript.candidate.places, transcript.at.path
    if places is not None:
        yield from (n for n, p in enumerate(places) if p.document == at.document and at.path[: len(p.path)] == p.path)
    elif at.path[: len(base)] == base and len(at.path) > len(base) and isinstance(at.path[len(base)], int):
        yield int(at.path[len(base)])


# -- which fixes touch each other


def _marks(verbs: Iterable[Verb]) -> set[int]:
    """Marks of the calls and results that some verbs are about: what becomes of one is one fix's to say."""
    marks: set[int] = set()
    for verb in verbs:
        for item in _objects(verb):
            if isinstance(item, Part):
                marks.add(id(item))
            elif isinstance(verb, Remove):
                marks.update(id(p) for p in item.parts)
    return marks


class _Claims:
    """What the fixes of a pass change: places in documents, and calls and results."""

    def __init__(self) -> None:
        self.taken: set[tuple[int, str]] = set()  # places that are replaced, taken out or moved
        self.above: set[tuple[int, str]] = set()  # those, and all that hold one or get something new
        self.marks: set[int] = set()

    def take(self, edits: Edits, marks: set[int]) -> bool:
        """Claim what some edits change, unless anything of it is claimed already."""
        whole = {(n, "") for n in edits.lines.removed}
        held: set[tuple[int, str]] = set()
        for number, tree in edits.trees.items():
            for edit in tree:
                if isinstance(edit, Insert):
                    place = f"{edit.pointer}/{edit.position}" if isinstance(edit.position, str) else edit.pointer
                    (whole if isinstance(edit.position, str) else held).add((number, place))
                else:
                    whole.add((number, place_of(edit)))
                    if isinstance(edit, Move):
                        held.add((number, edit.target))
        if not self.marks.isdisjoint(marks) or not self.above.isdisjoint(whole):
            return False
        ways = {(n, p) for n, place in whole | held for p in around(place)}
        if not self.taken.isdisjoint(ways):
            return False
        self.taken |= whole
        self.above |= ways
        self.marks |= marks
        return True


# -- documents


def _resolve(value: Any, place: Place) -> Any:
    """The value at a place; walks through text that holds JSON.  Raises `LookupError` where there is none."""
    for step in place.path:
        if isinstance(value, str):
            value = decode(value.encode("utf-8", "surrogatepass"))[0]
        if isinstance(value, list):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value[str(step)]
        else:
            raise KeyError(step)
    return value


def _rewritten(state: _State, made: Sequence[Edits]) -> tuple[list[Document], list[int | None]]:
    """The documents after the edits, with new bytes where they had bytes, and where each came from."""
    trees: dict[int, list[TreeEdit]] = {}
    removed: set[int] = set()
    behind: dict[int, list[tuple[Document, int | None]]] = {}
    numbers = {d.number: (d, origin) for d, origin in zip(state.documents, state.origins, strict=True)}
    for edits in made:
        for number, more in edits.trees.items():
            trees.setdefault(number, []).extend(more)
        removed |= edits.lines.removed
        for after, moved, value in edits.lines.placed:
            line = (_new_line(value, state.documents), None) if moved is None else numbers[moved]
            behind.setdefault(after, []).append(line)
    changed = behind.get(-1, [])[:]
    for number, (document, origin) in numbers.items():
        if number not in removed:
            changed.append((_edited(document, trees[number]) if number in trees else document, origin))
        changed.extend(behind.get(number, ()))
    if not removed and not behind:
        return [d for d, _ in changed], state.origins
    return [replace(d, number=n) for n, (d, _) in enumerate(changed)], [origin for _, origin in changed]


def _new_line(value: Any, documents: Sequence[Document]) -> Document:
    """A value as a line of a JSONL file, written as the first line is."""
    from turnlint.source.spelling import Style

    like = documents[0]
    if like.format == "object":
        return Document(value, b"", format="object")
    text = Style.of(like.data, 0, len(like.data)).text(value)
    return Document(value, text.encode("utf-8", "surrogatepass"))


def _edited(document: Document, edits: list[TreeEdit]) -> Document:
    if not document.data:
        return replace(document, value=apply_tree(document.value, edits))
    kind: Literal["json", "yaml"] = "yaml" if document.format == "yaml" else "json"
    data = apply(document.data, edits_for(document.data, edits, kind))
    if kind == "yaml":
        from turnlint.source.yamltext import decode_yaml

        value, faults = decode_yaml(data)
    else:
        value, faults = decode(data)
    if value is MISSING:
        raise PatchError("the text would not parse any more")
    return replace(document, data=data, value=value, faults=faults)


def _told(documents: Sequence[Document], group: Sequence[_Choice]) -> list[Applied]:
    """The fixes of a pass, with the lines on which what they fix stands."""
    by_document: dict[int, set[str]] = {}
    for choice in group:
        by_document.setdefault(choice.diagnostic.document, set()).add(choice.diagnostic.pointer)
    lines = {d.number: _lines_of(d, by_document[d.number]) for d in documents if d.number in by_document}
    return [
        Applied(
            c.diagnostic.rule,
            c.diagnostic.pointer,
            c.fix.title,
            c.safety,
            lines.get(c.diagnostic.document, {}).get(c.diagnostic.pointer),
        )
        for c in group
    ]


def _lines_of(document: Document, pointers: set[str]) -> Mapping[str, int]:
    if not document.data:
        return {}
    from turnlint.source.lines import LineIndex
    from turnlint.source.scan import locate, locate_yaml

    spans = (locate_yaml if document.format == "yaml" else locate)(document.data, pointers)
    index = LineIndex(document.data, document.line, document.column)
    return {pointer: index.position(span.start)[0] for pointer, span in spans.items()}
