"""Repair verbs carried out on a saved shape: from neutral words to edits of the decoded tree.

A rule says what (`turnlint.repair`), a dialect says how its results, texts and messages are written (`Shape`), and
this module does what all dialects have in common: which list, which index, what becomes empty.  All edits name places
of the document as it was read; `source.patch` turns them into bytes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint.diagnostic import Place, pointer_of
from turnlint.model import Kind, Message, Part, Reasoning, Result, Speaker, Tool
from turnlint.repair import (
    AddText,
    DeclareTools,
    HandOver,
    HoistSystem,
    InsertMessage,
    InsertPlaceholder,
    MergeMessages,
    MoveCall,
    MoveMessage,
    MoveResult,
    MoveText,
    Relink,
    Remove,
    RemoveKey,
    RenameId,
    ReorderMessages,
    ReorderParts,
    ResultAsText,
    Rewrite,
    SetArguments,
    SetContent,
    SetName,
    SetReasoning,
    SetSchema,
    SetSignature,
    SetSpeaker,
    SetValue,
    SplitCall,
    SplitMessage,
    StopThinking,
)
from turnlint.source.decode import decode
from turnlint.source.patch import Insert, Move, Quote, Replace
from turnlint.source.patch import Remove as Delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from turnlint.dialects import Shape
    from turnlint.model import Call, Transcript
    from turnlint.pairing import Exchange, Pairing
    from turnlint.repair import Verb
    from turnlint.source.patch import TreeEdit

PLACEHOLDER = "[no result was recorded for this tool call; its outcome is unknown]"
AS_TEXT = "[result of an earlier tool call]"
_BLANK_LINE = "\n\n"


class Unfixable(Exception):  # noqa: N818 - a reason, no error of the program
    """Why this shape or container cannot take a repair; the text is shown to the user."""


class Lines(Struct):
    """Edits of whole lines, where each message is a line of its own: by document number."""

    removed: set[int] = field(default_factory=set)
    placed: list[tuple[int, int | None, Any]] = field(default_factory=list)
    """Behind which line (-1: the front), and the line that goes there; or None and a new value."""


class Edits(Struct):
    """What a set of verbs comes to: tree edits by document number, and edits of whole lines."""

    trees: dict[int, list[TreeEdit]] = field(default_factory=dict)
    lines: Lines = field(default_factory=Lines)

    def add(self, document: int, edit: TreeEdit) -> None:
        self.trees.setdefault(document, []).append(edit)


class _Answer(Struct):
    """A result on its way into the window of its call: one that is moved, or the value of a new one."""

    call: Call
    alone: bool
    value: Any = None
    moved: Result | None = None


class Repairer:
    """Carries verbs out on one transcript; each `run` stands for itself.

    `resolve` gives the decoded value at a place, or raises `LookupError`; `records` gives the number and value of each
    document of the source.
    """

    def __init__(
        self,
        transcript: Transcript,
        pairing: Pairing,
        shape: Shape,
        resolve: Callable[[Place], Any],
        *,
        placeholder: str = PLACEHOLDER,
        records: Callable[[], Iterable[tuple[int, Any]]] = tuple,
    ) -> None:
        self.transcript = transcript
        self.pairing = pairing
        self.shape = shape
        self.resolve = resolve
        self.placeholder = placeholder
        self.saved: dict[int, list[Message]] = {}  # what each saved message was read as, by its index
        for message in transcript.messages:
            self.saved.setdefault(message.index, []).append(message)
        places = transcript.candidate.places
        path = () if transcript.candidate.wrap is None or not places else places[0].path
        self.by_line = places is not None and len(places) > 1 and all(p.path == path for p in places)
        self.joined = bool(transcript.candidate.moved)  # messages that a container made of several records
        self.sealed = _sealed(transcript)
        self.all_records = records

    @cached_property
    def unread(self) -> set[int]:
        """The indexes of messages that hold something in the shape of another dialect."""
        from turnlint.dialects.flaws import flaws_of

        strange = [f for f in flaws_of(self.transcript) if f.kind == "foreign" or (f.kind == "key" and not f.verbs)]
        subjects = [f.subject for f in strange if f.subject is not None]
        return {s.index if isinstance(s, Message) else s.message.index for s in subjects}

    @cached_property
    def followers(self) -> dict[str, list[int]]:
        """The records that name another one as the one before them, by its ID."""
        chain = self.transcript.candidate.chain
        found: dict[str, list[int]] = {}
        if chain is None:
            return found
        for number, value in self.all_records():
            before = value.get(chain[1]) if isinstance(value, dict) else None
            if isinstance(before, str):
                found.setdefault(before, []).append(number)
        return found

    def run(self, verbs: Iterable[Verb]) -> Edits:
        """The edits that carry these verbs out together.  Raises `Unfixable` where the shape cannot take them."""
        try:
            return _Run(self).run(verbs)
        except LookupError as error:
            raise Unfixable("what would have to change is not where it was read") from error


def _sealed(transcript: Transcript) -> set[Place]:
    """The places of what the provider has signed or encrypted, which is never written."""
    places: set[Place] = set()
    for part in transcript.parts():
        if isinstance(part, Reasoning) and (part.signature or part.encrypted):
            places |= {at for at in (part.text_at, part.signature_at) if at is not None and at != part.at}
    return places


class _Run:
    """One set of verbs on one transcript.  Parts that come and go are only noted, and written at the end."""

    def __init__(self, of: Repairer) -> None:
        self.transcript = of.transcript
        self.pairing = of.pairing
        self.shape = of.shape
        self.resolve = of.resolve
        self.placeholder = of.placeholder
        self.saved = of.saved
        self.by_line = of.by_line
        self.joined = of.joined
        self.sealed = of.sealed
        self.of = of
        self.edits = Edits()
        self.added: dict[int, list[Any]] = {}  # new records of a chain, by the record behind which they go
        self.gone: dict[int, list[Part]] = {}  # parts that leave a message, by message index
        self.removed: set[int] = set()  # messages that leave the list
        self.answers: dict[int, tuple[Exchange, list[_Answer]]] = {}  # by the number of the exchange's first call
        self.splits: list[SplitMessage] = []
        self.new_calls: dict[int, tuple[Message, list[Any]]] = {}  # entries of the call list, by message index
        self.originals: dict[int, tuple[Place, Any]] = {}  # lists and objects that new values may hold, by id()

    def run(self, verbs: Iterable[Verb]) -> Edits:
        for verb in verbs:
            self._carry_out(verb)
        for exchange, answers in self.answers.values():
            self._write_answers(exchange, sorted(answers, key=lambda answer: answer.call.number))
        for split in self.splits:
            self._split(split.message, split.parts, before=split.before)
        self._write_calls()
        self._write_gone()
        self._write_chain()
        self._quote()
        self._something_stays()
        return self.edits

    def _something_stays(self) -> None:
        """A history of which nothing is left is no repaired one."""
        messages = self.transcript.messages
        gone = any(m.index in self.removed for m in messages)
        if not gone or any(m.index not in self.removed and m.speaker is not Speaker.SYSTEM for m in messages):
            return
        lists = (edit for edits in self.edits.trees.values() for edit in edits)
        if not self.edits.lines.placed and not any(
            isinstance(e, Insert) and isinstance(e.position, int) for e in lists
        ):
            raise Unfixable("nothing would be left of the conversation")

    def _original(self, at: Place) -> Any:
        """The value at a place, which is kept as it is written where it becomes a part of a new one."""
        value = self.resolve(at)
        if isinstance(value, (dict, list)):
            self.originals[id(value)] = at, value
        return value

    def _quote(self) -> None:
        """Let new values name the originals in them, so that these are copied byte by byte."""
        if not self.originals:
            return
        for document, edits in self.edits.trees.items():
            edits[:] = [
                replace(edit, value=self._quoted(edit.value, document)) if isinstance(edit, (Insert, Replace)) else edit
                for edit in edits
            ]

    def _quoted(self, value: Any, document: int) -> Any:
        original = self.originals.get(id(value))
        if original is not None and original[0].document == document:
            return Quote(pointer_of(original[0].path))
        if type(value) is dict:
            return {key: self._quoted(child, document) for key, child in value.items()}
        return [self._quoted(child, document) for child in value] if type(value) is list else value

    def _carry_out(self, verb: Verb) -> None:
        match verb:
            case MoveResult(result, call, alone):
                self._move_result(result, call, alone=alone)
            case Relink(result, call):
                self._set_id(result, call.id)
            case RenameId(call, results, to):
                self._set_id(call, to)
                for result in results:
                    self._set_id(result, to)
            case Remove(target):
                self._remove(target)
            case RemoveKey(at):
                self.edits.add(at.document, Delete(pointer_of(at.path)))
            case SetValue(at, value):
                self._set_value(at, value)
            case SetArguments(call, value):
                self._set_arguments(call, value)
            case SetContent(target, text):
                self._set_content(target, text)
            case SetName(part, name):
                key = self.shape.result_name_key if isinstance(part, Result) else self.shape.call_name_key
                self._write(part, part.name_at, key, name, "a name of the tool")
            case SetSchema(tool, schema):
                self._write(tool, tool.schema_at, self.shape.schema_key, schema, "parameters of a tool")
            case SetReasoning(message, text):
                if self.shape.reasoning_key is None:
                    raise Unfixable("this shape has no place for reasoning beside the content")
                self._set_value(self._members(message) / self.shape.reasoning_key, text)
            case SetSignature(call, value):
                if self.shape.signature_at is None:
                    raise Unfixable("calls carry no signature in this shape")
                self._set_value(call.signature_at or self.shape.signature_at(call), value)
            case SetSpeaker(message, speaker):
                self._set_speaker(message, speaker)
            case ReorderParts(message, parts):
                self._reorder(message, parts)
            case ReorderMessages(messages):
                self._reorder_messages(messages)
            case MergeMessages(messages, into):
                self._merge(messages, into or messages[0])
            case SplitMessage():
                self.splits.append(verb)
            case SplitCall(call, arguments, ids):
                self._split_call(call, arguments, ids)
            case MoveCall(call, call_id, moved):
                self._move_call(call, call_id, moved)
            case MoveText(message):
                self._move_text(message)
            case MoveMessage(message, before):
                self._move_message(message, before)
            case HoistSystem(messages):
                self._hoist(messages)
            case InsertPlaceholder(call, words, alone):
                self._insert_placeholder(call, words or self.placeholder, alone=alone)
            case InsertMessage(speaker, text, behind):
                like = behind or next(iter(self.transcript.messages), None)
                self._insert_message(behind, self.shape.text_message(speaker, text, like.raw if like else {}))
            case AddText(message, text):
                self._add_text(message, text)
            case DeclareTools(names):
                self._declare_tools(names)
            case Rewrite(message, values):
                self._replace(message.at, values[0])
                for value in values[1:]:
                    self._insert_message(message, value)
            case StopThinking():
                self._stop_thinking()
            case HandOver(result, parts, text):
                self._hand_over(result, parts, text)
            case ResultAsText(result):
                self._as_text(result)

    # -- values

    def _replace(self, at: Place, value: Any) -> None:
        if at in self.sealed:
            raise Unfixable("what a provider has signed is never changed")
        self._original(at)  # a new value may be an old one with something around it
        self.edits.add(at.document, Replace(pointer_of(at.path), value))

    def _add_member(self, at: Place, key: str, value: Any) -> None:
        if not isinstance(self.resolve(at), dict):
            raise Unfixable("the object that would take the new member is none")
        self.edits.add(at.document, Insert(pointer_of(at.path), value, key))

    def _write(self, part: Part | Tool, at: Place | None, key: str | None, value: Any, what: str) -> None:
        """A member's value: at its place, or as a new member of the object that lacks it, which `at` then names."""
        at = at or part.at
        if at != part.at and (at.path[-1:] == (key,) or not isinstance(self.resolve(at), dict)):
            self._replace(at, value)
        elif key is None:
            raise Unfixable(f"this shape has no room for {what}")
        else:
            self._add_member(at, key, value)

    def _set_id(self, part: Call | Result, value: Any) -> None:
        key = self.shape.result_id_key if isinstance(part, Result) else self.shape.call_id_key
        self._write(part, part.id_at, key, value, "IDs")

    def _set_arguments(self, call: Call, value: Any) -> None:
        at = call.arguments_at
        if call.arguments_form == "missing" or at is None or at == call.at:
            self._write(call, at, self.shape.arguments_key, value, "arguments")
        else:
            self._replace(at, self._respelled(at, value))

    def _respelled(self, at: Place, value: Any) -> Any:
        """A value in the other of the two forms of arguments: numbers and escapes stay as they are written."""
        old = self.resolve(at)
        if isinstance(old, str) and isinstance(value, (dict, list)) and _decoded(old) == value:
            return Quote(pointer_of(at.path), "inside", value)
        if isinstance(value, str) and isinstance(old, (dict, list)) and _decoded(value) == old:
            return Quote(pointer_of(at.path), "text", value)
        return value

    def _set_value(self, at: Place, value: Any) -> None:
        try:
            self.resolve(at)
        except LookupError:
            self._add_member(Place(at.path[:-1], at.document), str(at.path[-1]), value)
        else:
            self._replace(at, value)

    def _set_content(self, target: Message | Result, text: str) -> None:
        value = self.shape.content(target, text)
        at = target.content_at or target.at
        if isinstance(target, Message):
            key, owner = self.shape.parts_key, self._members(target)
            missing = target.content_form == "absent"
        else:
            key, owner = self.shape.result_key, target.at
            missing = at == target.at
        if missing:
            self._add_member(owner, key, value)
        else:
            self._replace(at, value)

    def _set_speaker(self, message: Message, speaker: Speaker) -> None:
        if message.role_at is None:
            raise Unfixable("the message has no role that could be another")
        self._replace(message.role_at, self.shape.role(speaker))

    def _members(self, message: Message) -> Place:
        """The object that holds the members of a message."""
        return self.shape.members(message) if self.shape.members is not None else message.at

    # -- the list of messages

    def _slot(self, message: Message) -> tuple[Place, int]:
        """The list that a saved message is an item of, and its index there."""
        path = message.at.path
        if not path or not isinstance(path[-1], int) or self.joined:
            raise Unfixable("the messages are not kept as one list here, so none can be moved, added or taken out")
        sent = self.transcript.candidate.sent
        if sent is not None and message.index >= sent:
            raise Unfixable("this message is a recorded reply, which is never changed")
        return Place(path[:-1], message.at.document), path[-1]

    def _gap(self, behind: Message | None) -> tuple[Place, int]:
        """The list, and the index in it, of what is to stand behind a message, or in front of all."""
        if behind is not None:
            at, index = self._slot(behind)
            return at, index + 1
        return (self._slot(self.transcript.messages[0])[0] if self.transcript.messages else self.transcript.at), 0

    def _insert_message(self, behind: Message | None, value: Any) -> None:
        """A new message behind another, or at the front."""
        if self.by_line:
            self._insert_line(behind, value)
            return
        at, index = self._gap(behind)
        self.edits.add(at.document, Insert(pointer_of(at.path), value, index))

    def _insert_line(self, behind: Message | None, value: Any) -> None:
        candidate = self.transcript.candidate
        line = self._line_of(behind)
        if candidate.wrap is not None:
            if candidate.chain is not None and behind is None:
                raise Unfixable("nothing can be put in front of a log whose lines follow from each other")
            added = self.added.setdefault(line, [])
            before = added[-1] if added else self.resolve(Place((), max(line, 0)))
            value = candidate.wrap(value, before)
            added.append(value)
        self.edits.lines.placed.append((line, None, value))

    def _line_of(self, behind: Message | None) -> int:
        """The line behind which something goes; -1 for the front, which in a log is where its first message stands."""
        if behind is not None:
            return self._lines(behind)[-1]
        return -1 if self.transcript.candidate.wrap is None else self.transcript.candidate.place(0).document - 1

    def _lines(self, message: Message) -> list[int]:
        """The lines that hold a message, in their order."""
        return sorted({message.at.document, *(p.at.document for p in message.parts)})

    def _shift_message(self, message: Message, behind: Message | None) -> None:
        """Move a message as it stands, behind another or to the front."""
        if len(self.saved[message.index]) > 1:
            raise Unfixable("the saved message holds more than what would have to move")
        if self.by_line:
            if self.transcript.candidate.chain is not None:
                raise Unfixable("the lines of this log follow from each other, so that none can move")
            line = message.at.document
            self.edits.lines.removed.add(line)
            self.edits.lines.placed.append((self._line_of(behind), line, None))
            return
        at, index = self._gap(behind)
        if self._slot(message)[0].document != at.document:
            raise Unfixable("the messages are kept in different records")
        self.edits.add(at.document, Move(pointer_of(message.at.path), pointer_of(at.path), index))

    def _drop_message(self, message: Message) -> None:
        if message.index in self.removed:
            return
        if message.index in self.of.unread:
            raise Unfixable("the message holds something in the shape of another dialect")
        self.removed.add(message.index)
        if self.by_line:
            self.edits.lines.removed.update(self._lines(message))
            return
        self._slot(message)
        self.edits.add(message.at.document, Delete(pointer_of(message.at.path)))

    def _write_chain(self) -> None:
        """Let what followed a record follow the last one that was put behind it, or the one before it if it went."""
        chain = self.transcript.candidate.chain
        if chain is None:
            return
        removed = self.edits.lines.removed
        for line in (*self.added, *(n for n in removed if n not in self.added)):
            record = self.resolve(Place((), line))
            last = self.added[line][-1].get(chain[0]) if line in self.added else self._before(record, chain)
            name = record.get(chain[0])
            for follower in self.of.followers.get(name, ()) if isinstance(name, str) else ():
                if follower not in removed:
                    self._set_value(Place((chain[1],), follower), last)

    def _before(self, record: dict[str, Any], chain: tuple[str, str]) -> Any:
        """The ID of the nearest record in front of one that goes which stays."""
        gone: dict[str, dict[str, Any]] = {}
        for number in self.edits.lines.removed:
            one = self.resolve(Place((), number))
            if isinstance(one, dict) and isinstance(one.get(chain[0]), str):
                gone[one[chain[0]]] = one
        before = record.get(chain[1])
        for _ in range(len(gone)):
            if not isinstance(before, str) or before not in gone:
                break
            before = gone[before].get(chain[1])
        return before

    # -- results

    def _exchange(self, call: Call) -> Exchange:
        exchange = self.pairing.exchange_of_call[call.number]
        if exchange is None:
            raise Unfixable("the call stands in no turn that could take a result")
        return exchange

    def _await(self, answer: _Answer) -> None:
        exchange = self._exchange(answer.call)
        self.answers.setdefault(exchange.calls[0].number, (exchange, []))[1].append(answer)

    def _move_result(self, result: Result, call: Call, *, alone: bool) -> None:
        if self.shape.answer is not None:
            raise Unfixable("call and result are one part in this shape, so that neither can move")
        self._await(_Answer(call, alone, moved=result))

    def _insert_placeholder(self, call: Call, text: str, *, alone: bool) -> None:
        reason = self.shape.unknowable(call)
        if reason is not None:
            raise Unfixable(reason)
        if self.of.unread:
            raise Unfixable("what answers the call may be in the shape of another dialect")
        if self.shape.answer is None:
            self._await(_Answer(call, alone, self.shape.result(call, text)))
            return
        for at, value in self.shape.answer(call, text):
            self._set_value(at, value)

    def _write_answers(self, exchange: Exchange, answers: list[_Answer]) -> None:
        if self.shape.own_message:
            for answer in answers:
                self._answer_by_message(exchange, answer)
            return
        home = self._home(exchange, alone=any(a.alone for a in answers))
        if home is None:
            behind = _caller(exchange)
            whole = self._whole_message(answers)
            if whole is not None:
                self._shift_message(whole, behind)
                return
            value = self.shape.message(self.shape.carriers[0], [self._taken(a) for a in answers], behind.raw)
            self._insert_message(behind, value)
        elif home.content_form == "text" and not home.results:
            parts = [self._taken(a) for a in answers]
            if home.content:
                parts.append(self.shape.text_part(home.content))
            self._write_content(home, parts)
        else:
            for answer in answers:
                self._answer_by_part(home, answer)

    def _whole_message(self, answers: Sequence[_Answer]) -> Message | None:
        """The message that moves as it is written, as it holds these results in their order and nothing else."""
        results = [a.moved for a in answers if a.moved is not None]
        message = results[0].message if results else None
        if message is None or len(results) < len(answers) or message.speaker is not self.shape.carriers[0]:
            return None
        if self.by_line and self.transcript.candidate.chain is not None:
            return None
        parts = [part for m in self.saved[message.index] for part in m.parts]
        return message if message.index >= 0 and parts == results else None

    def _answer_by_message(self, exchange: Exchange, answer: _Answer) -> None:
        moved = answer.moved
        behind = self._message_before(exchange, answer)
        if moved is None:
            self._insert_message(behind, answer.value)
        elif moved.message.parts == [moved] and _item(moved) == moved.message.at:
            self._shift_message(moved.message, behind)
        else:
            if _item(moved) == moved.message.at:
                raise Unfixable("the message holds more than the result that would have to move")
            self._lose(moved)
            value = self.shape.message(Speaker.TOOL, [self._original(_item(moved))], moved.message.raw)
            self._insert_message(behind, value)

    def _message_before(self, exchange: Exchange, answer: _Answer) -> Message:
        """The message behind which a result belongs: the results of one turn come in the order of its calls."""
        before = _caller(exchange)
        for message in exchange.window:
            if not message.results or (answer.moved is not None and message is answer.moved.message):
                continue
            if any(self._answers_later(r, answer.call) for r in message.results):
                break
            before = message
        return before

    def _answers_later(self, result: Result, call: Call) -> bool:
        partner = self.pairing.partner_of_result[result.number]
        return partner is not None and partner.number > call.number

    def _taken(self, answer: _Answer) -> Any:
        """The value of a result that is written anew, taken from where it stands."""
        if answer.moved is None:
            return answer.value
        self._lose(answer.moved)
        return self._original(_item(answer.moved))

    def _answer_by_part(self, home: Message, answer: _Answer) -> None:
        index = self._part_index(home, answer)
        at = _list_of(home)
        source = _item(answer.moved) if answer.moved is not None else None
        if source is None or answer.moved is None:
            self.edits.add(at.document, Insert(pointer_of(at.path), answer.value, index))
        elif source == answer.moved.message.at:
            raise Unfixable("the result is no part of a list, so that it cannot move")
        elif Place(source.path[:-1], source.document) == at or self._outlasts(answer.moved.message, at):
            # Moved as it is written.  What goes with its whole message cannot be, and is written anew.
            self.edits.add(at.document, Move(pointer_of(source.path), pointer_of(at.path), index))
        else:
            self.edits.add(at.document, Insert(pointer_of(at.path), self._taken(answer), index))

    def _outlasts(self, message: Message, at: Place) -> bool:
        """Whether a message in the same document stays for what it says besides results."""
        parts = [p for m in self.saved[message.index] for p in m.parts]
        return message.at.document == at.document and any(
            _says_something(p) and not isinstance(p, Result) for p in parts
        )

    def _part_index(self, home: Message, answer: _Answer) -> int:
        results = [r for r in home.results if r is not answer.moved]
        later = next((r for r in results if self._answers_later(r, answer.call)), None)
        if later is not None:
            return _step(later)
        return _step(results[-1]) + 1 if results else min((_step(p) for p in home.parts), default=0)

    def _home(self, exchange: Exchange, *, alone: bool) -> Message | None:
        """The message that takes the results of an exchange; None where they need one of their own."""
        if exchange.window:
            first = exchange.window[0]
        elif exchange.after is not None and not alone and _caller(exchange) is exchange.messages[-1]:
            first = exchange.after
        else:
            return None
        if first.item or first.speaker not in (*self.shape.carriers, Speaker.TOOL):
            return None
        if first.results:
            return first if not alone or first.only_results else None
        fits = first.speaker in self.shape.carriers and first.content_form in ("text", "list")
        return first if fits and not alone else None

    def _as_text(self, result: Result) -> None:
        """What a result says as a text of the user's side; its pictures and files go with it as they are."""
        if self.of.unread:
            raise Unfixable("what it answers may be in the shape of another dialect")
        told = self.shape.told(result)
        if told is None:
            told = _text_of(result), [self._original(_item(p)) for p in result.parts if p.kind is Kind.MEDIA]
        text, media = f"{AS_TEXT} {told[0]}", told[1]
        message = result.message
        at = _item(result)
        if at != message.at and not self.shape.own_message and Speaker.USER in self.shape.carriers:
            self._replace(at, self.shape.text_part(text))
            behind = Place(at.path[:-1], at.document)
            for part in media:
                self.edits.add(at.document, Insert(pointer_of(behind.path), part, _step(result) + 1))
            return
        if media:
            new = self.shape.message(Speaker.USER, [self.shape.text_part(text), *media], message.raw)
        else:
            new = self.shape.text_message(Speaker.USER, text, message.raw)
        if at != message.at:
            self._lose(result)
            self._insert_message(message, new)
            return
        if len(self.saved[message.index]) > 1 or message.parts != [result]:
            raise Unfixable("the message holds more than the result")
        if not self.by_line:
            self._slot(message)
        self._replace(at, new)

    def _hand_over(self, result: Result, parts: Sequence[Part], text: str) -> None:
        """Parts of a result in a message of the user's behind the results, or behind those in the same message."""
        call = self.pairing.call_of(result)
        if call is None or result.content_at is None or not isinstance(result.content, list):
            raise Unfixable("the result answers no call, or holds no list of parts")
        window = self._exchange(call).window
        values = [self._original(_item(part)) for part in parts]
        if len(parts) < len(result.parts):
            for part in parts:
                item = _item(part)
                self.edits.add(item.document, Delete(pointer_of(item.path)))
        else:
            self._replace(result.content_at, self.shape.content(result, text))
        if self.shape.own_message:
            self._insert_message(window[-1], self.shape.message(Speaker.USER, values, result.message.raw))
            return
        at = _list_of(result.message)
        behind = _step(result.message.results[-1]) + 1
        for value in values:
            self.edits.add(at.document, Insert(pointer_of(at.path), value, behind))

    # -- the request around the list

    def _stop_thinking(self) -> None:
        candidate = self.transcript.candidate
        if candidate.body is None or self.shape.no_thinking is None:
            raise Unfixable("there is no request here that could turn thinking off")
        key, value = self.shape.no_thinking
        self._set_value(candidate.body_at / key, value)

    def _declare_tools(self, names: Sequence[str]) -> None:
        candidate = self.transcript.candidate
        if candidate.body is None or self.shape.tools is None:
            raise Unfixable("there is no request here that could declare tools")
        for key, value in self.shape.tools(names).items():
            if candidate.body.get(key) in (None, [], {}):
                self._set_value(candidate.body_at / key, value)

    # -- taking out

    def _remove(self, target: Message | Part | Tool) -> None:
        if isinstance(target, Message):
            if len(self.saved[target.index]) > 1:
                raise Unfixable("the saved message holds more than what would have to go")
            self._drop_message(target)
        elif isinstance(target, Part):
            self._lose(target)
        else:
            self.edits.add(target.at.document, Delete(pointer_of(target.at.path)))

    def _lose(self, part: Part) -> None:
        """Note that a part leaves its message."""
        if part.message.index < 0:
            self.edits.add(part.at.document, Delete(pointer_of(_item(part).path)))
        else:
            self.gone.setdefault(part.message.index, []).append(part)

    def _write_gone(self) -> None:
        for index, parts in self.gone.items():
            if index not in self.removed:
                self._take_from(self.saved[index], parts)

    def _take_from(self, messages: list[Message], parts: list[Part]) -> None:
        """Take parts out of a saved message, and the message too where nothing is left that says something."""
        message = messages[0]
        leaving = list(dict.fromkeys(_piece(p) for p in parts))
        leaves = set(leaving)
        left = [p for m in messages for p in m.parts if _piece(p) not in leaves]
        if not any(_says_something(p) for p in left) and message.index not in self.new_calls:
            self._drop_message(message)
            return
        if message.at in leaves or message.content_at in leaves:
            raise Unfixable("the message holds more than what would have to go")
        key = self.shape.calls_key
        if key is not None:
            at = self._members(message) / key
            entries = {_piece(p) for m in messages for p in m.parts if _under(p.at, at)}
            if entries and entries <= leaves and message.index not in self.new_calls:
                self.edits.add(at.document, Delete(pointer_of(at.path)))
                leaving = [place for place in leaving if place not in entries]
        for place in leaving:
            self.edits.add(place.document, Delete(pointer_of(place.path)))

    # -- calls

    def _move_call(self, call: Call, call_id: str, result: Result | None) -> None:
        if self.shape.call is None or self.shape.calls_key is None:
            raise Unfixable("this shape keeps its calls nowhere else")
        message, entry = call.message, self.shape.call(call, call_id)
        if entry is None:
            raise Unfixable("the call cannot be written where this shape keeps calls")
        self.new_calls.setdefault(message.index, (message, []))[1].append(entry)
        if call.at.path[-1:] and isinstance(call.at.path[-1], int):
            self._lose(call)
        else:
            self.edits.add(call.at.document, Delete(pointer_of(call.at.path)))
        if result is not None:
            self._set_id(result, call_id)
            if result.message.role != self.shape.role(Speaker.TOOL):
                self._set_speaker(result.message, Speaker.TOOL)

    def _write_calls(self) -> None:
        for message, calls in self.new_calls.values():
            self._add_entries(self._members(message), self.shape.calls_key or "", calls)

    def _add_entries(self, owner: Place, key: str, values: Sequence[Any]) -> None:
        """Put values at the end of a list that an object has under `key`, or is to have."""
        at = owner / key
        now = self.resolve(owner)
        there = now.get(key) if isinstance(now, dict) else None
        if isinstance(there, list):
            for value in values:
                self.edits.add(at.document, Insert(pointer_of(at.path), value, len(there)))
        elif isinstance(now, dict) and key in now:
            self._replace(at, list(values))
        else:
            self._add_member(owner, key, list(values))

    def _move_text(self, message: Message) -> None:
        key, at = self.shape.aside_key, message.content_at
        if key is None or at is None:
            raise Unfixable("this shape keeps what is said in front of calls nowhere else")
        if any(p.kind is not Kind.TEXT for p in message.parts if _under(p.at, at)):
            raise Unfixable("there is more than text beside the calls")
        members = self._members(message)
        there = self.resolve(members).get(key)
        words = [text for text in (there, message.text) if isinstance(text, str) and text]
        self._set_value(members / key, _BLANK_LINE.join(words))
        self.edits.add(at.document, Delete(pointer_of(at.path)))

    def _split_call(self, call: Call, arguments: Sequence[str], ids: Sequence[str]) -> None:
        item = _item(call)
        if item == call.message.at or call.arguments_at is None:
            raise Unfixable("the call is a message of its own here, so that it cannot be split")
        index = _step(call)
        raw = self.resolve(item)
        id_at = call.id_at if call.id_at is not None and call.id_at != call.at else call.at / self.shape.call_id_key
        self._replace(call.arguments_at, arguments[0])
        at = Place(item.path[:-1], item.document)
        for call_id, text in zip(ids, arguments[1:], strict=True):
            copy = _with(raw, id_at.path[len(item.path) :], call_id)
            copy = _with(copy, call.arguments_at.path[len(item.path) :], text)
            self.edits.add(at.document, Insert(pointer_of(at.path), copy, index + 1))

    # -- shape

    def _reorder(self, message: Message, parts: Sequence[Part]) -> None:
        """As few moves as there can be: what is in the right order already stays where it is."""
        items = [_item(p) for p in parts]
        if any(item == message.at for item in items) or len({item.path[:-1] for item in items}) > 1:
            raise Unfixable("the parts of this message are not items of one list")
        at = Place(items[0].path[:-1], items[0].document)
        now = [_step(p) for p in parts]
        stays = _longest_rising(now)
        target = len(self.resolve(at))
        targets: list[int] = []
        for step in reversed(now):
            targets.append(target)
            if step in stays:
                target = step
        for step, item, index in zip(now, items, reversed(targets), strict=True):
            if step not in stays:
                self.edits.add(at.document, Move(pointer_of(item.path), pointer_of(at.path), index))

    def _reorder_messages(self, messages: Sequence[Message]) -> None:
        """The same for messages: each that moves goes behind the last one before it that stays."""
        position_of = self.pairing.position_of
        now = [position_of[m.index] for m in messages]
        stays = _longest_rising(now)
        first = min(now)
        behind = self.transcript.messages[first - 1] if first else None
        for position, message in zip(now, messages, strict=True):
            if position in stays:
                behind = message
            else:
                self._shift_message(message, behind)

    def _merge(self, messages: Sequence[Message], into: Message) -> None:
        if len({m.index for m in messages}) < len(messages) or any(len(self.saved[m.index]) > 1 for m in messages):
            raise Unfixable("the turns are parts of one saved message here")
        if any(m.results for m in messages) and self.shape.own_message:
            raise Unfixable("results are messages of their own in this shape")
        names = [m.name for m in messages if m.name and m.speaker is into.speaker]
        if any(name != names[0] for name in names):
            raise Unfixable("the messages carry the names of different speakers")
        for message in messages:
            if message is not into:
                self._nothing_beside(message)
        self._merge_calls([m for m in messages if m is not into], into)
        filled = [m for m in messages if m.content]
        if all(m.content_form == "text" for m in filled):
            words = _BLANK_LINE.join(m.content for m in filled)
            if words != into.content and filled:
                self._write_content(into, words)
        else:
            self._merge_parts(messages, into)
        for message in messages:
            if message is not into:
                self._drop_message(message)

    def _nothing_beside(self, message: Message) -> None:
        """That nothing is said beside the content and the calls of a message that is to go."""
        members = self._members(message)
        homes = [members / key for key in (self.shape.parts_key, self.shape.calls_key) if key is not None]
        if not all(any(_under(p.at, home) for home in homes) for p in message.parts):
            raise Unfixable("one of the messages says something beside its content")

    def _merge_calls(self, messages: Sequence[Message], into: Message) -> None:
        key = self.shape.calls_key
        if key is None:
            return
        moved = [self._original(_item(p)) for m in messages for p in m.parts if _under(p.at, self._members(m) / key)]
        if moved:
            self._add_entries(self._members(into), key, moved)

    def _write_content(self, message: Message, value: Any) -> None:
        if message.content_form == "absent":
            self._add_member(self._members(message), self.shape.parts_key, value)
        else:
            self._replace(message.content_at or self._members(message) / self.shape.parts_key, value)

    def _merge_parts(self, messages: Sequence[Message], into: Message) -> None:
        """The parts of all messages in the list of the one that stays, or in a new list there."""
        if not all(m.content_form in ("text", "list") for m in messages if m.content):
            raise Unfixable("one of the messages has content that is no list of parts")
        if not isinstance(into.content, list):
            parts = [part for m in messages for part in self._parts_of(m)]
            self._write_content(into, parts)
            return
        at = into.content_at or self._members(into) / self.shape.parts_key
        index = 0
        for message in messages:
            if message is into:
                index = len(into.content)
                continue
            for part in self._parts_of(message):
                self.edits.add(at.document, Insert(pointer_of(at.path), part, index))

    def _add_text(self, message: Message, text: str) -> None:
        if message.content_form != "list" or message.content_at is None:
            raise Unfixable("the message holds no list of parts")
        at, end = message.content_at, len(message.content)
        self.edits.add(at.document, Insert(pointer_of(at.path), self.shape.text_part(text), end))

    def _parts_of(self, message: Message) -> list[Any]:
        if message.content_form == "text":
            return [self.shape.text_part(message.content)] if message.content else []
        if not isinstance(message.content, list):
            return []
        at = message.content_at
        if at is None or self.resolve(at) != message.content:  # a list that the dialect's reader made
            return list(message.content)
        return [self._original(at / number) for number in range(len(message.content))]

    def _split(self, message: Message, parts: Sequence[Part], *, before: bool) -> None:
        values = [self._original(_item(p)) for p in parts]
        for part in parts:
            self._lose(part)
        behind: Message | None = message
        if before:
            position = self.pairing.position_of[message.index]
            behind = self.transcript.messages[position - 1] if position else None
        self._insert_message(behind, self.shape.message(message.speaker, values, message.raw))

    def _move_message(self, message: Message, before: Message | None) -> None:
        messages = self.transcript.messages
        place = len(messages) if before is None else self.pairing.position_of[before.index]
        behind = messages[place - 1] if place else None
        if behind is not message:
            self._shift_message(message, behind)

    def _hoist(self, messages: Sequence[Message]) -> None:
        if not self.shape.system_keys or self.shape.system is None:
            self._to_front(messages)
            return
        candidate = self.transcript.candidate
        if candidate.body is None:
            raise Unfixable("the list stands alone: there is no request around it that could take the system prompt")
        key = next((k for k in self.shape.system_keys if k in candidate.body), self.shape.system_keys[0])
        at = candidate.body_at / key
        now = candidate.body.get(key)
        if any(p.kind is not Kind.TEXT for m in messages for p in m.parts):
            raise Unfixable("the system message holds more than text")
        text = _BLANK_LINE.join(t for t in (m.text for m in messages) if t)
        parts = [part for m in messages for part in self._parts_of(m)]
        inside = now.get(self.shape.parts_key) if isinstance(now, dict) else now
        if text:
            if now is None:
                self._set_value(at, self.shape.system(text))
            elif isinstance(now, str):
                self._replace(at, f"{now}{_BLANK_LINE}{text}" if now else text)
            elif isinstance(inside, list):
                end = at if inside is now else at / self.shape.parts_key
                for part in parts:
                    self.edits.add(at.document, Insert(pointer_of(end.path), part, len(inside)))
            else:
                raise Unfixable("the system prompt beside the list is of a form that nothing can be added to")
        for message in messages:
            self._drop_message(message)

    def _to_front(self, messages: Sequence[Message]) -> None:
        """What system messages say goes to the one that opens the history, or where there is none, they go there."""
        first = self.transcript.messages[0]
        if first.speaker is Speaker.SYSTEM:
            self._merge([first, *(m for m in messages if m is not first)], first)
            return
        for message in messages:
            self._shift_message(message, None)


