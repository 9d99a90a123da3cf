"""A checker for a history that grows: it looks only at what was added, and can tell before a message is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnlint.api import settings_of
from turnlint.diagnostic import Diagnostic, Report, Severity
from turnlint.engine import check_document
from turnlint.errors import UsageError
from turnlint.objects import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

OPEN = 16  # messages looked back at, at least, when a message is added


class Session:
    """An append-only history that is checked as it grows.

        session = turnlint.Session(target="anthropic")
        session.append({"role": "user", "content": "Hello"})
        report = session.preview(message)      # would the history stay valid?
        if report.ok:
            session.append(message)

    What a new message breaks is found by looking at the turns that are still open and some before them, so that the
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
        self._anchor = 0  # what stands before it is settled
        self._look_again = 2 * OPEN
        self._settled: list[Diagnostic] = []
        self._open: list[Diagnostic] = []
        self._artifacts: set[tuple[str, str]] = set()  # findings that only come of looking from the anchor on
        self._open = self._look(self.messages)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong with the history as it is now, taken as a record at rest.

        What a later message puts right is not among them any more: a call that was without a result, for one.
        """
        return [*self._settled, *self._open]

    @property
    def ok(self) -> bool:
        """No error in the history as it is now."""
        return all(d.severity is not Severity.ERROR for d in self.diagnostics)

    def append(self, message: Any) -> Report:
        """Add a message; the report holds what is wrong because of it."""
        made = plain(message)
        self._settle()
        after = self._look([*self.messages[self._anchor :], made])
        new = self._new(after)
        self.messages.append(made)
        self._open = after
        return Report(new, [], len(self.messages), 1)

    def extend(self, messages: Iterable[Any]) -> Report:
        """Add several messages, one after another."""
        found: list[Diagnostic] = []
        for message in messages:
            found.extend(self.append(message).diagnostics)
        return Report(found, [], len(self.messages), 1)

    def preview(self, message: Any) -> Report:
        """What would be wrong if this message were added; nothing is."""
        self._settle()
        after = self._look([*self.messages[self._anchor :], plain(message)])
        return Report(self._new(after), [], len(self.messages) + 1, 1)

    def ready(self) -> Report:
        """Whether the history could be sent as it is: the end is judged as that of a request."""
        return self.check(mode="request")

    def check(self, mode: str = "request") -> Report:
        """A check of the whole history."""
        return check_document(self.messages, self._request if mode == "request" else self._saved)

    def _look(self, tail: list[Any]) -> list[Diagnostic]:
        """The findings in the messages from the anchor on, at their places in the whole history."""
        if not tail:
            return []
        found = (_shift(d, self._anchor) for d in check_document(tail, self._saved).diagnostics)
        if not self._anchor:
            return list(found)
        return [d for d in found if (d.rule, d.pointer) not in self._artifacts]

    def _new(self, after: list[Diagnostic]) -> list[Diagnostic]:
        before = {(d.rule, d.pointer) for d in self._open}
        return [d for d in after if (d.rule, d.pointer) not in before and d.severity is not Severity.INFO]

    def _settle(self) -> None:
        """Moves the anchor on, to where no pair is parted and no later message can matter any more."""
        size = len(self.messages)
        if size < self._look_again:
            return
        from turnlint.cutting import closed_points

        try:
            points = closed_points(self.messages[self._anchor :], self._saved)
        except UsageError:  # nothing in it is known: there is nothing to settle
            points = []
        step = max((p for p in points if self._anchor + p <= size - OPEN), default=0)
        if step:
            self._anchor += step
            known = {(d.rule, d.pointer) for d in self._open}
            self._settled += [d for d in self._open if (d.message_index or 0) < self._anchor]
            self._artifacts.clear()
            found = self._look(self.messages[self._anchor :])
            self._artifacts = {(d.rule, d.pointer) for d in found} - known
            self._open = [d for d in found if (d.rule, d.pointer) in known]
        self._look_again = self._anchor + 2 * max(OPEN, size - self._anchor)


def _shift(found: Diagnostic, by: int) -> Diagnostic:
    """A diagnostic of a slice, at its place in the whole history."""
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
