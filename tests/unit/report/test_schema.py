"""The JSON report and the schema that is shipped for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

import turnlint.report as reports
from turnlint.diagnostic import Diagnostic, Report
from turnlint.report import Context, render

SCHEMA = json.loads((Path(reports.__path__[0]) / "report.schema.json").read_text(encoding="utf-8"))


def parsed(report: Report, context: Context) -> Any:
    return json.loads("".join(render("json", report, context)))


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_report_follows_it(report: Report, context: Context) -> None:
    jsonschema.validate(parsed(report, context), SCHEMA)


def test_an_empty_report_follows_it() -> None:
    jsonschema.validate(parsed(Report(), Context()), SCHEMA)


def test_a_finding_without_a_place_follows_it(orphan: Diagnostic, context: Context) -> None:
    bare = replace(orphan, path=None, line=None, column=None, end_line=None, end_column=None, fix=None, related=())
    jsonschema.validate(parsed(Report([bare]), context), SCHEMA)


def test_the_schema_knows_every_key(report: Report, context: Context) -> None:
    """A key that is added to the report must be added to the schema."""
    closed = json.loads(json.dumps(SCHEMA), object_hook=_closed)
    jsonschema.validate(parsed(report, context), closed)


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "additionalProperties": False} if "required" in schema else schema


@pytest.mark.parametrize("key", ["version", "files", "diagnostics", "summary"])
def test_a_report_without_a_key_does_not_follow_it(key: str, report: Report, context: Context) -> None:
    document = parsed(report, context)
    del document[key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)
