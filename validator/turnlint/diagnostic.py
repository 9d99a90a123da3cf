"""What a check hands back: diagnostics, their places and their fixes.

Nothing here knows a rule, a dialect or a file format.  A place is named by a `Place` (document number and
path of keys) while rules run; the engine turns it into a JSON pointer, and into line and column only when
the source's bytes are at hand.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Path = tuple[str | int, ...]

_E = TypeVar("_E", bound=Enum)
_new_tuple = tuple.__new__


def at_hand(cls: type[_E]) -> type[_E]:
    """Makes the members of an enum plain attributes of its class, as they are from Python 3.12 on.

    In 3.11 every `Kind.CALL` runs a descriptor written in Python, which is what a check would mostly do.
    """
    for name, member in cls.__members__.items():
        type.__setattr__(cls, name, member)
    return cls


@at_hand
class Severity(StrEnum):
    """How grave a diagnostic is: the request is refused, it is harmed, or it is merely odd."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for error, 1 for warning, 2 for info: sorts the gravest first."""
        return _RANKS[self]

    def reaches(self, threshold: Severity) -> bool:
        """Whether this severity is at or above `threshold`."""
        return self.rank <= threshold.rank


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def pointer_of(path: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of a path of keys and indexes; the empty path is ``""``."""
    return "".join(
        f"/{step}" if type(step) is int else "/" + str(step).replace("~", "~0").replace("/", "~1") for step in path
    )


def path_of(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer, unescaped.  Indexes stay text, as a pointer cannot tell them from keys."""
    if not pointer:
        return ()
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))


class Place(NamedTuple):
    """Where something stands: the path inside its document, and the number of that document in the source."""

    path: Path = ()
    document: int = 0

    def __truediv__(self, step: str | int) -> Place:
        return _new_tuple(Place, (self[0] + (step,), self[1]))  # Place(…) without its detours

    @property
    def step(self) -> str | int | None:
        """The last key or index of the path; None for a whole document."""
        return self.path[-1] if self.path else None

    @property
    def pointer(self) -> str:
        return pointer_of(self.path)


class Related(Struct, frozen=True):
    """A second place that belongs to a diagnostic: the call of a stray result, the evidence for a cause."""

    pointer: str
    message: str
    document: int = 0
    line: int | None = None
    column: int | None = None


class Edit(Struct, frozen=True):
    """One replacement in a file: bytes `start` to `end` (exclusive) become `text`.  Lines and columns from 1."""

    start: int
    end: int
    text: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@at_hand
class Safety(StrEnum):
    """`safe`: nothing is lost and nothing is invented.  `unsafe`: only on request, with the reason in the fix."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Fix(Struct, frozen=True):
    """How a diagnostic can be repaired.

    `verbs` are neutral repair verbs (`turnlint.repair`), which a dialect carries out on its shape;
    `edits` is filled only when the bytes of the source are known.
    """

    title: str
    safety: Safety = Safety.SAFE
    reason: str | None = None
    verbs: tuple[Any, ...] = ()
    edits: tuple[Edit, ...] = ()


class Judgement(Struct, frozen=True):
    """What one target says of a fault: how grave, in which words, with which HTTP status."""

    target: str
    severity: Severity
    provider_error: str | None = None
    status: int | None = None


class Diagnostic(Struct, frozen=True):
    """One finding.

    `message` is one plain sentence of what is wrong; `cause` a worded guess of why; `provider_error` the text the
    target would answer (where its versions word it differently, the wordings joined by `` | ``) and `status` its HTTP
    status.  `pointer` is a JSON pointer into document number `document`
    of the source (0 in a plain file); `line`, `column`, `end_line`, `end_column` count from 1 in code points, ends
    exclusive, and are None where no source text is known.  `also` names rules whose findings are only consequences.
    `notes` are short remarks on how the judgement was reached (model not named, accepted in the recording).
    """

    rule: str
    code: str
    severity: Severity
    message: str
    pointer: str = ""
    cause: str | None = None
    target: str | None = None
    provider_error: str | None = None
    status: int | None = None
    verdicts: tuple[Judgement, ...] = ()
    also: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    message_index: int | None = None
    transcript: str | None = None
    path: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    url: str = ""
    help: str | None = None
    document: int = field(default=0)

    def with_severity(self, severity: Severity, *notes: str) -> Diagnostic:
        """This diagnostic at another severity, its first judgement with it."""
        return replace(self, severity=severity, notes=(*self.notes, *notes))

    def sort_key(self) -> tuple[object, ...]:
        return (self.path or "", self.line or 0, self.column or 0, self.document, self.pointer, self.code)


class TranscriptInfo(Struct, frozen=True):
    """What the report says of one transcript that was checked."""

    id: str
    pointer: str
    line: int | None
    dialect: str
    targets: tuple[str, ...]
    mode: str
    messages: int
    judged_because: str = ""
    notice: str | None = None


class FileInfo(Struct, frozen=True):
    """What the report says of one source: `status` is checked, unrecognised or unreadable."""

    path: str
    status: str
    container: str | None = None
    transcripts: tuple[TranscriptInfo, ...] = ()
    note: str | None = None


class Report(Struct):
    """The outcome of a check: diagnostics sorted by place, and the files and transcripts that were looked at."""

    diagnostics: Sequence[Diagnostic] = ()
    files: Sequence[FileInfo] = ()
    messages: int = 0
    transcripts: int = 0

    @property
    def ok(self) -> bool:
        """No diagnostic is an error."""
        return all(d.severity is not Severity.ERROR for d in self.diagnostics)

    def count(self, severity: Severity) -> int:
        return sum(d.severity is severity for d in self.diagnostics)

    def fails(self, threshold: Severity = Severity.ERROR) -> bool:
        """Whether any diagnostic reaches `threshold`."""
        return any(d.severity.reaches(threshold) for d in self.diagnostics)
