"""From documents to diagnostics: pick rules, run them, judge by target and mode, fold into one diagnostic a fault.

The clean path is short on purpose: a dialect's one pass over the decoded messages gives a mask of signals, and where
no rule in force asks for any of them, nothing else is built.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from turnlint import containers, dialects, models, registry, targets
from turnlint.containers import Container, Skipped
from turnlint.containers.plain import given
from turnlint.declared import all_fit
from turnlint.diagnostic import (
    Diagnostic,
    FileInfo,
    Judgement,
    Place,
    Related,
    Report,
    Severity,
    TranscriptInfo,
)
from turnlint.errors import UsageError, near_misses
from turnlint.model import Message, Part, Signal, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from turnlint.dialects import Dialect
    from turnlint.model import Candidate, Mode, Transcript
    from turnlint.pairing import Pairing
    from turnlint.rule import Context, Entry, Finding, Rule
    from turnlint.source.document import Document, Fault
    from turnlint.targets import Judge, Verdict
    from turnlint.view import View

DOCS = "https://turnlint.readthedocs.io/en/latest/rules/"

#: Dialect given by a name that is a container's: the container is used and the dialect told from the content.
_LEVELS = {"rejects": Severity.ERROR, "harms": Severity.WARNING, "odd": Severity.INFO}

_SEVERITIES = ("error", "warning", "info", "off")


class Settings(Struct, frozen=True):
    """What a check is asked to do.  Everything is plain data, so that it can be sent to another process."""

    targets: tuple[str, ...] = ()
    dialect: str | None = None
    mode: str = "auto"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    recorded_verdicts: bool = True
    as_of: str | None = None
    unrecognised: str = "error"
    limits: Mapping[str, Any] = field(default_factory=dict)
    packs: tuple[str, ...] = ()  # rules of other distributions, see `registry.use`
    triggers: bool = True  # False runs every rule whatever the signals say: the oracle of the quick path

    def __post_init__(self) -> None:
        if self.mode not in ("auto", "saved", "request"):
            raise UsageError(f"unknown mode {self.mode!r}{near_misses(self.mode, ('auto', 'saved', 'request'))}")
        for rule, level in self.severity.items():
            if level not in _SEVERITIES:
                raise UsageError(f"severity of {rule}: {level!r} is none{near_misses(level, _SEVERITIES)}")

    def level(self, entry: Entry) -> str | None:
        """How grave findings of a rule are made, whoever judges: a severity, ``off``, or None where nothing is said."""
        return self.severity.get(entry.name) or self.severity.get(entry.code)


class _Draft(Struct):
    """A finding that one target has judged, before drafts of several targets are folded."""

    entry: Entry
    rule: Rule | None
    finding: Finding
    judgement: Judgement
    notes: tuple[str, ...]
    message: Message | None
    turn: int | None
    also: list[str] = field(default_factory=list)


class Examination(Struct):
    """All that came of looking at one candidate.  `info` is None where no dialect knows it.

    `transcript` and `pairings` (one a target) are there only where the model had to be built.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    info: TranscriptInfo | None = None
    dialect: Dialect | None = None
    transcript: Transcript | None = None
    pairings: list[Pairing] = field(default_factory=list)


class _Plan(Struct):
    """The judges of a transcript, the rules that each of them runs, and the signals that any of those asks for."""

    judges: tuple[tuple[Judge, bool, tuple[tuple[Entry, int], ...]], ...]
    mask: int
    names: tuple[str, ...]
    by_declaration: bool  # all rules that look at declared tools say that they look at nothing else
    sound: dict[bytes, dict[Any, Any]] = field(default_factory=dict)
    """Schemas by tool of the requests, without their messages, in which those rules found nothing."""

    def note(self, request: bytes, transcript: Transcript) -> None:
        """Remember that nothing was found in this one."""
        if len(self.sound) < _MOST_SOUND:
            self.sound[request] = {t.name: t.schema for t in transcript.tools or () if isinstance(t.name, str)}


class _Lane(Struct, frozen=True):
    """What was settled for a history and holds for all that lie in a body with the same keys: how they are read."""

    dialect: str
    signals: Callable[[Candidate], int]
    surprises: int
    targets: tuple[str, ...]
    mode: Mode
    reason: str


_NOTHING: tuple[Candidate | None, str, int] = (None, "", 0)


def rules() -> tuple[Entry, ...]:
    """Every rule that is known, in the order of their codes."""
    return registry.entries()


