"""Fixing: choose what may be fixed, carry it out, write the bytes, and check again, until nothing changes.

A pass takes fixes that do not touch each other, makes their edits on the bytes as read, and is kept only if the
outcome parses and brings no error that was not there before.  What cannot be kept is undone and reported; the input
is never harmed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.diagnostic import Diagnostic, Place, Safety, Severity
from turnlint.engine import Checker, Settings
from turnlint.errors import UsageError
from turnlint.model import Message, Part, Reasoning, State
from turnlint.repair import (
    HoistSystem,
    MergeMessages,
    MoveMessage,
    MoveResult,
    Relink,
    RemoveKey,
    ReorderParts,
    SetValue,
    SplitMessage,
)
from turnlint.repairing import PLACEHOLDER, Repairer, Unfixable
from turnlint.source.decode import decode
from turnlint.source.document import Document
from turnlint.source.patch import PatchError, apply, apply_tree, edits_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from turnlint.containers import Container
    from turnlint.diagnostic import Fix
    from turnlint.dialects import Shape
    from turnlint.model import Candidate, Transcript
    from turnlint.pairing import Pairing
    from turnlint.repair import Verb
    from turnlint.repairing import Edits
    from turnlint.source.patch import TreeEdit

MAX_PASSES = 24
_UNDONE = "the fix was undone, as it did not make things better: please report it"


class Applied(Struct, frozen=True):
    """One fix that was carried out."""

    rule: str
    pointer: str
    title: str
    safety: Safety
    line: int | None = None


class Outcome(Struct):
    """What came of fixing some documents."""

    documents: list[Document]
    applied: list[Applied] = field(default_factory=list)
    remaining: list[Diagnostic] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Fixed(Struct):
    """A repaired value.  `document` is a copy, or the input itself where nothing changed."""

    document: Any
    applied: list[Applied] = field(default_factory=list)
    remaining: list[Diagnostic] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class _Choice(Struct):
    """A diagnostic whose fix may be carried out, with the transcript it belongs to."""

    diagnostic: Diagnostic
    transcript: Transcript
    pairing: Pairing
    shape: Shape
    safety: Safety


def fix_value(document: Any, settings: Settings, *, unsafe: bool = False) -> Fixed:
    """A repaired copy of a Python value; the input is not touched."""
    from turnlint.source.document import Document

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

    source = read(path, stream, name=name, keep=True)
    if source.faults or source.kind == "binary":
        return FileFix(Outcome([]))
    documents = list(source.documents())
    before = source.text()
    outcome = fix_documents(documents, settings, unsafe=unsafe)
    if not outcome.applied:
        return FileFix(outcome, before)
    after = _joined(before, documents, outcome.documents)
    return FileFix(outcome, before, after, source.encode(after), source.signature)


def _joined(before: bytes, documents: Sequence[Document], fixed: Sequence[Document]) -> bytes:
    """The text with the fixed documents in it; what stands between documents stays."""
    if len(documents) == len(fixed) and all(a.offset == b.offset for a, b in zip(documents, fixed, strict=True)):
        return apply(
            before,
            [
                (old.offset, old.offset + len(old.data), new.data)
                for old, new in zip(documents, fixed, strict=True)
                if old.data != new.data
            ],
        )
    # Lines came, went or moved: all lines are written anew, each with its own bytes.
    newline = b"\r\n" if b"\r\n" in before[:65536] else b"\n"
    end = newline if before.endswith(b"\n") else b""
    return newline.join(d.data for d in fixed) + end


def fix_documents(documents: Sequence[Document], settings: Settings, *, unsafe: bool = False) -> Outcome:
    """Fix the documents of one source, which belong together or stand alone as their container has it."""
    if len(settings.targets) > 1:
        raise UsageError("fixing takes exactly one target: what is right for one provider is wrong for another")
    checker = Checker(settings)
    container = checker.container or containers.recognise([d for d in documents[: containers.HEAD] if d.readable])
    if container is None:
        return Outcome(list(documents))
    if not container.writable:
        return Outcome(list(documents), refused=[f"a source of the kind {container.name} cannot be written"])
    if not container.streaming:
        return _Fixer(checker, container, unsafe=unsafe).run(list(documents))
    whole = Outcome([])
    for document in documents:
        part = _Fixer(checker, container, unsafe=unsafe).run([document])
        whole.documents.extend(part.documents)
        whole.applied.extend(part.applied)
        whole.remaining.extend(part.remaining)
        whole.refused.extend(part.refused)
    return whole


class _Fixer:
    """Fixes documents that belong together, pass by pass."""

    def __init__(self, checker: Checker, container: Container, *, unsafe: bool) -> None:
        self.checker = checker
        self.container = container
        self.unsafe = unsafe
        self.refused: dict[tuple[str, str], str] = {}
        self.placeholder = str(checker.settings.limits.get("placeholder") or PLACEHOLDER)

    def run(self, documents: list[Document]) -> Outcome:
        applied: list[Applied] = []
        choices, found = self._look(documents)
        for _ in range(MAX_PASSES):
            if not choices:
                break
            step = self._pass(documents, choices, found)
            if step is None:
                break
            documents, done, choices, found = step
            applied.extend(done)
        return Outcome(documents, applied, found, list(dict.fromkeys(self.refused.values())))

    def _look(self, documents: Sequence[Document]) -> tuple[list[_Choice], list[Diagnostic]]:
        """What is wrong in these documents, and what of it may be fixed."""
        choices: list[_Choice] = []
        found: list[Diagnostic] = []
        for candidate in self.container.find(iter(documents)):
            if isinstance(candidate, Skipped):
                continue
            seen = self.checker.examine(candidate)
            found.extend(seen.diagnostics)
            if seen.transcript is None or seen.dialect is None:
                continue
            for diagnostic in seen.diagnostics:
                fix = diagnostic.fix
                if fix is None or not fix.verbs or (diagnostic.rule, diagnostic.pointer) in self.refused:
                    continue
                reason = self._why_not(candidate)
                if reason is not None or seen.dialect.shape is None:
                    self._refuse(diagnostic, reason or f"{seen.dialect.name} is read and not written")
                    continue
                safety = _safety(fix, seen.transcript)
                if safety is Safety.UNSAFE and not self.unsafe:
                    continue
                choices.append(_Choice(diagnostic, seen.transcript, seen.pairings[0], seen.dialect.shape, safety))
        return choices, found

    @staticmethod
    def _why_not(candidate: Candidate) -> str | None:
        if candidate.state is not State.COMPLETE:
            return f"the log is not complete ({candidate.state.value})"
        if not candidate.fixable:
            return "this kind of file is read and not written"
        return None

    def _refuse(self, diagnostic: Diagnostic, reason: str) -> None:
        place = diagnostic.pointer or "/"
        self.refused[diagnostic.rule, diagnostic.pointer] = f"{diagnostic.rule} at {place}: {reason}"

    def _pass(
        self, documents: list[Document], choices: list[_Choice], found: list[Diagnostic]
    ) -> tuple[list[Document], list[Applied], list[_Choice], list[Diagnostic]] | None:
        """One pass: all fixes that do not meet, or where that does harm, each by itself; None where nothing is left."""
        together = self._apart([c for c in choices if self._can(c, documents)])
        if not together:
            return None
        kept = self._try(documents, together, found)
        if kept is not None:
            return kept
        if len(together) == 1:
            self._refuse(
                together[0].diagnostic, "the fix was undone, as it did not make things better: please report it"
            )
            rest = [c for c in choices if c is not together[0]]
            return self._pass(documents, rest, found) if rest else None
        for choice in together:
            kept = self._try(documents, [choice], found)
            if kept is not None:
                return kept
            self._refuse(choice.diagnostic, _UNDONE)
        return None

    def _can(self, choice: _Choice, documents: Sequence[Document]) -> bool:
        try:
            self._edits([choice], documents)
        except (Unfixable, PatchError) as reason:
            self._refuse(choice.diagnostic, str(reason))
            return False
        return True

    def _apart(self, choices: Iterable[_Choice]) -> list[_Choice]:
        """Those that touch nothing that one before them touches; the others wait for the next pass."""
        busy: set[object] = set()
        chosen = []
        for choice in choices:
            assert choice.diagnostic.fix is not None
            touched = set()
            for verb in choice.diagnostic.fix.verbs:
                touched |= _touches(verb, choice.transcript)
            if busy.isdisjoint(touched):
                busy |= touched
                chosen.append(choice)
        return chosen

    def _edits(self, choices: Sequence[_Choice], documents: Sequence[Document]) -> list[Edits]:
        by_transcript: dict[int, list[_Choice]] = {}
        for choice in choices:
            by_transcript.setdefault(id(choice.transcript), []).append(choice)
        numbers = {d.number: d for d in documents}
        made = []
        for group in by_transcript.values():
            first = group[0]
            repairer = Repairer(
                first.transcript,
                first.pairing,
                first.shape,
                lambda place: _resolve(numbers[place.document].value, place),
                placeholder=self.placeholder,
            )
            made.append(repairer.run(v for c in group if c.diagnostic.fix for v in c.diagnostic.fix.verbs))
        return made

    def _try(
        self, documents: list[Document], choices: list[_Choice], found: list[Diagnostic]
    ) -> tuple[list[Document], list[Applied], list[_Choice], list[Diagnostic]] | None:
        try:
            changed = _rewrite(documents, self._edits(choices, documents))
        except (Unfixable, PatchError) as reason:
            if len(choices) == 1:
                self._refuse(choices[0].diagnostic, str(reason))
            return None
        more, now = self._look(changed)
        if not _better(found, now, len(choices)):
            return None
        done = [
            Applied(d.rule, d.pointer, d.fix.title, c.safety, _line_of(documents, d))
            for c in choices
            if (d := c.diagnostic).fix is not None
        ]
        return changed, done, more, now


def _line_of(documents: Sequence[Document], found: Diagnostic) -> int | None:
    """The line of a diagnostic in the text as it was before this pass."""
    document = next((d for d in documents if d.number == found.document), None)
    if document is None or not document.data:
        return None
    from turnlint.source.lines import LineIndex

    if document.format == "yaml":
        from turnlint.source.scan import locate_yaml as locate
    else:
        from turnlint.source.scan import locate
    span = locate(document.data, [found.pointer]).get(found.pointer)
    return None if span is None else LineIndex(document.data, document.line, document.column).position(span.start)[0]


def _better(before: Sequence[Diagnostic], after: Sequence[Diagnostic], _fixes: int) -> bool:
    """Whether a pass may stand: fewer findings than before, and of no rule more errors than before."""
    errors_before = Counter(d.rule for d in before if d.severity is Severity.ERROR)
    errors_after = Counter(d.rule for d in after if d.severity is Severity.ERROR)
    if any(count > errors_before[rule] for rule, count in errors_after.items()):
        return False
    weight = {Severity.ERROR: 10_000, Severity.WARNING: 100, Severity.INFO: 1}
    return sum(weight[d.severity] for d in after) < sum(weight[d.severity] for d in before)


def _safety(fix: Fix, transcript: Transcript) -> Safety:
    """A fix upstream of a signed reasoning block is unsafe: on some models the signature binds what stands before."""
    if fix.safety is Safety.UNSAFE or transcript.dialect not in _BOUND:
        return fix.safety
    first = min((i for v in fix.verbs for i in _indexes(v)), default=0)
    signed = any(
        isinstance(p, Reasoning) and (p.signature or p.encrypted)
        for m in transcript.messages
        if m.index > first
        for p in m.parts
    )
    return Safety.UNSAFE if signed else Safety.SAFE


_BOUND = frozenset({"anthropic", "bedrock-converse"})


def _objects(verb: Verb) -> list[Part | Message]:
    """The parts and messages that a verb changes or leans on."""
    found: list[Part | Message] = []
    for name in verb.__struct_fields__:
        value = getattr(verb, name)
        items = value if isinstance(value, tuple) else (value,)
        found.extend(item for item in items if isinstance(item, (Part, Message)))
    return found


def _indexes(verb: Verb) -> list[int]:
    return [o.index if isinstance(o, Message) else o.message.index for o in _objects(verb)]


def _touches(verb: Verb, transcript: Transcript) -> set[object]:
    """Marks of what a verb changes; two fixes with a mark in common are not made in one pass."""
    whole = id(transcript)
    if isinstance(verb, (SetValue, RemoveKey)):
        return {(whole, verb.at)}
    if isinstance(verb, (MergeMessages, MoveMessage, HoistSystem, SplitMessage, ReorderParts)):
        return {(whole, index) for index in _indexes(verb)} | {(whole, "shape")}
    if isinstance(verb, (MoveResult, Relink)):
        return {(whole, id(verb.result)), (whole, verb.result.message.index, "moved")}
    return {(whole, id(o)) for o in _objects(verb)}


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


def _rewrite(documents: Sequence[Document], made: Sequence[Edits]) -> list[Document]:
    """The documents after the edits, with new bytes where they had bytes."""
    trees: dict[int, list[TreeEdit]] = {}
    removed: set[int] = set()
    behind: dict[int, list[tuple[bytes, Any]]] = {}
    numbers = {d.number: d for d in documents}
    for edits in made:
        for number, more in edits.trees.items():
            trees.setdefault(number, []).extend(more)
        removed |= edits.lines.removed
        for number, after in edits.lines.moved:
            removed.add(number)
            behind.setdefault(after, []).append((numbers[number].data, numbers[number].value))
        for after, value in edits.lines.added:
            behind.setdefault(after, []).append((_line(value), value))
    changed: list[Document] = [_new(*item) for item in behind.get(-1, ())]
    for document in documents:
        if document.number in trees and document.number not in removed:
            changed.append(_edited(document, trees[document.number]))
        elif document.number not in removed:
            changed.append(document)
        changed.extend(_new(*item) for item in behind.get(document.number, ()))
    if removed or behind:
        return [replace(d, number=n) for n, d in enumerate(changed)]
    return changed


def _line(value: Any) -> bytes:
    """A value as a line of a JSONL file."""
    import json

    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _new(data: bytes, value: Any) -> Document:
    return Document(value, data)


def _edited(document: Document, edits: list[TreeEdit]) -> Document:
    if not document.data:
        return replace(document, value=apply_tree(document.value, edits))
    kind: Literal["json", "yaml"] = "yaml" if document.format == "yaml" else "json"
    data = apply(document.data, edits_for(document.data, edits, kind))
    if kind == "yaml":
        from turnlint.source.yamltext import decode_yaml

        return replace(document, data=data, value=decode_yaml(data)[0])
    value, faults = decode(data)
    return replace(document, data=data, value=value, faults=faults)
