"""Targets: who would receive a history, and what each says about every rule.

The knowledge is data: one TOML a target in `turnlint_rules/targets/`, with an index (`directory.toml`) of the names,
hosts and dialects, so that finding the target of a host or a dialect reads none of the others.  This module reads it,
lets the gates (dialect, model, month) decide, and hands out verdicts.  It knows no rule.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from turnlint import models
from turnlint.diagnostic import at_hand
from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Limit = int | str | tuple[str, ...]

FALLBACK = "generic"
COMPATIBLE = "openai-compatible"  # who judges what was sent to a host that nobody knows; it cannot be asked for
_NOTHING: frozenset[str] = frozenset()


@at_hand
class Level(StrEnum):
    """What a target does about a fault, the gravest first."""

    REJECTS = "rejects"
    HARMS = "harms"
    ODD = "odd"
    ACCEPTS = "accepts"


@at_hand
class Confidence(StrEnum):
    """How well a verdict is known.  `inferred` and `contested` never reject."""

    VERBATIM = "verbatim"
    DOCUMENTED = "documented"
    RAN = "ran"
    REPORTED = "reported"
    INFERRED = "inferred"
    CONTESTED = "contested"


_WEAK = (Confidence.INFERRED, Confidence.CONTESTED)


class Gate(Struct, frozen=True):
    """For which models a verdict holds.  `only` and `except_` hold model names as written.

    `named`: without a model's name the verdict does not hold at all (else it holds, and is not certain).
    """

    family: str | None = None
    from_: models.Generation | None = None
    until: models.Generation | None = None
    only: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    named: bool = False

    def admits(self, model: models.Model, assumed: models.Generation | None) -> bool:
        """Whether `model`, with `assumed` for a generation that its name does not tell, is one of those meant."""
        if any(model.fits(models.normalise(entry), assumed) for entry in self.except_):
            return False
        if self.only and not any(model.fits(models.normalise(entry), assumed) for entry in self.only):
            return False
        if self.family is not None and model.family != self.family:
            return False
        if self.from_ is None and self.until is None:
            return True
        generation = assumed or model.generation
        if generation is None:
            return True
        if self.from_ is not None and models.padded(generation, max(len(generation), len(self.from_))) < self.from_:
            return False
        # "until 4" takes in 4.1: the bound is compared as far as it is written
        return self.until is None or models.padded(generation, len(self.until)) <= self.until

    def names(self, model: models.Model) -> bool:
        """Whether `model` is one of those meant by its name alone, whatever its generation."""
        entries = [models.normalise(entry) for entry in self.only] if self.from_ is self.until is None else []
        return any(entry.generation is None and model.fits(entry) for entry in entries)


class Verdict(Struct, frozen=True):
    """What a target does about a rule, on some wires, for some models, in some months.

    `when` holds the variants of the rule that are meant (`turnlint_rules/variants.toml`), None means any.
    `texts` are the provider's wordings, the first is the one to quote; they may hold the placeholders {message} {turn}
    {part} {id} {ids} {tool} {n} and other braces besides: fill them one by one, never with `str.format`.
    `index` says which message {message} names: call-message, result-message, block, none (no index); None is not told.
    `needs` names what the request must ask for, for the verdict to hold: thinking; thinking-default where the model
    thinks unless the request says otherwise.
    """

    rule: str
    level: Level
    confidence: Confidence
    api: frozenset[str]
    when: frozenset[str] | None = None
    texts: tuple[str, ...] = ()
    status: int | None = None
    error_code: str | None = None
    mode: Literal["request", "any"] = "any"
    index: str | None = None
    certain: bool = True
    limits: Mapping[str, Limit] = field(default_factory=lambda: MappingProxyType({}))
    needs: frozenset[str] = _NOTHING
    note: str | None = None
    facts: tuple[str, ...] = ()
    target: str = ""
    gate: Gate | None = None
    since: str | None = None
    until: str | None = None
    inline_sources: tuple[str, ...] = ()

    def counts(self, mode: str) -> bool:
        """Whether anything comes of it in this mode."""
        return self.level is not Level.ACCEPTS and (self.mode == "any" or mode == "request")

    @property
    def sources(self) -> tuple[str, ...]:
        """The addresses that bear witness: those of the facts, read when somebody asks, and the verdict's own."""
        found = [url for fact in self.facts for url in _sources_of(fact.rpartition("-")[0]).get(fact, ())]
        return tuple(dict.fromkeys((*self.inline_sources, *found)))