class Checker:
    """Checks the candidates of one source after another; keeps what is worth keeping between them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        if settings.packs:
            registry.use(settings.packs)
        self.selected = registry.select(settings.select, settings.ignore, settings.packs)
        self.names = frozenset(e.name for e in self.selected if settings.level(e) != "off")
        self._dialect: Dialect | None = None  # the one asked for
        self.container: Container | None = None
        self._plans: dict[tuple[object, ...], _Plan] = {}
        self._lanes: dict[tuple[object, ...], _Lane] = {}
        self._noted = _NOTHING  # what the last quick pass over a candidate gave
        for spec in settings.targets:
            targets.resolve(spec)
        if settings.dialect is not None:
            self._dialect_or_container(settings.dialect)

    # -- the shape

    def _dialect_or_container(self, name: str) -> None:
        try:
            self._dialect = dialects.get(name)
        except UsageError as error:
            try:
                self.container = containers.get(name)
            except UsageError:
                known = [d.name for d in dialects.all()] + [c.name for c in containers.all()]
                raise UsageError(f"unknown dialect {name!r}{near_misses(name, known)}") from error

    def _recognise(self, candidate: Candidate) -> tuple[Dialect | None, int, bool]:
        """The dialect of a candidate, its signals, and whether its shape is the common subset of several."""
        if candidate.dialect is not None or self._dialect is not None:
            dialect = _named(candidate.dialect) if candidate.dialect is not None else self._dialect
            if dialect is not None and dialect.narrow is not None:
                dialect = dialects.get(dialect.narrow(candidate))
            return dialect, self._signals(dialect, candidate) if dialect is not None else 0, False
        messages = candidate.messages
        body = candidate.body
        noted, name, found = self._noted
        if noted is candidate and found & Signal.CALLS and not found & _SURPRISES:
            return dialects.get(name), found, False
        if not isinstance(messages, list):
            messages = [] if messages is None else [messages]
        where = candidate.at.path[-1] if candidate.at.path else ""
        dialect, sure = dialects.recognise(dialects.marks_of(messages, body, str(where)))
        if dialect is None:
            if candidate.messages == [] and body is not None:
                dialect, sure = dialects.get("gemini" if where == "contents" else "openai-chat"), 40
            else:
                return None, 0, False
        return dialect, self._signals(dialect, candidate), sure <= 50

    def _signals(self, dialect: Dialect, candidate: Candidate) -> int:
        """What is not everyday, by the dialect's quick pass; all, where it has none or stumbles."""
        if dialect.signals is None:
            return Signal.ALL
        if self._noted[0] is candidate and self._noted[1] == dialect.name:
            return self._noted[2]
        try:
            return dialect.signals(candidate)
        except (KeyError, RecursionError, TypeError):  # a value of a type, or nested as deep, as no pass looks for
            return Signal.ALL

    # -- who judges

    def _plan(self, candidate: Candidate, dialect: Dialect, mode: Mode, *, weak: bool) -> tuple[_Plan, str]:
        specs, reason = self._targets(candidate, dialect, weak=weak)
        model = candidate.model
        key = (specs, dialect.name, candidate.api, model, mode, candidate.as_of)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > 4096:
                self._plans.clear()
            plan = self._plans[key] = self._make_plan(specs, dialect, candidate, mode)
        return plan, reason

    def _targets(self, candidate: Candidate, dialect: Dialect, *, weak: bool) -> tuple[tuple[str, ...], str]:
        if self.settings.targets:
            return self.settings.targets, "as asked"
        if candidate.target is not None:
            return (candidate.target,), candidate.target_reason or "named by the file"
        if weak:
            return ("generic",), "plain text messages, which several dialects share"
        owner = targets.owner(candidate.api or dialect.name)
        if candidate.model is not None and owner != "generic" and not _serves(owner, candidate.model):
            return ("generic",), f"the model is not one of {owner}"
        return (owner,), f"the file is in {dialect.name}"

    def _make_plan(self, specs: tuple[str, ...], dialect: Dialect, candidate: Candidate, mode: Mode) -> _Plan:
        apis = dialect.apis or (dialect.name,)
        if candidate.api is not None:
            apis = (candidate.api, *apis)
        judges: list[tuple[Judge, bool, tuple[tuple[Entry, int], ...]]] = []
        mask = 0
        for spec in specs:
            target, named_model = targets.found(spec)
            native_api = next((api for api in apis if api in target.dialects), None)
            api = native_api or target.api
            judge = target.judge(api, named_model or candidate.model, self.settings.as_of or candidate.as_of)
            chosen = tuple(
                (e, _triggers(e, judge, mode, self.settings.limits))
                for e in self.selected
                if not e.engine and e.speaks(judge, mode) and self._has_limit(e, judge) and _reaches(e, dialect)
            )
            for _, triggers in chosen:
                mask |= triggers
            judges.append((judge, native_api is not None, chosen))
        by_tools = (e for _, _, chosen in judges for e, triggers in chosen if triggers & Signal.TOOLS)
        return _Plan(tuple(judges), mask, specs, all(e.declared for e in by_tools))

    def _has_limit(self, entry: Entry, judge: Judge) -> bool:
        """Whether the limit that a rule goes by is set, where it needs one and no target's verdict gives it."""
        return entry.setting is None or entry.name in judge.rules or self.settings.limits.get(entry.setting) is not None

    # -- one transcript

    def everyday(self, candidate: Candidate, line: int | None) -> TranscriptInfo | None:
        """What the report says of a history that is like one before it and as clean; None where it is not.

        This is the whole way of nearly every history: one pass over its messages.
        """
        if _is_special(candidate) or not isinstance(candidate.messages, list):
            return None
        lane = self._lanes.get(_lane_key(candidate))
        if lane is None:
            return None
        try:
            found = lane.signals(candidate)
        except (KeyError, RecursionError, TypeError):
            return None
        if found & lane.surprises or not found & Signal.CALLS:
            self._noted = (candidate, lane.dialect, found)
            return None
        pointer = candidate.at.pointer
        count = len(candidate.messages)
        return TranscriptInfo(candidate.id, pointer, line, lane.dialect, lane.targets, lane.mode, count, lane.reason)

    def _open_lane(self, candidate: Candidate, dialect: Dialect, plan: _Plan, mode: Mode, reason: str) -> None:
        if dialect.signals is not None and self.settings.triggers and not _is_special(candidate):
            if len(self._lanes) > 4096:
                self._lanes.clear()
            surprises = plan.mask | _SURPRISES
            lane = _Lane(dialect.name, dialect.signals, surprises, plan.names, mode, reason)
            self._lanes[_lane_key(candidate)] = lane

    def check(self, candidate: Candidate) -> tuple[list[Diagnostic], TranscriptInfo | None]:
        """The diagnostics of one candidate, and what the report says of it; (…, None) where no dialect knows it."""
        seen = self.examine(candidate)
        self._noted = _NOTHING  # a checker is kept, and must not keep a history
        if seen.transcript is not None:
            seen.transcript.take_apart()
        return seen.diagnostics, seen.info

    def examine(self, candidate: Candidate) -> Examination:
        """One candidate recognised, judged and, where a signal asks for it, read into the model.

        A joined reply is no part of what was sent: it is looked at by itself, and only what it says.
        """
        messages, sent = candidate.messages, candidate.sent
        if sent is None or not isinstance(messages, list) or sent >= len(messages):
            seen = self._examine(candidate)
        else:
            seen = self._examine(replace(candidate, messages=messages[:sent], sent=None))
            if seen.info is not None:
                seen.info = replace(seen.info, messages=len(messages))
                seen.diagnostics = [*seen.diagnostics, *self._of_reply(candidate, sent, seen.info, seen.diagnostics)]
        if seen.info is not None and (candidate.stream_faults or candidate.splits):
            seen.diagnostics = [*seen.diagnostics, *self._of_record(candidate, seen.info)]
        return seen

    def _of_record(self, candidate: Candidate, info: TranscriptInfo) -> Iterator[Diagnostic]:
        """What the container noted about the record itself."""
        for name, notes in (("unterminated-stream", candidate.stream_faults), ("split-message", candidate.splits)):
            if name in self.names:
                for at, what in notes:
                    found = _plain(registry.entry(name), at, what, self.settings)
                    yield replace(found, transcript=info.id or None)

    def _of_reply(
        self, candidate: Candidate, sent: int, info: TranscriptInfo, known: Sequence[Diagnostic]
    ) -> list[Diagnostic]:
        """What is wrong inside a recorded reply.  It was not sent, so that it can be no worse than a warning."""
        places = [candidate.place(number) for number in range(sent, len(candidate.messages))]
        reply = replace(
            candidate,
            messages=candidate.messages[sent:],
            places=places,
            dialect=info.dialect,
            sent=None,
            recorded=None,
        )
        dialect, found, weak = self._recognise(reply)
        if dialect is None or reply.state is State.NOT_RECORDED:
            return []
        plan, _ = self._plan(reply, dialect, "saved", weak=weak)
        wanted = Signal.ALL if not self.settings.triggers else found
        chosen = [
            (judge, native, [(e, t) for e, t in entries if _of_content(e) and t & wanted])
            for judge, native, entries in plan.judges
        ]
        if not any(entries for _, _, entries in chosen):
            return []
        request = self._request(reply, plan, found)
        if request is not None:
            request = b"reply" + request  # fewer rules look at a reply
            if self._is_sound(request, reply, plan, dialect):
                return []
        transcript = _read(dialect, reply)
        for message in transcript.messages:
            message.index += sent
        drafts: list[_Draft] = []
        for judge, native, entries in chosen:
            drafts.extend(self._run(transcript, judge, entries, wanted, "saved", native=native)[0])
        if request is not None and not drafts:
            plan.note(request, transcript)
        before = {(d.rule, d.pointer) for d in known}
        return [
            d.with_severity(Severity.WARNING, "it is in the recorded reply, and matters once that is sent back")
            if d.severity is Severity.ERROR
            else d
            for d in self._fold(drafts, transcript, info)
            if (d.rule, d.pointer) not in before
        ]

    def _examine(self, candidate: Candidate) -> Examination:
        dialect, found, weak = self._recognise(candidate)
        if dialect is None:
            return Examination()
        found |= Signal.SEEN
        if not candidate.line.plain if candidate.line is not None else candidate.url is not None:
            found |= Signal.LINE
        if candidate.state is State.NOT_RECORDED:
            plan, reason = self._plan(candidate, dialect, "saved", weak=weak)
            return Examination([], self._info(candidate, dialect, plan, "saved", reason), dialect)
        asked = self.settings.mode
        mode: Mode = (candidate.mode or "saved") if asked == "auto" else cast("Mode", asked)
        plan, reason = self._plan(candidate, dialect, mode, weak=weak)
        info = self._info(candidate, dialect, plan, mode, reason)
        if not weak and not plan.mask & Signal.SEEN:
            self._open_lane(candidate, dialect, plan, mode, reason)
        if self.settings.triggers and not found & plan.mask:
            return Examination(self._unexplained(candidate, info, []), info, dialect)
        request = self._request(candidate, plan, found)
        if request is not None and self._is_sound(request, candidate, plan, dialect):
            return Examination(self._unexplained(candidate, info, []), info, dialect)
        transcript = _read(dialect, candidate)
        if transcript.dialect != dialect.name:  # a name that stands for several versions of a wire
            dialect = dialects.get(transcript.dialect)
            plan, reason = self._plan(candidate, dialect, mode, weak=weak)
            info = self._info(candidate, dialect, plan, mode, reason)
        if not self.settings.triggers:
            found = Signal.ALL
        drafts: list[_Draft] = []
        pairings: list[Pairing] = []
        for judge, native, entries in plan.judges:
            more, pairing = self._run(transcript, judge, entries, found, mode, native=native)
            drafts.extend(more)
            pairings.append(pairing)
        if request is not None and not drafts:
            plan.note(request, transcript)
        diagnostics = self._fold(drafts, transcript, info)
        if candidate.recorded is not None and self.settings.recorded_verdicts:
            diagnostics = self._heed_recording(diagnostics, candidate)
            diagnostics = self._unexplained(candidate, info, diagnostics)
        return Examination(diagnostics, info, dialect, transcript, pairings)

    def _request(self, candidate: Candidate, plan: _Plan, found: int) -> bytes | None:
        """The request without its messages, where declared tools are all that is left to look at; else None."""
        body = candidate.body
        if (
            body is None
            or found & plan.mask != Signal.TOOLS
            or not plan.by_declaration
            or not self.settings.triggers
            or candidate.state is not State.COMPLETE
            or not candidate.at.path
        ):
            return None
        key = candidate.at.path[-1]
        try:
            return msgspec.json.encode({k: v for k, v in body.items() if k != key})
        except (TypeError, ValueError, RecursionError, OverflowError):
            return None

    @staticmethod
    def _is_sound(request: bytes, candidate: Candidate, plan: _Plan, dialect: Dialect) -> bool:
        """Whether nothing was found in this request with other messages, and the calls of these fit it."""
        schemas = plan.sound.get(request)
        return schemas is not None and dialect.calls is not None and all_fit(dialect.calls(candidate), schemas)

    def _info(self, candidate: Candidate, dialect: Dialect, plan: _Plan, mode: Mode, reason: str) -> TranscriptInfo:
        count = len(candidate.messages) if isinstance(candidate.messages, list) else 1
        return TranscriptInfo(candidate.id, "", None, dialect.name, plan.names, mode, count, reason, candidate.notice)

    def _run(
        self,
        transcript: Transcript,
        judge: Judge,
        entries: Sequence[tuple[Entry, int]],
        found: int,
        mode: Mode,
        *,
        native: bool,
    ) -> tuple[list[_Draft], Pairing]:
        from turnlint.pairing import as_converted, pair
        from turnlint.rule import Context
        from turnlint.view import View

        policy = judge.target.policy(judge.api)
        if not native:
            policy = as_converted(policy)
        hoists = not native and judge.api in _SYSTEM_BESIDE
        pairing = pair(transcript, policy, hoist_system=hoists)
        view = View(transcript, pairing, by_turn=policy.merge)
        context = Context(transcript, pairing, judge, mode, native, view, self.settings.limits, hoists)
        drafts: list[_Draft] = []
        for entry, triggers in entries:
            if not triggers & found:
                continue
            rule = entry.load()
            if transcript.state not in rule.states or (rule.native_only and not native):
                continue
            for finding in rule.check(context):
                draft = self._judge(finding, entry, rule, context, view)
                if draft is not None:
                    drafts.append(draft)
        return _without_consequences(drafts), pairing

    def _judge(self, finding: Finding, entry: Entry, rule: Rule | None, context: Context, view: View) -> _Draft | None:
        verdict = context.judge.verdict(entry.name, finding.variant)
        notes = finding.notes
        if verdict is not None:
            severity = _LEVELS.get(verdict.level.value)
            if severity is None or (verdict.mode == "request" and context.mode != "request"):
                return None
            if severity is Severity.ERROR and not verdict.certain:
                severity = Severity.WARNING
                notes = (*notes, "this depends on the model, which is not named")
            if finding.severity is not None and finding.severity.rank > severity.rank:
                severity = finding.severity
            if verdict.gate is not None and context.judge.notes:
                notes = (*notes, *context.judge.notes)
        elif entry.own is not None:
            severity = finding.severity or entry.own
        else:
            return None
        message = _message_of(finding, context.transcript)
        turn = context.pairing.turn_of.get(message.index) if message is not None else None
        text, status = self._words(verdict, finding, message, view)
        override = self.settings.level(entry)
        if override:
            if override == "off":
                return None
            severity = Severity(override)
        judgement = Judgement(context.judge.target.name, severity, text, status)
        return _Draft(entry, rule, finding, judgement, notes, message, turn.number if turn is not None else None)

    @staticmethod
    def _words(
        verdict: Verdict | None, finding: Finding, message: Message | None, view: View
    ) -> tuple[str | None, int | None]:
        """The provider's own text with its indexes and IDs filled in, and its status."""
        from turnlint.view import said

        if verdict is None or not verdict.texts:
            return None, verdict.status if verdict is not None else None
        values: dict[str, object] = dict(finding.fill)
        subject = finding.subject
        if isinstance(subject, Part):
            values.setdefault("message", view.message(subject.message))
            values.setdefault("part", view.part(subject))
        elif isinstance(subject, Message):
            values.setdefault("message", view.message(subject))
        elif message is not None:
            values.setdefault("message", view.message(message))
        if "message" in values:
            values.setdefault("turn", values["message"])
        return said(verdict, values), verdict.status

    def _fold(self, drafts: list[_Draft], transcript: Transcript, info: TranscriptInfo) -> list[Diagnostic]:
        """One diagnostic for a fault: what several targets say of one rule at one place goes together."""
        grouped: dict[tuple[str, Place], list[_Draft]] = {}
        for draft in drafts:
            grouped.setdefault((draft.entry.name, draft.finding.at), []).append(draft)
        diagnostics = []
        for (name, at), group in grouped.items():
            group.sort(key=lambda d: d.judgement.severity.rank)
            first = group[0]
            real = transcript.candidate.real
            at = real(at)
            finding, judgement = first.finding, first.judgement
            diagnostics.append(
                Diagnostic(
                    rule=name,
                    code=first.entry.code,
                    severity=judgement.severity,
                    message=finding.message,
                    pointer=at.pointer,
                    cause=finding.cause,
                    target=judgement.target if first.entry.own is None or judgement.provider_error else None,
                    provider_error=judgement.provider_error,
                    status=judgement.status,
                    verdicts=tuple(_one_each(d.judgement for d in group)),
                    also=tuple(dict.fromkeys(name for d in group for name in d.also)),
                    notes=tuple(dict.fromkeys(first.notes)),
                    message_index=first.message.index if first.message is not None else None,
                    transcript=info.id or None,
                    related=tuple(
                        Related(p.pointer, text, p.document)
                        for p, text in ((real(place), text) for place, text in finding.related)
                    ),
                    fix=finding.fix if transcript.state is State.COMPLETE and transcript.candidate.fixable else None,
                    url=_page(first.entry),
                    help=finding.help,
                    document=at.document,
                )
            )
        return diagnostics

    def _heed_recording(self, diagnostics: list[Diagnostic], candidate: Candidate) -> list[Diagnostic]:
        """The recorded answer wins over what the facts say, for the provider that gave it.

        What it accepted is not changed: the recording may be looked up by these very bytes.
        """
        recorded = candidate.recorded
        assert recorded is not None
        kept = []
        for found in diagnostics:
            if candidate.target is None or found.target not in (None, candidate.target.split(":")[0]):
                kept.append(found)
            elif recorded.accepted:
                odd = found.severity is Severity.INFO
                notes = () if odd else (f"the provider accepted this ({recorded.status})",)
                kept.append(replace(found.with_severity(Severity.INFO, *notes), fix=None))
            elif recorded.refused and recorded.text and found.severity is Severity.ERROR:
                quote = recorded.text if len(recorded.text) <= 400 else recorded.text[:399] + "…"
                kept.append(
                    replace(found, provider_error=quote, status=recorded.status, notes=(*found.notes, "as recorded"))
                )
            else:
                kept.append(found)
        return kept

    def _unexplained(
        self, candidate: Candidate, info: TranscriptInfo, diagnostics: list[Diagnostic]
    ) -> list[Diagnostic]:
        recorded = candidate.recorded
        if recorded is None or not recorded.refused or not registry.about_messages(recorded.text):
            return diagnostics
        if any(d.severity is Severity.ERROR for d in diagnostics) or "unexplained-refusal" not in self.names:
            return diagnostics
        entry = registry.entry("unexplained-refusal")
        quote = recorded.text if len(recorded.text) <= 400 else recorded.text[:399] + "…"
        found = _plain(entry, candidate.at, "the provider refused this request, and no rule says why", self.settings)
        return [
            *diagnostics,
            replace(found, provider_error=quote, status=recorded.status, transcript=info.id or None),
        ]


