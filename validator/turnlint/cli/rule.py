"""``turnlint rule``: a rule's page, all of them, or the rule behind a provider's error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from turnlint.cli import FINDINGS, OK, backend
from turnlint.cli.clicks import HELP
from turnlint.cli.error_search import Match, Text, search
from turnlint.cli.output import write
from turnlint.cli.run import say
from turnlint.report.terminal import clean, clean_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.rule import Entry, Example
    from turnlint.targets import Verdict

_MOST_EXAMPLES = 2
_MOST_RULES = 5  # rules that an error may mean
_MOST_TARGETS = 4  # of which the words are shown for each


@click.command("rule", context_settings=HELP)
@click.argument("name", required=False, metavar="[NAME|CODE]")
@click.option("--all", "every", is_flag=True, help="Show the pages of all rules.")
@click.option("--error", metavar="TEXT", help="Find the rule behind a provider's error text.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(name: str | None, every: bool, error: str | None, output_format: str) -> int:
    """Show what a rule finds, why that hurts, and which provider minds, in its own words.

    Without a name, all rules are listed.
    """
    if sum((name is not None, every, error is not None)) > 1:
        raise click.UsageError("give a rule, --all or --error, not several of them")
    as_json = output_format == "json"
    if error is not None:
        return _show_matches(error, as_json=as_json)
    if name is not None or every or as_json:
        shown = [backend.entry(name)] if name is not None else list(backend.entries())
        write(_json([rule_object(entry) for entry in shown]) if as_json else _pages(shown), "json", None)
    else:
        write(_list(), "json", None)
    return OK


def _json(value: Any) -> Iterator[str]:
    yield json.dumps(value, indent=2) + "\n"


def _list() -> Iterator[str]:
    entries = backend.entries()
    longest = max(len(entry.name) for entry in entries)
    for entry in entries:
        off = "" if entry.default else " (off unless selected)"
        yield f"{entry.code}  {entry.name:<{longest}}  {backend.summary(entry)}{off}\n"


def verdicts_of(rule: str) -> list[Verdict]:
    """What the targets themselves say about a rule, without what they take over from others."""
    from turnlint import targets
    from turnlint.targets import Level

    every = (verdict for name in targets.names() for verdict in targets.load(name).verdicts)
    return [verdict for verdict in every if verdict.rule == rule and verdict.level is not Level.ACCEPTS]


def rule_object(entry: Entry) -> dict[str, Any]:
    """A rule as JSON."""
    return {
        "code": entry.code,
        "name": entry.name,
        "group": entry.group,
        "summary": backend.summary(entry),
        "severity": entry.own.value if entry.own is not None else None,
        "default": entry.default,
        "page": backend.page(entry),
        "examples": [_example_object(example) for example in _examples(entry)],
        "verdicts": [
            {
                "target": verdict.target,
                "level": verdict.level.value,
                "confidence": verdict.confidence.value,
                "variants": sorted(verdict.when) if verdict.when is not None else None,
                "status": verdict.status,
                "texts": list(verdict.texts),
                "note": verdict.note,
                "sources": list(verdict.sources),
            }
            for verdict in verdicts_of(entry.name)
        ],
    }


def _examples(entry: Entry) -> Sequence[Example]:
    try:
        return entry.load().invalid
    except ModuleNotFoundError:
        return ()


def _example_object(example: Example) -> dict[str, Any]:
    return {
        "title": example.title,
        "document": example.document,
        "target": example.target,
        "pointer": example.at,
        "says": example.says,
        "fixed": example.fixed,
    }


def _pages(entries: Sequence[Entry]) -> Iterator[str]:
    separator = ""
    for entry in entries:
        yield separator + _page(entry)
        separator = "\n\n"


def _page(entry: Entry) -> str:
    page = backend.page(entry) or f"{backend.summary(entry).capitalize()}."
    parts = [f"{entry.name} ({entry.code})\n", f"{clean_lines(page)}\n"]
    examples = _examples(entry)[:_MOST_EXAMPLES]
    if examples:
        parts.append(_heading("Example" if len(examples) == 1 else "Examples"))
        parts += [_example(example) for example in examples]
    verdicts = verdicts_of(entry.name)
    if verdicts:
        parts.append(_heading("Who minds"))
        parts += dict.fromkeys(_verdict(verdict) for verdict in verdicts)
    return "\n".join(parts)


def _heading(text: str) -> str:
    return f"{text}\n{'-' * len(text)}"


def _example(example: Example) -> str:
    title = f"{clean(example.title)}\n" if example.title else ""
    place = example.at or "the whole document"
    return f"{title}{_layout(example.document)}\n    ^ at {clean(place)}\n"


def _layout(document: Any) -> str:
    """A history with one message a line, as somebody would write it by hand."""
    if not isinstance(document, list):
        return "\n".join(f"    {line}" for line in json.dumps(document, indent=2).split("\n"))
    rows = [f"      {json.dumps(message)}" for message in document]
    return "\n".join(["    [", ",\n".join(rows), "    ]"])


def _verdict(verdict: Verdict) -> str:
    when = f" ({', '.join(sorted(verdict.when))})" if verdict.when is not None else ""
    status = f" with {verdict.status}" if verdict.status is not None else ""
    lines = [f"{clean(verdict.target)} {_DOES[verdict.level.value]}{status}{when}"]
    lines += [f'    "{clean(text)}"' for text in verdict.texts]
    if verdict.note:
        lines.append(f"    {clean(verdict.note)}")
    return "\n".join(lines)


_DOES = {"rejects": "refuses it", "harms": "takes it and is harmed", "odd": "takes it, though it is odd"}


def known_texts() -> Iterator[Text]:
    """Every wording that any target has for any rule, in the order of the rules' codes."""
    from turnlint import targets

    codes = {entry.name: entry.code for entry in backend.entries()}
    verdicts = [verdict for name in targets.names() for verdict in targets.load(name).verdicts]
    for verdict in sorted(verdicts, key=lambda verdict: codes.get(verdict.rule, "~")):
        for text in verdict.texts:
            yield Text(verdict.rule, verdict.target, text, verdict.status)


