"""Pages of the documentation that are made from what is in the code: rules, verdicts, models, formats, settings.

mkdocs calls `on_files` when it builds the site.  `python docs/pages.py` writes docs/verdicts.md, which is kept in the
repository because people read it there; a test fails when it is stale.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
SOURCES = [str(HERE.parent / name) for name in ("validator", "rules")]
sys.path[:0] = SOURCES  # the hook works in a checkout that is not installed; mkdocs takes the path back after loading

from turnlint import containers, dialects, registry, targets  # noqa: E402
from turnlint.targets import Level  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnlint.rule import Entry, Example
    from turnlint.targets import Verdict

MARKS = {Level.REJECTS: "**R**", Level.HARMS: "h", Level.ODD: "o"}
DOES = {Level.REJECTS: "refuses it", Level.HARMS: "takes it and is harmed", Level.ODD: "takes it, though it is odd"}


def page_of(entry: Entry) -> str:
    """A rule's own text; one line for a rule that has no module."""
    try:
        return entry.page.strip()
    except ModuleNotFoundError:
        return entry.name.replace("-", " ").capitalize() + "."


def summary(entry: Entry) -> str:
    return page_of(entry).partition("\n")[0].rstrip(".")


def own_verdicts(rule: str) -> list[Verdict]:
    every = (v for name in targets.names() for v in targets.load(name).verdicts)
    return [v for v in every if v.rule == rule and v.level is not Level.ACCEPTS]


def rule_markdown(entry: Entry) -> str:
    """The page of one rule."""
    title, _, rest = page_of(entry).partition("\n")
    lines = [f"# {entry.name} ({entry.code})", "", title, ""]
    text = rest.strip().split("\n")
    for number, line in enumerate(text):
        under = text[number + 1] if number + 1 < len(text) else ""
        if under and set(under) == {"-"}:
            lines.append(f"## {line}")
        elif line and set(line) == {"-"}:
            lines.append("")
        else:
            lines.append(line)
    lines.append("")
    lines += examples_markdown(entry)
    verdicts = own_verdicts(entry.name)
    if verdicts:
        lines += ["## Who minds", ""]
        lines += list(dict.fromkeys(verdict_markdown(v) for v in verdicts))
    elif entry.own is not None:
        lines += [f"No provider judges this; it is {article(entry.own.value)} unless configured otherwise."]
    return "\n".join(lines) + "\n"


def article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def examples_markdown(entry: Entry) -> list[str]:
    try:
        examples: tuple[Example, ...] = entry.load().invalid
    except ModuleNotFoundError:
        return []
    lines = ["## Examples", ""] if examples else []
    for example in examples[:3]:
        who = f" (judged by {example.target})" if example.target else ""
        lines += [f"{(example.title or 'Found').capitalize()} at `{example.at or '/'}`{who}:", ""]
        lines += ["```json", layout(example.document), "```", ""]
        if example.fixed is not None:
            lines += ["After the fix:", "", "```json", layout(example.fixed), "```", ""]
    return lines


def layout(document: Any) -> str:
    """A history with one message a line."""
    if not isinstance(document, list):
        return json.dumps(document, indent=2, ensure_ascii=False)
    return "[\n" + ",\n".join(f"  {json.dumps(m, ensure_ascii=False)}" for m in document) + "\n]"


def verdict_markdown(verdict: Verdict) -> str:
    when = f" ({', '.join(sorted(verdict.when))})" if verdict.when is not None else ""
    status = f" with {verdict.status}" if verdict.status is not None else ""
    gate = gate_text(verdict)
    lines = [f"- **{verdict.target}** {DOES[verdict.level]}{status}{when}{gate}; {verdict.confidence.value}"]
    lines += [f"    - `{text.replace('`', chr(39))}`" for text in verdict.texts[:3]]
    urls = [url for url in verdict.sources if url.startswith("https://")][:3]
    if urls:
        lines.append("    - sources: " + ", ".join(f"<{url}>" for url in urls))
    return "\n".join(lines)


def gate_text(verdict: Verdict) -> str:
    """For which models and months a verdict holds."""
    parts = []
    gate = verdict.gate
    if gate is not None:
        if gate.only:
            parts.append("only " + ", ".join(map(str, gate.only)))
        elif gate.family:
            low = ".".join(map(str, gate.from_)) if gate.from_ else ""
            high = ".".join(map(str, gate.until)) if gate.until else ""
            parts.append(gate.family + (f" {low}–{high}" if low and high else f" from {low}" if low else ""))
            if high and not low:
                parts[-1] += f" until {high}"
    if verdict.since:
        parts.append(f"since {verdict.since}")
    if verdict.until:
        parts.append(f"until {verdict.until}")
    return f" [{', '.join(parts)}]" if parts else ""