_MOST_KEPT = 16
_MOST_SOUND = 256
_kept: dict[bytes, Checker] = {}
registry.when_rules_change(_kept.clear)


def checker_for(settings: Settings) -> Checker:
    """The checker of these settings: who checks many small sources has to settle only once how each shape is judged."""
    try:
        key = msgspec.msgpack.encode(settings)
    except (TypeError, ValueError, OverflowError):  # a limit that is no plain value
        return Checker(settings)
    checker = _kept.get(key)
    if checker is None:
        checker = Checker(settings)
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = checker
    return checker


MANY = 16  # what the quick passes note as `Signal.MANY`: more than so many
LONG = 100_000  # and as `Signal.LONG_RESULT`


def _reaches(entry: Entry, dialect: Dialect) -> bool:
    """Whether a rule can say anything of histories in this dialect."""
    return (dialect.wire or entry.pairing) and (not dialect.groups or entry.group in dialect.groups)


def _triggers(entry: Entry, judge: Judge, mode: Mode, limits: Mapping[str, Any]) -> int:
    """The signals that a rule asks for; where a limit lies below what a quick pass notes, any call can be too much."""
    mask = entry.needs(judge, mode)
    if entry.setting is not None and limits.get(entry.setting) is not None:
        return mask | Signal.CALLS
    noted = {Signal.MANY: MANY, Signal.LONG_RESULT: LONG}.get(entry.triggers, 0)
    maxima = (v.limits.get("maximum") for v in judge.verdicts(entry.name)) if noted else ()
    return mask | Signal.CALLS if any(isinstance(n, int) and n < noted for n in maxima) else mask


