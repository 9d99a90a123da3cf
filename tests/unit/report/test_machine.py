"""What the machine formats promise to those that read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from turnlint.diagnostic import Diagnostic, Report, Safety, Severity
from turnlint.report import Context, render
from turnlint.report.places import file_uri
from turnlint.report.sarif import MOST_PLACES, MOST_RESULTS


def parsed(name: str, report: Report, context: Context) -> Any:
    return json.loads("".join(render(name, report, context)))


def test_jsonl_has_the_objects_of_the_json_report(report: Report, context: Context) -> None:
    lines = "".join(render("jsonl", report, context)).splitlines()
    assert [json.loads(line) for line in lines] == parsed("json", report, context)["diagnostics"]


def test_github_shows_errors_first(orphan: Diagnostic, context: Context) -> None:
    warning = replace(orphan, severity=Severity.WARNING)
    out = "".join(render("github", Report([warning, orphan]), context))
    assert out.startswith("::error ")


def test_github_gives_no_columns_of_a_place_over_several_lines(orphan: Diagnostic, context: Context) -> None:
    out = "".join(render("github", Report([replace(orphan, end_line=9)]), context))
    assert "line=4,endLine=9::" in out


def test_gitlab_fingerprints_differ(orphan: Diagnostic, context: Context) -> None:
    issues = parsed("gitlab", Report([orphan, orphan, orphan]), context)
    assert len({issue["fingerprint"] for issue in issues}) == 3


def test_junit_fails_what_fails_the_run(report: Report, context: Context) -> None:
    strict = replace(context, fail_on=Severity.WARNING)
    assert 'failures="2">' in "".join(render("junit", report, strict)).splitlines()[1]


def test_rdjson_counts_bytes(report: Report, context: Context) -> None:
    found = parsed("rdjson", report, context)["diagnostics"][2]
    assert found["location"]["range"]["end"] == {"line": 12, "column": 23 + 2 * 2}


def test_rdjson_suggests_only_what_is_safe_alone(report: Report, orphan: Diagnostic, context: Context) -> None:
    assert orphan.fix is not None
    safe = replace(orphan, fix=replace(orphan.fix, safety=Safety.SAFE))
    found = parsed("rdjson", Report([*report.diagnostics[:2], safe]), context)["diagnostics"]
    assert ["suggestions" in diagnostic for diagnostic in found] == [False, False, True]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("chats/a b.json", "chats/a%20b.json"),
        ("/project/chats/ö.json", "chats/%C3%B6.json"),
        ("/elsewhere/a.json", "file:///elsewhere/a.json"),
        ("a:b.json", "a%3Ab.json"),
        ("caf\udce9.json", "caf%E9.json"),
        ("<stdin>", "%3Cstdin%3E"),
        (None, "%3Cdocument%3E"),
    ],
)
def test_uris(path: str | None, uri: str) -> None:
    assert file_uri(path, Path("/project")) == uri


def run_of(report: Report, context: Context) -> Any:
    log = parsed("sarif", report, context)
    assert log["version"] == "2.1.0"
    assert len(log["runs"]) == 1
    return log["runs"][0]


def test_sarif_results_name_their_rules(report: Report, context: Context) -> None:
    run = run_of(report, context)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert len(rule["properties"]["tags"]) <= 10
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_places_are_relative(report: Report, context: Context) -> None:
    for result in run_of(report, context)["results"]:
        physical = result["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert not physical["artifactLocation"]["uri"].startswith(("/", "file:"))
        assert physical["region"]["startLine"] >= 1


def test_sarif_has_fingerprints_of_its_own(orphan: Diagnostic, context: Context) -> None:
    moved = replace(orphan, line=90, end_line=90)
    first, second = (
        [result["partialFingerprints"]["turnlint/v1"] for result in run_of(Report(found), context)["results"]]
        for found in ([orphan, orphan], [moved, moved])
    )
    assert first == second
    assert len(set(first)) == 2


def test_sarif_fixes_keep_all_edits(report: Report, context: Context) -> None:
    fixes = run_of(report, context)["results"][1]["fixes"]
    assert len(fixes[0]["artifactChanges"][0]["replacements"]) == 2


def test_sarif_keeps_the_limits(orphan: Diagnostic, context: Context) -> None:
    info = replace(orphan, severity=Severity.INFO, related=orphan.related * (MOST_PLACES + 5), fix=None)
    run = run_of(Report([replace(info, related=())] * MOST_RESULTS + [orphan, info]), context)
    assert len(run["results"]) == MOST_RESULTS
    assert run["results"][0]["level"] == "error"
    assert "25000 of 25002" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    run = run_of(Report([info]), context)
    assert len(run["results"][0]["relatedLocations"]) < MOST_PLACES


def test_sarif_without_a_place(orphan: Diagnostic, context: Context) -> None:
    bare = replace(orphan, path=None, line=None, column=None, end_line=None, end_column=None)
    physical = run_of(Report([bare]), context)["results"][0]["locations"][0]["physicalLocation"]
    assert physical["region"] == {"startLine": 1}


def test_sarif_makes_no_links(orphan: Diagnostic, context: Context) -> None:
    result = run_of(Report([replace(orphan, message="[x](http://example.com)")]), context)["results"][0]
    assert "](" not in result["message"]["text"]
