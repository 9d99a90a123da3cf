"""A transcript and a file's name may hold anything.  No format may let it out as anything but text."""

from __future__ import annotations

import json
import re
import unicodedata
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from turnlint.diagnostic import (
    Diagnostic,
    Edit,
    FileInfo,
    Fix,
    Judgement,
    Related,
    Report,
    Safety,
    Severity,
    TranscriptInfo,
)
from turnlint.report import FORMATS, Context, RulePage, render
from turnlint.report.privacy import without_quotes

HOSTILE = [
    "\x1b[31m\x1b]8;;http://example.com\x07click\x1b[0m",
    "\n::error::owned",
    "\r\n##[error]owned",
    "::set-output name=x::y",
    "[bold red]markup[/] [link=http://example.com]x[/link]",
    "<script>alert(1)</script>",
    "' onmouseover='alert(1)",
    '" onmouseover="alert(1)',
    "]]><failure/><![CDATA[",
    "&xxe; &#x0; %25 %0A",
    "\x00\x01\x08\x0b\x0c\x7f\x85\x9b31m",
    "\ufffe\uffff\u2028\u2029",
    "\ud800 half \udfff",
    "\u202egnp.exe\u2066\U000e0041",
    "a" * 5_000,
    "[click](http://example.com)",
    "",
]


def full_of(text: str) -> Report:
    """A report that holds `text` in every field that can hold text from outside."""
    diagnostic = Diagnostic(
        rule="orphan-result",
        code="TL102",
        severity=Severity.ERROR,
        message=text,
        pointer=f"/messages/0/{text}",
        cause=text,
        target=text,
        provider_error=text,
        status=400,
        verdicts=(Judgement(text, Severity.ERROR, text, 400), Judgement(text, Severity.INFO)),
        also=(text,),
        notes=(text,),
        transcript=text,
        path=text,
        line=1,
        column=1,
        end_line=1,
        end_column=3,
        related=(Related(f"/{text}", text, line=1, column=1), Related(text, text)),
        fix=Fix(text, Safety.UNSAFE, text, edits=(Edit(0, 1, text, 1, 1, 1, 2),)),
        url=text,
        help=text,
    )
    # Edits without a place, several places on several lines, and a history that was no file.
    other = replace(diagnostic, path=None, line=None, fix=Fix(text, edits=(Edit(0, 1, text),)), severity=Severity.INFO)
    info = TranscriptInfo(text, text, 1, text, (text, text), text, 1, text, text)
    return Report([diagnostic, other], [FileInfo(text, "checked", text, (info,), text)], 1, 1)


def printed(name: str, text: str) -> str:
    context = Context(source_line=lambda path, line: text, rule_page=lambda code: RulePage(text, text), version="1")
    return "".join(render(name, full_of(text), context))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_steers_the_reader(name: str, text: str) -> None:
    assert_harmless(name, printed(name, text))


@settings(max_examples=50)
@given(st.sampled_from(list(FORMATS)), st.text(st.characters(exclude_categories=()), max_size=40))
def test_nothing_steers_the_reader_whatever_it_is(name: str, text: str) -> None:
    assert_harmless(name, printed(name, text))


OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;(?:https://[\w./-]+)?\x1b\\\\", re.ASCII)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("name", ["full", "concise"])
def test_colour_and_links_are_the_only_sequences(name: str, text: str) -> None:
    context = Context(source_line=lambda path, line: text, color=True, links=True)
    report = full_of(text)
    painted = "".join(render(name, report, context))
    assert "\x1b" in painted
    assert OWN.sub("", painted) == "".join(render(name, report, Context(source_line=lambda path, line: text)))


def assert_harmless(name: str, out: str) -> None:
    out.encode("utf-8")
    bad = {char for char in out if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
    assert not bad
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", out)
    if name == "github":
        lines = out.splitlines()
        assert [line.split(" ", 1)[0] for line in lines[:-1]] == ["::error", "::notice"]
        assert not lines[-1].startswith(("::", "##["))
    elif name in ("full", "concise"):
        assert not [line for line in out.splitlines() if line.lstrip().startswith(("::", "##["))]
    elif name == "junit":
        root = ET.fromstring(out)
        assert {element.tag for element in root.iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "system-out",
        }  # fmt: skip
        assert len(root.findall(".//failure")) == 1
    elif name == "html":
        tags = set(re.findall(r"<\s*/?\s*(\w+)", out))
        assert tags <= {
            "html", "head", "meta", "title", "style", "body",
            "h1", "h2", "p", "small", "article", "code", "pre", "mark",
        }  # fmt: skip
        assert not re.search(r"<[^>]*\son\w+\s*=", out)
    elif name == "jsonl":
        assert len([json.loads(line) for line in out.splitlines()]) == 2
    else:
        assert out.isascii()
        json.loads(out)


SECRET = "hunter2"


@pytest.mark.parametrize("name", FORMATS)
def test_without_quotes_nothing_of_the_transcript_is_left(name: str) -> None:
    report = full_of(f"a {SECRET} b")
    named = [
        replace(diagnostic, path="a.json", also=(), url="", target="openai",
                pointer=f"/messages/0/input/{SECRET}",
                verdicts=(Judgement("openai", Severity.ERROR, SECRET, 400),),
                related=tuple(replace(related, pointer=f"/1/arguments/{SECRET}") for related in diagnostic.related))
        for diagnostic in report.diagnostics
    ]  # fmt: skip
    info = TranscriptInfo(SECRET, "/0", 1, "openai-chat", ("openai",), "saved", 1, SECRET, SECRET)
    files = [FileInfo("a.json", "checked", "plain", (info,), SECRET)]
    context = Context(source_line=lambda path, line: SECRET, quotes=False)
    out = "".join(render(name, without_quotes(Report(named, files, 1, 1), context), context))
    assert SECRET not in out
    assert "orphan" in out
