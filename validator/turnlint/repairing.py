"""Repair verbs carried out on a saved shape: from neutral words to edits of the decoded tree.

A rule says what (`turnlint.repair`), a dialect says how its results, texts and messages are written (`Shape`), and
this module does what all dialects have in common: which list, which index, what becomes empty.  All edits name places
of the document as it was read; `source.patch` turns them into bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from turnlint.diagnostic import Place, pointer_of
from turnlint.model import Kind, Message, Part, Speaker
from turnlint.repair import (
    HoistSystem,
    InsertPlaceholder,
    MergeMessages,
    MoveMessage,
    MoveResult,
    Relink,
    Remove,
    RemoveKey,
    RenameId,
    ReorderParts,
    ResultAsText,
    SetValue,
    SplitMessage,
)
from turnlint.source.patch import Insert, Move, Replace
from turnlint.source.patch import Remove as Delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from turnlint.dialects import Shape
    from turnlint.model import Call, Result, Transcript
    from turnlint.pairing import Exchange, Pairing
    from turnlint.repair import Verb
    from turnlint.source.patch import TreeEdit

PLACEHOLDER = "[no result was recorded for this tool call; its outcome is unknown]"


class Unfixable(Exception):  # noqa: N818 - a reason, no error of the program
    """Why this shape or container cannot take a repair; the text is shown to the user."""


class Lines(Struct):
    """Edits of whole lines, where each message is a line of its own: by document number."""

    removed: set[int] = field(default_factory=set)
    moved: list[tuple[int, int]] = field(default_factory=list)  # (line, behind which line; -1 is the front)
    added: list[tuple[int, Any]] = field(default_factory=list)  # (behind which line, value)

    def __bool__(self) -> bool:
        return bool(self.removed or self.moved or self.added)


class Edits(Struct):
    """What a set of verbs comes to: tree edits by document number, and edits of whole lines."""

    trees: dict[int, list[TreeEdit]] = field(default_factory=dict)
    lines: Lines = field(default_factory=Lines)

    def add(self, document: int, edit: TreeEdit) -> None:
        self.trees.setdefault(document, []).append(edit)


class Repairer:
    """Carries verbs out on one transcript.

    `resolve` gives the decoded value at a place, or raises `LookupError`.  Raises `Unfixable` where the shape cannot
    take the repair.
    """

    def __init__(
        self,
        transcript: Transcript,
        pairing: Pairing,
        shape: Shape,
        resolve: Callable[[Place], Any],
        *,
        placeholder: str = PLACEHOLDER,
    ) -> None:
        self.transcript = transcript
        self.pairing = pairing
        self.shape = shape
        self.resolve = resolve
        self.placeholder = placeholder
        self.edits = Edits()
        self.gone: dict[int, list[Part]] = {}  # parts that leave a message, by message index
        self.removed: set[int] = set()  # messages that leave the list
        self.window: dict[int, list[Any]] = {}  # parts for a new message behind an exchange, by its first call's number
        self.front: dict[int, list[Any]] = {}  # parts to put before the text of a message whose content is a text
        self.windows: dict[int, Exchange] = {}
        places = transcript.candidate.places
        self.by_line = places is not None and all(not p.path for p in places)
        self.scattered = places is not None and not self.by_line

    def run(self, verbs: Iterable[Verb]) -> Edits:
        for verb in verbs:
            self._carry_out(verb)
        self._write_windows()
        self._write_fronts()
        self._write_gone()
        return self.edits

    def _carry_out(self, verb: Verb) -> None:
        match verb:
            case MoveResult(result, call):
                self._move_result(result, call)
            case Relink(result, call):
                self._set(result.id_at or result.at, self.shape.result_id_key, result, call.id)
            case RenameId(call, results, to):
                self._set(call.id_at or call.at, self.shape.call_id_key, call, to)
                for result in results:
                    self._set(result.id_at or result.at, self.shape.result_id_key, result, to)
            case Remove(target):
                self._remove(target)
            case RemoveKey(at):
                self.edits.add(at.document, Delete(pointer_of(at.path)))
            case SetValue(at, value):
                self._set_value(at, value)
            case ReorderParts(message, parts):
                self._reorder(message, parts)
            case MergeMessages(messages):
                self._merge(messages)
            case SplitMessage(message, parts, before):
                self._split(message, parts, before=before)
            case MoveMessage(message, before):
                self._move_message(message, before)
            case HoistSystem(messages):
                self._hoist(messages)
            case InsertPlaceholder(call, text):
                self._answer(call, self.shape.result(call, text or self.placeholder))
            case ResultAsText(result):
                self._as_text(result)

    # -- values

    def _set(self, at: Place, key: str, owner: Part, value: Any) -> None:
        """Write an ID: at its place, or as a new member of its owner where it is missing."""
        if at == owner.at:
            self._add_member(owner.at, key, value)
        else:
            self.edits.add(at.document, Replace(pointer_of(at.path), value))

    def _set_value(self, at: Place, value: Any) -> None:
        try:
            self.resolve(at)
        except LookupError:
            parent, key = Place(at.path[:-1], at.document), at.path[-1]
            self._add_member(parent, str(key), value)
        else:
            self.edits.add(at.document, Replace(pointer_of(at.path), value))

    def _add_member(self, at: Place, key: str, value: Any) -> None:
        if not isinstance(self.resolve(at), dict):
            raise Unfixable("the object that would take the new member is none")
        self.edits.add(at.document, Insert(pointer_of(at.path), value, key))

    # -- the list of messages

    def _index(self, message: Message) -> int:
        step = message.at.path[-1] if message.at.path else None
        if self.scattered or not isinstance(step, int):
            raise Unfixable("the messages are not kept as one list here, so none can be moved or added")
        return step

    def _insert_message(self, behind: Message | None, value: Any) -> None:
        """A new message behind another, or at the front."""
        if self.by_line:
            self.edits.lines.added.append((behind.at.document if behind is not None else -1, value))
            return
        index = self._index(behind) + 1 if behind is not None else 0
        self._no_reply_behind(behind)
        self.edits.add(self._list_at.document, Insert(pointer_of(self._list_at.path), value, index))

    def _no_reply_behind(self, message: Message | None) -> None:
        sent = self.transcript.candidate.sent
        if sent is not None and message is not None and message.index >= sent:
            raise Unfixable("this message is a recorded reply, which is never changed")

    @property
    def _list_at(self) -> Place:
        return self.transcript.candidate.at

    def _shift_message(self, message: Message, behind: Message | None) -> None:
        """Move a message as it stands, behind another or to the front."""
        if self.by_line:
            self.edits.lines.moved.append((message.at.document, behind.at.document if behind is not None else -1))
            return
        self._no_reply_behind(message)
        index = self._index(behind) + 1 if behind is not None else 0
        self._index(message)
        at = self._list_at
        self.edits.add(at.document, Move(pointer_of(message.at.path), pointer_of(at.path), index))

    def _drop_message(self, message: Message) -> None:
        if message.index in self.removed:
            return
        self.removed.add(message.index)
        if self.by_line:
            self.edits.lines.removed.add(message.at.document)
            return
        self._no_reply_behind(message)
        self._index(message)
        self.edits.add(message.at.document, Delete(pointer_of(message.at.path)))

    # -- results

    def _move_result(self, result: Result, call: Call) -> None:
        exchange = self.pairing.exchange_of_call[call.number]
        if exchange is None:
            raise Unfixable("the call stands in no turn that could take the result")
        if self.shape.own_message:
            self._shift_message(result.message, self._last_of(exchange, except_for=result.message))
        else:
            self._lose(result)
            self._answer(call, self.resolve(_item(result)))

    def _last_of(self, exchange: Exchange, except_for: Message | None = None) -> Message:
        """The last message of the turn and its results: what comes next stands behind it."""
        window = [m for m in exchange.window if m.results and m is not except_for]
        return window[-1] if window else exchange.messages[-1]

    def _answer(self, call: Call, result: Any) -> None:
        """Put a result (a message or a part) into the window of its call."""
        exchange = self.pairing.exchange_of_call[call.number]
        if exchange is None:
            raise Unfixable("the call stands in no turn that could take a result")
        if self.shape.own_message:
            self._insert_message(self._last_of(exchange), result)
            return
        home = self._home(exchange)
        if home is None:
            key = exchange.calls[0].number
            self.windows[key] = exchange
            self.window.setdefault(key, []).append(result)
        elif home.content_form == "text":
            self.front.setdefault(home.index, []).append(result)
        else:
            parts = home.results
            index = _item(parts[-1]).path[-1] if parts else -1
            assert isinstance(index, int)
            at = home.at / self.shape.parts_key
            self.edits.add(at.document, Insert(pointer_of(at.path), result, index + 1))

    def _home(self, exchange: Exchange) -> Message | None:
        """The user message that takes the results of an exchange, if there is one."""
        for message in exchange.window:
            if message.results:
                return message
        after = exchange.window[0] if exchange.window else exchange.after
        if after is None or after.speaker is not Speaker.USER or after.content_form not in ("text", "list"):
            return None
        return after

    def _write_windows(self) -> None:
        for key, parts in self.window.items():
            exchange = self.windows[key]
            self._insert_message(exchange.messages[-1], self.shape.message(Speaker.USER, parts))

    def _write_fronts(self) -> None:
        by_index = {m.index: m for m in self.transcript.messages}
        for index, parts in self.front.items():
            message = by_index[index]
            value = [*parts, self.shape.text_part(message.content)] if message.content else parts
            at = message.at / self.shape.parts_key
            self.edits.add(at.document, Replace(pointer_of(at.path), value))

    def _as_text(self, result: Result) -> None:
        text = f"[result of an earlier tool call] {_text_of(result)}"
        if self.shape.own_message:
            self._index(result.message) if not self.by_line else None
            at = result.message.at
            self.edits.add(at.document, Replace(pointer_of(at.path), self.shape.text_message(Speaker.USER, text)))
        else:
            at = _item(result)
            self.edits.add(at.document, Replace(pointer_of(at.path), self.shape.text_part(text)))

    # -- taking out

    def _remove(self, target: Any) -> None:
        if isinstance(target, Message):
            self._drop_message(target)
        elif isinstance(target, Part):
            self._lose(target)
        else:
            self.edits.add(target.at.document, Delete(pointer_of(target.at.path)))

    def _lose(self, part: Part) -> None:
        if part.message.index < 0:
            self.edits.add(part.at.document, Delete(pointer_of(_item(part).path)))
            return
        self.gone.setdefault(part.message.index, []).append(part)

    def _write_gone(self) -> None:
        by_index = {m.index: m for m in self.transcript.messages}
        for index, parts in self.gone.items():
            message = by_index[index]
            if index in self.removed:
                continue
            leaving = {id(p) for p in parts}
            left = [p for p in message.parts if id(p) not in leaving]
            if not any(_says_something(p) for p in left):
                self._drop_message(message)
                continue
            key = self.shape.calls_key
            if key is not None:
                calls = [p for p in message.parts if key in p.at.path]
                if calls and all(id(p) in leaving for p in calls):
                    at = message.at / key
                    self.edits.add(at.document, Delete(pointer_of(at.path)))
                    parts = [p for p in parts if key not in p.at.path]
            for part in parts:
                self.edits.add(part.at.document, Delete(pointer_of(_item(part).path)))

    # -- shape

    def _reorder(self, message: Message, parts: Sequence[Part]) -> None:
        """As few moves as there can be: what is in the right order already stays where it is."""
        at = message.at / self.shape.parts_key
        now = [step for step in (_item(p).path[-1] for p in parts) if isinstance(step, int)]
        if len(now) != len(parts):
            raise Unfixable("the parts of this message are not items of one list")
        stays = _longest_rising(now)
        behind = len(message.content) if isinstance(message.content, list) else max(now, default=-1) + 1
        target = behind
        targets: list[int] = []
        for step in reversed(now):
            targets.append(target)
            if step in stays:
                target = step
        for step, part, index in zip(now, parts, reversed(targets), strict=True):
            if step not in stays:
                self.edits.add(at.document, Move(pointer_of(_item(part).path), pointer_of(at.path), index))

    def _merge(self, messages: Sequence[Message]) -> None:
        first, *others = messages
        if self.shape.own_message and any(m.results for m in messages):
            raise Unfixable("results are messages of their own in this shape")
        at = first.at / self.shape.parts_key
        moved: list[Any] = []
        for message in others:
            if message.content_form == "text":
                moved.append(self.shape.text_part(message.content))
            elif isinstance(message.content, list):
                moved.extend(message.content)
            self._drop_message(message)
        if first.content_form == "text":
            value = [self.shape.text_part(first.content), *moved] if first.content else moved
            self.edits.add(at.document, Replace(pointer_of(at.path), value))
        elif isinstance(first.content, list):
            for part in moved:
                self.edits.add(at.document, Insert(pointer_of(at.path), part, len(first.content)))
        else:
            raise Unfixable("the first of the messages has no list of parts")

    def _split(self, message: Message, parts: Sequence[Part], *, before: bool) -> None:
        values = [self.resolve(_item(p)) for p in parts]
        for part in parts:
            self._lose(part)
        position = self._index(message)
        behind = (
            next((m for m in self.transcript.messages if m.index == message.index - 1), None) if before else message
        )
        if before and behind is None and position:
            raise Unfixable("the message before is not part of the list")
        self._insert_message(behind, self.shape.message(message.speaker, values))

    def _move_message(self, message: Message, before: Message | None) -> None:
        messages = self.transcript.messages
        if before is None:
            behind: Message | None = messages[-1]
        else:
            place = next(n for n, m in enumerate(messages) if m is before)
            behind = messages[place - 1] if place else None
        if behind is message:
            return
        self._shift_message(message, behind)

    def _hoist(self, messages: Sequence[Message]) -> None:
        shape, candidate = self.shape, self.transcript.candidate
        if shape.system_key is None or shape.system is None:
            raise Unfixable("this shape has no place for a system prompt beside the list")
        if candidate.body is None:
            raise Unfixable("the list stands alone: there is no request around it that could take the system prompt")
        text = "\n\n".join(t for t in (m.text for m in messages) if t)
        if any(not isinstance(p.text, str) for m in messages for p in m.parts):
            raise Unfixable("the system message holds more than text")
        at = candidate.body_at / shape.system_key
        now = candidate.body.get(shape.system_key)
        if now is None:
            self._set_value(at, shape.system(text))
        elif isinstance(now, str):
            self.edits.add(at.document, Replace(pointer_of(at.path), f"{now}\n\n{text}"))
        elif isinstance(now, list):
            self.edits.add(at.document, Insert(pointer_of(at.path), shape.text_part(text), len(now)))
        else:
            raise Unfixable("the system prompt beside the list is of a form that nothing can be added to")
        for message in messages:
            self._drop_message(message)


def _item(part: Part) -> Place:
    """The list item that a part is, or is in: what can be moved and removed as a whole."""
    path = part.at.path
    for size in range(len(path), len(part.message.at.path), -1):
        if isinstance(path[size - 1], int):
            return Place(path[:size], part.at.document)
    return part.message.at


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
    texts = [p.text for p in result.parts if p.text]
    if texts and len(texts) == len(result.parts):
        return "\n".join(texts)
    return json.dumps(content, ensure_ascii=False)
