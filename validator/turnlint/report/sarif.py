"""SARIF 2.1.0, within the limits of GitHub's code scanning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.baseline import numbered_fingerprints
from turnlint.diagnostic import Severity
from turnlint.report.json_report import dump
from turnlint.report.places import file_uri
from turnlint.report.wording import gravest_first, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.diagnostic import Diagnostic, Edit, Fix, Report
    from turnlint.report import Context

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000  # of a run; an upload with more is refused
MOST_PLACES = 1_000  # of a result
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report, context: Context) -> Iterator[str]:
    results = report.diagnostics
    if len(results) > MOST_RESULTS:
        results = gravest_first(results)[:MOST_RESULTS]
    codes = {code: index for index, code in enumerate(sorted({result.code for result in results}))}
    examples = {result.code: result for result in results}
    yield f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{\n'
    rules = [_rule(examples[code], context) for code in codes]
    driver = {
        "name": "turnlint",
        "version": context.version,
        "semanticVersion": context.version,
        "informationUri": "https://turnlint.readthedocs.io/",
        "rules": rules,
    }
    yield f' "tool": {dump({"driver": driver})},\n "columnKind": "unicodeCodePoints",\n'
    yield f' "invocations": {dump([_invocation(report, len(results))])},\n "results": ['
    separator = "\n  "
    for result, mark in zip(results, numbered_fingerprints(results, context.base), strict=True):
        yield separator + dump(_result(result, codes[result.code], mark, context))
        separator = ",\n  "
    yield "]\n}]}\n"


def _rule(example: Diagnostic, context: Context) -> dict[str, Any]:
    page = context.rule_page(example.code)
    summary = page.summary if page is not None else example.rule.replace("-", " ")
    rule = {
        "id": example.code,
        "name": example.rule,
        "shortDescription": {"text": f"{example.rule}: {summary}"},
        "fullDescription": {"text": summary},
        "help": {"text": page.page, "markdown": page.page} if page is not None and page.page else {"text": summary},
        "defaultConfiguration": {"level": _LEVELS[example.severity]},
        "properties": {"tags": ["correctness", "llm", "tool-calls"]},
    }
    return {**rule, "helpUri": example.url} if example.url else rule


def _invocation(report: Report, shown: int) -> dict[str, Any]:
    remarks = []
    if shown < len(report.diagnostics):
        remarks.append(f"only the gravest {shown} of {len(report.diagnostics)} findings are in this file")
    unknown = sum(file.status == "unrecognised" for file in report.files)
    if unknown:
        remarks.append(f"{plural(unknown, 'file')} not recognised")
    notifications = [{"level": "note", "message": {"text": text}} for text in remarks]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def _result(diagnostic: Diagnostic, rule_index: int, mark: str, context: Context) -> dict[str, Any]:
    text = [f"{diagnostic.message}."]
    if diagnostic.provider_error is not None:
        status = "" if diagnostic.status is None else f" {diagnostic.status}"
        text.append(f'{diagnostic.target} answers{status}: "{diagnostic.provider_error}"')
    if diagnostic.cause:
        text.append(f"Likely cause: {diagnostic.cause}.")
    uri = file_uri(diagnostic.path, context.base)
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _unlinked(" ".join(text))},
        "locations": [
            {
                "physicalLocation": _physical(uri, _region(diagnostic)),
                "logicalLocations": [{"fullyQualifiedName": diagnostic.pointer, "kind": "element"}],
            }
        ],
        "partialFingerprints": {"turnlint/v1": mark},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": _unlinked(related.message)},
                "physicalLocation": _physical(uri, _start(related.line, related.column)),
                "logicalLocations": [{"fullyQualifiedName": related.pointer, "kind": "element"}],
            }
            for number, related in enumerate(diagnostic.related[: MOST_PLACES - 1], start=1)
        ]
    if diagnostic.fix is not None and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix, uri)]
    return result


def _unlinked(text: str) -> str:
    """`text` without what SARIF takes for a link: a transcript must not make one."""
    return text.replace("](", "] (")


def _physical(uri: str, region: dict[str, Any] | None) -> dict[str, Any]:
    artifact = {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    place: dict[str, Any] = {"artifactLocation": artifact}
    return place if region is None else {**place, "region": region}


def _start(line: int | None, column: int | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {"startLine": line} if column is None else {"startLine": line, "startColumn": column}


def _region(span: Diagnostic | Edit) -> dict[str, Any]:
    region = _start(span.line, span.column)
    if region is None:
        return {"startLine": 1}  # code scanning shows no result without a line
    if span.end_line is not None:
        region["endLine"] = span.end_line
        if span.end_column is not None:
            region["endColumn"] = span.end_column
    return region


def _fix(fix: Fix, uri: str) -> dict[str, Any]:
    unsafe = f" ({fix.safety.value}{': ' + fix.reason if fix.reason else ''})"
    return {
        "description": {"text": fix.title + unsafe},
        "artifactChanges": [
            {
                "artifactLocation": _physical(uri, None)["artifactLocation"],
                "replacements": _replacements(fix.edits),
            }
        ],
    }


def _replacements(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    return [
        {
            "deletedRegion": _region(edit)
            if edit.line is not None
            else {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
            "insertedContent": {"text": edit.text},
        }
        for edit in edits
    ]