def _is_special(candidate: Candidate) -> bool:
    """Whether a container knows more of a candidate than where it lies."""
    return (
        candidate.dialect is not None
        or candidate.target is not None
        or candidate.api is not None
        or candidate.line is not None
        or candidate.url is not None
        or candidate.recorded is not None
        or candidate.sent is not None
        or candidate.notice is not None
        or candidate.state is not State.COMPLETE
        or bool(candidate.stream_faults or candidate.splits)
    )


def _lane_key(candidate: Candidate) -> tuple[object, ...]:
    body = candidate.body
    keys = None if body is None else tuple(body)
    return keys, candidate.at.path[-1:], candidate.model, candidate.mode, candidate.as_of


#: Wires on which the system prompt stands beside the list of messages.
_SYSTEM_BESIDE = frozenset({"anthropic", "gemini", "bedrock-converse"})

#: What may be the mark of another dialect.  A history without it, in a body with the same keys and the same model, is
#: in the dialect of the one before: whatever stands around a document, it must be found to be the same.
_SURPRISES = (
    Signal.ODD
    | Signal.MEDIA
    | Signal.EXTRA_KEY
    | Signal.ODD_ROLE
    | Signal.LEGACY
    | Signal.REASONING
    | Signal.HOSTED
    | Signal.ODD_ARGUMENTS
    | Signal.ODD_RESULT
    | Signal.ODD_NAME
)


