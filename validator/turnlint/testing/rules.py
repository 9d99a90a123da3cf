"""Runs the examples of a rule: for those who write rules of their own, in a package of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint import registry
from turnlint.engine import Checker, Settings
from turnlint.loading import examine_value

if TYPE_CHECKING:
    from turnlint.diagnostic import Diagnostic
    from turnlint.rule import Entry, Example

_SECTIONS = ("What it finds", "Why it hurts", "Fix")
_FEWEST = 2  # examples of each kind


def check_rule(entry: Entry) -> None:
    """Raise `AssertionError` with everything that is wrong with a rule's page and examples.

    The page (the module's docstring) has its sections, and there are at least two examples of each kind.  The rule is
    silent on each valid example; on each invalid one it speaks at the place, with the severity and the provider's words
    that the example names.  The signals in the entry are enough to get it to run on all of them.
    """
    __tracebackhide__ = True
    wrong = _page(entry)
    rule = entry.load()
    with registry.known(entry):
        for kind, examples in (("valid", rule.valid), ("invalid", rule.invalid)):
            if len(examples) < _FEWEST:
                wrong.append(f"{len(examples)} {kind} example(s): there should be {_FEWEST} at least")
            for number, example in enumerate(examples):
                found = _example(entry, example, invalid=kind == "invalid")
                wrong += [f"{kind} example {number}: {what}" for what in found]
    if wrong:
        raise AssertionError(f"the rule {entry.name} ({entry.code}):\n" + "\n".join(f"- {what}" for what in wrong))


def _page(entry: Entry) -> list[str]:
    page = entry.page
    wrong = [
        f"its page has no section {section!r}"
        for section in _SECTIONS
        if f"\n{section}\n{'-' * len(section)}\n" not in page
    ]
    if not page.partition("\n")[0].strip().endswith("."):
        wrong.insert(0, "its page does not begin with one sentence that says what it finds")
    return wrong


def _example(entry: Entry, example: Example, *, invalid: bool) -> list[str]:
    found = _found(entry, example, triggers=True)
    if not invalid:
        return [f"it speaks: {d.message} (at {d.pointer or 'the document'})" for d in found]
    there = [d for d in found if d.pointer == example.at]
    if not there:
        if any(d.pointer == example.at for d in _found(entry, example, triggers=False)):
            return ["it is found, but none of the signals in `triggers` is set: the rule would not run"]
        places = ", ".join(d.pointer or "the document" for d in found) or "nowhere"
        return [f"it does not speak at {example.at or 'the document'}, but at: {places}"]
    wrong = []
    if there[0].severity is not example.severity:
        wrong.append(f"its severity is {there[0].severity.value}, not {example.severity.value}")
    if example.says is not None and example.says not in (there[0].provider_error or ""):
        wrong.append(f"the provider's words are {there[0].provider_error!r}")
    if example.fixed is not None:
        wrong += _fixed(entry, example)
    return wrong


def _fixed(entry: Entry, example: Example) -> list[str]:
    from turnlint.fixing import fix_value

    made: Any = fix_value(example.document, _settings(entry, example, triggers=True), unsafe=True).document
    return [] if made == example.fixed else [f"after the fix it is {made!r}"]


def _found(entry: Entry, example: Example, *, triggers: bool) -> list[Diagnostic]:
    """What this rule alone says of the example."""
    checker = Checker(_settings(entry, example, triggers=triggers))
    return [d for seen in examine_value(example.document, checker) for d in seen.diagnostics if d.rule == entry.name]


def _settings(entry: Entry, example: Example, *, triggers: bool) -> Settings:
    return Settings(
        targets=(example.target,) if example.target else (),
        dialect=example.dialect,
        mode=example.mode,
        select=(entry.name,),
        limits=example.settings,
        triggers=triggers,
    )
