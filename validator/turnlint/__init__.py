"""turnlint checks saved LLM conversations for broken tool calls before an API does.

The names below are the public API; each is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from turnlint.api import assert_valid, check, check_path, cut_points, fix
    from turnlint.diagnostic import Diagnostic, Fix, Report, Severity
    from turnlint.errors import UsageError
    from turnlint.loading import load
    from turnlint.session import Session
    from turnlint.testing.assertions import assert_same_exchanges

_HOMES = {
    "assert_same_exchanges": "turnlint.testing.assertions",
    "assert_valid": "turnlint.api",
    "check": "turnlint.api",
    "check_path": "turnlint.api",
    "cut_points": "turnlint.api",
    "fix": "turnlint.api",
    "Diagnostic": "turnlint.diagnostic",
    "Fix": "turnlint.diagnostic",
    "Report": "turnlint.diagnostic",
    "load": "turnlint.loading",
    "Session": "turnlint.session",
    "Severity": "turnlint.diagnostic",
    "UsageError": "turnlint.errors",
}

__all__ = [
    "Diagnostic",
    "Fix",
    "Report",
    "Session",
    "Severity",
    "UsageError",
    "__version__",
    "assert_same_exchanges",
    "assert_valid",
    "check",
    "check_path",
    "cut_points",
    "fix",
    "load",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
