"""A conversation as one HTML page: turns, calls joined to their results by number and colour, findings in place.

The page stands alone: no script, nothing from the network, everything escaped, readable on a phone, in light and dark,
with a keyboard and a screen reader.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from turnlint.model import Call, Kind, Media, Message, Part, Reasoning, Result
from turnlint.report.fates import of_call, of_result
from turnlint.report.full import remarks
from turnlint.report.junit import escape
from turnlint.report.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.diagnostic import Diagnostic
    from turnlint.engine import Examination
    from turnlint.pairing import Pairing

_FOLD = 900  # characters of a text from which on it is folded
_MOST = 20_000  # characters of one text that the page holds
_HUES = (210, 150, 30, 280, 330, 180, 90, 255)

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --bad: #c62828; --warn: #b26a00; --info: #1565c0; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --warn: #ffb74d; --info: #82b1ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; }
header h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; } header p { margin: .2rem 0; opacity: .8; }
nav { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; margin: 1rem 0; }
nav ul { margin: .2rem 0; padding-left: 1.2rem; } nav a { color: inherit; }
ol.turns { list-style: none; padding: 0; margin: 0; }
ol.turns > li { border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; padding: .5rem .8rem; }
li.assistant { margin-left: 1.5rem !important; } li.system { opacity: .85; border-style: dotted !important; }
a.number { color: inherit; text-decoration: none; } a.number:hover, a.number:focus { outline: 2px solid; }
li:target, section:target, div:target { outline: 3px solid var(--info); }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .2rem; } h3 { font-size: .85rem; margin: 0; opacity: .75; font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; font: 14px/1.45 ui-monospace, monospace; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
.call, .result { border-left: .35rem solid hsl(var(--hue) 60% 50%); background: var(--soft); padding: .3rem .6rem;
  margin: .4rem 0; border-radius: 0 .4rem .4rem 0; overflow-wrap: anywhere; }
.result { margin-left: 1rem; }
.lost { border-left: .35rem dashed var(--bad); }
.number { display: inline-block; min-width: 1.6em; text-align: center; border-radius: 1em; font-size: .8rem;
  background: hsl(var(--hue) 60% 50% / .25); }
.finding { border-left: .35rem solid var(--info); padding: .3rem .6rem; margin: .4rem 0; overflow-wrap: anywhere; }
.finding.error { border-color: var(--bad); } .finding.warning { border-color: var(--warn); }
.finding strong { display: block; } .finding.error strong { color: var(--bad); }
.finding.warning strong { color: var(--warn); } .finding.info strong { color: var(--info); }
.finding p { margin: .1rem 0; font-size: .9rem; }
.minus { color: var(--bad); } .plus { color: #2e7d32; } summary { cursor: pointer; }
@media (max-width: 40rem) { body { padding: .5rem; } li.assistant { margin-left: .4rem !important; }
  .result { margin-left: .3rem; } }
"""


class Shown(Struct, frozen=True):
    """One conversation of the page, and the unified diff of what could be fixed in its file."""

    seen: Examination
    number: int


def render(name: str, conversations: Sequence[Shown], diff: str = "") -> Iterator[str]:
    """The page of a file's conversations.  `diff` is a unified diff of its fixes, made safe to print."""
    # The policy forbids what the page does not use, should an escape ever be missed.
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(name)} – turnlint</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#conversations">Skip to the conversations</a>\n'
    )
    findings = [(c.number, n, d) for c in conversations for n, d in enumerate(c.seen.diagnostics)]
    findings.sort(key=lambda item: (item[0], -1 if item[2].message_index is None else item[2].message_index))
    messages = sum(c.seen.info.messages for c in conversations if c.seen.info is not None)
    yield f"<header><h1>{escape(name)}</h1>\n<p>{plural(len(conversations), 'conversation')}, "
    yield f"{plural(messages, 'message')}, {plural(len(findings), 'finding')}</p></header>\n"
    if findings:
        yield '<nav aria-label="Findings"><h3>Findings</h3><ul>\n'
        for which, number, found in findings:
            text = f"{found.severity.value} {found.rule}: {found.message}"
            yield f'<li><a href="#f{which}-{number}">{escape(text)}</a></li>\n'
        yield "</ul></nav>\n"
    if diff:
        yield "<details><summary>Before and after the fixes</summary>\n<pre>"
        for line in diff.splitlines():
            kind = {"+": "plus", "-": "minus"}.get(line[:1])
            yield f'<span class="{kind}">{escape(line)}</span>\n' if kind else f"{escape(line)}\n"
        yield "</pre></details>\n"
    yield '<main id="conversations">\n'
    for conversation in conversations:
        yield from _Conversation(conversation).html()
    yield "</main>\n</body>\n</html>\n"


