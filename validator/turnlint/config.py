"""Configuration: ``[tool.turnlint]`` in pyproject.toml, or turnlint.toml, or .turnlint.toml.

For each checked file the nearest configuration above it counts, alone; a file that has none above it gets the one
above the current folder.  A pyproject.toml without the table is skipped.  `KEYS` is the one list of keys: the parser,
the JSON Schema for editors (config.schema.json) and ``--show-settings`` come from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from turnlint.errors import UsageError, near_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FILE_NAMES = ("turnlint.toml", ".turnlint.toml", "pyproject.toml")
LEVELS = ("error", "warning", "info")
MODES = ("auto", "saved", "request")
_LIMITS = ("max-tool-rounds", "max-result-chars", "context-tokens", "placeholder", "empty-placeholder")
_MOST_EXTENDS = 20

Kind = Literal["names", "choice", "levels", "globs", "by-glob", "text", "path", "flag", "count", "date"]


class Key(Struct, frozen=True):
    """One key: what kind of value it takes, what it is for, and the values where only some are allowed."""

    name: str
    kind: Kind
    text: str
    choices: tuple[str, ...] = ()

    @property
    def attribute(self) -> str:
        """The field of `Config` that holds it."""
        return self.name.replace("-", "_")


def _formats() -> tuple[str, ...]:
    from turnlint.report import FORMATS

    return tuple(FORMATS)


KEYS = {
    key.name: key
    for key in (
        Key("target", "names", "Who would receive the histories: a provider or provider:model, or several."),
        Key("mode", "choice", "Whether histories are records at rest or requests about to be sent.", MODES),
        Key("select", "names", "Rules to run: by code, by the beginning of a code (TL1), by name, or ALL."),
        Key("ignore", "names", "Rules not to run, named in the same ways."),
        Key("severity", "levels", "Severity of single rules, whatever a target's verdict is.", LEVELS),
        Key("fail-on", "choice", "The severity from which on a finding makes the exit status 1.", LEVELS),
        Key("packs", "names", "Rules of other distributions to use, by the names of their entry points."),
        Key("per-file-ignores", "by-glob", "Rules not to run on files that match a pattern."),
        Key("per-file-targets", "by-glob", "Targets for files that match a pattern; the last match counts."),
        Key("include", "globs", "Files to look at in a walk, as in .gitignore; by default all of a known suffix."),
        Key("exclude", "globs", "Files and folders not to walk into, as in .gitignore."),
        Key("extend", "path", "Another configuration file to begin with; keys of this one replace its keys."),
        Key("expect", "by-glob", "Rules that must fire on files that match a pattern; they are then no findings."),
        Key("baseline", "path", "File of findings that are known already (turnlint baseline create)."),
        Key("output-format", "choice", "How findings are printed."),
        Key("cache", "flag", "Whether reports on files are kept, so that unchanged files need not be checked again."),
        Key("cache-dir", "path", "The folder in which they are kept; by default .turnlint_cache beside this file."),
        Key("recorded-verdicts", "flag", "Whether a provider's recorded answer outweighs the collected verdicts."),
        Key("as-of", "date", "The day to judge by, where verdicts changed; by default that of the data."),
        Key("placeholder", "text", "The text of a result that a fix has to put where none was recorded."),
        Key("empty-placeholder", "text", "The text that a fix writes into a result without content."),
        Key("max-tool-rounds", "count", "Tool rounds without an answer that are still fine (runaway-loop)."),
        Key("max-result-chars", "count", "Characters of a tool result that are still fine (oversized-result)."),
        Key("context-tokens", "count", "Tokens that a history may have (history-over-budget)."),
    )
}


class Config(Struct, frozen=True):
    """The settings of one configuration file, its extended ones included; `file` is None where there is none."""

    file: Path | None = None
    target: tuple[str, ...] = ()
    mode: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    fail_on: str | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    per_file_targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    expect: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    baseline: Path | None = None
    output_format: str | None = None
    cache: bool | None = None
    cache_dir: Path | None = None
    recorded_verdicts: bool | None = None
    as_of: str | None = None
    placeholder: str | None = None
    empty_placeholder: str | None = None
    max_tool_rounds: int | None = None
    max_result_chars: int | None = None
    context_tokens: int | None = None

    @property
    def folder(self) -> Path:
        """Where the patterns of this configuration start."""
        return self.file.parent if self.file is not None else Path.cwd()

    def limits(self) -> dict[str, Any]:
        """The settings that single rules and fixes read, by key; without those that are not set."""
        values = {name: getattr(self, KEYS[name].attribute) for name in _LIMITS}
        return {name: value for name, value in values.items() if value is not None}

    def severities(self) -> dict[str, str]:
        """The severity of each rule that `severity` names; what comes later in the table goes before."""
        if not self.severity:
            return {}
        from turnlint.registry import matching

        return {rule.name: level for selector, level in self.severity.items() for rule in matching(selector)}

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """The rules that per-file-ignores turns off for the file `path`."""
        return tuple(rule for rules in self._matching(self.per_file_ignores, path) for rule in rules)

    def targets_for(self, path: str) -> tuple[str, ...]:
        """The targets of the file `path`: of the last pattern that matches, else `target`."""
        matching = self._matching(self.per_file_targets, path)
        return matching[-1] if matching else self.target

    def expected_in(self, path: str) -> tuple[str, ...]:
        """The rules that must fire on the file `path`."""
        return tuple(dict.fromkeys(rule for rules in self._matching(self.expect, path) for rule in rules))

    def _matching(self, table: Mapping[str, tuple[str, ...]], path: str) -> list[tuple[str, ...]]:
        if not table:
            return []
        import pathspec

        full = Path(path).absolute()
        name = full.relative_to(self.folder).as_posix() if full.is_relative_to(self.folder) else full.as_posix()
        return [
            value
            for pattern, value in table.items()
            if pathspec.GitIgnoreSpec.from_lines([pattern]).match_file(name.lstrip("/"))
        ]


class Configs:
    """The configuration of every file, each file of settings read once.

    `only` (``--config``) is used for everything; `isolated` reads none at all.
    """

    def __init__(self, only: Path | None = None, *, isolated: bool = False) -> None:
        self._only = None if isolated or only is None else load(only)
        self._isolated = isolated
        self._by_folder: dict[Path, Config | None] = {}

    def of_run(self) -> Config:
        """What holds for the whole run: format, exit status, baseline, what to walk."""
        return self._above(Path.cwd()) or Config()

    def of_file(self, path: str) -> Config:
        """What holds for one file."""
        return self._above(Path(path).absolute().parent) or self.of_run()

    def _above(self, folder: Path) -> Config | None:
        if self._isolated or self._only is not None:
            return self._only
        known = self._by_folder
        passed: list[Path] = []
        found: Config | None = None
        for here in (folder, *folder.parents):
            if here in known:
                found = known[here]
                break
            passed.append(here)
            found = _in_folder(here)
            if found is not None:
                break
        known.update(dict.fromkeys(passed, found))
        return found


def _in_folder(folder: Path) -> Config | None:
    for name in FILE_NAMES:
        file = folder / name
        if file.is_file():
            table = table_of(file)
            if table is not None:
                config = _build(file, table, ())
                check_rules(config)
                return config
    return None


def load(file: Path) -> Config:
    """The settings of the file named.  Raises UsageError if it cannot be read, or holds what is no setting or rule."""
    table = table_of(file)
    if table is None:
        raise UsageError(f"{file}: there is no [tool.turnlint] in it")
    config = _build(file.absolute(), table, ())
    check_rules(config)
    return config


def table_of(file: Path) -> dict[str, Any] | None:
    """The table of settings in a TOML file; None for a pyproject.toml that has none.  Raises UsageError."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{file}: cannot be read: {reason}") from None
    if file.name == "pyproject.toml" and "turnlint" not in text:
        return None
    import tomllib

    try:
        whole = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: not TOML: {error}") from None
    if file.name != "pyproject.toml":
        return whole
    tool = whole.get("tool")
    table = tool.get("turnlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{file}: tool.turnlint must be a table")
    return table


