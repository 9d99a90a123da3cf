"""``expect``: files that are broken on purpose, and the rules that must say so.

A finding of an expected rule is no finding; a file in which it does not occur is one (unmet-expectation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from turnlint.diagnostic import Diagnostic, Report, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNMET = ("TL013", "unmet-expectation")


def apply(
    report: Report, expected: Mapping[str, Sequence[tuple[str, frozenset[str]]]], unmet_severity: Severity | None
) -> Report:
    """`report` without what was expected, and with one finding for each expectation that was not met.

    `expected` has, for each path that expects anything, the selectors as written and the names of the rules that
    each stands for; one of them is enough.  `unmet_severity` None says nothing of those not met.
    """
    if not expected:
        return report
    kept: list[Diagnostic] = []
    fired: dict[str, set[str]] = {}
    for diagnostic in report.diagnostics:
        path = diagnostic.path or ""
        if any(diagnostic.rule in rules for _, rules in expected.get(path, ())):
            fired.setdefault(path, set()).add(diagnostic.rule)
        else:
            kept.append(diagnostic)
    if unmet_severity is not None:
        kept += [
            _unmet(file.path, selector, unmet_severity)
            for file in report.files
            for selector, rules in expected.get(file.path, ())
            if not rules & fired.get(file.path, set())
        ]
    return replace(report, diagnostics=kept)


def _unmet(path: str, selector: str, severity: Severity) -> Diagnostic:
    code, rule = UNMET
    message = f"{selector} is expected in this file and does not fire"
    return Diagnostic(rule=rule, code=code, severity=severity, message=message, path=path, line=1, column=1)
