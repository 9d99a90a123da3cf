"""A conversation in a terminal: results under their calls, joined by number and colour, findings in place.

What stands out is what is wrong: a call without its result, a result without its call, and each finding right behind
the message that it is about.  Nothing is wider than the terminal, and long texts are folded.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from turnlint.model import Call, Kind, Media, Result, Speaker
from turnlint.pairing import CallState, ResultState
from turnlint.report.fates import of_call, of_result
from turnlint.report.full import remarks
from turnlint.report.terminal import HUES, Paint, clean, no_command, wrap
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.diagnostic import Diagnostic
    from turnlint.engine import Examination
    from turnlint.model import Message, Part
    from turnlint.pairing import Pairing

_MOST_LINES = 6  # of a text, as far as it is shown unasked
_MOST_CHARS = 400  # of a line of a text, likewise
_WIDEST = 110  # columns; longer lines are hard to read
_NARROWEST = 40
_INDENT = " " * 7
_BAR = "┃"


class View(Struct, frozen=True):
    """How it is laid out: `width` in columns, messages from `first` to `last`, texts in `full` or folded."""

    paint: Paint
    width: int = 100
    full: bool = False
    first: int = 0
    last: int | None = None

    def transcript(self, seen: Examination, number: int) -> Iterator[str]:
        """One conversation, line by line; `number` is its place in the file, from 0."""
        return map(no_command, _Conversation(self, seen, number).lines())

    @property
    def room(self) -> int:
        """The columns that are used."""
        return max(_NARROWEST, min(self.width, _WIDEST))


class _Conversation(Struct):
    view: View
    seen: Examination
    number: int
    by_message: dict[int | None, list[Diagnostic]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        view, transcript = self.view, self.seen.transcript
        assert transcript is not None
        yield from self._title()
        for diagnostic in self.seen.diagnostics:
            self.by_message.setdefault(diagnostic.message_index, []).append(diagnostic)
        if transcript.system and not view.first:
            yield self._header("", "system")
            for part in transcript.system:
                yield from self._part(part)
        for message in transcript.messages:
            findings = self.by_message.pop(message.index, [])
            if message.index >= view.first and (view.last is None or message.index <= view.last):
                shown = self._message(message)
                yield from shown
                yield from self._findings(findings, "" if shown else f" in message {message.index}")
        for left in self.by_message.values():
            yield from self._findings(left)
        yield "\n"

    def _title(self) -> Iterator[str]:
        info, paint = self.seen.info, self.view.paint
        assert info is not None
        name = clean(info.id or str(self.number + 1))
        found = plural(len(self.seen.diagnostics), "finding") if self.seen.diagnostics else "no findings"
        who = ", ".join(map(clean, info.targets))
        title = f"conversation {name}: {info.dialect}, {plural(info.messages, 'message')}, "
        for line in wrap(f"{title}judged as {who} ({info.mode}), {found}", self.view.room):
            yield f"{paint('bold', line)}\n"

    def _message(self, message: Message) -> list[str]:
        """A message; nothing where all that is in it stands elsewhere, under the calls that it answers."""
        parts = [part for part in message.parts if not self._is_at_its_call(part)]
        if message.parts and not parts:
            return []
        role = message.role if isinstance(message.role, str) else message.item or message.speaker.value
        lines = [self._header(str(message.index), role, message.speaker)]
        for part in parts:
            lines += self._part(part)
        return lines

    def _header(self, index: str, role: str, speaker: Speaker | None = None) -> str:
        style = "bold" if speaker is not Speaker.ASSISTANT else "good"
        return f"\n{self.view.paint('dim', f'{index:>5}')}  {self.view.paint(style, clean(role[:80]))}\n"

    def _part(self, part: Part) -> Iterator[str]:
        if isinstance(part, Call):
            yield from self._call(part)
        elif isinstance(part, Result):
            yield from self._result(part, "result of no call" if self._pairing is not None else "result")
        elif isinstance(part, Media):
            yield f"{_INDENT}[{clean(part.media or part.type)} {clean(str(part.media_type or ''))}".rstrip() + "]\n"
        elif part.text is not None:
            label = "" if part.kind is Kind.TEXT else f"[{part.kind.value}] "
            yield from self._text(f"{label}{part.text}", _INDENT)
        else:
            yield f"{_INDENT}[{clean(part.type or part.kind.value)}]\n"

    # Calls and results

    @property
    def _pairing(self) -> Pairing | None:
        return self.seen.pairings[0] if self.seen.pairings else None

    def _is_at_its_call(self, part: Part) -> bool:
        """Whether a part is a result that is shown under its call, and not where it was saved."""
        return isinstance(part, Result) and self._pairing is not None and self._pairing.call_of(part) is not None

    def _badge(self, number: int) -> str:
        """The number by which a call and its results know each other."""
        return f"{self.view.paint(HUES[number % len(HUES)], f'[{number + 1}]')} " if number >= 0 else ""

    def _call(self, call: Call) -> Iterator[str]:
        paint, pairing = self.view.paint, self._pairing
        arguments = call.arguments if isinstance(call.arguments, str) else _json(call.arguments)
        name = str(call.name) if call.name is not None else "(no name)"
        identity = f" ({call.id})" if call.id is not None else ""
        badge = self._badge(call.number)
        yield from self._labelled(badge, f"call {name}", f"{identity} {self._short(arguments)}", _INDENT)
        if pairing is None or call.hosted or call.number < 0:
            return
        result = pairing.result_of(call)
        if result is not None:
            yield from self._result(result, "result", badge)
        elif fate := of_call(state := pairing.call_states[call.number]):
            style = "warning" if state in (CallState.PENDING, CallState.PARTIAL) else "error"
            yield f"{_INDENT}  {badge}{paint(style, fate)}\n"

    def _result(self, result: Result, label: str, badge: str = "") -> Iterator[str]:
        content = result.content if isinstance(result.content, str) else _result_text(result)
        notes = " (error)" if result.is_error else ""
        state = None
        if self._pairing is not None and not result.hosted and result.number >= 0:
            state = self._pairing.result_states[result.number]
        if state is not None and state is not ResultState.ORPHAN and (fate := of_result(state)):
            notes += f", {fate} (message {result.message.index})"
        identity = f" ({result.id})" if result.id is not None else ""
        style = "fix" if state in (None, ResultState.ANSWERS) else "error"
        yield from self._labelled(badge, label, f"{identity}{notes}", f"{_INDENT}  ", style)
        yield from self._text(content, f"{_INDENT}    ")

    def _labelled(self, badge: str, label: str, rest: str, indent: str, style: str = "fix") -> Iterator[str]:
        """A call or result on a line of its own, and as many further ones as it takes."""
        columns = self.view.room - len(indent) - 6  # what a badge takes at most
        label = clean(label)
        first, *more = wrap(f"{label}{clean(rest)}".rstrip(), columns)
        shown = f"{self.view.paint(style, label)}{first[len(label) :]}" if first.startswith(label) else first
        yield f"{indent}{badge}{shown}\n"
        for line in more:
            yield f"{indent}    {line}\n"

    # Texts

    def _text(self, text: str, indent: str) -> Iterator[str]:
        room = self.view.room - len(indent)
        saved = text.splitlines() or [""]
        shown = saved if self.view.full else saved[:_MOST_LINES]
        for line in shown:
            for piece in wrap(clean(line) if self.view.full else self._short(line), room):
                yield f"{indent}{piece}".rstrip() + "\n"
        if len(saved) > len(shown):
            yield f"{indent}{self.view.paint('dim', f'… {len(saved) - len(shown)} more lines')}\n"

    def _short(self, text: str) -> str:
        if self.view.full or len(text) <= _MOST_CHARS:
            return clean(text)
        return f"{clean(text[:_MOST_CHARS])}… {len(text) - _MOST_CHARS} more characters"

    def _findings(self, diagnostics: list[Diagnostic], where: str = "") -> Iterator[str]:
        paint = self.view.paint
        for found in diagnostics:
            style = found.severity.value
            bar = f"  {paint(style, _BAR)} "
            lead = f"{style} {clean(found.rule)} ({clean(found.code)}){where}: "
            for number, line in enumerate(wrap(lead + clean(found.message), self.view.room - 6)):
                yield f"{bar}{'  ' if number else ''}{paint(style, line)}\n"
            for label, text in remarks(found):
                head = f"{label} " if label else ""
                for number, line in enumerate(wrap(head + text, self.view.room - 6)):
                    start = paint("bold", label) + line[len(label) :] if not number and label else line
                    yield f"{bar}{'' if not number else '  '}{start}\n"


def _result_text(result: Result) -> str:
    texts = [part.text if part.text is not None else f"[{part.type or part.kind.value}]" for part in result.parts]
    return "\n".join(texts) if texts else _json(result.content)


def _json(value: Any) -> str:
    """A value on one line; what is nested too deep to be written is only named."""
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "(a value that cannot be shown)"