def _build(file: Path, table: Mapping[str, Any], chain: tuple[Path, ...]) -> Config:
    """Check every key and value of a table, with what it extends below it."""
    values: dict[str, Any] = {}
    for name, raw in table.items():
        key = KEYS.get(name)
        if key is None:
            raise UsageError(f"{file}: unknown key {name!r}{near_misses(name, KEYS)}")
        try:
            value = _choice(key, raw) if key.kind == "choice" else _PARSERS[key.kind](raw)
        except ValueError as error:
            raise UsageError(f"{file}: {name}: {error}") from None
        values[key.attribute] = file.parent / value if key.kind == "path" else value
    base = values.pop("extend", None)
    if base is not None:
        values = _extended(file, base.resolve(), chain) | values
    if values.get("packs"):
        _use(values["packs"], file)
    return Config(**(values | {"file": file}))


def _use(packs: tuple[str, ...], file: Path) -> None:
    """Load the rules of other distributions: from here on their names are known."""
    from turnlint import registry

    try:
        registry.use(packs)
    except UsageError as error:
        raise UsageError(f"{file}: packs: {error}") from None


def _extended(file: Path, base: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    chain = (*chain, file.resolve())
    if base in chain or len(chain) > _MOST_EXTENDS:
        raise UsageError(f"{file}: extend: {base} leads back here")
    if not base.is_file():
        raise UsageError(f"{file}: extend: {base} does not exist")
    config = _build(base, table_of(base) or {}, chain)
    return {name: getattr(config, name) for name in Config.__struct_fields__}


def _names(raw: Any) -> tuple[str, ...]:
    if isinstance(raw, str):
        raw = [part.strip() for part in raw.split(",")]
    if not isinstance(raw, list) or not all(isinstance(item, str) and item for item in raw):
        raise ValueError("must be a text or a list of texts")
    return tuple(raw)


def _choice(key: Key, raw: Any) -> str:
    choices = choices_of(key)
    if raw not in choices:
        raise ValueError(f"must be {' or '.join(map(repr, choices))}, not {raw!r}{near_misses(str(raw), choices)}")
    return str(raw)


def _pairs(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ValueError("must be a table")
    return raw


def _levels(raw: Any) -> dict[str, str]:
    levels = {}
    for rule, level in _pairs(raw).items():
        if level not in LEVELS:
            raise ValueError(f"{rule}: must be {', '.join(LEVELS)}, not {level!r}{near_misses(str(level), LEVELS)}")
        levels[rule] = str(level)
    return levels


def _globs(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise ValueError("must be a list of patterns")
    return tuple(raw)


def _by_glob(raw: Any) -> dict[str, tuple[str, ...]]:
    return {pattern: _names(value) for pattern, value in _pairs(raw).items()}


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or not raw:
        raise ValueError("must be a text that is not empty")
    return raw


def _flag(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(f"must be true or false, not {raw!r}")
    return raw


def _count(raw: Any) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 1:
        raise ValueError(f"must be a whole number from 1, not {raw!r}")
    return raw


def _date(raw: Any) -> str:
    import datetime as dt

    try:
        return (raw if isinstance(raw, dt.date) else dt.date.fromisoformat(raw)).isoformat()[:10]
    except (TypeError, ValueError):
        raise ValueError(f"must be a day like 2026-03-01, not {raw!r}") from None


_PARSERS: Mapping[Kind, Callable[[Any], Any]] = {
    "names": _names,
    "levels": _levels,
    "globs": _globs,
    "by-glob": _by_glob,
    "text": _text,
    "path": _text,
    "flag": _flag,
    "count": _count,
    "date": _date,
}


def choices_of(key: Key) -> tuple[str, ...]:
    """The values that a key of kind "choice" may have."""
    return _formats() if key.name == "output-format" else key.choices


def _check_targets(config: Config) -> None:
    from turnlint.targets import resolve

    places = [("target", config.target), *((f"per-file-targets: {p}", t) for p, t in config.per_file_targets.items())]
    for where, specs in places:
        for spec in specs:
            try:
                resolve(spec)
            except UsageError as error:
                raise UsageError(f"{config.file}: {where}: {error}") from None


def check_rules(config: Config) -> None:
    """Raises UsageError if a selector anywhere in `config` stands for no rule, or a target for nobody."""
    from turnlint.registry import matching

    places: list[tuple[str, Iterable[str]]] = [
        ("select", config.select),
        ("ignore", config.ignore),
        ("severity", config.severity),
        *((f"per-file-ignores: {pattern}", rules) for pattern, rules in config.per_file_ignores.items()),
        *((f"expect: {pattern}", rules) for pattern, rules in config.expect.items()),
    ]
    for where, selectors in places:
        for selector in selectors:
            try:
                matching(selector)
            except UsageError as error:
                source = f"{config.file}: {where}" if config.file is not None else f"--{where}"
                raise UsageError(f"{source}: {error}") from None
    if config.target or config.per_file_targets:
        _check_targets(config)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a configuration file, for editors; config.schema.json is this."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "turnlint configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: {"description": key.text, **_value_schema(key)} for key in KEYS.values()},
    }


def _value_schema(key: Key) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1}
    names = {"anyOf": [text, {"type": "array", "items": text}]}
    schemas: dict[Kind, dict[str, Any]] = {
        "names": names,
        "choice": {"enum": list(choices_of(key))},
        "levels": {"type": "object", "additionalProperties": {"enum": list(LEVELS)}},
        "globs": {"type": "array", "items": {"type": "string"}},
        "by-glob": {"type": "object", "additionalProperties": names},
        "text": text,
        "path": text,
        "flag": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 1},
        "date": {"type": "string", "format": "date"},
    }
    return schemas[key.kind]
