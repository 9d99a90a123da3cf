"""JSON text to a value, and plain words for what is wrong with it.

`decode` hands nearly everything to a fast and strict decoder.  What that refuses goes through a scanner of our own
(`turnlint.source.scanner`), which is loaded only then.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from turnlint.source.document import Fault

MAX_DEPTH: Final = 10_000
"""Lists and objects inside each other that are still read.  What reads a value must not recurse along it."""

_LARGE: Final = 1 << 20  # bytes of one text

fast_decode = msgspec.json.Decoder().decode
"""The decoder itself: strict, and raises ValueError or RecursionError for what it refuses."""


def decode(data: bytes) -> tuple[Any, tuple[Fault, ...]]:
    """The value of a JSON text and the faults of the text; never raises.

    The value is `MISSING` exactly where a fault is fatal.  Half surrogates, NaN, raw control characters, bytes
    that are not UTF-8 (read as U+FFFD) and text behind the value leave it readable.
    """
    try:
        return (fast_decode(data) if len(data) < _LARGE else _decode_large(data)), ()
    except (ValueError, RecursionError):
        from turnlint.source.scanner import scan

        outcome = scan(data)
        return outcome.value, tuple(outcome.faults)


def _decode_large(data: bytes) -> Any:
    """The same for a large text, without looking for unreachable cycles again and again: what it makes has none.

    With many small lists that search takes four fifths of the time.
    """
    if not gc.isenabled():
        return fast_decode(data)
    gc.disable()
    try:
        return fast_decode(data)
    finally:
        gc.enable()
