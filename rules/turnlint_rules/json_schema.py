"""JSON Schema checks on what strangers wrote: schema and value both come from a transcript.

Nothing is fetched: a `$ref` that leaves the schema makes it unusable here.  Work is bounded: sizes, depths, how often
references are followed; regular expressions run only if they cannot run away, on short strings.  Where a bound is
met, nothing is found.  `jsonschema-rs` is used where it is installed and the schema has none of the keywords that
need a guard, so that the verdicts are the same with and without it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from turnlint.declared import plainly_sound, surely_fits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_NODES = 20_000  # of a schema
MAX_VALUES = 50_000  # of an instance
MAX_WORK = 4_000_000  # schema nodes times instance values
MAX_DEPTH = 80
MAX_REFERENCES = 2_000  # followed in one validation
MAX_PATTERN = 300
MAX_MATCHED = 256
MAX_ERRORS = 5

_UPPER_TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_DRAFTS = ("Draft202012Validator", "Draft201909Validator", "Draft7Validator", "Draft6Validator", "Draft4Validator")
#: Types as Gemini's SDKs number them.
_NUMBERED_TYPES = {1: "string", 2: "number", 3: "integer", 4: "boolean", 5: "array", 6: "object", 7: "null"}
#: Keywords whose value is data, not a schema.
_DATA = frozenset({"enum", "const", "default", "examples", "example", "required", "title", "description", "$comment"})


class Violation(Struct, frozen=True):
    """One way in which a value does not fit: the path to the value and a short sentence."""

    path: tuple[str | int, ...]
    message: str


class UnusableError(Exception):
    """The schema cannot be used here: too large, or it refers to something outside."""


class Compiled:
    """A schema made ready.  `problem` says why it is no JSON Schema, else None."""

    def __init__(self, schema: Any) -> None:
        self.problem: str | None = None
        self._nodes = 0
        self._quick: Any = None
        self._class: Any = None
        self._schema: Any = None
        if not isinstance(schema, (dict, bool)):
            self.problem = f"it is {_kind(schema)}, no object"
            return
        normal = _Normal()
        self._schema = normal.schema(schema)
        self._nodes = normal.nodes
        self._guarded = normal.guarded
        self._settled = False
        if not plainly_sound(self._schema):
            self._settle()

    def _settle(self) -> None:
        """Ask the validator's package what kind of schema it is; loading that costs more than any check."""
        self._settled = True
        self._class, self.problem = _draft_of(self._schema)
        if self.problem is None and not self._guarded and getattr(self._class, "__name__", "") == _DRAFTS[0]:
            self._quick = _rust(self._schema)

    def violations(self, value: Any) -> list[Violation]:
        """How `value` does not fit, at most `MAX_ERRORS`; empty where it fits or a bound was met."""
        if self.problem is not None or (self._settled and self._class is None):
            return []
        count = _size(value)
        if count is None or count * self._nodes > MAX_WORK:
            return []
        try:
            if surely_fits(self._schema, value):
                return []
            if not self._settled:
                self._settle()
            if self._quick is not None and self._quick.is_valid(value):
                return []
            return list(self._slow(value))
        except Exception:  # a schema of a stranger may fail in any way, and then says nothing
            return []

    def _slow(self, value: Any) -> Iterator[Violation]:
        import referencing

        guarded = _guarded(self._class)
        validator = guarded(self._schema, registry=referencing.Registry())
        _budget[0] = MAX_REFERENCES
        for number, error in enumerate(validator.iter_errors(value)):
            if number >= MAX_ERRORS:
                return
            yield Violation(tuple(error.absolute_path), _sentence(error))


@lru_cache(maxsize=256)
def _compiled(text: bytes) -> Compiled:
    return Compiled(msgspec.json.decode(text))


def compiled(schema: Any) -> Compiled:
    """A schema made ready; the same schema is made ready once.  Raises `UnusableError`."""
    try:
        text = msgspec.json.encode(schema)
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        raise UnusableError("the schema cannot be written down") from error
    if len(text) > 2_000_000:
        raise UnusableError("the schema is too large")
    return _compiled(text)


def _kind(value: Any) -> str:
    return {str: "a text", list: "a list", type(None): "null", int: "a number", float: "a number"}.get(
        type(value), "no schema"
    )


