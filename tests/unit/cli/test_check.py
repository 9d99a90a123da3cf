from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Run = Any


def test_nothing_found(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("[]")
    ran = run("check", "a.json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "judged as openai\n1 file, 1 transcript, 2 messages: no problems\n"


def test_findings(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    ran = run("check", "--output-format", "concise", ".")
    assert ran.status == 1
    assert ran.out.startswith("a.json:1:1: error orphan-result the result for call_9 answers no call\n")


def test_the_snippet_comes_from_the_file(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad line")
    assert "1 | bad line\n  | ^^^\n" in run("check", "a.json").out


def test_without_a_path_this_folder_is_checked(run: Run, folder: Path, engine: Any) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.json").write_text("bad")
    assert run("check").status == 1
    name, named, settings = engine.asked[0]
    assert (name, named, settings.unrecognised) == ("sub/a.json", False, "count")


def test_a_named_file_is_looked_at_harder(run: Run, folder: Path, engine: Any) -> None:
    (folder / "a.json").write_text("")
    run("check", "a.json")
    run("check", "--unrecognised", "warning", "a.json")
    assert [settings.unrecognised for _, _, settings in engine.asked] == ["error", "warning"]


def test_a_missing_path_does_not_stop_the_others(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    ran = run("check", "gone.json", "a.json")
    assert ran.status == 2
    assert ran.err == "turnlint: gone.json: no such file or folder\n"
    assert "orphan-result" in ran.out


def test_no_files_is_said_and_fine(run: Run) -> None:
    ran = run("check")
    assert ran.status == 0
    assert "nothing to check" in ran.err


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--fail-on", "info"], 1),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "error"], 1),
        (["--exit-zero"], 0),
    ],
)
def test_the_exit_status(run: Run, folder: Path, arguments: list[str], status: int) -> None:
    (folder / "a.json").write_text("bad")
    assert run("check", *arguments, "a.json").status == status


def test_a_warning_fails_only_on_demand(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    (folder / "turnlint.toml").write_text("severity = {orphan-result = 'warning'}")
    assert run("check", "a.json").status == 0
    assert run("check", "--fail-on", "warning", "a.json").status == 1


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"bad text")))
    ran = run("check", "-")
    assert ran.status == 1
    assert ran.out.startswith("<stdin>:1:1: ")
    assert "1 | bad text\n" in ran.out


def test_standard_input_under_a_name(run: Run, folder: Path, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "turnlint.toml").write_text("target = 'anthropic'")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"bad")))
    assert run("check", "-", "--stdin-filename", "sub/x.json").out.startswith("sub/x.json:1:1: ")
    assert engine.asked[0][2].targets == ("anthropic",)


def test_values_are_repeated_or_joined_by_commas(run: Run, folder: Path, engine: Any) -> None:
    (folder / "a.json").write_text("")
    run("check", "a.json", "--target", "openai,gemini", "--target", "mistral:large", "--ignore", "TL0, orphan-result")
    settings = engine.asked[0][2]
    assert settings.targets == ("openai", "gemini", "mistral:large")
    assert settings.ignore == ("TL0", "orphan-result")


def test_the_command_line_goes_before_configuration(run: Run, folder: Path, engine: Any) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'\nselect = ['TL1']\nignore = ['TL101']\nmode = 'request'")
    (folder / "a.json").write_text("")
    run("check", "a.json", "--target", "gemini", "--select", "TL0", "--ignore", "TL102", "--mode", "saved")
    run("check", "a.json", "--isolated")
    first, second = (settings for _, _, settings in engine.asked)
    assert (first.targets, first.select, first.mode) == (("gemini",), ("TL0",), "saved")
    assert first.ignore == ("TL101", "TL102")
    assert (second.targets, second.select, second.ignore, second.mode) == ((), (), (), "auto")


