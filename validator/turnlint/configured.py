"""One file checked with everything that a configuration says of it, for Python and for pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint import baseline, expectations, registry
from turnlint.diagnostic import Severity
from turnlint.engine import Settings

if TYPE_CHECKING:
    from turnlint.config import Config
    from turnlint.diagnostic import Report


def settings_for(name: str, config: Config, *, named: bool) -> Settings:
    """The engine's settings for the file `name`, which was `named` by somebody or found."""
    return Settings(
        targets=config.targets_for(name),
        mode=config.mode or "auto",
        select=config.select,
        ignore=(*config.ignore, *config.ignored_in(name)),
        severity=config.severities(),
        packs=config.packs,
        recorded_verdicts=config.recorded_verdicts is not False,
        as_of=config.as_of,
        limits=config.limits(),
        unrecognised="error" if named else "count",
    )


def without_known(report: Report, name: str, config: Config) -> Report:
    """The report on the file `name` without what the configuration expects there, and what is in its baseline."""
    expected = config.expected_in(name)
    if expected:
        meant = [(selector, frozenset(e.name for e in registry.matching(selector))) for selector in expected]
        unmet = Severity(config.severities().get(expectations.UNMET[1], "error"))
        report = expectations.apply(report, {name: meant}, unmet)
    if config.baseline is not None:
        report = baseline.apply(report, baseline.load(config.baseline), None)
    return report