def _decoded(text: str) -> Any:
    return decode(text.encode("utf-8", "surrogatepass"))[0]


def _caller(exchange: Exchange) -> Message:
    """The last message of a turn that makes calls: what the assistant says behind it comes after the results."""
    return next((m for m in reversed(exchange.messages) if m.calls), exchange.messages[-1])


def _item(part: Part) -> Place:
    """The list item that a part is, or is in: what can be moved and removed as a whole."""
    path = part.at.path
    for size in range(len(path), len(part.message.at.path), -1):
        if isinstance(path[size - 1], int):
            return Place(path[:size], part.at.document)
    return part.message.at


def _piece(part: Part) -> Place:
    """What goes when a part goes: its list item, or the member that it is."""
    item = _item(part)
    return part.at if item == part.message.at else item


def _step(part: Part) -> int:
    """The index of a part in its list."""
    step = _item(part).path[-1:]
    return step[0] if step and isinstance(step[0], int) else 0


def _list_of(message: Message) -> Place:
    """The list of parts of a message that holds results, or is to hold them."""
    inside = message.results or message.parts
    if inside and _item(inside[0]) != message.at:
        item = _item(inside[0])
        return Place(item.path[:-1], item.document)
    assert message.content_at is not None
    return message.content_at


def _under(at: Place, above: Place) -> bool:
    return at.document == above.document and at.path[: len(above.path)] == above.path


