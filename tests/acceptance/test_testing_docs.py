"""A project that does what docs/testing.md and docs/plugins.md say, with their own code."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PATIENT = """
from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("patient")
"""
PLUGIN = "turnlint.testing.plugin"
HELPERS = """
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
history = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
    {"role": "assistant", "content": "Cold."},
    {"role": "user", "content": "And now?"},
]


def trim(history):
    return history[-3:]


def convert(history):
    return history


class agent:
    @staticmethod
    def run(question):
        import httpx

        httpx.Client().send(httpx.Request())
"""
HTTPX = """
import json

from project import history


class Request:
    url = "https://api.openai.com/v1/chat/completions"
    content = json.dumps({"model": "gpt-4o", "messages": [history[0], history[2]]}).encode()


class Client:
    def send(self, request):
        return "sent"
"""


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with the code of the docs in it.  Runs are processes of their own: they import what they would."""
    pytester.makepyfile(project=HELPERS, httpx=HTTPX, conftest=PATIENT)
    source = Path(__file__).parents[2]
    paths = [str(pytester.path), str(source / "validator"), str(source / "rules")]
    monkeypatch.setenv("PYTHONPATH", ":".join(paths))
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    installed = any(e.value == PLUGIN for e in importlib.metadata.entry_points(group="pytest11"))
    named = [] if installed else ["-p", PLUGIN]
    return project.runpytest_subprocess(*named, "-p", "no:cacheprovider", *arguments)


def test_the_tests_of_the_page(project: pytest.Pytester) -> None:
    for number, code in enumerate(blocks("testing.md", "python")):
        if "def test_" in code:
            project.makepyfile(**{f"test_block_{number}": f"from project import *\n{code}"})
    result = run(project)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines_random(
        [
            "*not valid for anthropic*",
            "*error orphan-result (TL102): the result for call_1 has no call",
            "*not valid for openai*",
            "*not valid for mistral*",
            "*error malformed-call-id (TL205): the ID call_1 has 6 characters, and 9 are wanted",
            "*turnlint.fix(history) would change:",
        ]
    )


def test_the_rest_of_the_page(project: pytest.Pytester) -> None:
    watch, load = (code for code in blocks("testing.md", "python") if "def test_" not in code)
    project.path.joinpath("session.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "Hello"}]}\n', encoding="utf-8"
    )
    body = "\n".join(f"    {line}" for line in f"{load}\n{watch}".splitlines())
    project.makepyfile(f"import turnlint\nfrom project import *\n\n\ndef test_it():\n{body}\n")
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the test made a request that is not valid", "*/messages/1: error orphan-result*"])


def test_a_package_of_rules(project: pytest.Pytester) -> None:
    listed, rule, test = blocks("plugins.md", "python")
    settings, entry_point = blocks("plugins.md", "toml")
    package = project.path / "acme_rules"
    (package / "rules").mkdir(parents=True)
    (package / "__init__.py").write_text(listed, encoding="utf-8")
    (package / "rules" / "shouted_question.py").write_text(rule, encoding="utf-8")
    installed = project.path / "acme-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n", encoding="utf-8")
    group, line = entry_point.strip().splitlines()
    assert group == '[project.entry-points."turnlint.rules"]'
    (installed / "entry_points.txt").write_text(f"[turnlint.rules]\n{line.replace(chr(34), '')}\n", encoding="utf-8")
    project.path.joinpath("pyproject.toml").write_text(settings, encoding="utf-8")
    project.makepyfile(
        test_rules=test,
        test_use="""
        def test_configured(turnlint):
            turnlint.assert_valid([{"role": "user", "content": "HELLO"}], fail_on="warning")
        """,
    )
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*/0/content: warning shouted-question (ACME01): the question is shouted"])
