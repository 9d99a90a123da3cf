"""What a verdict's limits say of a text: its pattern and its length.  Loaded with the list of rules, so it is small."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnlint.targets import Verdict


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


def fits(value: str, verdict: Verdict | None) -> bool:
    """Whether a text keeps the pattern and the lengths that a verdict carries."""
    if verdict is None:
        return True
    limits = verdict.limits
    pattern, minimum, maximum = limits.get("pattern"), limits.get("minimum"), limits.get("maximum")
    return not (
        (isinstance(pattern, str) and _pattern(pattern).fullmatch(value) is None)
        or (isinstance(minimum, int) and len(value) < minimum)
        or (isinstance(maximum, int) and len(value) > maximum)
    )