def _show_matches(error: str, *, as_json: bool) -> int:
    by_rule: dict[str, list[Match]] = {}
    for match in search(error, known_texts()):
        by_rule.setdefault(match.text.rule, []).append(match)
    if as_json:
        write(_json([_match_object(match) for matches in by_rule.values() for match in matches]), "json", None)
        return OK if by_rule else FINDINGS
    if not by_rule:
        say("turnlint: no known error is like this text; `turnlint rule` lists what is checked")
        return FINDINGS
    write(_matches(by_rule), "json", None)
    return OK


def _match_object(match: Match) -> dict[str, Any]:
    return {
        "rule": match.text.rule,
        "target": match.text.target,
        "status": match.text.status,
        "text": match.text.text,
        "score": round(match.score, 2),
    }


def _matches(by_rule: dict[str, list[Match]]) -> Iterator[str]:
    for number, (rule, matches) in enumerate(list(by_rule.items())[:_MOST_RULES]):
        if number == 1:
            yield "It may also be\n\n"
        yield f"{rule}{_about(rule)}\n"
        for match in _one_for_each_target(matches)[:_MOST_TARGETS]:
            status = f" {match.text.status}" if match.text.status is not None else ""
            yield f'    {clean(match.text.target)} answers{status}: "{clean(match.text.text)}"\n'
        yield f"    more: turnlint rule {rule}\n\n"


def _one_for_each_target(matches: list[Match]) -> list[Match]:
    first: dict[str, Match] = {}
    for match in matches:
        first.setdefault(match.text.target, match)
    return list(first.values())


def _about(rule: str) -> str:
    from turnlint.errors import UsageError

    try:
        entry = backend.entry(rule)
    except UsageError:
        return ""
    return f" ({entry.code}): {backend.summary(entry)}"