@lru_cache(maxsize=1024)
def _serves(target: str, model: str) -> bool:
    """Whether a target serves models of this family; a model that nobody knows may be anybody's own."""
    known = models.normalise(model)
    families = targets.load(target).families
    return not known.known or known.family is None or not families or known.family in families


def _named(name: str) -> Dialect | None:
    """The dialect that a container named; None where that one is not read."""
    try:
        return dialects.get(name)
    except UsageError:
        return None


def _read(dialect: Dialect, candidate: Candidate) -> Transcript:
    transcript = dialect.read(candidate)
    if candidate.moved:
        transcript.settle()
    return transcript


def _of_content(entry: Entry) -> bool:
    """Whether a rule looks at what a message says, and not at what stands around it."""
    return entry.group in ("content", "calls") or entry.name in ("duplicate-call-id", "stop-reason-mismatch")


def _message_of(finding: Finding, transcript: Transcript) -> Message | None:
    subject = finding.subject
    if isinstance(subject, Part):
        return subject.message if subject.message.index >= 0 else None
    if isinstance(subject, Message):
        return subject if subject.index >= 0 else None
    candidate = transcript.candidate
    at = finding.at
    if candidate.places is not None:
        return next((m for m in transcript.messages if m.at.document == at.document and _under(at, m.at)), None)
    depth = len(candidate.at.path)
    if at.path[:depth] != candidate.at.path or len(at.path) <= depth:
        return None
    index = at.path[depth]
    messages = transcript.messages
    if isinstance(index, int) and index < len(messages) and messages[index].index == index:
        return messages[index]
    return next((m for m in messages if m.index == index), None)