class _Normal:
    """A copy of a schema in plain JSON Schema, counted and bounded.

    Gemini's upper-case types and OpenAPI's `nullable` are written out; patterns that could run away are left out, with
    what depends on them.  `guarded` tells that references or patterns are left in.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.guarded = False

    def schema(self, value: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise UnusableError("the schema is too large")
        if isinstance(value, list):
            return [self.schema(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        made: dict[str, Any] = {}
        for key, item in value.items():
            if key in _DATA:
                made[key] = item
            elif key in ("properties", "$defs", "definitions", "dependentSchemas") and isinstance(item, dict):
                made[key] = {name: self.schema(inner, depth + 1) for name, inner in item.items()}
            elif key == "type":
                made[key] = _lower(item)
            elif key == "pattern":
                if isinstance(item, str) and safe_pattern(item) is not None:
                    made[key], self.guarded = item, True
            elif key == "multipleOf":
                if isinstance(item, int):  # of a fraction, binary floating point decides, and not the schema
                    made[key] = item
            elif key in ("$ref", "$dynamicRef", "$recursiveRef"):
                if not isinstance(item, str) or not item.startswith("#"):
                    raise UnusableError("the schema refers to something outside of it")
                made[key], self.guarded = item, True
            elif key in ("$id", "id", "$anchor", "$dynamicAnchor", "uniqueItems", "patternProperties", "format"):
                if key == "id" and isinstance(item, (dict, list)):
                    made[key] = self.schema(item, depth + 1)
            else:
                made[key] = self.schema(item, depth + 1)
        if "patternProperties" in value:
            made.pop("additionalProperties", None)
            made.pop("unevaluatedProperties", None)
        if value.get("nullable") is True:
            _allow_null(made)
        return made


def _lower(kind: Any) -> Any:
    if isinstance(kind, str) and kind in _UPPER_TYPES:
        return kind.lower()
    if type(kind) is int and kind in _NUMBERED_TYPES:
        return _NUMBERED_TYPES[kind]
    if isinstance(kind, list):
        return [_lower(item) for item in kind]
    return kind


def _allow_null(schema: dict[str, Any]) -> None:
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        schema["type"] = [*kind, "null"]
    allowed = schema.get("enum")
    if isinstance(allowed, list) and None not in allowed:
        schema["enum"] = [*allowed, None]


def _draft_of(schema: Any) -> tuple[Any, str | None]:
    """The draft in which a schema is sound: the one that it names, else the newest that takes it."""
    import jsonschema
    import referencing.exceptions

    named = schema.get("$schema") if isinstance(schema, dict) else None
    classes = [getattr(jsonschema, name) for name in _DRAFTS]
    if isinstance(named, str):
        wanted = jsonschema.validators.validator_for({"$schema": named}, default=classes[0])
        classes = [wanted, *(c for c in classes if c is not wanted)]
    bare = {k: v for k, v in schema.items() if k != "$schema"} if isinstance(schema, dict) else schema
    problem = "it is no JSON Schema"
    for number, draft in enumerate(classes):
        try:
            draft.check_schema(bare)
        except jsonschema.SchemaError as error:
            if number == 0:
                problem = _sentence(error)
        except (RecursionError, re.error, referencing.exceptions.Unresolvable):
            return None, None
        else:
            return draft, None
    return None, problem


def _rust(schema: Any) -> Any:
    """The same schema compiled by jsonschema-rs, or None where it is not installed or will not have it."""
    try:
        import jsonschema_rs  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    try:
        return jsonschema_rs.validator_for(schema)
    except Exception:  # the slow way remains
        return None


_budget = [0]


class _SpentError(Exception):
    """References were followed too often."""


@lru_cache(maxsize=8)
def _guarded(draft: Any) -> Any:
    """A validator class whose patterns and references are guarded."""
    import jsonschema

    replaced: dict[str, Callable[..., Any]] = {"pattern": _pattern}
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in draft.VALIDATORS:
            replaced[keyword] = _counted(draft.VALIDATORS[keyword])
    return jsonschema.validators.extend(draft, replaced)  # type: ignore[no-untyped-call]


def _counted(follow: Callable[..., Any]) -> Callable[..., Any]:
    def followed(validator: Any, reference: Any, instance: Any, schema: Any) -> Iterator[Any]:
        _budget[0] -= 1
        if _budget[0] < 0:
            raise _SpentError
        yield from follow(validator, reference, instance, schema) or ()

    return followed


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    import jsonschema

    if not isinstance(instance, str) or len(instance) > MAX_MATCHED or not isinstance(pattern, str):
        return
    regex = safe_pattern(pattern)
    if regex is not None and regex.search(instance) is None:
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\d*\}|\{\d{3,}\}")
_OPTIONAL = re.compile(r"(?<!\()\?")


@lru_cache(maxsize=512)
def safe_pattern(pattern: str) -> re.Pattern[str] | None:
    """The compiled pattern, or None where it is none or could run for ever.

    What is repeated may be no group, at most two repeats are unbounded and eight optional, and there are no back
    references or look-arounds: matching is then at worst cubic in a string of `MAX_MATCHED` characters.
    """
    if len(pattern) > MAX_PATTERN:
        return None
    bare = _CLASS.sub("c", re.sub(r"\\[^\d]", "c", pattern, flags=re.DOTALL))
    if re.search(r"\)[*+{?]|\\\d|\(\?[^:]", bare):
        return None
    if len(_UNBOUNDED.findall(bare)) > 2 or len(_OPTIONAL.findall(bare)) > 8:
        return None
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def _size(value: Any) -> int | None:
    """How many values there are in a value; None where they are too many or too deep."""
    count, level = 0, [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            count += 1
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if count + len(below) > MAX_VALUES:
            return None
        if not below:
            return count
        level = below
    return None


def _sentence(error: Any) -> str:
    """A validator's message, cut short and without the values it quotes."""
    keyword, limit = error.validator, error.validator_value
    where = "/".join(str(step)[:40] for step in error.absolute_path)
    prefix = f"{where}: " if where else ""
    if keyword == "required":
        return prefix + str(error.message)[:120]
    if keyword == "type":
        wanted = " or ".join(map(str, limit)) if isinstance(limit, list) else str(limit)
        return f"{prefix}{_type_name(error.instance)} where {wanted[:60]} is wanted"
    if keyword == "enum":
        return f"{prefix}the value is none of the {len(limit) if isinstance(limit, list) else ''} allowed ones"
    if keyword == "additionalProperties":
        return prefix + str(error.message)[:160]
    if keyword in ("anyOf", "oneOf"):
        return f"{prefix}the value is none of what is allowed there"
    return f"{prefix}it does not satisfy {str(keyword)[:40]}"


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", list: "array", dict: "object", int: "integer", float: "number"}.get(type(value), "value")
