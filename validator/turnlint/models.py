"""Model names: which family, which tier, which generation.

Verdicts hang on the model at times ("Claude from 4.6 on").  Names come in many spellings: with the host's prefix,
a date, an alias, a version of the deployment.  The patterns are data (`turnlint_rules/targets/models.toml`) and must
match a whole name: a loose one gives false errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

Generation = tuple[int, ...]

# Model names come from transcripts, which are hostile text: what is longer than any real name is not looked at.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Model:
    """A model name, read.  `generation` is None where the name does not tell (an alias); `known`: some family fits."""

    name: str
    family: str | None
    tier: str | None
    generation: Generation | None
    known: bool

    def fits(self, entry: Model, assumed: Generation | None = None) -> bool:
        """Whether this model is what `entry` names: its family, and its tier and generation where it has them.

        `assumed` stands in for a generation that the name does not tell.
        """
        if not entry.known or not self.known:
            return self.name.lower() == entry.name.lower()
        if self.family != entry.family or (entry.tier is not None and self.tier != entry.tier):
            return False
        if entry.generation is None:
            return True
        generation = assumed or self.generation
        return generation is not None and padded(generation, len(entry.generation)) == entry.generation


@dataclass(frozen=True, slots=True)
class _Pattern:
    family: str
    regex: re.Pattern[str]
    generation: Generation | None


@dataclass(frozen=True, slots=True)
class _Tables:
    prefixes: tuple[re.Pattern[str], ...]
    suffixes: tuple[re.Pattern[str], ...]
    patterns: tuple[_Pattern, ...]
    families: frozenset[str]
    newest: dict[str, Generation]


def generation_of(text: str) -> Generation:
    """The numbers of a generation: ``"4.6"`` and ``"4-6"`` are both ``(4, 6)``."""
    return tuple(int(number) for number in re.split(r"[^\d]+", text) if number)


def padded(generation: Generation, length: int) -> Generation:
    """The first `length` numbers of a generation, with zeros where it has fewer: 4 is 4.0."""
    return (*generation, *(0,) * (length - len(generation)))[:length]


@cache
def _tables() -> _Tables:
    from turnlint.targets import load_toml

    data: dict[str, Any] = load_toml("models.toml")
    patterns = tuple(
        _Pattern(
            family["name"],
            re.compile(pattern["match"]),
            generation_of(pattern["generation"]) if "generation" in pattern else None,
        )
        for family in data["family"]
        for pattern in family["patterns"]
    )
    newest = {family["name"]: generation_of(family["newest"]) for family in data["family"] if "newest" in family}
    return _Tables(
        tuple(re.compile(prefix) for prefix in data["prefixes"]),
        tuple(re.compile(f"(?:{suffix})$") for suffix in data["suffixes"]),
        patterns,
        frozenset(family["name"] for family in data["family"]),
        newest,
    )


def families() -> frozenset[str]:
    """All families that some pattern can find."""
    return _tables().families


def newest(family: str) -> Generation | None:
    """The newest generation known of a family; None where the family has no generations to tell apart."""
    return _tables().newest.get(family)


@lru_cache(maxsize=1024)
def normalise(name: str, families: Collection[str] | None = None) -> Model:
    """Read a model name as a request, a log or a user writes it.

    `families`, when given, must be hashable (a tuple or frozenset) and limits the patterns to those families.
    A name that no pattern matches as a whole comes back with ``known=False``.
    """
    tables = _tables()
    core = name.strip().lower()
    if not core or len(core) > _LONGEST_NAME:
        return Model(name, None, None, None, known=False)
    for prefix in tables.prefixes:
        if found := prefix.match(core):
            core = core[found.end() :]
    patterns = [p for p in tables.patterns if families is None or p.family in families]
    while core:
        for pattern in patterns:
            if found := pattern.regex.fullmatch(core):
                groups = found.groupdict()
                written = groups.get("generation")
                generation = generation_of(written) if written else pattern.generation
                return Model(name, pattern.family, groups.get("tier"), generation, known=True)
        if core in tables.families and (families is None or core in families):
            return Model(name, core, None, None, known=True)
        ends = [found.start() for suffix in tables.suffixes if (found := suffix.search(core))]
        core = core[: min(ends)] if ends else ""  # the longest: -08-2024 is one suffix, not the year alone
    return Model(name, None, None, None, known=False)
