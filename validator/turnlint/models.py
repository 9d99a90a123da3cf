"""Model names: which family, which tier, which generation.

Verdicts hang on the model at times ("Claude from 4.6 on").  Names come in many spellings: with the host's prefix,
a date, an alias, a version of the deployment.  The patterns are data (`turnlint_rules/targets/models.toml`) and must
match a whole name: a loose one gives false errors.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection

Generation = tuple[int, ...]

# Model names come from transcripts, which are hostile text: what is longer than any real name is not looked at.
_LONGEST_NAME = 200


class Model(Struct, frozen=True):
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


class _Family(Struct, frozen=True, dict=True):
    """One family.  Its patterns are compiled only for a name that holds one of its `marks`: compiling is what costs."""

    name: str
    marks: tuple[str, ...]
    newest: Generation | None
    written: tuple[tuple[str, Generation | None], ...]

    @cached_property
    def patterns(self) -> tuple[tuple[re.Pattern[str], Generation | None], ...]:
        return tuple((re.compile(pattern), generation) for pattern, generation in self.written)

    def read(self, core: str) -> tuple[str | None, Generation | None] | None:
        """Tier and generation of a name that is of this family, else None."""
        if core == self.name:
            return None, None
        if any(mark in core for mark in self.marks):
            for pattern, stated in self.patterns:
                if found := pattern.fullmatch(core):
                    groups = found.groupdict()
                    written = groups.get("generation")
                    return groups.get("tier"), generation_of(written) if written else stated
        return None


class _Tables(Struct, frozen=True, dict=True):
    prefixes: tuple[re.Pattern[str], ...]
    suffix: str
    families: dict[str, _Family]

    @cached_property
    def suffixes(self) -> re.Pattern[str]:
        """Finds the longest suffix, as a search finds the leftmost."""
        return re.compile(self.suffix)


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
    families = (
        _Family(
            entry["name"],
            tuple(entry.get("marks", (entry["name"],))),
            generation_of(entry["newest"]) if "newest" in entry else None,
            tuple(
                (p["match"], generation_of(p["generation"]) if "generation" in p else None) for p in entry["patterns"]
            ),
        )
        for entry in data["family"]
    )
    return _Tables(
        tuple(re.compile(prefix) for prefix in data["prefixes"]),
        f"(?:{'|'.join(data['suffixes'])})$",
        {family.name: family for family in families},
    )


def families() -> frozenset[str]:
    """All families that some pattern can find."""
    return frozenset(_tables().families)


def newest(family: str) -> Generation | None:
    """The newest generation known of a family; None where the family has no generations to tell apart."""
    found = _tables().families.get(family)
    return found.newest if found else None


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
        if start := prefix.match(core):
            core = core[start.end() :]
    candidates = [family for family in tables.families.values() if families is None or family.name in families]
    while core:
        for family in candidates:
            if (found := family.read(core)) is not None:
                return Model(name, family.name, *found, known=True)
        suffix = tables.suffixes.search(core)
        core = core[: suffix.start()] if suffix else ""
    return Model(name, None, None, None, known=False)