def _under(at: Place, above: Place) -> bool:
    return at.path[: len(above.path)] == above.path


def _one_each(judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    seen = set()
    for judgement in judgements:
        if judgement.target not in seen:
            seen.add(judgement.target)
            yield judgement


def _without_consequences(drafts: list[_Draft]) -> list[_Draft]:
    """Drops what is only a consequence of another finding at the same message, and names it in that one's `also`."""
    if len(drafts) < 2:
        return drafts
    by_message: dict[int, list[_Draft]] = {}
    by_turn: dict[int, list[_Draft]] = {}
    for draft in drafts:
        if draft.message is not None:
            by_message.setdefault(draft.message.index, []).append(draft)
        if draft.turn is not None:
            by_turn.setdefault(draft.turn, []).append(draft)
    kept = []
    for draft in drafts:
        causes = draft.rule.consequence_of if draft.rule is not None else ()
        reason = None
        if causes:
            near = [
                *(by_message.get(draft.message.index, ()) if draft.message is not None else ()),
                *(by_turn.get(draft.turn, ()) if draft.turn is not None else ()),
            ]
            reason = next((other for other in near if other.entry.name in causes and other is not draft), None)
        if reason is None:
            kept.append(draft)
        elif draft.entry.name not in reason.also:
            reason.also.append(draft.entry.name)
    return kept


def _page(entry: Entry) -> str:
    """The address of a rule's page; packs of other distributions have theirs somewhere else."""
    return f"{DOCS}{entry.name}/" if entry.package == "turnlint_rules" else ""


def _plain(
    entry: Entry, at: Place, message: str, settings: Settings, *, severity: Severity | None = None
) -> Diagnostic:
    """A diagnostic of a rule that no provider judges; the settings may make it as grave as they like."""
    override = settings.level(entry)
    return Diagnostic(
        rule=entry.name,
        code=entry.code,
        severity=Severity(override) if override else severity or entry.own or Severity.ERROR,
        message=message,
        pointer=at.pointer,
        url=_page(entry),
        document=at.document,
    )


# ---------------------------------------------------------------------------------------------------------------
# Sources

#: What is wrong with a document's text, and the rule that says so.
_FAULT_RULES = {
    "syntax": "syntax-error",
    "torn": "torn-line",
    "encoding": "unreadable-file",
    "unreadable": "unreadable-file",
    "unicode": "invalid-unicode",
    "duplicate-key": "duplicate-key",
    "non-finite": "syntax-error",
}


def check_document(document: Any, settings: Settings) -> Report:
    """A report on one Python value: a list of messages, a body, or a whole saved document."""
    from turnlint.source.document import Document

    whole = Document(document, b"", faults=_unicode_faults(document), format="object")
    return SourceCheck(settings, "", named=True).run(iter([whole]), None)


def _unicode_faults(value: Any) -> tuple[Fault, ...]:
    """Halves of surrogate pairs in a Python value: encoding it tells whether there is any."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        from turnlint.source.scanner import unicode_faults

        return unicode_faults(value)
    except Exception:
        return ()
    return ()


def check_source(
    path: Path | None,
    stream: BinaryIO | None = None,
    *,
    name: str,
    settings: Settings,
    named: bool = True,
) -> Report:
    """A report on one file or stream.  What cannot be read or parsed is a finding, never an exception."""
    from turnlint.source.reader import read

    source = read(path, stream, name=name)
    check = SourceCheck(settings, name, named=named)
    opener = containers.for_binary(source.magic) if source.kind == "binary" else None
    if opener is not None and opener.open is not None:
        return check.run(opener.open(source), source, opener)
    return check.run(source.documents(), source)


MOST_INFOS = 10_000  # transcripts of one source that a report lists


class SourceCheck:
    """The check of one source: documents stream through, and each diagnostic gets its line while its text is there."""

    def __init__(self, settings: Settings, name: str, *, named: bool) -> None:
        self.settings = settings
        self.name = name
        self.named = named
        self.checker = checker_for(settings)
        self.selected = self.checker.names
        self.live: dict[int, Document] = {}
        self.forget = False
        self.diagnostics: list[Diagnostic] = []
        self.unjudged: list[int] = []  # those about the text alone, in no target's words yet
        self.infos: list[TranscriptInfo] = []
        self.pending: list[Diagnostic] = []
        self.messages = 0
        self.transcripts = 0
        self.documents = 0
        self.skipped: list[Skipped] = []
        self.said: set[tuple[str, int, str]] = set()
        self.readable = False

    def run(self, documents: Iterator[Document], source: Any, opener: Container | None = None) -> Report:
        faults = tuple(source.faults) if source is not None else ()
        if faults:
            for fault in faults:
                self._fault(fault, None)
            self._settle()
            self._place_all()
            return self._report("unreadable", None)
        stream = self._watch(documents)
        head = list(itertools.islice(stream, containers.HEAD))
        container = opener or self.checker.container or self.container_of(head)
        if container is None and self.settings.dialect is not None and head and head[0].readable:
            forced = given(head[0].value, Place((), head[0].number))
            if forced is not None:
                self._candidate(forced)
                self._settle()
                return self._report("checked", "plain")
        if container is None:
            for _ in stream:
                self.forget = True
            self._settle()
            return self._report(self._nothing(), None)
        self.forget = container.streaming
        self.follow(container, itertools.chain(self._replay(head), stream))
        return self.report(container)

    def follow(self, container: Container, documents: Iterator[Document]) -> None:
        """Checks everything that a container finds in documents that are watched."""
        for found in container.find(documents):
            if isinstance(found, Skipped):
                self.skipped.append(found) if len(self.skipped) < 64 or found.known else None
                continue
            self._candidate(found)
        self._settle()

    def slice(self, container: Container, documents: Iterator[Document], *, beginning: bool) -> None:
        """Checks documents from somewhere in a source that this container is known to be in."""
        stream = self._watch(documents)
        head = list(itertools.islice(stream, containers.HEAD)) if beginning else []
        self.forget = True
        self.follow(container, itertools.chain(self._replay(head), stream))

    def report(self, container: Container) -> Report:
        """What there is to report when everything has been looked at."""
        status = "checked" if self.transcripts else self._nothing()
        return self._report(status, container.name)

    def container_of(self, head: list[Document]) -> Container | None:
        if not any(not d.faults or not all(f.fatal for f in d.faults) for d in head):
            return None
        return containers.recognise(head)

    def _replay(self, head: list[Document]) -> Iterator[Document]:
        """The first documents once more, forgotten one by one where the container streams."""
        for document in head:
            if self.forget:
                self._settle(keep=document.number)
            yield document

    def _watch(self, documents: Iterator[Document]) -> Iterator[Document]:
        for document in documents:
            if self.forget:
                self._settle()
                self.live.clear()
            self.live[document.number] = document
            self.documents += 1
            for fault in document.faults:
                self._fault(fault, document)
            yield document

    def _fault(self, fault: Any, document: Document | None) -> None:
        name = _FAULT_RULES.get(fault.kind, "syntax-error")
        if name not in self.selected:
            return
        entry = registry.entry(name)
        severity = None
        if name == "torn-line" and not fault.fatal:
            severity = Severity.WARNING
        pointer = fault.pointer or ""
        at = Place((), document.number if document else 0)
        found = _plain(entry, at, fault.message, self.settings, severity=severity)
        found = replace(found, pointer=pointer, path=self.name)
        if document is not None and document.data:
            found = _with_span(found, document, fault.start, fault.end)
        elif self.name:
            found = replace(found, line=1, column=1, end_line=1, end_column=1)
        if name == "invalid-unicode":
            self.unjudged.append(len(self.diagnostics))
        self.diagnostics.append(found)

    def _candidate(self, candidate: Candidate) -> None:
        document = self.live.get(candidate.at.document)
        line = document.line if document is not None and document.data else None
        clean = self.checker.everyday(candidate, line)
        if clean is not None:
            if self.unjudged:
                self.judge_faults(clean)
            self.transcripts += 1
            self.messages += clean.messages
            if len(self.infos) < MOST_INFOS:
                self.infos.append(clean)
            return
        found, info = self.checker.check(candidate)
        if info is not None and self.unjudged:
            self.judge_faults(info)
        if info is None:
            self.skipped.append(Skipped("a list whose messages are in no known dialect", candidate.at))
            return
        self.transcripts += 1
        self.messages += info.messages
        if len(self.infos) < MOST_INFOS:
            self.infos.append(replace(info, pointer=candidate.at.pointer, line=line))
        for diagnostic in found:
            # Branches and snapshots share messages: what is wrong in one of those is said once.
            key = (diagnostic.rule, diagnostic.document, diagnostic.pointer)
            if key not in self.said:
                if not self.forget:
                    self.said.add(key)
                if self.name:
                    fix = diagnostic.fix
                    # Its verbs name parts of the model: the report on a file that kept them would keep the file.
                    fix = replace(fix, verbs=()) if fix is not None and fix.verbs else fix
                    diagnostic = replace(diagnostic, path=self.name, fix=fix)
                self.pending.append(diagnostic)

    def judge_faults(self, info: TranscriptInfo) -> None:
        """What the text itself has wrong, in the words of the target that judges what was found in it."""
        from turnlint.view import said

        target, model = targets.found(info.targets[0])
        judge = target.judge(target.api_for(info.dialect), model)
        verdict = judge.verdict("invalid-unicode")
        if verdict is not None and verdict.texts:
            for number in self.unjudged:
                self.diagnostics[number] = replace(
                    self.diagnostics[number],
                    target=target.name,
                    provider_error=said(verdict, {}),
                    status=verdict.status,
                )
        self.unjudged.clear()

    def _settle(self, keep: int | None = None) -> None:
        """Gives the waiting diagnostics their lines while the text of their documents is at hand."""
        if self.pending:
            self._place_all()
        if keep is not None:
            for number in [n for n in self.live if n < keep]:
                del self.live[number]

    def _place_all(self) -> None:
        by_document: dict[int, list[Diagnostic]] = {}
        wanted: dict[int, set[str]] = {}
        for found in self.pending:
            by_document.setdefault(found.document, []).append(found)
            wanted.setdefault(found.document, set()).add(found.pointer)
            for related in found.related:
                wanted.setdefault(related.document, set()).add(related.pointer)
        locators = {
            number: _Locator(self.live[number], pointers)
            for number, pointers in wanted.items()
            if number in self.live and self.live[number].data
        }
        for number, group in by_document.items():
            locator = locators.get(number)
            for found in group:
                if locator is not None:
                    found = locator.place(found)
                if found.related and locators:
                    found = replace(
                        found,
                        related=tuple(
                            locators[r.document].relate(r) if r.document in locators else r for r in found.related
                        ),
                    )
                self.diagnostics.append(found)
        self.pending.clear()

    def _nothing(self) -> str:
        """What to say of a source in which no transcript was found."""
        known = next((s for s in self.skipped if s.known), None)
        wanted = self.named and self.settings.unrecognised in ("error", "warning")
        if known is None and not self.diagnostics and wanted and "unrecognised-format" in self.selected:
            what = self.skipped[0].reason if self.skipped else "nothing in it looks like a conversation"
            message = f"no known dialect or container: {what}"
            severity = Severity(self.settings.unrecognised)
            found = _plain(registry.entry("unrecognised-format"), Place(), message, self.settings, severity=severity)
            found = replace(found, path=self.name or None)
            if self.name:
                found = replace(found, line=1, column=1, end_line=1, end_column=1)
            self.diagnostics.append(found)
        return "unrecognised"

    def _report(self, status: str, container: str | None) -> Report:
        known = next((s.reason for s in self.skipped if s.known), None)
        info = FileInfo(self.name, status, container, tuple(self.infos), known)
        self.diagnostics.sort(key=Diagnostic.sort_key)
        return Report(self.diagnostics, [info], self.messages, self.transcripts)


class _Locator:
    """Places in one document's text."""

    def __init__(self, document: Document, pointers: set[str]) -> None:
        from turnlint.source.lines import LineIndex
        from turnlint.source.scan import locate, locate_yaml

        self.spans = (locate_yaml if document.format == "yaml" else locate)(document.data, pointers)
        self.lines = LineIndex(document.data, document.line, document.column)

    def place(self, found: Diagnostic) -> Diagnostic:
        span = self.spans.get(found.pointer)
        if span is None:
            return found
        line, column = self.lines.position(span.start)
        end_line, end_column = self.lines.position(span.end)
        return replace(found, line=line, column=column, end_line=end_line, end_column=end_column)

    def relate(self, related: Related) -> Related:
        span = self.spans.get(related.pointer)
        if span is None:
            return related
        line, column = self.lines.position(span.start)
        return replace(related, line=line, column=column)


def _with_span(found: Diagnostic, document: Document, start: int, end: int) -> Diagnostic:
    from turnlint.source.lines import LineIndex

    lines = LineIndex(document.data, document.line, document.column)
    line, column = lines.position(min(start, len(document.data)))
    end_line, end_column = lines.position(min(max(end, start), len(document.data)))
    return replace(found, line=line, column=column, end_line=end_line, end_column=end_column)


def merge(reports: Iterable[Report]) -> Report:
    """One report of several sources."""
    diagnostics: list[Diagnostic] = []
    files: list[FileInfo] = []
    whole = Report(diagnostics, files)
    for report in reports:
        diagnostics.extend(report.diagnostics)
        files.extend(report.files)
        whole.messages += report.messages
        whole.transcripts += report.transcripts
    return whole


@lru_cache(maxsize=64)
def settings_for(**given: Any) -> Settings:
    """Settings from keyword arguments, made once for each distinct set."""
    return Settings(**given)
