"""A checker for a history that grows: it looks only at what was added, and can tell before a message is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.api import settings_of
from turnlint.diagnostic import Diagnostic, Report, Severity
from turnlint.engine import check_document
from turnlint.objects import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

OPEN = 64  # messages looked back at, at least, when a message is added


class Session:
    """An append-only history that is checked as it grows.

        session = turnlint.Session(target="anthropic")
        session.append({"role": "user", "content": "Hello"})
        report = session.preview(message)      # would the history stay valid?
        if report.ok:
            session.append(message)

    What a new message breaks is found by looking at the turns that are still open and the few before them, so that the
    cost of a message does not grow with the history.  `check` looks at everything.  Indexes and pointers count from
    the start of the history.
    """

    def __init__(
        self,
        messages: Iterable[Any] = (),
        *,
        target: str | Iterable[str] | None = None,
        dialect: str | None = None,
        **settings: Any,
    ) -> None:
        self._saved = settings_of(target, dialect, "saved", **settings)
        self._request = settings_of(target, dialect, "request", **settings)
        self.messages: list[Any] = [plain(m) for m in messages]
        self._anchor = 0
        self._look_again = 2 * OPEN
        self.diagnostics: list[Diagnostic] = list(self.check(mode="saved").diagnostics) if self.messages else []

    def append(self, message: Any) -> Report:
        """Add a message; the report holds what is wrong because of it."""
        made = plain(message)
        report = self._with(made)
        self.messages.append(made)
        self.diagnostics.extend(report.diagnostics)
        return report

    def extend(self, messages: Iterable[Any]) -> Report:
        """Add several messages, one after another."""
        found: list[Diagnostic] = []
        for message in messages:
            found.extend(self.append(message).diagnostics)
        return Report(found, [], len(self.messages), 1)

    def preview(self, message: Any) -> Report:
        """What would be wrong if this message were added; nothing is."""
        return self._with(plain(message))

    def ready(self) -> Report:
        """Whether the history could be sent as it is: the end is judged as that of a request."""
        return self.check(mode="request")

    def check(self, mode: str = "request") -> Report:
        """A check of the whole history."""
        return check_document(self.messages, self._request if mode == "request" else self._saved)

    @property
    def ok(self) -> bool:
        """No error so far."""
        return all(d.severity is not Severity.ERROR for d in self.diagnostics)

    def _with(self, message: Any) -> Report:
        start = self._start()
        tail = self.messages[start:]
        before = {(d.rule, d.pointer) for d in check_document(tail, self._saved).diagnostics} if tail else set()
        after = check_document([*tail, message], self._saved).diagnostics
        new = [_shift(d, start) for d in after if (d.rule, d.pointer) not in before and d.severity is not Severity.INFO]
        return Report(new, [], len(self.messages) + 1, 1)

    def _start(self) -> int:
        """The beginning of the part of the history that a new message can still concern: it parts no pair."""
        size = len(self.messages)
        if size >= self._look_again:
            from turnlint.cutting import closed_points

            points = closed_points(self.messages[self._anchor :], self._saved)
            early = [p for p in points if self._anchor + p <= size - OPEN]
            self._anchor += max(early, default=0)
            self._look_again = self._anchor + 2 * max(OPEN, size - self._anchor)
        return self._anchor


def _shift(found: Diagnostic, by: int) -> Diagnostic:
    """A diagnostic of a slice, at its place in the whole history."""
    from msgspec.structs import replace

    if not by:
        return found
    return replace(
        found,
        pointer=_moved(found.pointer, by),
        message_index=None if found.message_index is None else found.message_index + by,
        related=tuple(replace(r, pointer=_moved(r.pointer, by)) for r in found.related),
    )


def _moved(pointer: str, by: int) -> str:
    head, _, rest = pointer[1:].partition("/")
    return f"/{int(head) + by}{'/' + rest if rest else ''}" if head.isdigit() else pointer
