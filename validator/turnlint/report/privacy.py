"""``--no-quotes``: a report without any text of the transcripts.

What a rule writes may quote IDs, tool names and arguments, and nobody can tell by looking at a sentence.  So nothing
written for one diagnostic stays: its message becomes the rule's own one-line summary, and cause, provider's text,
notes, help, titles and edits go.  Places, numbers, rules, targets and statuses stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from turnlint.diagnostic import Diagnostic, FileInfo, Fix, Report, path_of, pointer_of

if TYPE_CHECKING:
    from turnlint.report import Context

# Below these keys stand values of the user's own making, whose keys may tell as much as their values.
_OWN_KEYS = frozenset({"arguments", "args", "input", "toolInput", "parameters", "response", "output", "metadata"})


def without_quotes(report: Report, context: Context) -> Report:
    """A copy of `report` that holds nothing written in a transcript, except names of files."""
    return Report(
        diagnostics=[_bare(diagnostic, context) for diagnostic in report.diagnostics],
        files=[_bare_file(file) for file in report.files],
        messages=report.messages,
        transcripts=report.transcripts,
    )


def _bare(diagnostic: Diagnostic, context: Context) -> Diagnostic:
    page = context.rule_page(diagnostic.code)
    fix = diagnostic.fix
    return replace(
        diagnostic,
        message=page.summary if page is not None else diagnostic.rule.replace("-", " "),
        cause=None,
        provider_error=None,
        verdicts=tuple(replace(judgement, provider_error=None) for judgement in diagnostic.verdicts),
        notes=(),
        help=None,
        pointer=_structural(diagnostic.pointer),
        transcript=None,
        related=tuple(
            replace(related, message="belongs to it", pointer=_structural(related.pointer))
            for related in diagnostic.related
        ),
        fix=None if fix is None else Fix(title="can be fixed", safety=fix.safety),
    )


def _bare_file(file: FileInfo) -> FileInfo:
    transcripts = tuple(
        replace(transcript, id=str(number), pointer=_structural(transcript.pointer), judged_because="", notice=None)
        for number, transcript in enumerate(file.transcripts, start=1)
    )
    return replace(file, transcripts=transcripts, note=None)


def _structural(pointer: str) -> str:
    """A pointer up to the first key below which keys are the user's own."""
    steps = path_of(pointer)
    for index, step in enumerate(steps):
        if step in _OWN_KEYS:
            return pointer_of(steps[: index + 1])
    return pointer
