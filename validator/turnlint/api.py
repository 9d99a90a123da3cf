"""The Python API: check a value or a file, and assert that a history is valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnlint.diagnostic import Report, Severity
from turnlint.engine import Settings, check_document, check_source
from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from turnlint.config import Config
    from turnlint.fixing import Fixed

_SETTINGS = {
    "select", "ignore", "severity", "recorded_verdicts", "as_of", "unrecognised", "packs",
}  # fmt: skip
_LIMITS = {"max_tool_rounds", "max_result_chars", "context_tokens", "placeholder", "empty_placeholder"}


def _tuple(value: str | Iterable[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def settings_of(
    target: str | Iterable[str] | None = None, dialect: str | None = None, mode: str = "auto", **given: Any
) -> Settings:
    """Settings from the keyword arguments of `check`.  Raises `UsageError` for one that is not known."""
    limits = {}
    plain: dict[str, Any] = {}
    for key, value in given.items():
        if key in _LIMITS:
            limits[key.replace("_", "-")] = value
        elif key in _SETTINGS:
            plain[key] = _tuple(value) if key in ("select", "ignore", "packs") else value
        else:
            raise UsageError(f"unknown setting {key!r}{near_misses(key, _SETTINGS | _LIMITS)}")
    return Settings(targets=_tuple(target), dialect=dialect, mode=mode, limits=limits, **plain)


def check(
    document: Any,
    *,
    target: str | Iterable[str] | None = None,
    dialect: str | None = None,
    mode: str = "auto",
    **settings: Any,
) -> Report:
    """Check a history held in Python.

    `document` is a list of messages, a request body, a whole saved document, or an SDK's or framework's objects.
    `target` is a provider or ``provider:model``, or several; `dialect` the name of a dialect or container where content
    does not tell it; `mode` is ``saved`` (may end in the middle), ``request`` (about to be sent) or ``auto``.
    Further keywords: `select`, `ignore`, `severity`, `as_of`, `recorded_verdicts` and limits (`max_tool_rounds`, …).
    Raises `UsageError` for arguments that cannot be used, and for nothing else.
    """
    chosen = settings_of(target, dialect, mode, **settings)
    from turnlint.objects import plain

    return check_document(plain(document), chosen)


def fix(
    document: Any,
    *,
    target: str | None = None,
    dialect: str | None = None,
    mode: str = "auto",
    unsafe: bool = False,
    **settings: Any,
) -> Fixed:
    """Repair a history held in Python; the input is not touched.

    Only safe fixes are made (nothing lost, nothing invented) unless `unsafe` is true.  The result has the repaired
    `document`, the fixes that were `applied`, the diagnostics that are `remaining`, and the reasons why fixes were
    `refused`.  `target` is one provider or ``provider:model``: what is right for one is wrong for another.
    """
    from turnlint.fixing import fix_value
    from turnlint.objects import plain

    return fix_value(plain(document), settings_of(target, dialect, mode, **settings), unsafe=unsafe)


def cut_points(
    document: Any, *, target: str | Iterable[str] | None = None, dialect: str | None = None, **settings: Any
) -> list[int]:
    """The indexes `i` at which a history can be cut: leading system messages and ``document[i:]`` are valid.

    `document` is a list of messages or a request body; the indexes are those of its list.  No pair is parted at any
    of them, and the rest has no error for the target.  Raises `UsageError` if it is no single history.
    """
    from turnlint.cutting import cut_points as find
    from turnlint.objects import plain

    return find(plain(document), settings_of(target, dialect, "request", **settings))


def check_path(
    path: str | os.PathLike[str],
    *,
    target: str | Iterable[str] | None = None,
    dialect: str | None = None,
    mode: str = "auto",
    config: str | os.PathLike[str] | bool = False,
    **settings: Any,
) -> Report:
    """Check one file.  What cannot be read or parsed is a diagnostic of the report; fixes have the edits they make.

    `config` is a configuration file, or True for the one that the command line would use: its settings for this file,
    what it expects there and its baseline count then; of other arguments, those given go before.
    """
    from pathlib import Path

    file, name = Path(path), str(path)
    chosen = settings_of(target, dialect, mode, **settings)
    found: Config | None = None
    if config is not False:
        from turnlint.config import Configs
        from turnlint.configured import settings_for, without_known

        found = Configs(None if config is True else Path(config)).of_file(name)
        base = settings_for(name, found, named=True)
        given: dict[str, Any] = {key: getattr(chosen, key) for key in settings.keys() & _SETTINGS}
        given |= {"targets": chosen.targets} if target is not None else {}
        given |= {"mode": mode} if mode != "auto" else {}
        chosen = replace(base, **given, dialect=dialect, limits={**base.limits, **chosen.limits})
    report = check_source(file, name=name, settings=chosen)
    if found is not None:
        report = without_known(report, name, found)
    if not any(diagnostic.fix is not None for diagnostic in report.diagnostics):
        return report
    from turnlint.suggesting import with_edits

    return with_edits(report, file, settings=chosen)


def assert_valid(
    document: Any,
    *,
    target: str | Iterable[str] | None = None,
    dialect: str | None = None,
    mode: str = "request",
    fail_on: str = "error",
    **settings: Any,
) -> None:
    """Raise `AssertionError`, worded like the command line, unless the history is valid.

    `fail_on` is the lowest severity that fails: ``error``, ``warning`` or ``info``.
    """
    __tracebackhide__ = True
    try:
        threshold = Severity(fail_on)
    except ValueError:
        raise UsageError(f"unknown severity {fail_on!r}{near_misses(fail_on, list(Severity))}") from None
    chosen = settings_of(target, dialect, mode, **settings)
    from turnlint.objects import plain

    made = plain(document)
    report = check_document(made, chosen)
    if report.fails(threshold):
        from turnlint.testing.failure import failure

        raise AssertionError(failure(report, made, chosen, threshold))