class _Conversation:
    def __init__(self, shown: Shown) -> None:
        self.number = shown.number
        self.seen = shown.seen
        assert shown.seen.transcript is not None
        self.transcript = shown.seen.transcript
        self.pairing: Pairing | None = shown.seen.pairings[0] if shown.seen.pairings else None
        self.by_message: dict[int | None, list[tuple[int, Diagnostic]]] = {}
        for number, found in enumerate(shown.seen.diagnostics):
            self.by_message.setdefault(found.message_index, []).append((number, found))

    def html(self) -> Iterator[str]:
        info = self.seen.info
        assert info is not None
        title = f"Conversation {info.id or self.number + 1}"
        judged = f"{info.dialect}, judged as {', '.join(info.targets)} ({info.mode})"
        yield f'<section id="c{self.number}"><h2>{escape(title)}</h2><p>{escape(judged)}</p>\n<ol class="turns">\n'
        if self.transcript.system:
            yield '<li class="system"><h3>system</h3>'
            for part in self.transcript.system:
                yield self._part(part)
            yield "</li>\n"
        for message in self.transcript.messages:
            yield from self._message(message)
        rest = [item for items in self.by_message.values() for item in items]
        if rest:
            yield "<li>" + "".join(self._finding(n, d) for n, d in rest) + "</li>\n"
        yield "</ol></section>\n"

    def _message(self, message: Message) -> Iterator[str]:
        role = message.role if isinstance(message.role, str) else message.item or message.speaker.value
        yield (
            f'<li class="{message.speaker.value}" id="m{self.number}-{message.index}">'
            f"<h3>{message.index} · {escape(role[:80])}</h3>"
        )
        for part in message.parts:
            yield self._part(part)
        for number, found in self.by_message.pop(message.index, []):
            yield self._finding(number, found)
        yield "</li>\n"

    def _part(self, part: Part) -> str:
        if isinstance(part, Call):
            return self._call(part)
        if isinstance(part, Result):
            return self._result(part)
        if isinstance(part, Media):
            return f"<p>[{escape(f'{part.media or part.type} {part.media_type or str()}'.strip())}]</p>"
        if isinstance(part, Reasoning):
            return f"<details><summary>reasoning</summary>{_text(part.text or '[sealed]')}</details>"
        if part.text is not None:
            label = "" if part.kind is Kind.TEXT else f"[{part.kind.value}] "
            return _text(label + part.text)
        return f"<p>[{escape(part.type or part.kind.value)}]</p>"

    def _call(self, call: Call) -> str:
        lost = ""
        note = ""
        if not call.hosted and self.pairing is not None and call.number >= 0:
            fate = of_call(self.pairing.call_states[call.number])
            if fate:
                lost, note = " lost", f" – {fate}"
        name = str(call.name) if call.name is not None else "(no name)"
        arguments = call.arguments if isinstance(call.arguments, str) else _json(call.arguments)
        head = f"call <strong>{escape(name[:200])}</strong> <small>{escape(str(call.id or '')[:200])}{note}</small>"
        answered = self.pairing is not None and call.number >= 0 and self.pairing.result_of(call) is not None
        badge = _badge(call.number, f"r{self.number}" if answered else "", "the result")
        place = f' id="k{self.number}-{call.number + 1}"' if call.number >= 0 else ""
        return f'<div class="call{lost}"{place} style="{_hue(call.number)}">{badge} {head}{_pre(arguments)}</div>'

    def _result(self, result: Result) -> str:
        call = self.pairing.call_of(result) if self.pairing is not None else None
        number = call.number if call is not None else -1
        lost, note = "", " (error)" if result.is_error else ""
        if self.pairing is not None and not result.hosted and result.number >= 0:
            fate = of_result(self.pairing.result_states[result.number])
            if fate:
                lost, note = " lost", f"{note} – {fate}"
        content = result.content if isinstance(result.content, str) else _parts(result)
        head = f"result <small>{escape(str(result.id or '')[:200])}{note}</small>"
        badge = _badge(number, f"k{self.number}", "the call")
        known = call is not None and self.pairing is not None and self.pairing.result_of(call) is result
        place = f' id="r{self.number}-{number + 1}"' if known else ""
        return f'<div class="result{lost}"{place} style="{_hue(number)}">{badge} {head}{_pre(content)}</div>'

    def _finding(self, number: int, found: Diagnostic) -> str:
        title = f"{found.severity.value} {found.rule} ({found.code}): {found.message}"
        lines = "".join(
            f"<p>{f'<b>{escape(label)}</b> ' if label else ''}{escape(text)}</p>" for label, text in remarks(found)
        )
        return (
            f'<section class="finding {found.severity.value}" id="f{self.number}-{number}">'
            f"<strong>{escape(title)}</strong>{lines}</section>"
        )


def _hue(number: int) -> str:
    return f"--hue: {_HUES[number % len(_HUES)]}" if number >= 0 else "--hue: 0"


def _badge(number: int, other: str, what: str) -> str:
    """The number of a call, which leads to its other half where there is one (`other`, and `what` that is)."""
    if number < 0:
        return ""
    shown = number + 1
    if not other:
        return f'<span class="number" aria-label="call number {shown}">{shown}</span>'
    label = f"call number {shown}: go to {what}"
    return f'<a class="number" href="#{other}-{shown}" aria-label="{label}" title="{label}">{shown}</a>'


def _text(text: str) -> str:
    return _folded(text, "div", "text")


def _pre(text: str) -> str:
    return _folded(text, "pre", "") if text else ""


def _folded(text: str, tag: str, kind: str) -> str:
    shown = text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} more characters)"
    whole = f'<{tag} class="{kind}">{escape(shown)}</{tag}>'
    if len(text) <= _FOLD and text.count("\n") <= 14:
        return whole
    first = text.strip().split("\n", 1)[0][:120]
    return f"<details><summary>{escape(first)} … ({len(text)} characters)</summary>{whole}</details>"


def _parts(result: Result) -> str:
    texts = [part.text if part.text is not None else f"[{part.type or part.kind.value}]" for part in result.parts]
    return "\n".join(texts) if texts else _json(result.content)


def _json(value: Any) -> str:
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (RecursionError, TypeError, ValueError):
        return "(a value that cannot be shown)"
