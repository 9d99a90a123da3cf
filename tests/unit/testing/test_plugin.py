"""The pytest plugin, seen from a project that uses it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., pytest.RunResult]

PLUGIN = "turnlint.testing.plugin"
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
GOOD = [
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "4 C"},
]
BROKEN = [GOOD[0], GOOD[2]]


def write(pytester: pytest.Pytester, name: str, value: Any) -> None:
    file = pytester.path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")


# -- the fixture and the marker


def test_the_fixture(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        GOOD = {GOOD!r}

        def test_good(turnlint):
            turnlint.assert_valid(GOOD)
            assert turnlint.check(GOOD).ok
            assert turnlint.cut_points(GOOD) == [0, 1]
            assert turnlint.session(GOOD).ok
            turnlint.assert_same_exchanges(GOOD, [], dropped=True)

        def test_broken(turnlint):
            turnlint.assert_valid([GOOD[0], GOOD[2]])

        @pytest.mark.turnlint(target="anthropic", mode="saved")
        class TestMarked:
            def test_target(self, turnlint):
                report = turnlint.check(GOOD[:2])
                assert report.ok
                assert report.files[0].transcripts[0].targets == ("anthropic",)
                assert report.files[0].transcripts[0].mode == "saved"

            @pytest.mark.turnlint(mode="request")
            def test_closest(self, turnlint):
                assert not turnlint.check(GOOD[:2]).ok
                assert turnlint.check(GOOD[:2], mode="saved").ok
        """
    )
    result = run("--strict-markers")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*the history is not valid for openai (mode request; the file is in openai-chat): 1 error",
            "*/1: error orphan-result (TL102): the result for call_1 has no call",
            '*  > [[]1] tool      result call_1 "4 C"',
            "*openai answers 400:*",
        ]
    )
    result.stdout.no_fnmatch_line("*failure(report*")


def test_the_configuration_counts(pytester: pytest.Pytester, run: Run) -> None:
    write(
        pytester,
        "pyproject.toml",
        """
        [tool.turnlint]
        target = "anthropic"
        ignore = ["orphan-result", "malformed-call-id"]
        fail-on = "warning"
        per-file-targets = {"test_mistral.py" = "mistral"}
        """,
    )

    def body(target: str) -> str:
        return f"""
        def test_it(turnlint):
            turnlint.assert_valid({BROKEN!r})
            assert turnlint.settings["target"] == ({target!r},)
            assert turnlint.settings["fail_on"] == "warning"
        """

    pytester.makepyfile(test_one=body("anthropic"), test_mistral=body("mistral"))
    run().assert_outcomes(passed=2)


