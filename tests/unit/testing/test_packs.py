"""Rules and targets of another distribution: known when they are configured, and tested by their own examples."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import turnlint
from turnlint import UsageError, config, registry, targets
from turnlint.rule import Entry
from turnlint.testing import check_rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = """
from pathlib import Path
from turnlint.diagnostic import Severity
from turnlint.rule import Entry

RULES = (Entry("ACME01", "shouted-question", "rules", own=Severity.WARNING, package="acme"),)
TARGETS = Path(__file__).parent / "targets"
"""
RULE = '''"""A question in capital letters.

What it finds
-------------
A user message without a small letter.

Why it hurts
------------
It hurts the ears.

Fix
---
None.
"""

from turnlint.diagnostic import Severity
from turnlint.model import Speaker
from turnlint.rule import Example, Finding, Rule


def check(context):
    for message in context.transcript.messages:
        if message.speaker is Speaker.USER and message.text.isupper():
            yield Finding(message.content_at or message.at, "the question is shouted", subject=message)


RULE = Rule(
    check,
    valid=(Example([{"role": "user", "content": "Hello"}]), Example([{"role": "assistant", "content": "HELLO"}])),
    invalid=(
        Example([{"role": "user", "content": "HELLO"}], at="/0/content", severity=Severity.WARNING),
        Example([{"role": "user", "content": "HI"}], at="/0/content", severity=Severity.WARNING, target="openai"),
    ),
)
'''
DIRECTORY = """
[target.acme]
hosts = ["llm.acme.example"]
[target.openai]
hosts = []
[alias]
acme-gateway = "acme"
"""
TARGET = """
name = "acme"
title = "Acme"
api = "openai-chat"
dialects = ["openai-chat"]
extends = ["openai-compatible", "generic"]
as-of = "2026-11-30"

[[verdict]]
rule = "empty-call-list"
level = "rejects"
confidence = "verbatim"
texts = ["tool_calls must not be empty"]
"""
SHOUT = [{"role": "user", "content": "HELLO"}]


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed distribution with one rule and one target."""
    folder = tmp_path / "site"
    for name, text in {
        "acme/__init__.py": RULES,
        "acme/rules/__init__.py": "",
        "acme/rules/shouted_question.py": RULE,
        "acme/targets/directory.toml": DIRECTORY,
        "acme/targets/acme.toml": TARGET,
        "acme-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1\n",
        "acme-1.dist-info/entry_points.txt": "[turnlint.rules]\nacme = acme\nbroken = acme.nothing\n",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    registry._packs.clear()
    registry._forget()
    targets._more_folders.clear()
    for function in (targets._directory, targets._layers, targets._judge, targets.by_host):
        function.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme"]:
        del sys.modules[name]


@pytest.mark.usefixtures("acme")
def test_only_what_is_asked_for_is_loaded() -> None:
    assert "shouted-question" not in {d.rule for d in turnlint.check(SHOUT).diagnostics}
    assert "acme" not in sys.modules
    with pytest.raises(UsageError, match="shouted-question"):
        turnlint.check(SHOUT, select="shouted-question")
    found = turnlint.check(SHOUT, packs="acme").diagnostics
    assert [(d.rule, d.code, d.severity.value, d.pointer, d.url) for d in found] == [
        ("shouted-question", "ACME01", "warning", "/0/content", "")
    ]
    assert not turnlint.check(SHOUT).diagnostics  # it is loaded now, and was not asked for
    assert not turnlint.check(SHOUT, select="ALL").diagnostics
    assert turnlint.check(SHOUT, packs=["acme"], ignore="ACME").ok
    assert [d.rule for d in turnlint.check(SHOUT, packs=["acme"], select=["ACME01"]).diagnostics] == [
        "shouted-question"
    ]


def test_the_configuration_names_it(acme: Path) -> None:
    file = acme / "turnlint.toml"
    file.write_text("packs = 'acme'\nselect = ['shouted-question']\n", encoding="utf-8")
    loaded = config.load(file)
    assert loaded.packs == ("acme",)
    config.check_rules(loaded)
    file.write_text("packs = ['acmee']\n", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"packs: no installed distribution offers the rules 'acmee'; did you mean 'acme'"
    ):
        config.load(file)


@pytest.mark.usefixtures("acme")
def test_its_targets() -> None:
    registry.use(["acme"])
    assert targets.by_host("llm.acme.example") == "acme"
    history = [*SHOUT, {"role": "assistant", "content": "Hi", "tool_calls": []}]
    found = turnlint.check(history, target="acme-gateway", mode="saved", select="empty-call-list").diagnostics
    assert [(d.target, d.provider_error) for d in found] == [("acme", "tool_calls must not be empty")]
    assert targets.by_host("api.openai.com") == "openai"


@pytest.mark.usefixtures("acme")
def test_packs_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="'broken' cannot be loaded: ModuleNotFoundError"):
        registry.use(["broken"])
    import acme  # type: ignore[import-not-found]

    monkeypatch.setattr(acme, "RULES", (Entry("TL102", "shouted-question", "rules", package="acme"),))
    with pytest.raises(UsageError, match="is the name or code of another rule"):
        registry.use(["acme"])


# -- the examples of a rule


def entry(**given: object) -> Entry:
    import acme

    made: Entry = acme.RULES[0]
    from msgspec.structs import replace

    return replace(made, **given)


@pytest.mark.usefixtures("acme")
def test_a_rule_whose_examples_are_right() -> None:
    check_rule(entry())
    with pytest.raises(UsageError):
        registry.entry("shouted-question")  # it was known only while it was tested


def test_a_rule_whose_examples_are_wrong(acme: Path) -> None:
    text = (
        RULE.replace("Why it hurts", "Why")
        .replace("severity=Severity.WARNING)", "severity=Severity.ERROR)")
        .replace('"Hello"', '"HEY"')
    )
    text = text.replace('at="/0/content", severity=Severity.WARNING, target', 'at="/1", target')
    (acme / "acme/rules/shouted_question.py").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        check_rule(entry())
    assert str(caught.value).splitlines() == [
        "the rule shouted-question (ACME01):",
        "- its page has no section 'Why it hurts'",
        "- valid example 0: it speaks: the question is shouted (at /0/content)",
        "- invalid example 0: its severity is warning, not error",
        "- invalid example 1: it does not speak at /1, but at: /0/content",
    ]


@pytest.mark.usefixtures("acme")
def test_a_rule_whose_signals_are_not_enough() -> None:
    from turnlint.model import Signal

    with pytest.raises(AssertionError, match="none of the signals in `triggers` is set"):
        check_rule(entry(triggers=Signal.MEDIA))


def test_a_rule_that_any_history_may_break() -> None:
    """It runs on a history in which the quick pass saw nothing."""
    long = [{"role": "user", "content": "word " * 50}]
    assert [d.rule for d in turnlint.check(long, target="openai", context_tokens=1).diagnostics] == [
        "history-over-budget"
    ]