def _with(raw: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy with another value at a path; what is not on the way is shared."""
    if not path:
        return value
    step = path[0]
    copy = list(raw) if isinstance(raw, list) else dict(raw) if isinstance(raw, dict) else {}
    old = (
        copy[step]
        if isinstance(copy, list) and isinstance(step, int)
        else copy.get(step)
        if isinstance(copy, dict)
        else None
    )
    copy[step] = _with(old, path[1:], value)  # type: ignore[index]
    return copy


def _longest_rising(values: Sequence[int]) -> set[int]:
    """The values of a longest rising subsequence; the values are all different."""
    from bisect import bisect_left

    tails: list[int] = []
    before: dict[int, int | None] = {}
    for value in values:
        place = bisect_left(tails, value)
        before[value] = tails[place - 1] if place else None
        tails[place : place + 1] = [value]
    kept: set[int] = set()
    last = tails[-1] if tails else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _says_something(part: Part) -> bool:
    """Whether a message is worth keeping for this part."""
    if part.kind is Kind.TEXT:
        return bool(part.text and part.text.strip())
    return part.kind is not Kind.CONTROL


def _text_of(result: Result) -> str:
    import json

    content = result.content
    if isinstance(content, str):
        return content
    said = [part for part in result.parts if part.kind is not Kind.MEDIA]
    texts = [part.text for part in said if part.text]
    if isinstance(content, list) and result.parts and len(texts) == len(said):
        return "\n".join(texts)
    if isinstance(content, list) and said and len(result.parts) == len(content):
        content = [part.raw for part in said]
    return json.dumps(content, ensure_ascii=False)