def test_a_marker_that_cannot_be_used(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.turnlint("anthropic")
        def test_place(turnlint):
            pass

        @pytest.mark.turnlint(tagret="anthropic")
        def test_name(turnlint):
            turnlint.check([])
        """
    )
    result = run()
    result.assert_outcomes(errors=1, failed=1)
    result.stdout.fnmatch_lines(["turnlint: the marker takes keyword arguments*", "*unknown setting 'tagret'*"])


def test_a_configuration_that_cannot_be_used(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "pyproject.toml", "[tool.turnlint]\ntagret = 'anthropic'")
    pytester.makepyfile("def test_it(turnlint): pass")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["turnlint: *pyproject.toml: *'tagret'*did you mean 'target'?*"])
    result.stdout.no_fnmatch_line("*settings_of_item*")


# -- transcripts as tests


def test_transcripts_are_tests(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "transcripts/good.json", {"model": "gpt-4o", "messages": GOOD})
    write(pytester, "transcripts/two.jsonl", f"{json.dumps({'messages': GOOD})}\n{json.dumps({'messages': BROKEN})}\n")
    write(pytester, "transcripts/package.json", {"name": "no transcript", "version": "1"})
    write(pytester, "transcripts/test_not_collected.py", "def test_it(): assert False")
    write(pytester, "transcripts/notes.txt", "nothing")
    pytester.makepyfile("def test_own(): pass")
    result = run("--turnlint", "transcripts", "-v", "test_transcripts_are_tests.py")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*good.json::conversation 1 PASSED*",
            "*two.jsonl::conversation 1 PASSED*",
            "*two.jsonl::conversation 2 FAILED*",
            "transcripts*two.jsonl:2:*: error orphan-result (TL102): the result for call_1 has no call",
            "*openai answers 400:*",
        ]
    )


def test_nothing_is_collected_unless_asked_for(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "transcripts/broken.json", BROKEN)
    pytester.makepyfile("def test_own(): pass")
    run().assert_outcomes(passed=1)


def test_a_file_that_is_named(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "package.json", {"name": "no transcript"})
    write(pytester, "torn.json", '{"messages": [')
    result = run("--turnlint", "package.json", "--turnlint=torn.json")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*unrecognised-format*", "*torn.json:1:*syntax-error*"])
    assert run("--turnlint", "nothing.json").ret == pytest.ExitCode.USAGE_ERROR


def test_the_name_of_a_parametrized_cassette(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "cassettes/test_it[a::b].json", BROKEN)
    result = run("--turnlint", "cassettes", "-v")
    result.assert_outcomes(failed=1)


def test_one_of_them_by_its_node_id(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "transcripts/two.jsonl", f"{json.dumps({'messages': GOOD})}\n{json.dumps({'messages': BROKEN})}\n")
    write(pytester, "transcripts/broken.json", BROKEN)
    result = run("--turnlint", "transcripts", "transcripts/two.jsonl::conversation 2")
    result.assert_outcomes(failed=1)
    run("--turnlint", "transcripts", "-k", "conversation and two.jsonl").assert_outcomes(
        failed=1, passed=1, deselected=1
    )


def test_transcripts_with_ids(pytester: pytest.Pytester, run: Run) -> None:
    lines = [{"custom_id": name, "messages": GOOD} for name in ("a", "b")]
    write(pytester, "lines.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    run("--turnlint", "lines.jsonl").assert_outcomes(passed=2)


def test_several_transcripts_in_one_document(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "list.json", [{"messages": GOOD}, {"messages": BROKEN}, {"messages": GOOD}])
    result = run("--turnlint", "list.json", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*conversation 2 FAILED*", "list.json:*error orphan-result*"])


def test_settings_of_the_project(pytester: pytest.Pytester, run: Run) -> None:
    write(
        pytester,
        "turnlint.toml",
        """
        exclude = ["old/"]
        [expect]
        "known/broken.json" = "orphan-result"
        "known/good.json" = "orphan-result"
        """,
    )
    for name in ("old/broken.json", "known/broken.json"):
        write(pytester, name, BROKEN)
    write(pytester, "known/good.json", GOOD)
    result = run("--turnlint", ".", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*good.json:1:1: error unmet-expectation*"])
    write(pytester, "turnlint.toml", "selct = 'ALL'")
    result = run("--turnlint", "known")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*did you mean 'select'?"])


# -- requests

SENDER = """
    class Client:
        '''As httpx has it: a request with a url and content.'''
        def send(self, request, stream=False):
            return "sent"
"""


def sending(messages: Any, url: str = "https://api.openai.com/v1/chat/completions") -> str:
    return f"""
        import json, types
        import httpx

        def test_it():
            content = json.dumps({{"model": "gpt-4o", "messages": {messages!r}}}).encode()
            request = types.SimpleNamespace(url={url!r}, content=content)
            assert httpx.Client().send(request) == "sent"
        """


@pytest.fixture
def fake_httpx(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of that name in the project: the plugin must know what it needs by the names alone."""
    monkeypatch.delitem(sys.modules, "httpx", raising=False)
    pytester.makepyfile(httpx=SENDER)
    pytester.syspathinsert()


@pytest.mark.usefixtures("fake_httpx")
class TestRequests:
    def test_off_unless_asked_for(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile(sending(BROKEN))
        run().assert_outcomes(passed=1)

    def test_a_broken_request_fails_its_test(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile(test_good=sending(GOOD), test_broken=sending(BROKEN))
        result = run("--turnlint-requests")
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(
            [
                "*the test made a request that is not valid",
                "*https://api.openai.com/v1/chat/completions as openai:",
                "*/messages/1: error orphan-result (TL102): the result for call_1 has no call",
                "*= sent from *test_broken.py:*",
            ]
        )

    def test_asked_for_in_the_ini_file(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makeini("[pytest]\nturnlint_requests = true")
        pytester.makepyfile(sending(BROKEN))
        run().assert_outcomes(failed=1)

    def test_asked_for_by_the_marker(self, pytester: pytest.Pytester, run: Run) -> None:
        mark = "import pytest\n        pytestmark = pytest.mark.turnlint(requests={})\n"
        pytester.makepyfile(test_on=mark.format(True).lstrip() + sending(BROKEN).replace("\n        ", "\n"))
        pytester.makepyfile(test_off=mark.format(False).lstrip() + sending(BROKEN).replace("\n        ", "\n"))
        for file in pytester.path.glob("test_o*.py"):
            file.write_text(
                "\n".join(line.strip() if "pytestmark" in line else line for line in file.read_text().splitlines())
            )
        run().assert_outcomes(passed=1, failed=1)
        run("--turnlint-requests").assert_outcomes(passed=1, failed=1)

    def test_imported_inside_the_test(self, pytester: pytest.Pytester, run: Run) -> None:
        code = sending(BROKEN).replace("import httpx", "").replace("content =", "import httpx\n            content =")
        pytester.makepyfile(code)
        run("--turnlint-requests").assert_outcomes(failed=1)

    def test_the_host_says_who_judges(self, pytester: pytest.Pytester, run: Run) -> None:
        write(pytester, "turnlint.toml", "target = 'anthropic'")
        pytester.makepyfile(
            test_one=sending(BROKEN), test_two=sending(BROKEN, "http://localhost:4000/v1/chat/completions")
        )
        result = run("--turnlint-requests")
        result.assert_outcomes(failed=2)
        result.stdout.fnmatch_lines(["*as openai:", "*as anthropic:"])

    def test_a_host_that_nobody_knows(self, pytester: pytest.Pytester, run: Run) -> None:
        """It is judged by the servers in the manner of OpenAI, which are harmed and answer."""
        url = "http://127.0.0.1:4000/v1/chat/completions"
        pytester.makepyfile(sending(BROKEN, url))
        run("--turnlint-requests").assert_outcomes(passed=1)
        write(pytester, "turnlint.toml", "fail-on = 'warning'")
        result = run("--turnlint-requests")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*as openai-compatible:", "*warning orphan-result*"])

    def test_what_is_no_llm_request(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile(sending("none at all", "https://example.org/"))
        run("--turnlint-requests").assert_outcomes(passed=1)

    def test_a_test_that_fails_itself(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile(sending(BROKEN).replace('== "sent"', '== "received"'))
        result = run("--turnlint-requests")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*assert 'sent' == 'received'", "*- Captured turnlint call -*", "*orphan-result*"])

    def test_patches_are_taken_back(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile(
            test_a=sending(GOOD),
            test_b="""
            import pytest, httpx

            @pytest.mark.turnlint(requests=False)
            def test_it():
                assert not hasattr(httpx.Client.send, "__wrapped__")
            """,
        )
        run("--turnlint-requests").assert_outcomes(passed=2)


# -- what it costs


def test_importing_the_plugin_loads_nothing_else(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    code = """
        import sys, pytest
        before = set(sys.modules)
        import turnlint.testing.plugin
        print(sorted(set(sys.modules) - before))
        """
    result = pytester.runpython_c("\n".join(line.strip() for line in code.splitlines()))
    assert result.outlines == ["['turnlint', 'turnlint.testing', 'turnlint.testing.plugin']"]


def test_a_run_that_does_not_use_it_loads_nothing_else(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure(config):
            print("loaded:", *sorted(name for name in sys.modules if name.partition(".")[0].startswith("turnlint")))
        """
    )
    pytester.makepyfile("def test_it(): pass")
    installed = any(e.value == PLUGIN for e in importlib.metadata.entry_points(group="pytest11"))
    named = [] if installed else ["-p", PLUGIN]
    result = pytester.runpytest_subprocess(*named, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["loaded: turnlint turnlint.testing turnlint.testing.plugin"])
