"""The targets' files, and how their gates decide."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnlint import models, targets
from turnlint.errors import UsageError
from turnlint.targets import Confidence, Level

FOLDER = Path(targets.folder())
NOT_TARGETS = {"directory", "models", "pairing", "out_of_reach"}
FILES = sorted(path for path in FOLDER.glob("*.toml") if path.stem not in NOT_TARGETS)
VARIANTS = tomllib.loads((FOLDER.parent / "variants.toml").read_text(encoding="utf-8"))
PLACEHOLDERS = {"message", "turn", "part", "id", "ids", "tool", "n"}
HIDDEN = {"common", "openai-compatible"}  # bases that nobody names


def everything() -> list[targets.Verdict]:
    return [verdict for name in [*targets.names(), *HIDDEN] for verdict in targets.load(name).verdicts]


# --- the data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_follows_the_schema(path: Path) -> None:
    schema = json.loads((FOLDER / "target.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data["name"] == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdicts_stand_under_the_heading_of_their_rule_in_the_order_of_the_codes(path: Path) -> None:
    heading = None
    codes = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"# (TL\d{3}) ([a-z-]+)", line):
            codes.append(found[1])
            heading = found[2]
        elif line.startswith("rule = "):
            assert line == f'rule = "{heading}"'
    assert all(earlier < later for earlier, later in pairwise(codes)), codes


def test_a_rule_has_one_code_in_all_files() -> None:
    codes: dict[str, set[str]] = {}
    for path in FILES:
        for code, rule in re.findall(r"^# (TL\d{3}) ([a-z-]+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            codes.setdefault(rule, set()).add(code)
    assert {rule: found for rule, found in codes.items() if len(found) > 1} == {}


def test_the_directory_names_every_file() -> None:
    assert set(targets.names()) | HIDDEN == {path.stem for path in FILES}
    directory = tomllib.loads((FOLDER / "directory.toml").read_text(encoding="utf-8"))
    assert set(directory["alias"].values()) <= set(targets.names())
    assert not set(directory["alias"]) & set(targets.names())
    owned = [dialect for entry in directory["target"].values() for dialect in entry.get("owns", ())]
    assert len(owned) == len(set(owned))


def test_variants_are_declared() -> None:
    for verdict in everything():
        if verdict.when is not None:
            known = set(VARIANTS.get(verdict.rule, ())) - {"limits"}
            assert verdict.when <= known, (verdict.target, verdict.rule, verdict.when - known)
        assert set(verdict.limits) <= set(VARIANTS.get(verdict.rule, {}).get("limits", ())), (
            verdict.target,
            verdict.rule,
        )


def test_a_verdict_is_about_a_wire_of_its_target() -> None:
    for verdict in everything():
        assert verdict.api, (verdict.target, verdict.rule)
        assert verdict.api <= targets.load(verdict.target).dialects, (verdict.target, verdict.rule)


def test_what_a_target_extends_shares_a_wire_with_it() -> None:
    for name in targets.names():
        target = targets.load(name)
        for base in target.extends:
            assert target.dialects & targets.load(base).dialects, (name, base)


def test_patterns_compile() -> None:
    for verdict in everything():
        if "pattern" in verdict.limits:
            re.compile(str(verdict.limits["pattern"]))


def test_placeholders_are_closed() -> None:
    for verdict in everything():
        for text in verdict.texts:
            assert set(re.findall(r"\{([a-z_]+)\}", text)) <= PLACEHOLDERS, text


def test_weak_knowledge_never_rejects() -> None:
    for verdict in everything():
        if verdict.confidence in (Confidence.INFERRED, Confidence.CONTESTED):
            assert verdict.level is not Level.REJECTS


def test_gates_name_known_families_and_models() -> None:
    known = models.families()
    for name in [*targets.names(), *HIDDEN]:
        target = targets.load(name)
        assert target.families <= known
        for verdict in target.verdicts:
            if gate := verdict.gate:
                assert gate.family is None or gate.family in known
                for entry in (*gate.only, *gate.except_):
                    assert models.normalise(entry).known, (name, verdict.rule, entry)


def test_a_month_gate_is_not_the_wrong_way_round() -> None:
    for verdict in everything():
        assert verdict.since is None or verdict.until is None or verdict.since <= verdict.until


def test_no_verdict_is_hidden_behind_one_like_it() -> None:
    """Two verdicts of a file on the same wire, models, months and variants: the second could never be asked."""
    for name in [*targets.names(), *HIDDEN]:
        seen: set[object] = set()
        for v in targets.load(name).verdicts:
            if v.limits:
                continue  # several limits on one rule are several verdicts
            for api in v.api:
                for variant in v.when or {None}:
                    key = (v.rule, api, variant, v.gate, v.since, v.until)
                    assert key not in seen, (name, key)
                    seen.add(key)


# every fact that was collected is a verdict somewhere, or has a reason not to be
COUNTS = {
    "openai": 111, "azure-openai": 4, "anthropic": 75, "vertex-anthropic": 2, "bedrock": 40, "gemini": 34, "vertex": 12,
    "mistral": 21, "cohere": 16, "ollama": 18, "deepseek": 16, "groq": 4, "xai": 12, "moonshot": 12, "qwen": 8,
    "together": 4, "fireworks": 1, "openrouter": 10, "minimax": 12, "zhipu": 2, "cerebras": 3, "sambanova": 2,
    "perplexity": 2, "cloudflare": 2, "vllm": 5, "llama-cpp": 8, "lm-studio": 3, "chat-template": 21,
    "azure-foundry": 4, "github-models": 2, "ai21": 1, "baidu": 1, "nvidia-nim": 2,
}  # fmt: skip


def test_every_fact_is_used_or_has_a_reason_not_to_be() -> None:
    expected = {f"{provider}-{number:03}" for provider, count in COUNTS.items() for number in range(1, count + 1)}
    reasons = tomllib.loads((FOLDER / "out_of_reach.toml").read_text(encoding="utf-8"))
    used = {fact for verdict in everything() for fact in verdict.facts}
    assert used | set(reasons) == expected
    assert used & set(reasons) == set()
    assert all(reasons.values())


def test_sources_are_read_on_demand() -> None:
    verdict = targets.load("anthropic").judge("anthropic").verdict("unanswered-call")
    assert verdict is not None
    assert verdict.sources
    assert all(url.startswith("https://") for url in verdict.sources)
    assert len(set(verdict.sources)) == len(verdict.sources)


def test_firm_verdicts_have_a_witness() -> None:
    for verdict in everything():
        if verdict.confidence is Confidence.VERBATIM:
            assert verdict.facts, (verdict.target, verdict.rule)


# --- names -----------------------------------------------------------------------------------------------------------


def test_resolve() -> None:
    assert targets.resolve("anthropic") == (targets.load("anthropic"), None)
    target, model = targets.resolve("anthropic:claude-opus-4-6")
    assert (target.name, model) == ("anthropic", "claude-opus-4-6")
    target, model = targets.resolve(" bedrock:us.anthropic.claude-3-5-haiku-20241022-v1:0 ")
    assert (target.name, model) == ("bedrock", "us.anthropic.claude-3-5-haiku-20241022-v1:0")
    assert targets.resolve("Azure_OpenAI")[0].name == "azure-openai"
    assert targets.resolve("claude")[0].name == "anthropic"
    target, model = targets.resolve("chat-template:gemma-3")
    assert (target.name, model) == ("chat-template", "gemma-3")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("antropic", "did you mean 'anthropic'"),
        ("opanai", "did you mean 'openai'"),
        ("gemni:gemini-2.5-pro", "did you mean 'gemini'"),
        ("gpt-4o", "openai:gpt-4o"),
        ("claude-sonnet-4-5", "anthropic:claude-sonnet-4-5"),
        ("zzzz", "known are"),
        ("", "empty"),
        (":gpt-4o", "empty"),
        ("openai:", "no model"),
        ("common", "no target"),
        ("openai-compatible", "no target"),
        ("../openai", "no target"),
    ],
)
def test_a_wrong_target_is_a_usage_error_that_names_what_is_near(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        targets.resolve(spec)


@given(st.text(max_size=30))
def test_any_text_resolves_or_is_a_usage_error(spec: str) -> None:
    try:
        target, _ = targets.resolve(spec)
    except UsageError:
        return
    assert target.name in targets.names()


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("openai-chat", "openai"),
        ("openai-responses", "openai"),
        ("anthropic", "anthropic"),
        ("gemini", "gemini"),
        ("bedrock-converse", "bedrock"),
        ("mistral", "mistral"),
        ("cohere", "cohere"),
        ("ollama", "ollama"),
        ("langchain", "generic"),
        ("ai-sdk-ui", "generic"),
        ("no-such-dialect", "generic"),
    ],
)
def test_owner(dialect: str, name: str) -> None:
    assert targets.owner(dialect) == name
    if name != "generic":
        assert dialect in targets.load(name).dialects


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "openai"),
        ("API.OPENAI.COM:443", "openai"),
        ("my-resource.openai.azure.com", "azure-openai"),
        ("api.anthropic.com", "anthropic"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("us-central1-aiplatform.googleapis.com", "vertex"),
        ("aiplatform.googleapis.com", "vertex"),
        ("bedrock-runtime.us-east-1.amazonaws.com", "bedrock"),
        ("api.mistral.ai", "mistral"),
        ("openrouter.ai", "openrouter"),
        ("localhost:11434", None),
        ("api.openai.com.evil.example", None),
        ("", None),
    ],
)
def test_by_host(host: str, name: str | None) -> None:
    assert targets.by_host(host) == name


# --- gates -----------------------------------------------------------------------------------------------------------


def verdict(
    spec: str, rule: str, variant: str | None = None, api: str | None = None, as_of: str | None = None
) -> targets.Verdict | None:
    target, model = targets.resolve(spec)
    return target.judge(api or target.api, model, as_of).verdict(rule, variant)


def level(
    spec: str, rule: str, variant: str | None = None, api: str | None = None, as_of: str | None = None
) -> str | None:
    found = verdict(spec, rule, variant, api, as_of)
    return found.level.value if found else None


def test_without_a_model_a_gated_verdict_stays_and_is_not_certain() -> None:
    found = verdict("anthropic", "trailing-assistant", "plain")
    assert found is not None
    assert (found.level, found.certain) == (Level.REJECTS, False)


def test_a_known_model_is_judged_exactly() -> None:
    found = verdict("anthropic:claude-opus-4-6", "trailing-assistant", "plain")
    assert found is not None
    assert found.certain
    assert level("anthropic:claude-sonnet-4-5-20250929", "trailing-assistant", "plain") is None
    assert level("anthropic:claude-3-opus-20240229", "trailing-assistant", "plain") is None
    assert level("gemini:gemini-2.5-flash", "missing-signature", "first-call") is None
    assert level("gemini:gemini-3-flash-preview", "missing-signature", "first-call") == "rejects"


def test_an_unknown_generation_is_judged_as_the_newest_and_said_so() -> None:
    target, model = targets.resolve("gemini:gemini-flash-latest")
    judge = target.judge("gemini", model)
    found = judge.verdict("missing-signature", "first-call")
    assert found is not None
    assert not found.certain
    assert any("newest gemini (3.8)" in note for note in judge.notes)


def test_a_newer_generation_is_judged_as_the_newest_known() -> None:
    target, model = targets.resolve("anthropic:claude-opus-9")
    judge = target.judge("anthropic", model)
    found = judge.verdict("trailing-assistant", "plain")
    assert found is not None
    assert not found.certain
    assert any("newest claude (5.5)" in note for note in judge.notes)


def test_an_unknown_model_of_a_target_with_one_family_is_of_that_family() -> None:
    target, model = targets.resolve("anthropic:house-model")
    judge = target.judge("anthropic", model)
    assert judge.verdict("trailing-assistant", "plain") is not None
    assert any("judged as the newest claude" in note for note in judge.notes)


def test_an_unknown_model_of_a_target_with_several_families_passes_no_gate() -> None:
    target, model = targets.resolve("bedrock:does-not-exist")
    judge = target.judge("bedrock-converse", model)
    assert judge.verdict("trailing-assistant", "plain") is None
    assert judge.verdict("unanswered-call", "missing") is not None
    assert judge.notes


def test_a_verdict_for_named_models_only_does_not_hold_without_a_name() -> None:
    assert level("bedrock", "text-beside-calls") is None
    assert level("bedrock:us.anthropic.claude-3-5-sonnet-20240620-v1:0", "text-beside-calls") is None
    assert level("bedrock:amazon.nova-lite-v1:0", "text-beside-calls") is None
    assert level("bedrock:meta.llama3-2-1b-instruct-v1:0", "text-beside-calls") == "rejects"
    assert level("chat-template", "consecutive-roles", "user") is None
    assert level("chat-template:gemma-3", "consecutive-roles", "user") == "rejects"
    assert level("chat-template:gemma-3", "multiple-systems", "leading", api="openai-chat") == "rejects"


def test_the_month_decides_and_is_that_of_the_data_by_default() -> None:
    assert level("openai", "malformed-call-id", "client") is None
    assert level("openai", "malformed-call-id", "client", as_of="2025-06-30") == "harms"  # contested
    assert level("vllm", "malformed-arguments", "not-json", as_of="2026-01") == "rejects"
    assert level("vllm", "malformed-arguments", "not-json") == "harms"


def test_an_alias_means_another_model_in_another_month() -> None:
    missing = verdict("deepseek:deepseek-reasoner", "missing-reasoning", "open-loop")
    assert missing is not None
    assert missing.certain
    assert missing.texts[0].startswith("Missing `reasoning_content`")
    assert level("deepseek:deepseek-reasoner", "unsupported-reasoning") is None
    assert level("deepseek:deepseek-reasoner", "unsupported-reasoning", as_of="2025-06") == "rejects"
    assert level("deepseek:deepseek-v4-flash", "missing-reasoning", "turn") == "rejects"


def test_contested_refusals_that_recordings_contradict_are_odd_at_most() -> None:
    for rule in ("first-not-user", "split-results"):
        assert level("anthropic", rule, "assistant") == "odd"
    assert level("anthropic", "blank-text", "whitespace") == "odd"
    assert level("anthropic", "blank-text", "empty") == "rejects"
    assert level("bedrock:us.amazon.nova-lite-v1:0", "blank-text", "empty") == "odd"
    assert level("bedrock:anthropic.claude-haiku-4-5-20251001-v1:0", "blank-text", "empty") == "harms"
    assert level("anthropic", "content-before-results", "text") == "harms"


def test_variants_pick_the_wording() -> None:
    no_turn, unknown = (
        verdict("openai", "orphan-result", "no-call-turn"),
        verdict("openai", "orphan-result", "unknown-id"),
    )
    assert no_turn is not None
    assert unknown is not None
    assert no_turn.texts[0].startswith("Invalid parameter: messages with role 'tool'")
    assert "not found in 'tool_calls' of previous message" in unknown.texts[0]


def test_several_variants_are_asked_the_narrowest_first() -> None:
    judge = targets.load("mistral").judge("mistral")
    at_end, plain = judge.verdict("unanswered-call", ("at-end", "missing")), judge.verdict("unanswered-call", "missing")
    assert at_end is not None
    assert plain is not None
    assert at_end.texts[0].startswith("Expected last role")
    assert plain.texts == ("Not the same number of function calls and responses",)


def test_a_targets_own_word_beats_what_it_inherits() -> None:
    vertex = verdict("vertex", "blank-text", "empty")
    assert vertex is not None
    assert (vertex.target, vertex.level) == ("vertex", Level.REJECTS)
    assert level("gemini", "blank-text", "empty") == "accepts"
    assert level("vertex", "unanswered-call", "missing") == "rejects"
    assert level("azure-openai", "orphan-result", "no-call-turn") == "rejects"
    assert level("ollama", "missing-call-id", "missing") == "accepts"
    assert level("groq", "unanswered-call", "missing") == "harms"


def test_templates_behind_a_server_are_judged_by_the_model() -> None:
    assert level("vllm:google/gemma-3-27b-it", "consecutive-roles", "user") == "rejects"
    assert level("vllm:Qwen/Qwen3.5-27B", "misplaced-system", "middle") == "rejects"
    assert level("vllm:Qwen/Qwen3-8B", "misplaced-system", "middle") is None
    assert level("vllm", "consecutive-roles", "user") is None
    assert level("llama-cpp:gemma-2-9b-it", "consecutive-roles", "assistant") == "rejects"
    assert level("chat-template", "arguments-not-string", api="openai-chat") == "accepts"
    assert level("chat-template", "arguments-not-object", api="openai-chat") == "rejects"


def test_an_answer_for_the_other_wire_does_not_leak() -> None:
    assert level("bedrock", "consecutive-roles", "user", api="bedrock-converse") == "rejects"
    assert level("bedrock", "consecutive-roles", "user", api="anthropic") == "accepts"
    assert level("openai", "interrupted-results", "any-role", api="openai-chat") == "rejects"
    assert level("openai", "interrupted-results", "any-role", api="openai-responses") == "accepts"


def test_rules_are_those_that_may_speak() -> None:
    judge = targets.load("openai").judge("openai-chat")
    assert {"orphan-result", "unanswered-call", "pending-call"} <= judge.rules
    assert "consecutive-roles" not in judge.rules
    assert judge.verdict("no-such-rule") is None
    assert judge.verdicts("no-such-rule") == ()
    for name in targets.names():
        for api in targets.load(name).dialects:
            assert targets.load(name).judge(api).rules


def test_generic_refuses_only_pairing_and_structure() -> None:
    judge = targets.load("generic").judge("langchain")
    refused = {rule for rule in judge.rules if any(v.level is Level.REJECTS for v in judge.verdicts(rule))}
    assert {
        "unanswered-call",
        "orphan-result",
        "result-before-call",
        "duplicate-result",
        "interrupted-results",
    } <= refused
    assert "trailing-assistant" not in refused
    assert all(not v.texts for rule in judge.rules for v in judge.verdicts(rule))


def test_a_judge_is_made_once() -> None:
    target = targets.load("openai")
    assert target.judge("openai-chat") is target.judge("openai-chat")
    assert target.judge("openai-chat").spec == "openai"
    assert target.judge("openai-chat", "gpt-5").spec == "openai:gpt-5"


# --- pairing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "api", "policy"),
    [
        ("openai", "openai-chat", (False, "id", "run", False)),
        ("openai", "openai-responses", (False, "id", "anywhere", False)),
        ("anthropic", "anthropic", (True, "id", "turn", False)),
        ("vertex-anthropic", "anthropic", (True, "id", "turn", False)),
        ("bedrock", "bedrock-converse", (False, "id", "message", False)),
        ("bedrock", "anthropic", (True, "id", "turn", False)),
        ("gemini", "gemini", (False, "order", "message", True)),
        ("mistral", "mistral", (False, "id", "run", True)),
        ("ollama", "ollama", (False, "order", "run", False)),
        ("ollama", "openai-chat", (False, "id", "run", False)),
        ("chat-template", "openai-chat", (False, "order", "run", False)),
        ("deepseek", "openai-responses", (False, "id", "run", False)),
        ("generic", "anthropic", (True, "id", "turn", False)),
        ("generic", "langchain", (False, "id", "run", False)),
    ],
)
def test_policy(name: str, api: str, policy: tuple[bool, str, str, bool]) -> None:
    found = targets.load(name).policy(api)
    assert (found.merge, found.match, found.window, found.count) == policy


def test_a_foreign_dialect_is_judged_on_the_targets_own_wire() -> None:
    assert targets.load("anthropic").api_for("openai-chat") == "anthropic"
    assert targets.load("anthropic").api_for("anthropic") == "anthropic"
    assert targets.load("openai").api_for("openai-responses") == "openai-responses"
