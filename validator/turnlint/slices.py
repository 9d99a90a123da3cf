"""One large file of lines, checked in slices by several processes, with the report that one process would give.

A slice begins behind a line that is a record by itself: there, reading has nothing in mind but the keys that records
begin with, which the beginning of the file tells.  Lines and numbers of documents are counted inside a slice, and
moved to their places when all are joined.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from turnlint import containers
from turnlint.engine import MOST_INFOS, Settings, SourceCheck
from turnlint.source.decode import fast_decode
from turnlint.source.jsonl import EFFORT, LEARNED_LINES, LineReader, read_lines
from turnlint.source.reader import blocks_between, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from turnlint.containers import Skipped
    from turnlint.diagnostic import Diagnostic, Report, TranscriptInfo

SMALLEST: Final = 4 << 20
"""Bytes of a slice, below which another process costs more than it saves."""
LOOKED_AT: Final = 1 << 20  # bytes from a place on in which a line to begin behind is looked for


class Slice(Struct, frozen=True):
    """Bytes `start` to `end` of a file, which are whole lines.  `first_keys` is what the beginning told, None there."""

    path: str
    start: int
    end: int
    container: str
    first_keys: frozenset[bytes] | None = None


class Part(Struct):
    """What came of a slice.  `unjudged` numbers those `diagnostics` that wait for a target to word them."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    unjudged: list[int] = field(default_factory=list)
    infos: list[TranscriptInfo] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    messages: int = 0
    transcripts: int = 0
    documents: int = 0
    lines: int = 0
    spent: int = 0


def cut(path: Path, settings: Settings, pieces: int) -> list[Slice]:
    """Up to so many slices that make up a file; none where it must be read in one go.

    Never raises for what the file holds: whoever reads it in one go will say what is wrong.
    """
    try:
        size = path.stat().st_size
        pieces = min(pieces, size // SMALLEST)
        source = read(path, name=str(path)) if pieces > 1 else None
        if source is None or source.kind != "jsonl" or source.compressed or source.encoding != "utf-8" or source.faults:
            return []
        reader = LineReader()
        blocks = blocks_between(path, 3 if source.bom else 0, size)
        head = list(itertools.islice(read_lines(blocks, None, reader), LEARNED_LINES))
        check = SourceCheck(settings, "", named=True)
        container = check.checker.container or check.container_of(head[: containers.HEAD])
        if len(head) < LEARNED_LINES or container is None or not container.alone:
            return []
        learned = frozenset(reader.first_keys)
        bounds = _bounds(path, 3 if source.bom else 0, reader.offset, size, pieces)
    except OSError:
        return []
    return [
        Slice(str(path), start, end, container.name, learned if number else None)
        for number, (start, end) in enumerate(itertools.pairwise(bounds))
    ]


def _bounds(path: Path, start: int, least: int, size: int, pieces: int) -> list[int]:
    """Where slices begin, and the end: behind lines that are records, none before `least`."""
    bounds = [start]
    with path.open("rb") as file:
        for number in range(1, pieces):
            at = max(size * number // pieces, start + least, bounds[-1])
            file.seek(at)
            window = file.read(LOOKED_AT)
            begin = window.find(b"\n") + 1
            while begin and (end := window.find(b"\n", begin)) >= 0:
                if _is_record(window[begin:end]):
                    bounds.append(at + end + 1)
                    break
                begin = end + 1
    return [*dict.fromkeys(bounds), size]


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(fast_decode(line), (dict, list))
    except (ValueError, RecursionError):
        return False


def check(piece: Slice, name: str, settings: Settings) -> Part:
    """Check one slice."""
    check = SourceCheck(settings, name, named=True)
    reader = LineReader(piece.first_keys)
    documents = read_lines(blocks_between(Path(piece.path), piece.start, piece.end), None, reader)
    check.slice(containers.get(piece.container), documents, beginning=piece.first_keys is None)
    return Part(
        check.diagnostics,
        check.unjudged,
        check.infos,
        check.skipped,
        check.messages,
        check.transcripts,
        reader.number,
        reader.line - 1,
        reader.spent,
    )


def join(parts: Iterable[Part], pieces: list[Slice], name: str, settings: Settings, *, named: bool) -> Report | None:
    """The report of the whole file; None where bad lines are so many that one process would have stopped guessing."""
    whole = SourceCheck(settings, name, named=named)
    lines = documents = spent = 0
    for part in parts:
        if part.infos and whole.unjudged:
            whole.judge_faults(part.infos[0])
        known = len(whole.diagnostics)
        whole.diagnostics.extend(_moved(found, lines, documents) for found in part.diagnostics)
        whole.unjudged.extend(number + known for number in part.unjudged)
        room = max(0, MOST_INFOS - len(whole.infos))
        whole.infos.extend(
            replace(info, line=info.line + lines) if info.line is not None else info for info in part.infos[:room]
        )
        whole.skipped.extend(s for s in part.skipped if s.known or len(whole.skipped) < 64)
        whole.messages += part.messages
        whole.transcripts += part.transcripts
        lines += part.lines
        documents += part.documents
        spent += part.spent
    if spent >= EFFORT:
        return None
    return whole.report(containers.get(pieces[0].container))


def _moved(found: Diagnostic, lines: int, documents: int) -> Diagnostic:
    """A diagnostic of a slice that begins behind so many lines and documents."""
    if not documents and not lines:
        return found

    def down(line: int | None) -> int | None:
        return line + lines if line is not None else None

    return replace(
        found,
        line=down(found.line),
        end_line=down(found.end_line),
        document=found.document + documents,
        related=tuple(replace(r, line=down(r.line), document=r.document + documents) for r in found.related),
    )
