"""The rules that are known: the built-in pack, and packs of other distributions when they are asked for.

Only entries are loaded here; a rule's module is imported when one of its signals is set.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from turnlint.rule import Entry

#: Former names of rules, and what they are called now.
REDIRECTS: dict[str, str] = {}

# Compiled where it is first used, which is only for recordings.
_ABOUT_MESSAGES = (
    r"message|input\[|contents?\[|role|Item '|tool output|tool_call|toolUse|toolResult|function call|content block"
    r"|parts"
)


#: The entry point group in which other distributions offer their rules.
GROUP = "turnlint.rules"

_packs: dict[str, tuple[Entry, ...]] = {}  # those in use, by the name of their entry point
_lent: set[str] = set()  # keys of `_packs` that are no packs, see `known`
_forgetting: list[Callable[[], None]] = []


def use(packs: Iterable[str]) -> None:
    """Load packs of rules that other distributions offer; those in use already are left alone.

    A pack is the entry point of that name in the group ``turnlint.rules``: a module, or any object, with `RULES` (a
    tuple of entries) and, where it knows targets too, `TARGETS` (the folder with their files).  Raises `UsageError` for
    one that is not installed, or that takes a name or code that is taken.
    """
    for name in packs:
        if name not in _packs:
            _load(name)


def _load(name: str) -> None:
    from importlib.metadata import entry_points

    offered = {point.name: point for point in entry_points(group=GROUP)}
    if name not in offered:
        raise UsageError(f"no installed distribution offers the rules {name!r}{near_misses(name, offered)}")
    try:
        pack = offered[name].load()
        rules = tuple(pack.RULES)
    except Exception as error:
        raise UsageError(f"the rules {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    for new in rules:
        if any(key in _by_name() for key in (new.name, new.code)):
            raise UsageError(f"the rules {name!r}: {new.name} ({new.code}) is the name or code of another rule")
    _packs[name] = rules
    _forget()
    folder = getattr(pack, "TARGETS", None)
    if folder is not None:
        from turnlint import targets

        targets.add_folder(str(folder))


def when_rules_change(forget: Callable[[], None]) -> None:
    """Has `forget` called whenever other rules are known than before: for what is kept and was made of them."""
    _forgetting.append(forget)


def _forget() -> None:
    for function in (entries, _by_name, select):
        function.cache_clear()
    for forget in _forgetting:
        forget()


@contextmanager
def known(rule: Entry) -> Iterator[None]:
    """Knows a rule for a while whose pack is not in use."""
    if rule in _of(()):
        yield
        return
    holder = next((name for name, rules in _packs.items() if rule in rules), None)
    name = holder or rule.module
    if holder is None:
        _packs[name] = (rule,)
    _lent.add(name)
    _forget()
    try:
        yield
    finally:
        if holder is None:
            del _packs[name]
        _lent.discard(name)
        _forget()


@cache
def entries() -> tuple[Entry, ...]:
    """The entries of the built-in pack, in the order of their codes, and of the packs in use."""
    from turnlint_rules import RULES

    return (*RULES, *(e for rules in _packs.values() for e in rules))


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
    if re.fullmatch(r"[A-Z]+\d{0,2}", selector.upper()):
        found = tuple(e for e in entries() if e.code.startswith(selector.upper()))
        if found:
            return found
    return (entry(selector),)


def _of(packs: tuple[str, ...] | None) -> tuple[Entry, ...]:
    """The entries of the built-in pack and of these; None for those of all packs in use."""
    if packs is None:
        return entries()
    others = {e.name for name, rules in _packs.items() if name not in packs and name not in _lent for e in rules}
    return tuple(e for e in entries() if e.name not in others)


@cache
def select(
    chosen: tuple[str, ...], ignored: tuple[str, ...], packs: tuple[str, ...] | None = None
) -> tuple[Entry, ...]:
    """The rules in force: those chosen (by default all that are on), without those ignored.

    A pack may be in use because something else in the process asked for it: only those of `packs` count here, and
    what is chosen by its own name.
    """
    there = {e.name for e in _of(packs)}
    if chosen:
        names = {
            e.name for selector in chosen for e in matching(selector) if e.name in there or selector in (e.name, e.code)
        }
    else:
        names = {e.name for e in entries() if e.default and e.name in there}
    names -= {e.name for selector in ignored for e in matching(selector)}
    return tuple(e for e in entries() if e.name in names)


def about_messages(text: str) -> bool:
    """Whether a provider's error text speaks of the history at all."""
    return bool(re.search(_ABOUT_MESSAGES, text, re.IGNORECASE))
