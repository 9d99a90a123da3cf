"""What a rule is: an entry in a list, a module with one generator, and examples that run as tests.

A rule reads a transcript, its pairing and the judge, and yields findings.  It does no I/O and keeps no state.
It does not decide how grave a finding is: the target's verdict does (or the entry, for rules that no provider
judges).  Rule packs of other distributions use the same classes.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct, field

from turnlint.diagnostic import Place, Severity
from turnlint.model import Mode, Signal, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from turnlint.diagnostic import Fix
    from turnlint.model import Message, Part, Transcript
    from turnlint.pairing import Pairing
    from turnlint.targets import Judge, Verdict
    from turnlint.view import View


class Finding(Struct):
    """One fault, before anybody has judged it.

    `at` is the smallest thing that exists and must change.  `message` is one sentence without a full stop.
    `variant` is the case of the rule (rules/turnlint_rules/variants.toml) that the target's verdict is looked up by;
    where several names fit, the narrowest first.
    `subject` is the message or part that the provider's text counts by ({message}, {part}); `fill` holds what else
    the text names: id, ids, tool, n (several values of one placeholder as a tuple, in order). `severity` overrides
    the entry's own severity and caps a verdict's.
    """

    at: Place
    message: str
    variant: str | tuple[str, ...] | None = None
    subject: Message | Part | None = None
    cause: str | None = None
    related: tuple[tuple[Place, str], ...] = ()
    fill: Mapping[str, object] = field(default_factory=dict)
    fix: Fix | None = None
    help: str | None = None
    severity: Severity | None = None
    notes: tuple[str, ...] = ()


class Context(Struct):
    """What a rule may look at.

    `hoists_system` tells that the history is judged as if converted to a wire where system messages leave the list.
    """

    transcript: Transcript
    pairing: Pairing
    judge: Judge
    mode: Mode
    native: bool  # the transcript is in the target's own shape; else it is judged as if converted one to one
    view: View  # the indexes that the target counts by
    settings: Mapping[str, Any] = field(default_factory=dict)  # limits: max-tool-rounds, max-result-chars, ...
    hoists_system: bool = False

    def minds(self, rule: str, variant: str | tuple[str, ...] | None = None) -> Verdict | None:
        """The target's verdict on this case of the rule, or None where it does not mind."""
        verdict = self.judge.verdict(rule, variant)
        return None if verdict is None or verdict.level == "accepts" else verdict


class Example(Struct):
    """A history that a rule is tested with and that its page shows.

    `document` is what `turnlint.check` takes.  For an invalid one `at` is the pointer of the diagnostic, `says` a
    stretch of the provider's text that it must predict, and `fixed` the document after the fix.
    """

    document: Any
    target: str | None = None
    dialect: str | None = None
    mode: Mode = "request"
    at: str = ""
    severity: Severity = Severity.ERROR
    says: str | None = None
    fixed: Any = None
    title: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


class Rule(Struct):
    """The working half of a rule: what its module defines as ``RULE``.

    `check` yields findings.  `native_only` rules look at the saved shape and are silent for a foreign target.
    `states` are the states of completeness that it tolerates.  `consequence_of` names rules whose finding at the same
    message makes this one a mere consequence.
    """

    check: Callable[[Context], Iterator[Finding]]
    valid: tuple[Example, ...] = ()
    invalid: tuple[Example, ...] = ()
    native_only: bool = False
    states: frozenset[State] = frozenset({State.COMPLETE})
    consequence_of: tuple[str, ...] = ()


def by_engine(_context: Context) -> Iterator[Finding]:
    """The check of a rule that the engine itself raises: what it is about is no part of a transcript."""
    yield from ()


class Entry(Struct, frozen=True):
    """The line by which a rule is known before its module is loaded.

    `triggers` are the signals that it needs; `own` its severity where no provider judges it; `pairing` tells that
    it is about links alone, so that it also judges shapes that no provider reads; `default` is False for rules
    that run only when they are selected; `engine` is True for those that the engine itself raises.  `setting` names the
    limit of the configuration without which a rule with its own severity stays silent.  `modes` are those that it
    speaks in.  `cases` are signals that it needs besides, by variant, where the judge minds that variant: what is
    everyday for most.  `wider` gives those that it needs besides for a judge whose limits are narrower than what a
    quick pass takes for everyday.  `declared` tells that what it finds by the signal `TOOLS` alone comes of the request
    around the messages, or of a call that does not plainly fit its tool.
    """

    code: str
    name: str
    group: str
    triggers: int = Signal.ALL
    own: Severity | None = None
    pairing: bool = False
    default: bool = True
    engine: bool = False
    setting: str | None = None
    package: str = "turnlint_rules"
    modes: tuple[Mode, ...] = ("saved", "request")
    cases: Mapping[str, int] = field(default_factory=dict)
    wider: Callable[[Judge], int] | None = None
    declared: bool = False

    def speaks(self, judge: Judge, mode: Mode) -> bool:
        """Whether it can find anything for this judge in this mode, limits of the configuration aside."""
        return mode in self.modes and (self.own is not None or any(v.counts(mode) for v in judge.verdicts(self.name)))

    def needs(self, judge: Judge, mode: Mode) -> int:
        """The signals that it needs under this judge, as a mask."""
        mask = self.triggers
        for variant, signals in self.cases.items():
            verdict = judge.verdict(self.name, variant)
            if verdict is not None and verdict.counts(mode):
                mask |= signals
        return mask if self.wider is None else mask | self.wider(judge)

    @property
    def module(self) -> str:
        return f"{self.package}.{self.group}.{self.name.replace('-', '_')}"

    def load(self) -> Rule:
        """The rule itself; imports its module."""
        known = getattr(sys.modules.get(self.module), "RULE", None)  # a tenth of what the import system takes to say so
        return cast("Rule", known or importlib.import_module(self.module).RULE)

    @property
    def page(self) -> str:
        """The rule's page: its module's docstring."""
        return importlib.import_module(self.module).__doc__ or ""
