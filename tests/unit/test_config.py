from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnlint
from turnlint.config import KEYS, Config, Configs, check_rules, json_schema, load
from turnlint.errors import UsageError

EVERYTHING = """
target = ["openai", "anthropic:claude-opus-4-6"]
mode = "request"
select = ["TL1", "orphan-result"]
ignore = "TL101, TL102"
severity = {orphan-result = "info"}
fail-on = "warning"
per-file-ignores = {"broken/*.json" = ["TL1"], "**/old.json" = "orphan-result"}
per-file-targets = {"*.json" = "gemini", "claude/**" = ["anthropic"]}
exclude = ["node_modules/"]
expect = {"broken/*" = ["orphan-result"]}
baseline = "known.json"
output-format = "concise"
recorded-verdicts = false
as-of = 2026-03-01
placeholder = "not recorded"
max-tool-rounds = 30
max-result-chars = 100000
context-tokens = 200000
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings_in(folder: Path, text: str) -> Config:
    file = folder / "turnlint.toml"
    file.write_text(text, encoding="utf-8")
    return load(file)


def test_every_key_is_a_field_and_the_other_way_round() -> None:
    assert {key.attribute for key in KEYS.values()} - {"extend"} == set(Config.__struct_fields__) - {"file"}


def test_everything(folder: Path) -> None:
    config = settings_in(folder, EVERYTHING)
    assert config.target == ("openai", "anthropic:claude-opus-4-6")
    assert config.ignore == ("TL101", "TL102")
    assert config.severities() == {"orphan-result": "info"}
    assert config.baseline == folder / "known.json"
    assert config.recorded_verdicts is False
    assert config.as_of == "2026-03-01"
    assert config.limits() == {
        "max-tool-rounds": 30,
        "max-result-chars": 100000,
        "context-tokens": 200000,
        "placeholder": "not recorded",
    }
    check_rules(config)


@pytest.mark.parametrize(
    ("path", "ignored", "targets", "expected"),
    [
        ("a.json", (), ("gemini",), ()),
        ("broken/a.json", ("TL1",), ("gemini",), ("orphan-result",)),
        ("deep/er/old.json", ("orphan-result",), ("gemini",), ()),
        ("claude/a.json", (), ("anthropic",), ()),
        ("claude/a.jsonl", (), ("anthropic",), ()),
        ("a.jsonl", (), ("openai", "anthropic:claude-opus-4-6"), ()),
    ],
)
def test_patterns(
    folder: Path, path: str, ignored: tuple[str, ...], targets: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    config = settings_in(folder, EVERYTHING)
    for name in (path, str(folder / path)):
        assert config.ignored_in(name) == ignored
        assert config.targets_for(name) == targets
        assert config.expected_in(name) == expected


def test_a_selector_in_severity_may_be_a_prefix(folder: Path) -> None:
    config = settings_in(folder, "severity = {TL1 = 'warning', TL102 = 'info'}")
    severities = config.severities()
    assert severities["unanswered-call"] == "warning"
    assert severities["orphan-result"] == "info"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("targets = 'openai'", "unknown key 'targets'; did you mean 'target'"),
        ("fail_on = 'error'", "did you mean 'fail-on'"),
        ("mode = 'requests'", "mode: must be 'auto' or 'saved' or 'request', not 'requests'; did you mean 'request'"),
        ("fail-on = 3", "fail-on: must be"),
        ("output-format = 'jsn'", "did you mean 'json'"),
        ("select = 3", "select: must be a text or a list of texts"),
        ("select = ['']", "select: must be"),
        ("severity = 'info'", "severity: must be a table"),
        ("severity = {orphan-result = 'eror'}", "orphan-result: must be error, warning, info, not 'eror'"),
        ("severity = {orphan-result = ['x']}", "orphan-result: must be"),
        ("exclude = 'a'", "exclude: must be a list"),
        ("per-file-ignores = ['a']", "per-file-ignores: must be a table"),
        ("recorded-verdicts = 'no'", "recorded-verdicts: must be true or false"),
        ("max-tool-rounds = 0", "max-tool-rounds: must be a whole number from 1"),
        ("max-tool-rounds = true", "max-tool-rounds: must be a whole number"),
        ("as-of = 'yesterday'", "as-of: must be a day like 2026-03-01"),
        ("as-of = 3", "as-of: must be a day"),
        ("placeholder = ''", "placeholder: must be a text"),
        ("extend = 'gone.toml'", "gone.toml does not exist"),
        ("extend = 'turnlint.toml'", "leads back here"),
        ("a = [", "not TOML"),
        ("mode = ['\ud7ff']", "mode: must be"),
    ],
)
def test_what_is_no_configuration(folder: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        settings_in(folder, text)
    assert says in str(raised.value)
    assert "turnlint.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("select = ['orphan-results']", "select: unknown rule 'orphan-results'; did you mean 'orphan-result'"),
        ("ignore = ['TL9']", "ignore: unknown rule 'TL9'"),
        ("severity = {orphan = 'info'}", "severity: unknown rule 'orphan'"),
        ("per-file-ignores = {'a' = 'nothing'}", "per-file-ignores: a: unknown rule"),
        ("expect = {'a' = 'nothing'}", "expect: a: unknown rule"),
    ],
)
def test_rules_that_are_none(folder: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        settings_in(folder, text)
    assert says in str(raised.value)
    with pytest.raises(UsageError, match=r"turnlint\.toml"):
        Configs().of_file(str(folder / "a.json"))


def test_the_nearest_file_counts_alone(folder: Path) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'\nmode = 'request'")
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / ".turnlint.toml").write_text("target = 'gemini'")
    configs = Configs()
    assert configs.of_run().target == ("openai",)
    below = configs.of_file("a/b/x.json")
    assert (below.target, below.mode) == (("gemini",), None)
    assert configs.of_file("x.json").mode == "request"


def test_a_pyproject_without_the_table_is_passed_by(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.turnlint]\ntarget = 'openai'")
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "pyproject.toml").write_text("[tool.other]\nx = 1  # not turnlint")
    (folder / "a" / "b" / "pyproject.toml").write_text("this is no TOML, and says nothing of it")
    assert Configs().of_file("a/b/x.json").target == ("openai",)


def test_which_file_of_one_folder(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.turnlint]\nplaceholder = 'c'")
    assert Configs().of_run().placeholder == "c"
    (folder / ".turnlint.toml").write_text("placeholder = 'b'")
    assert Configs().of_run().placeholder == "b"
    (folder / "turnlint.toml").write_text("placeholder = 'a'")
    assert Configs().of_run().placeholder == "a"


def test_a_file_outside_has_the_settings_of_the_current_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'")
    assert Configs().of_file(str(tmp_path_factory.mktemp("elsewhere") / "x.json")).target == ("openai",)


def test_only_one_file_or_none(folder: Path) -> None:
    (folder / "turnlint.toml").write_text("target = 'openai'")
    other = folder / "other.toml"
    other.write_text("target = 'gemini'")
    assert Configs(other).of_file("x.json").target == ("gemini",)
    assert Configs(isolated=True).of_file("x.json") == Config()


def test_extend(folder: Path) -> None:
    (folder / "base").mkdir()
    (folder / "base" / "shared.toml").write_text("target = 'openai'\nmode = 'saved'\nbaseline = 'known.json'")
    config = settings_in(folder, "extend = 'base/shared.toml'\nmode = 'request'")
    assert (config.target, config.mode) == (("openai",), "request")
    assert config.baseline == folder / "base" / "known.json"
    assert config.file == folder / "turnlint.toml"


def test_extend_in_a_circle(folder: Path) -> None:
    (folder / "a.toml").write_text("extend = 'turnlint.toml'")
    with pytest.raises(UsageError, match="leads back here"):
        settings_in(folder, "extend = 'a.toml'")


def test_a_file_without_the_table_was_named(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'")
    with pytest.raises(UsageError, match=r"there is no \[tool\.turnlint\] in it"):
        load(folder / "pyproject.toml")


def test_a_table_that_is_none(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("tool.turnlint = 3")
    with pytest.raises(UsageError, match="must be a table"):
        load(folder / "pyproject.toml")


def test_bytes_that_are_no_text(folder: Path) -> None:
    (folder / "turnlint.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        Configs().of_run()


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("error"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(KEYS)), VALUES)
def test_any_value_is_taken_or_refused(key: str, value: Any) -> None:
    from turnlint.config import _build

    try:
        _build(Path("/nowhere/turnlint.toml"), {key: value}, ())
    except UsageError as error:
        assert key in str(error)  # noqa: PT017


def test_the_schema_is_fresh() -> None:
    file = Path(turnlint.__path__[0]) / "config.schema.json"
    assert json.loads(file.read_text(encoding="utf-8")) == json_schema(), (
        "write json.dumps(turnlint.config.json_schema(), indent=2) to config.schema.json"
    )


def test_the_schema_takes_what_the_parser_takes() -> None:
    schema = json_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    document = tomllib.loads(EVERYTHING)
    document["as-of"] = document["as-of"].isoformat()
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"targets": "openai"}, schema)


def test_toml_is_read_only_where_there_is_any(folder: Path) -> None:
    code = (
        "import sys; from turnlint.config import Configs; Configs().of_file('x.json'); print('tomllib' in sys.modules)"
    )
    root = Path(turnlint.__path__[0]).parent
    out = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True
    ).stdout
    assert out == "False\n"
