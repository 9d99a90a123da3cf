"""What the machine formats print for every sample is valid by the schemas that others, and this project, publish.

tests/schemas/README.md says where the schemas come from.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

import turnlint.report as reports
from turnlint import check_path
from turnlint.cli import backend
from turnlint.diagnostic import Report, Severity
from turnlint.report import Context, render

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "tests/schemas"
FOLDERS = sorted({path.parent for path in (ROOT / "sample_transcripts").rglob("*") if path.is_file()})


@cache
def report_of(folder: Path) -> Report:
    """The report on all samples of a folder."""
    checked = [check_path(path) for path in sorted(folder.iterdir()) if path.is_file()]
    return Report(
        [diagnostic for report in checked for diagnostic in report.diagnostics],
        [file for report in checked for file in report.files],
        sum(report.messages for report in checked),
        sum(report.transcripts for report in checked),
    )


def printed(name: str, report: Report) -> str:
    context = Context(rule_page=backend.rule_page, base=ROOT, version="1.2.3", data="2026-01-31")
    return "".join(render(name, report, context))


def validator(file: Path) -> Any:
    schema = json.loads(file.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


@pytest.fixture(scope="module")
def sarif() -> Any:
    return validator(SCHEMAS / "sarif-2.1.0-rtm.5.json")


@pytest.fixture(scope="module")
def gitlab() -> Any:
    return validator(SCHEMAS / "gitlab-code-quality.json")


@pytest.fixture(scope="module")
def own() -> Any:
    return validator(Path(reports.__path__[0]) / "report.schema.json")


@pytest.fixture(scope="module")
def junit() -> Any:
    return xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")


of_samples = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")


def test_there_are_findings_of_every_severity() -> None:
    """What follows would show little without them."""
    found = [diagnostic for folder in FOLDERS for diagnostic in report_of(folder).diagnostics]
    assert {diagnostic.severity for diagnostic in found} == set(Severity)
    assert any(diagnostic.fix is not None and diagnostic.fix.edits for diagnostic in found)
    assert any(diagnostic.related for diagnostic in found)


@of_samples
def test_sarif(folder: Path, sarif: Any) -> None:
    sarif.validate(json.loads(printed("sarif", report_of(folder))))


@of_samples
def test_gitlab(folder: Path, gitlab: Any) -> None:
    gitlab.validate(json.loads(printed("gitlab", report_of(folder))))


@of_samples
def test_junit(folder: Path, junit: Any) -> None:
    junit.validate(printed("junit", report_of(folder)))


@of_samples
def test_json(folder: Path, own: Any) -> None:
    own.validate(json.loads(printed("json", report_of(folder))))


def test_no_findings(sarif: Any, gitlab: Any, junit: Any, own: Any) -> None:
    sarif.validate(json.loads(printed("sarif", Report())))
    gitlab.validate(json.loads(printed("gitlab", Report())))
    junit.validate(printed("junit", Report()))
    own.validate(json.loads(printed("json", Report())))


def test_the_schemas_refuse_what_is_wrong(sarif: Any, gitlab: Any, junit: Any) -> None:
    report = report_of(ROOT / "sample_transcripts/invalid/openai-chat")
    document = json.loads(printed("sarif", report))
    document["runs"][0]["results"][0]["level"] = "grave"
    assert not sarif.is_valid(document)
    issues = json.loads(printed("gitlab", report))
    issues[0]["location"]["path"] = "/absolute"
    assert not gitlab.is_valid(issues)
    assert not junit.is_valid(printed("junit", report).replace("<testcase ", "<testcase line='1' "))
