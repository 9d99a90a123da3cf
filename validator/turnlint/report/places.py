"""How machine formats name files: relative to the project, as a URI where they want one."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from turnlint.baseline import relative

if TYPE_CHECKING:
    from pathlib import Path


def file_name(path: str | None, base: Path) -> str:
    """`path` from the folder `base`; a path outside of it stays absolute, and what was no file is ``<document>``."""
    return "<document>" if path is None else relative(path, base)


def file_uri(path: str | None, base: Path) -> str:
    """Like `file_name`, as a URI reference: relative, or with the scheme ``file``."""
    name = file_name(path, base)
    try:
        raw = name.encode("utf-8", "surrogateescape")  # the bytes of a name that is not UTF-8
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "replace")
    # A colon in the first step of a relative reference would make a scheme of it.
    quoted = quote(raw, safe="/-._~!$&'()*+,;=@")
    if not PurePath(name).is_absolute():
        return quoted
    return f"file://{quoted}" if quoted.startswith("/") else f"file:///{quoted}"
