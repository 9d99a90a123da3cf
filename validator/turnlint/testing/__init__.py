"""turnlint inside other people's tests: assertions, a pytest plugin, Hypothesis strategies, rules' own examples.

Each name is loaded when it is first used.  `turnlint.testing.strategies` needs the extra ``hypothesis``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnlint.api import assert_valid
    from turnlint.testing.assertions import HistoryAssertions, assert_same_exchanges
    from turnlint.testing.rules import check_rule
    from turnlint.testing.watching import Watch

__all__ = ["HistoryAssertions", "Watch", "assert_same_exchanges", "assert_valid", "check_rule"]

_HOMES = {
    "HistoryAssertions": "turnlint.testing.assertions",
    "Watch": "turnlint.testing.watching",
    "assert_same_exchanges": "turnlint.testing.assertions",
    "assert_valid": "turnlint.api",
    "check_rule": "turnlint.testing.rules",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
