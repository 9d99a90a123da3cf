"""Values that stand for something taken out: redacted, trimmed or anonymised text."""

from __future__ import annotations

import re

_WORD = (
    r"redact|remov|omit|trimmed|truncat|hidden|mask|anonymi[sz]|scrub|saniti[sz]|elided|snip|censor|filtered|placeholder"
    r"|normalized_|confidential|private|stripped"
)
#: At the beginning: the word itself, in whatever brackets.
_BEGINS = re.compile(rf"\s{{0,6}}(?:[\[<({{_*#%$]{{1,3}}\s?(?:{_WORD})|[\"']?redacted)", re.IGNORECASE)
#: The whole value: dots, stars or crosses, an address of something kept elsewhere, a template's slot, a hash.
_WHOLE = re.compile(
    r"\s*(?:\.{2,}|…|[*]{2,}|[xX]{3,}|[-_]{2,}|[a-z][a-z0-9+.-]{1,20}://\S{1,500}|\{\{.{0,200}\}\}|\$\{.{0,200}\}|<[^<>]{1,60}>"
    r"|(?:sha\d{1,3}:)?[0-9a-f]{32,128})\s*",
    re.ASCII | re.DOTALL,
)
#: Anywhere: the marks that loggers leave where they cut.
_MARKS = re.compile(
    r"litellm_truncated|<truncated|\[truncated|truncated>|…\[|\[\.\.\.\]|\.\.\.\[|<snip|REDACTED", re.IGNORECASE
)
_LOOKED_AT = 4096  # characters at either end of a long value


def looks_redacted(value: object) -> bool:
    """Whether a text stands for something taken out, in whole or in part."""
    if not isinstance(value, str) or not value:
        return False
    head = value[:_LOOKED_AT]
    if _BEGINS.match(head) or (len(value) <= 600 and _WHOLE.fullmatch(value)):
        return True
    if _MARKS.search(head) or (len(value) > _LOOKED_AT and _MARKS.search(value[-_LOOKED_AT:])):
        return True
    return value.endswith(("...", "…"))
