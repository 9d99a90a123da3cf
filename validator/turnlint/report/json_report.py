"""The JSON report, version 1; `report.schema.json` beside this module is its schema.

The text is plain ASCII (everything else is escaped), one diagnostic and one file a line, so that two reports can be
compared by line and no terminal is steered by them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Severity
from turnlint.report.wording import fixable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnlint.diagnostic import Diagnostic, FileInfo, Fix, Report
    from turnlint.report import Context

VERSION = 1
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def render(report: Report, context: Context) -> Iterator[str]:
    tool = {"name": "turnlint", "version": context.version, "data": context.data}
    yield f'{{"version": {VERSION}, "tool": {dump(tool)},\n "files": ['
    yield from _rows(file_object(file) for file in report.files)
    yield '],\n "diagnostics": ['
    yield from _rows(diagnostic_object(diagnostic) for diagnostic in report.diagnostics)
    yield f'],\n "summary": {dump(summary_object(report))}}}\n'


def dump(value: Any) -> str:
    """One line of ASCII JSON.  Half a surrogate pair, which strict readers refuse, becomes U+FFFD."""
    text = json.dumps(value)
    if "\\ud" not in text:
        return text
    return json.dumps(_without_lone_surrogates(value))


def _without_lone_surrogates(value: Any) -> Any:
    # Reports nest five levels deep at most, whatever the transcript was.
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_lone_surrogates(item) for item in value]
    return value


def _rows(objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    separator = "\n  "
    for value in objects:
        yield separator + dump(value)
        separator = ",\n  "


def file_object(file: FileInfo) -> dict[str, Any]:
    return {
        "path": file.path,
        "status": file.status,
        "container": file.container,
        "note": file.note,
        "transcripts": [
            {
                "id": transcript.id,
                "pointer": transcript.pointer,
                "line": transcript.line,
                "dialect": transcript.dialect,
                "targets": list(transcript.targets),
                "mode": transcript.mode,
                "messages": transcript.messages,
            }
            for transcript in file.transcripts
        ],
    }


def diagnostic_object(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "rule": diagnostic.rule,
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "cause": diagnostic.cause,
        "target": diagnostic.target,
        "provider_error": diagnostic.provider_error,
        "status": diagnostic.status,
        "verdicts": [
            {
                "target": judgement.target,
                "severity": judgement.severity.value,
                "provider_error": judgement.provider_error,
                "status": judgement.status,
            }
            for judgement in diagnostic.verdicts
        ],
        "also": list(diagnostic.also),
        "path": diagnostic.path,
        "transcript": diagnostic.transcript,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_line": diagnostic.end_line,
        "end_column": diagnostic.end_column,
        "pointer": diagnostic.pointer,
        "message_index": diagnostic.message_index,
        "related": [
            {
                "pointer": related.pointer,
                "line": related.line,
                "column": related.column,
                "message": related.message,
            }
            for related in diagnostic.related
        ],
        "fix": None if diagnostic.fix is None else fix_object(diagnostic.fix),
        "url": diagnostic.url,
    }


def fix_object(fix: Fix) -> dict[str, Any]:
    return {
        "safety": fix.safety.value,
        "title": fix.title,
        "edits": [
            {
                "start": edit.start,
                "end": edit.end,
                "line": edit.line,
                "column": edit.column,
                "end_line": edit.end_line,
                "end_column": edit.end_column,
                "text": edit.text,
            }
            for edit in fix.edits
        ],
    }


def summary_object(report: Report) -> dict[str, int]:
    return {
        "files": len(report.files),
        "transcripts": report.transcripts,
        "messages": report.messages,
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "infos": report.count(Severity.INFO),
        "fixable": fixable(report)[0],
        "unrecognised": sum(file.status == "unrecognised" for file in report.files),
    }
