"""The rules that are known: the built-in pack, and packs of other distributions when they are asked for.

Only entries are loaded here; a rule's module is imported when one of its signals is set.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from turnlint.rule import Entry

#: Former names of rules, and what they are called now.
REDIRECTS: dict[str, str] = {}

_ABOUT_MESSAGES = re.compile(
    r"message|input\[|contents?\[|role|Item '|tool output|tool_call|toolUse|toolResult|function call|content block"
    r"|parts",
    re.IGNORECASE,
)


@cache
def entries() -> tuple[Entry, ...]:
    """The entries of the built-in pack, in the order of their codes."""
    from turnlint_rules import RULES

    return RULES


@cache
def _by_name() -> dict[str, Entry]:
    return {key: e for e in entries() for key in (e.name, e.code)}


def entry(name: str) -> Entry:
    """The rule of that name or code.  Raises `UsageError` with the near misses."""
    found = _by_name().get(REDIRECTS.get(name, name)) or _by_name().get(name.upper())
    if found is None:
        raise UsageError(f"unknown rule {name!r}{near_misses(name, [e.name for e in entries()])}")
    return found


def matching(selector: str) -> tuple[Entry, ...]:
    """The rules that a code, a prefix of codes (``TL1``), a name or ``ALL`` stands for.  Raises `UsageError`."""
    if selector.upper() == "ALL":
        return entries()
    if re.fullmatch(r"TL\d{0,2}", selector.upper()):
        found = tuple(e for e in entries() if e.code.startswith(selector.upper()))
        if found:
            return found
    return (entry(selector),)


@cache
def select(chosen: tuple[str, ...], ignored: tuple[str, ...]) -> tuple[Entry, ...]:
    """The rules in force: those chosen (by default all that are on), without those ignored."""
    if chosen:
        names = {e.name for selector in chosen for e in matching(selector)}
    else:
        names = {e.name for e in entries() if e.default}
    names -= {e.name for selector in ignored for e in matching(selector)}
    return tuple(e for e in entries() if e.name in names)


def about_messages(text: str) -> bool:
    """Whether a provider's error text speaks of the history at all."""
    return bool(_ABOUT_MESSAGES.search(text))