def verdicts_markdown() -> str:
    """The table of rules by targets."""
    names = [n for n in targets.names() if n != "generic"]
    judges = {n: targets.load(n) for n in names}
    levels: dict[str, dict[str, str]] = {}
    for name, target in judges.items():
        for api in sorted(target.dialects):
            judge = target.judge(api)
            for rule in judge.rules:
                gravest = min((v.level for v in judge.verdicts(rule)), key=list(Level).index)
                mark = MARKS.get(gravest, "")
                before = levels.setdefault(rule, {}).get(name, "")
                if mark and (not before or list(MARKS.values()).index(mark) < list(MARKS.values()).index(before)):
                    levels[rule][name] = mark
    lines = [
        "# Who minds what",
        "",
        "Made from the verdicts in `rules/turnlint_rules/targets` by `python docs/pages.py`; do not edit.",
        "",
        "**R** refuses the request (an error), h takes it and is harmed (a warning), o takes it though odd (info).",
        "The gravest of a target's verdicts is shown; many hold only for some models or cases: see the rule's page.",
        "",
    ]
    for start in range(0, len(names), 12):
        some = names[start : start + 12]
        lines.append("| rule | " + " | ".join(some) + " |")
        lines.append("|---|" + "---|" * len(some))
        for entry in registry.entries():
            row = levels.get(entry.name, {})
            if any(row.get(n) for n in some):
                lines.append(f"| {entry.code} {entry.name} | " + " | ".join(row.get(n, "") for n in some) + " |")
        lines.append("")
    lines += ["## What hangs on the model or the month", "", "| target | rule | for |", "|---|---|---|"]
    seen = set()
    for name in names:
        for verdict in judges[name].verdicts:
            gate = gate_text(verdict).strip(" []")
            row_of = (name, verdict.rule, gate)
            if gate and row_of not in seen:
                seen.add(row_of)
                lines.append(f"| {name} | {verdict.rule} | {gate} |")
    return "\n".join(lines) + "\n"


def facts_markdown() -> str:
    """Every fact that is known of a provider: the verdicts made of it, or why there is none."""
    uses: dict[str, list[Verdict]] = {}
    for name in (*targets.names(), "common", "openai-compatible"):
        for verdict in targets.load(name).verdicts:
            for fact in verdict.facts:
                uses.setdefault(fact, []).append(verdict)
    reasons = tomllib.loads((Path(targets.folder()) / "out_of_reach.toml").read_text(encoding="utf-8"))
    lines = [
        "# Facts and verdicts",
        "",
        f"{len(uses)} facts stand behind verdicts; their sources are on the pages of the rules.",
        "",
        "| fact | rule | target | what it does |",
        "|---|---|---|---|",
    ]
    for fact in sorted(uses):
        rows = dict.fromkeys((v.rule, v.target, DOES.get(v.level, "takes it")) for v in uses[fact])
        lines += [f"| {fact} | [{rule}](rules/{rule}.md) | {target} | {does} |" for rule, target, does in rows]
    lines += ["", f"{len(reasons)} lead to no verdict:", "", "| fact | why |", "|---|---|"]
    lines += [f"| {fact} | {why} |" for fact, why in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


def rules_markdown() -> str:
    """The list of all rules."""
    lines = ["# Rules", "", "| code | name | finds |", "|---|---|---|"]
    lines += [f"| {e.code} | [{e.name}](rules/{e.name}.md) | {summary(e)} |" for e in registry.entries()]
    return "\n".join(lines) + "\n"


def formats_markdown() -> str:
    """The dialects and containers, and how each is told."""
    lines = ["# Formats", "", "Everything is told from the content, never from the file's name.", ""]
    shapes: tuple[tuple[str, Any], ...] = (
        ("Dialects: the shape of a message", dialects.all()),
        ("Containers: what wraps a conversation", containers.all()),
    )
    for title, every in shapes:
        lines += [f"## {title}", "", "| name | what | told by |", "|---|---|---|"]
        lines += [f"| `{s.name}` | {s.title} | {s.how.replace('|', chr(92) + '|')} |" for s in every]
        lines.append("")
    return "\n".join(lines) + "\n"


def settings_markdown() -> str:
    """The table of configuration keys, from the schema that ships."""
    schema = json.loads((HERE.parent / "validator" / "turnlint" / "config.schema.json").read_text(encoding="utf-8"))
    lines = ["# Settings", "", "| key | what it is |", "|---|---|"]
    lines += [f"| `{key}` | {value.get('description', '')} |" for key, value in schema["properties"].items()]
    return "\n".join(lines) + "\n"


def made() -> Iterator[tuple[str, str]]:
    """All generated pages: path below docs, and text."""
    yield "rules.md", rules_markdown()
    yield "facts.md", facts_markdown()
    yield "formats.md", formats_markdown()
    yield "settings.md", settings_markdown()
    for entry in registry.entries():
        yield f"rules/{entry.name}.md", rule_markdown(entry)


def on_files(files: Any, config: Any) -> Any:
    """The hook of mkdocs: adds the generated pages."""
    from mkdocs.structure.files import File

    sys.path[:0] = SOURCES
    for path, text in made():
        files.append(File.generated(config, path, content=text))
    return files


if __name__ == "__main__":
    (HERE / "verdicts.md").write_text(verdicts_markdown(), encoding="utf-8")
