"""Reports on files that were checked before, kept beside the project.

A report is kept under the hash of all it depends on: the bytes of the file, its name, the settings, and the mark of
the code that judges.  Where more may matter nothing is kept: for rules of other distributions, for files that cannot
be read, and for databases and archives.  Everything here may be missing, damaged or locked: then files are simply
checked.  The folder is no more trusted than the project it stands in, so that nothing in it is executed.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from turnlint.diagnostic import Diagnostic, FileInfo, Report
from turnlint.source.reader import is_text

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER: Final = ".turnlint_cache"
_FILE: Final = "reports"
_MAGIC: Final = b"turnlint reports 1\n"
_DIGEST: Final = 16  # bytes
_BLOCK: Final = 1 << 20
_MOST_BYTES: Final = 32 << 20  # of all that is kept; the least recently used goes first
_MOST_OF_ONE: Final = 256 << 10  # of one report
#: Packages that have a say in what is found.
_JUDGES: Final = ("turnlint", "turnlint_rules", "msgspec", "jsonschema", "jsonschema_rs", "yaml")

_Signature = tuple[int, int, int, int]


class Key(msgspec.Struct, frozen=True):
    """What a report on a file depends on, and how the file was when that was taken down."""

    digest: bytes
    signature: _Signature


class _Kept(msgspec.Struct, array_like=True):
    """A report as it is kept."""

    diagnostics: list[Diagnostic]
    files: list[FileInfo]
    messages: int
    transcripts: int


class Cache:
    """The reports kept in one folder.  `save` writes what is new; nothing here raises."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = self._read()
        self._used: dict[bytes, bytes] = {}
        self._is_new = False

    def key(self, path: Path, name: str, settings: Any, *, named: bool) -> Key | None:
        """Under what the report on a file is kept; None where it is not."""
        if settings.packs:
            return None
        try:
            if not stat.S_ISREG(path.stat().st_mode):  # a pipe can be read only once
                return None
            asked = msgspec.msgpack.encode((settings, name, named, _mark()), order="sorted")
            with path.open("rb") as file:
                signature = _signature(os.fstat(file.fileno()))
                head = file.read(_BLOCK)
                if not is_text(head):
                    return None
                digest = blake2b(len(asked).to_bytes(8, "big") + asked, digest_size=_DIGEST)
                digest.update(head)
                while block := file.read(_BLOCK):
                    digest.update(block)
        except (OSError, ValueError):
            return None
        return Key(digest.digest(), signature)

    def find(self, key: Key) -> Report | None:
        """The report kept under `key`."""
        raw = self._used.get(key.digest) or self._kept.get(key.digest)
        if raw is None:
            return None
        try:
            kept = msgspec.msgpack.decode(raw, type=_Kept)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        self._used[key.digest] = raw
        return Report(kept.diagnostics, kept.files, kept.messages, kept.transcripts)

    def keep(self, key: Key, path: Path, report: Report) -> None:
        """Keep a report, if the file is still what `key` was taken of."""
        if any(file.status == "unreadable" or _is_opened(file.container) for file in report.files):
            return
        try:
            if _signature(path.stat()) != key.signature:
                return
            raw = msgspec.msgpack.encode(
                _Kept(list(report.diagnostics), list(report.files), report.messages, report.transcripts)
            )
        except (OSError, TypeError, ValueError):  # lone surrogates cannot be written
            return
        if len(raw) <= _MOST_OF_ONE:
            self._used[key.digest] = raw
            self._is_new = True

    def save(self) -> None:
        """Write what was kept since, together with what another process may have written meanwhile."""
        if not self._is_new:
            return
        everything = {**self._read(), **self._used}
        for digest in self._used:  # the last to go
            everything[digest] = everything.pop(digest)
        size = sum(map(len, everything.values()))
        for digest in list(everything):
            if size <= _MOST_BYTES:
                break
            size -= len(everything.pop(digest))
        body = msgspec.msgpack.encode(everything)
        with suppress(OSError):
            self._make_folder()
            _write(self._folder / _FILE, _MAGIC + zlib.crc32(body).to_bytes(4, "big") + body)
            self._is_new = False

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), (self._folder / ".gitignore").open("x", encoding="utf-8") as file:
            file.write("# Made by turnlint; may be deleted at any time.\n*\n")

    def _read(self) -> dict[bytes, bytes]:
        """All that is kept on disk, the least recently used first; nothing where that cannot be read."""
        start = len(_MAGIC) + 4
        try:
            data = (self._folder / _FILE).read_bytes()
            if not data.startswith(_MAGIC) or zlib.crc32(data[start:]) != int.from_bytes(
                data[start - 4 : start], "big"
            ):
                return {}
            return msgspec.msgpack.decode(memoryview(data)[start:], type=dict[bytes, bytes])
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return {}


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing.  Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _signature(status: os.stat_result) -> _Signature:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_opened(container: str | None) -> bool:
    """Whether a container may be read otherwise than as text: then more than this one file may matter."""
    from turnlint.containers import OPENERS

    return container is not None and container.replace("-", "_") in OPENERS.values()


@cache
def _mark() -> bytes:
    """A mark of the code that judges, which differs once any of it is replaced or edited."""
    digest = blake2b(repr(sys.version_info).encode(), digest_size=_DIGEST)
    for name in _JUDGES:
        spec = find_spec(name)
        origin = spec.origin if spec is not None else None
        if origin is None:
            continue
        own = name.startswith("turnlint")
        for path, status in sorted(_files(str(Path(origin).parent))) if own else [(origin, _stat(origin))]:
            digest.update(f"{path}\0{status}\0".encode("utf-8", "surrogateescape"))
    return digest.digest()


def _files(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Everything below a package's folder that is no bytecode, with size and time of the last change."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                status = entry.stat()
                yield entry.path, (status.st_size, status.st_mtime_ns)


def _stat(path: str) -> tuple[int, int]:
    with suppress(OSError):
        status = Path(path).stat()
        return status.st_size, status.st_mtime_ns
    return 0, 0
