"""The edits that each single fix would make, for reports that other programs carry out.

`turnlint.fixing` repairs a file as a whole, pass by pass; here each fix stands for itself, as edits of the file's own
bytes.  A report does without the edits of a fix that cannot stand alone, or whose file is not plain UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from turnlint.diagnostic import Edit
from turnlint.fixing import single_fixes
from turnlint.repairing import Unfixable
from turnlint.source.lines import LineIndex
from turnlint.source.patch import ByteEdit, PatchError, apply, edits_for
from turnlint.source.spelling import Style

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from turnlint.diagnostic import Diagnostic, Fix, Report
    from turnlint.engine import Settings
    from turnlint.repairing import Edits, Lines
    from turnlint.source.document import Document

_MOST_BYTES = 32 << 20  # of documents that are edited, each counted once for every fix; what is left has no edits
_UTF8_BOM = 3  # bytes

_Key = tuple[str, int, str]


def with_edits(report: Report, path: Path | None, stream: BinaryIO | None = None, *, settings: Settings) -> Report:
    """The report on one source, its fixes with the edits that each of them would make, and with its safety there.

    `path` or `stream` is what was checked, read once more, and `settings` are those it was checked with.
    """
    if not any(diagnostic.fix is not None for diagnostic in report.diagnostics):
        return report
    fixes = _fixes(path, stream, settings)
    return replace(report, diagnostics=[_given(diagnostic, fixes) for diagnostic in report.diagnostics])


def _given(diagnostic: Diagnostic, fixes: dict[_Key, Fix]) -> Diagnostic:
    fix = fixes.get(_key(diagnostic))
    if fix is None or diagnostic.fix is None or fix.title != diagnostic.fix.title:
        return diagnostic
    return replace(diagnostic, fix=fix)


def _key(diagnostic: Diagnostic) -> _Key:
    return diagnostic.rule, diagnostic.document, diagnostic.pointer


def _fixes(path: Path | None, stream: BinaryIO | None, settings: Settings) -> dict[_Key, Fix]:
    """The fixes of one source with their edits, by what they fix."""
    from turnlint.source.reader import read

    source = read(path, stream, name="", keep=True)
    if source.faults or source.kind == "binary" or source.compressed is not None or source.encoding != "utf-8":
        return {}
    documents = list(source.documents())
    text = _Text(source.text(), documents, _UTF8_BOM if source.bom else 0)
    fixes: dict[_Key, Fix] = {}
    for diagnostic, safety, make in single_fixes(documents, settings):
        if diagnostic.fix is not None:
            try:
                edits = text.edits(make())
            except (Unfixable, PatchError, UnicodeError):
                edits = ()
            fixes[_key(diagnostic)] = replace(diagnostic.fix, safety=safety, edits=edits)
    return fixes


class _Text:
    """The text of a source, and the edits of its documents as edits of the file."""

    def __init__(self, text: bytes, documents: Sequence[Document], shift: int) -> None:
        self._text = text
        self._documents = {document.number: document for document in documents}
        self._order = {document.number: place for place, document in enumerate(documents)}
        self._list = documents
        self._shift = shift  # of the file's offsets against those of the text
        self._lines = LineIndex(text)
        self._left = _MOST_BYTES

    def edits(self, made: Edits) -> tuple[Edit, ...]:
        """The edits of one fix, in order.  Raises PatchError, or UnicodeError for bytes that are no text."""
        edits: list[ByteEdit] = []
        for number, tree in made.trees.items():
            document = self._documents[number]
            self._left -= len(document.data)
            if self._left < 0:
                return ()
            if number not in made.lines.removed:
                kind: Literal["json", "yaml"] = "yaml" if document.format == "yaml" else "json"
                changes = edits_for(document.data, tree, kind)
                edits += ((document.offset + start, document.offset + end, new) for start, end, new in changes)
        edits += self._of_lines(made.lines)
        edits.sort(key=lambda edit: edit[:2])
        apply(self._text, edits)  # raises where they overlap
        return tuple(self._edit(*edit) for edit in edits)

    def _edit(self, start: int, end: int, new: bytes) -> Edit:
        line, column = self._lines.position(start)
        end_line, end_column = self._lines.position(end)
        return Edit(start + self._shift, end + self._shift, new.decode(), line, column, end_line, end_column)

    def _of_lines(self, lines: Lines) -> list[ByteEdit]:
        edits: list[ByteEdit] = [(*self._span(number), b"") for number in sorted(lines.removed)]
        for after, moved, value in lines.placed:
            at = self._span(after)[1] if after >= 0 else self._list[0].offset
            data = self._new_line(value) if moved is None else self._documents[moved].data
            edits.append((at, at, data + b"\n" if self._text[at - 1 : at] in (b"", b"\n") else b"\n" + data))
        return edits

    def _new_line(self, value: Any) -> bytes:
        """A value as a line, written as the first line is."""
        like = self._list[0].data
        return Style.of(like, 0, len(like)).text(value).encode()

    def _span(self, number: int) -> tuple[int, int]:
        """Where a line begins and ends, its line end included; the last one may have the one before it instead."""
        document = self._documents[number]
        start, stop = document.offset, document.offset + len(document.data)
        end = self._text.find(b"\n", stop) + 1
        if end:
            return start, end
        before = self._list[self._order[number] - 1] if self._order[number] else None
        return (before.offset + len(before.data) if before is not None else start), len(self._text)