class PairingPolicy(Struct, frozen=True):
    """How a target pairs calls and results on one wire.

    `merge`: runs of one speaker are one turn before the check.  `match`: by ``id``, or by ``order`` where the wire has
    no IDs.  `window`: where results must stand: ``run`` (a run of results right behind the calls), ``turn`` (the next
    turn of the other side, after merging), ``message`` (the one next message) or ``anywhere`` (later in the list).
    `count`: the window must hold as many results as there are calls.
    """

    merge: bool = False
    match: Literal["id", "order"] = "id"
    window: Literal["run", "turn", "message", "anywhere"] = "run"
    count: bool = False


class Target(Struct, frozen=True, dict=True):
    """One receiver.  `api` is what a foreign history is converted to, `dialects` are the wires it speaks itself."""

    name: str
    title: str
    api: str
    dialects: frozenset[str]
    extends: tuple[str, ...]
    families: frozenset[str]
    data: str
    policies: Mapping[str, PairingPolicy]
    verdicts: tuple[Verdict, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host patterns of the target, as in the directory."""
        return tuple(_directory()["target"].get(self.name, {}).get("hosts", ()))

    def api_for(self, dialect: str) -> str:
        """The wire on which a history in `dialect` reaches this target: its own, or the one it is converted to."""
        return dialect if dialect in self.dialects else self.api

    def policy(self, api: str) -> PairingPolicy:
        """How this target pairs on `api`: its own word, else that of a target it extends, else what the wire does."""
        for layer in _layers(self.name):
            if api in layer.policies:
                return layer.policies[api]
        return _default_policies().get(api, PairingPolicy())

    def judge(self, api: str, model: str | None = None, as_of: str | None = None) -> Judge:
        """The verdicts that hold on `api` for `model` at `as_of` (a day or month): by default that of the data."""
        return _judge(self.name, api, model or None, as_of or self.data)


class Judge(Struct, frozen=True, dict=True):
    """A target with its gates decided.  Layers: the target's own verdicts, then those of each target it extends."""

    target: Target
    api: str
    model: models.Model | None
    as_of: str
    notes: tuple[str, ...]
    by_rule: Mapping[str, tuple[Verdict, ...]]

    @cached_property
    def rules(self) -> frozenset[str]:
        """The rules with any verdict other than `accepts`."""
        return frozenset(
            rule for rule, verdicts in self.by_rule.items() if any(v.level is not Level.ACCEPTS for v in verdicts)
        )

    @property
    def spec(self) -> str:
        """The target as a user writes it: ``anthropic`` or ``anthropic:claude-opus-4-6``."""
        return f"{self.target.name}:{self.model.name}" if self.model else self.target.name

    def verdicts(self, rule: str) -> tuple[Verdict, ...]:
        """All verdicts about `rule` that hold, the target's own before inherited ones."""
        return self.by_rule.get(rule, ())

    def verdict(self, rule: str, variant: str | Sequence[str] | None = None) -> Verdict | None:
        """The verdict about one finding, or None if the target says nothing about it.

        `variant` is what the rule calls the finding; where several names fit, the narrowest first.  Inside a layer the
        verdict with the narrowest name wins, and one without `when` takes what is left; the first layer that says
        anything wins.
        """
        if rule not in self.by_rule:
            return None
        key = (rule, variant if variant is None or isinstance(variant, str) else tuple(variant))
        if key not in self._asked:
            self._asked[key] = self._verdict(*key)
        return self._asked[key]

    @cached_property
    def _asked(self) -> dict[tuple[str, str | tuple[str, ...] | None], Verdict | None]:
        """The answers that were given: the same few are asked for with every history."""
        return {}

    def _verdict(self, rule: str, variant: str | tuple[str, ...] | None) -> Verdict | None:
        verdicts = self.by_rule[rule]
        names = (variant,) if isinstance(variant, str) else tuple(variant or ())
        for owner in dict.fromkeys(v.target for v in verdicts):
            layer = [v for v in verdicts if v.target == owner]
            for name in names:
                for verdict in layer:
                    if verdict.when is not None and name in verdict.when:
                        return verdict
            for verdict in layer:
                if verdict.when is None:
                    return verdict
        return None


def names() -> tuple[str, ...]:
    """All targets that can be named, in alphabetical order."""
    return tuple(sorted(_directory()["target"]))


@lru_cache(maxsize=256)
def owner(dialect: str) -> str:
    """The target that a dialect belongs to; ``generic`` for a framework's own shape."""
    for name, entry in _directory()["target"].items():
        if dialect in entry.get("owns", ()):
            return str(name)
    return FALLBACK


@lru_cache(maxsize=256)
def by_host(host: str) -> str | None:
    """The target behind a host name (port and case do not matter), or None."""
    from fnmatch import fnmatchcase

    bare = host.lower().rpartition("@")[2].partition(":")[0].strip(".")
    for name, entry in _directory()["target"].items():
        if any(fnmatchcase(bare, pattern) for pattern in entry.get("hosts", ())):
            return str(name)
    return None


def resolve(spec: str) -> tuple[Target, str | None]:
    """A target and the model behind the colon, from ``anthropic`` or ``anthropic:claude-opus-4-6``.

    Raises `UsageError`, which names the near misses, if there is no such target.
    """
    name, colon, model = spec.strip().partition(":")
    name = name.strip().lower().replace("_", "-")
    entries = _directory()["target"]
    name = _directory()["alias"].get(name, name)
    if name not in entries:
        raise UsageError(_no_such_target(spec, name))
    model = model.strip()
    if colon and not model:
        raise UsageError(f"target {spec!r} names no model after the colon")
    return load(name), model or None


def found(spec: str) -> tuple[Target, str | None]:
    """As `resolve`, for what a container names: that may be the servers in the manner of OpenAI besides."""
    return (load(spec), None) if spec == COMPATIBLE else resolve(spec)


def load(name: str) -> Target:
    """The target of a name in the directory, without model or alias; see `resolve` for what a user writes."""
    return _layers(name)[0]


def _no_such_target(spec: str, name: str) -> str:
    if not name:
        return "an empty target"
    if near := near_misses(name, [*names(), *_directory()["alias"]]):
        return f"there is no target {spec!r}{near}"
    model = models.normalise(name)
    if model.known:
        serving = [target for target in map(load, names()) if model.family in target.families]
        serving = sorted(serving, key=lambda target: (len(target.families), len(target.extends)))[:3]
        if serving:
            return (
                f"there is no target {spec!r}; it is a model: write {' or '.join(f'{t.name}:{name}' for t in serving)}"
            )
    return f"there is no target {spec!r}; known are {', '.join(names())}"


# --- reading -------------------------------------------------------------------------------------------------------


@cache
def folder() -> str:
    """Where the targets' files lie."""
    import os

    import turnlint_rules

    # neither importlib.resources nor pathlib: each costs more to import than a file costs to read
    assert turnlint_rules.__file__ is not None
    return os.path.join(os.path.dirname(turnlint_rules.__file__), "targets")  # noqa: PTH118, PTH120


_more_folders: list[str] = []  # of packs of other distributions


def add_folder(path: str) -> None:
    """Take the targets of another folder: its ``directory.toml`` names them, each has a file of its own.

    A name that is known already keeps its meaning.  Raises `UsageError` if the folder has no directory.
    """
    if path in _more_folders:
        return
    try:
        load_toml("directory.toml", path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: its directory.toml cannot be read: {error}") from None
    _more_folders.append(path)
    for function in (_directory, _layers, _judge, by_host, owner):
        function.cache_clear()


def load_toml(name: str, place: str | None = None) -> dict[str, Any]:
    """One data file of `turnlint_rules/targets`, or of the folder `place`, decoded."""
    path = f"{place or folder()}/{name}"
    copy = _compact_copy(path)
    if copy is not None:
        return copy
    import tomllib

    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return tomllib.loads(file.read())


def _compact_copy(path: str) -> dict[str, Any] | None:
    """What a data file holds by the copy that lies beside it in a wheel; None where there is none, or the file changed.

    Reading TOML takes longer than checking a small file.
    """
    import os

    try:
        with open(f"{path.removesuffix('.toml')}.json", "rb") as file:  # noqa: PTH123
            copy = msgspec.json.decode(file.read())
        size = os.stat(path).st_size  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return copy["data"] if copy["size"] == size else None


@cache
def _directory() -> dict[str, Any]:
    whole = load_toml("directory.toml")
    for place in _more_folders:
        more = load_toml("directory.toml", place)
        for name, entry in more.get("target", {}).items():
            whole["target"].setdefault(name, {**entry, "folder": place})
        whole["alias"] = {**more.get("alias", {}), **whole["alias"]}
    return whole


@cache
def _default_policies() -> dict[str, PairingPolicy]:
    return {api: PairingPolicy(**table) for api, table in load_toml("pairing.toml").items()}


@cache
def _sources_of(provider: str) -> dict[str, list[str]]:
    try:
        return load_toml(f"sources/{provider}.toml")
    except FileNotFoundError:
        return {}


@cache
def _layers(name: str) -> tuple[Target, ...]:
    """A target and all that it extends, in the order in which their verdicts are asked; the first is the target."""
    own = _read(load_toml(f"{name}.toml", _directory()["target"].get(name, {}).get("folder")))
    found = {own.name: own}
    for base in own.extends:
        for layer in _layers(base):
            found.setdefault(layer.name, layer)
    return tuple(found.values())


def _read(data: dict[str, Any]) -> Target:
    dialects = frozenset(data["dialects"])
    name = data["name"]
    return Target(
        name=name,
        title=data["title"],
        api=data["api"],
        dialects=dialects,
        extends=tuple(data.get("extends", ())),
        families=frozenset(data.get("families", ())),
        data=data["as-of"],
        policies={api: PairingPolicy(**table) for api, table in data.get("pairing", {}).items()},
        verdicts=tuple(_verdict(entry, name, dialects) for entry in data.get("verdict", ())),
    )


def _verdict(entry: dict[str, Any], target: str, dialects: frozenset[str]) -> Verdict:
    level, confidence = Level(entry["level"]), Confidence(entry["confidence"])
    if level is Level.REJECTS and confidence in _WEAK:
        level = Level.HARMS
    return Verdict(
        rule=entry["rule"],
        level=level,
        confidence=confidence,
        api=frozenset(entry["api"]) if "api" in entry else dialects,
        when=frozenset(entry["when"]) if "when" in entry else None,
        texts=tuple(entry.get("texts", ())),
        status=entry.get("status"),
        error_code=entry.get("error-code"),
        mode=entry.get("mode", "any"),
        index=entry.get("index"),
        limits=MappingProxyType(
            {k: tuple(v) if isinstance(v, list) else v for k, v in entry.get("limits", {}).items()}
        ),
        needs=frozenset(entry.get("needs", ())),
        note=entry.get("note"),
        facts=tuple(entry.get("facts", ())),
        target=target,
        gate=_gate(entry["models"]) if "models" in entry else None,
        since=entry.get("since"),
        until=entry.get("until"),
        inline_sources=tuple(entry.get("sources", ())),
    )


def _gate(table: dict[str, Any]) -> Gate:
    return Gate(
        family=table.get("family"),
        from_=models.generation_of(table["from"]) if "from" in table else None,
        until=models.generation_of(table["until"]) if "until" in table else None,
        only=tuple(table.get("only", ())),
        except_=tuple(table.get("except", ())),
        named=table.get("named", False),
    )


# --- judging -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _judge(name: str, api: str, model_name: str | None, as_of: str) -> Judge:
    layers = _layers(name)
    model, assumed, notes = _model_of(layers[0], model_name)
    by_rule: dict[str, list[Verdict]] = {}
    settled: set[str] = set()  # rules for which an earlier layer has an answer to every variant
    for layer in layers:
        answered = set()
        for verdict in layer.verdicts:
            if verdict.rule in settled or not _speaks(verdict, api, as_of[:7]):
                continue
            certain = _holds(verdict.gate, model, assumed)
            if certain is None:
                continue
            by_rule.setdefault(verdict.rule, []).append(verdict if certain else replace(verdict, certain=False))
            if verdict.when is None:
                answered.add(verdict.rule)
        settled |= answered
    return Judge(
        target=layers[0],
        api=api,
        model=model,
        as_of=as_of,
        notes=notes,
        by_rule={rule: tuple(verdicts) for rule, verdicts in by_rule.items()},
    )


def _speaks(verdict: Verdict, api: str, month: str) -> bool:
    """Whether a verdict is about this wire and this month."""
    return (
        api in verdict.api
        and (verdict.since is None or verdict.since <= month)
        and (verdict.until is None or month <= verdict.until)
    )


def _model_of(
    target: Target, name: str | None
) -> tuple[models.Model | None, models.Generation | None, tuple[str, ...]]:
    """The model read, the generation to judge it as where its own does not do (else None), and what to say of it."""
    if name is None:
        return None, None, ()
    model = models.normalise(name)
    lone = next(iter(target.families)) if len(target.families) == 1 else None
    if model.family not in target.families and lone is not None and not model.known:
        model = replace(model, family=lone, known=True)
    if not model.known or model.family is None:
        return model, None, (f"model {name} is not known: verdicts that hang on the model are left out",)
    top = models.newest(model.family)
    if top is None or (model.generation is not None and model.generation <= top):
        return model, None, ()
    written = ".".join(map(str, top))
    return model, top, (f"model {name} is not known: judged as the newest {model.family} ({written})",)


def _holds(gate: Gate | None, model: models.Model | None, assumed: models.Generation | None) -> bool | None:
    """True or False (certain or not) if a gate lets the verdict through, None if it does not."""
    if gate is None:
        return True
    if model is None:
        return None if gate.named else False
    if not gate.admits(model, assumed):
        return None
    return assumed is None or gate.names(model)


def all_verdicts() -> Iterator[tuple[Target, Verdict]]:
    """Every verdict of every target, gates undecided: for the pages of rules and for finding a rule by its error."""
    for name in names():
        target = load(name)
        for verdict in target.verdicts:
            yield target, verdict
