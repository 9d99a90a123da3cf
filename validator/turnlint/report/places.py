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
    if PurePath(name).is_absolute():
        return PurePath(name.encode("utf-8", "replace").decode()).as_uri()
    # A colon in the first step of a relative reference would make a scheme of it.
    return quote(name.encode("utf-8", "replace"), safe="/-._~!$&'()*+,;=@")
