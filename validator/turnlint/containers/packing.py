"""How histories are packed inside other values: JSON in strings, compressed bytes, OTLP values, flat dotted keys.

Everything here takes any value and never raises; what cannot be unpacked comes back as `MISSING` or as it was.
Depth is bounded where a value's own depth would lead.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from turnlint.source.decode import decode
from turnlint.source.document import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_LAYERS: Final = 3
"""JSON inside strings inside JSON: some exporters encode a value two or three times over."""

MAX_UNPACKED: Final = 64 * 1024 * 1024
"""Bytes that one compressed body may unpack to."""

_MAX_DEPTH: Final = 64  # of OTLP values inside each other
_MAX_INDEX: Final = 100_000  # of a list spelled by flat keys

#: Marks that tools leave where they cut the middle or the end out of a long text.
TRUNCATION = re.compile(
    r"litellm_truncated|\.\.\.\s?<truncated|<truncated|\[truncated\]|…\[truncated|\(truncated\)"
    r"|\[This value has been dropped because|dropped_io",
    re.IGNORECASE,
)
#: Texts that stand for something that was taken out on purpose.
REDACTION = re.compile(
    r"__REDACTED__|redacted-by-litellm|\[REDACTED|<redacted>|\*\*REDACTED\*\*|\[Scrubbed due to"
    r"|\[trimmed for fixture\]",
    re.IGNORECASE,
)


def text_of(value: Any) -> str | None:
    """Text or UTF-8 bytes as text; None for anything else.  Bytes that are not UTF-8 become U+FFFD."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None


def parse(text: str | bytes) -> Any:
    """The value of a JSON object or list; `MISSING` for any other text, JSON or not."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return MISSING
    value, faults = decode(raw)
    # Something behind the value is no matter to the decoder, and the difference between one value and two here.
    return MISSING if any(fault.kind == "syntax" and fault.pointer is None for fault in faults) else value


def encode(value: Any) -> bytes | None:
    """A decoded value as compact JSON; None where it cannot be written (half surrogates, far too deep, odd keys)."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None


def unwrap(value: Any) -> Any:
    """A value with up to `MAX_LAYERS` of JSON-in-a-string taken off; as it was where it holds no object or list."""
    for _ in range(MAX_LAYERS):
        if not isinstance(value, str):
            return value
        inner = _any_json(value)
        if inner is MISSING or not isinstance(inner, (dict, list, str)):
            return value
        value = inner
    return value


def _any_json(text: str) -> Any:
    start = text.lstrip()[:1]
    if start not in ("{", "[", '"'):
        return MISSING
    return decode(text.encode("utf-8", "surrogatepass"))[0]


def is_cut(text: str) -> bool:
    """Whether a text begins like a JSON object or list and does not parse: most likely it was cut off."""
    return text.lstrip()[:1] in ("{", "[") and parse(text) is MISSING


def expand(data: bytes) -> bytes | None:
    """Bytes unpacked as far as their own first bytes say that they are packed; None where they cannot be.

    What a header says of them is not asked: recordings keep the header and not the compression, or the other way
    round.
    """
    if data.startswith(b"\x1f\x8b"):
        return _inflate(data, 31)
    if data[:1] == b"\x78" and data[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
        return _inflate(data, 15)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return _unzstd(data)
    return data


def _inflate(data: bytes, window: int) -> bytes | None:
    packed = zlib.decompressobj(window)
    try:
        out = packed.decompress(data, MAX_UNPACKED)
    except zlib.error:
        return None
    return None if packed.unconsumed_tail else out


def _unzstd(data: bytes) -> bytes | None:
    try:
        import zstandard
    except ImportError:
        return None
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            out = reader.read(MAX_UNPACKED + 1)
    except zstandard.ZstdError:
        return None
    return None if len(out) > MAX_UNPACKED else out


def from_base64(text: Any) -> bytes | None:
    """The bytes of a base64 text, None where it is none."""
    if not isinstance(text, (str, bytes)):
        return None
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None


def any_value(value: Any, depth: int = 0) -> Any:
    """An OTLP `AnyValue` as a plain value; whole numbers written as text become numbers.

    `{"stringValue": …}`, `{"arrayValue": {"values": […]}}`, `{"kvlistValue": {"values": [{key, value}]}}` and their
    snake_case twins.  A value that is in none of these shapes comes back as it is.
    """
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return value
    for key, inner in value.items():
        match key:
            case "stringValue" | "string_value" | "boolValue" | "bool_value" | "doubleValue" | "double_value":
                return inner
            case "intValue" | "int_value":
                return int(inner) if isinstance(inner, str) and re.fullmatch(r"-?[0-9]{1,18}", inner) else inner
            case "arrayValue" | "array_value":
                values = inner.get("values") if isinstance(inner, dict) else None
                return [any_value(v, depth + 1) for v in values] if isinstance(values, list) else []
            case "kvlistValue" | "kvlist_value":
                return key_values(inner.get("values") if isinstance(inner, dict) else None, depth + 1)
            case "bytesValue" | "bytes_value":
                return inner
    return value


def key_values(pairs: Any, depth: int = 0) -> dict[str, Any]:
    """A list of `{key, value: AnyValue}` as an object; a plain object comes back as it is."""
    if isinstance(pairs, dict):
        return pairs
    if not isinstance(pairs, list):
        return {}
    return {
        pair["key"]: any_value(pair.get("value"), depth)
        for pair in pairs
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
    }


def unflatten(flat: Mapping[str, Any], prefix: str) -> tuple[Any, dict[tuple[str, ...], str]]:
    """What flat dotted keys under `prefix` spell: `a.0.b` is item 0 of list `a`, and its `b`.

    Returns the value, objects keyed by text (numbers too: lists are made of them by `as_list`, so that holes stay
    to be seen), and the flat key behind every leaf's path.
    """
    root: dict[str, Any] = {}
    origin: dict[tuple[str, ...], str] = {}
    start = len(prefix) + 1
    for key, value in flat.items():
        if not key.startswith(prefix + "."):
            continue
        steps = tuple(key[start:].split("."))
        if len(steps) > _MAX_DEPTH:
            continue
        node = root
        for step in steps[:-1]:
            inner = node.get(step)
            if not isinstance(inner, dict):
                inner = node[step] = {}
            node = inner
        if not isinstance(node.get(steps[-1]), dict):
            node[steps[-1]] = value
            origin[steps] = key
    return root, origin


def as_list(node: Any) -> tuple[list[tuple[int, Any]], bool]:
    """The items of an object keyed by numbers, in order, and whether they run from 0 without a hole."""
    if not isinstance(node, dict):
        return [], True
    items = sorted((int(key), value) for key, value in node.items() if _is_index(key))
    return items, all(number == place for place, (number, _) in enumerate(items))


def _is_index(key: Any) -> bool:
    return isinstance(key, str) and len(key) <= 6 and key.isascii() and key.isdigit() and int(key) <= _MAX_INDEX


def texts(value: Any, limit: int = 20_000) -> Iterable[str]:
    """The texts in a value, in no order that matters; no more than `limit` values are looked at."""
    pending = [value]
    seen = 0
    while pending and seen < limit:
        item = pending.pop()
        seen += 1
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def shown(value: Any, limit: int = 80) -> str:
    """A scalar as text, cut at a limit; a question mark for what is none, whatever size it has."""
    text = str(value) if isinstance(value, (str, int, float, bool)) else "?"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def word(value: Any) -> str:
    """A value where it is text, an empty text where it is anything else: safe to look up."""
    return value if isinstance(value, str) else ""