def test_each_file_has_the_nearest_configuration(run: Run, folder: Path, engine: Any) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'\nmax-tool-rounds = 5")
    (folder / "sub").mkdir()
    (folder / "sub" / "turnlint.toml").write_text("per-file-targets = {'b*.json' = 'gemini'}\ntarget = 'cohere'")
    for name in ("a.json", "sub/b.json", "sub/c.json"):
        (folder / name).write_text("")
    run("check", ".")
    asked = {name: (settings.targets, dict(settings.limits)) for name, _, settings in engine.asked}
    assert asked == {
        "a.json": (("openai",), {"max-tool-rounds": 5}),
        "sub/b.json": (("gemini",), {}),
        "sub/c.json": (("cohere",), {}),
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--outputformat", "json"], "--output-format"),
        (["--output-format", "jso"], "did you mean 'json'"),
        (["--fail-on", "errors"], "error"),
        (["--select", "orphan-results"], "did you mean 'orphan-result'"),
        (["--ignore", "TL9"], "unknown rule 'TL9'"),
        (["--target", "opnai"], "did you mean 'openai'"),
        (["--config", "gone.toml"], "gone.toml: cannot be read"),
    ],
)
def test_wrong_usage(run: Run, folder: Path, arguments: list[str], says: str) -> None:
    (folder / "a.json").write_text("bad")
    ran = run("check", "a.json", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert says in ran.err


def test_an_internal_error_is_no_finding(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("crash")
    (folder / "b.json").write_text("bad")
    ran = run("check", ".")
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert "internal error while checking a.json: RuntimeError: the \\x1b[31m engine broke" in ran.err
    assert "b.json:1:1" in ran.out


def test_the_traceback_is_for_those_who_ask(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNLINT_DEBUG", "1")
    (folder / "a.json").write_text("crash")
    assert "Traceback" in run("check", ".").err


def test_an_interrupt_says_what_was_done(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    (folder / "b.json").write_text("interrupt")
    ran = run("check", ".")
    assert ran.status == 130
    assert ran.err == "turnlint: interrupted: 1 of 2 files checked, findings so far: 1\n"


def test_no_quotes(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad and secret")
    for name in ("full", "concise", "json"):
        out = run("check", "a.json", "--no-quotes", "--output-format", name).out
        assert "A result whose call is not in the turn before" in out
        assert "call_9" not in out
        assert "secret" not in out


def test_the_format_of_the_environment(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNLINT_OUTPUT_FORMAT", "json")
    (folder / "a.json").write_text("bad")
    assert json.loads(run("check", "a.json").out)["summary"]["errors"] == 1


def test_a_report_in_a_file(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    ran = run("check", "a.json", "--output", "report.txt")
    assert (ran.status, ran.out) == (1, "")
    assert "orphan-result" in (folder / "report.txt").read_text()
    assert "cannot be written" in run("check", "a.json", "--output", "gone/report.txt").err


def test_colour(run: Run, folder: Path) -> None:
    (folder / "a.json").write_text("bad")
    assert "\x1b" in run("check", "a.json", "--color", "always").out
    assert "\x1b" not in run("check", "a.json", "--color", "always", "--output-format", "json").out
    assert "\x1b" not in run("check", "a.json").out


def test_statistics(run: Run, folder: Path) -> None:
    for name in "abc":
        (folder / f"{name}.json").write_text("bad")
    out = run("check", "--statistics", ".").out
    assert out.startswith("3  TL102  error    orphan-result  fixable with --fix\n")


def test_show_files_and_settings(run: Run, folder: Path, engine: Any) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'\nexclude = ['b.json']")
    for name in "abc":
        (folder / f"{name}.json").write_text("bad")
    assert run("check", "--show-files", "--exclude", "c.json").out == "a.json\n"
    shown = run("check", "--show-settings").out
    assert 'target = ["openai"]\n' in shown
    assert "turnlint.toml" in shown
    shown = run("check", "--show-settings", "--target", "gemini", "--fail-on", "info", "--exclude", "c.json").out
    assert 'target = ["gemini"]\n' in shown
    assert 'fail-on = "info"\n' in shown
    assert 'exclude = ["b.json", "c.json"]\n' in shown
    assert engine.asked == []


def test_excluded_files_that_are_named(run: Run, folder: Path, engine: Any) -> None:
    (folder / "a.json").write_text("bad")
    assert run("check", "a.json", "--exclude", "a.json").status == 1
    assert run("check", "a.json", "--exclude", "a.json", "--force-exclude").status == 0


def test_what_is_expected_is_no_finding(run: Run, folder: Path) -> None:
    (folder / "turnlint.toml").write_text("expect = {'broken/*' = ['orphan-result'], 'mended/*' = ['TL102']}")
    for name, text in (("broken/a.json", "bad"), ("mended/b.json", "fine"), ("c.json", "bad")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    out = run("check", "--output-format", "concise", ".").out
    assert "broken/a.json" not in out
    assert "mended/b.json:1:1: error unmet-expectation TL102 is expected in this file and does not fire\n" in out
    assert "c.json:1:1: error orphan-result" in out
    assert "mended" not in run("check", "--ignore", "TL013", "--output-format", "concise", ".").out
    assert "mended" not in run("check", "--select", "TL101", "--output-format", "concise", ".").out


def test_other_processes_find_the_same(run: Run, folder: Path) -> None:
    for number in range(9):
        (folder / f"{number}.json").write_text("bad" if number % 3 else "crash")
    alone, several = run("check", "."), run("check", "--jobs", "2", ".")
    assert (alone.status, alone.out, alone.err) == (several.status, several.out, several.err)


def test_statistics_in_a_machine_format(run: Run, folder: Path) -> None:
    assert "--statistics goes with" in run("check", "--statistics", "--output-format", "json", ".").err


def test_one_path_named_twice_is_checked_once(run: Run, folder: Path, engine: Any) -> None:
    (folder / "a.json").write_text("bad")
    run("check", "a.json", "a.json")
    assert len(engine.asked) == 1


def test_the_reader_may_go_away(run: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def writelines(self, pieces: Any) -> None:
            raise BrokenPipeError

    (folder / "a.json").write_text("bad")
    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr("turnlint.cli.output.quiet_stdout", lambda: None)
    assert run("check", "a.json").status == 1
