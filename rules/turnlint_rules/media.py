"""What the first bytes of a picture or document tell: its type and the length of its sides.

Only the head of the base64 text is decoded, so that the cost does not hang on what the transcript holds.
"""

from __future__ import annotations

import base64
import binascii
import struct

HEAD = 64
JPEG_HEAD = 1 << 17

_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
)


def head_of(data: str, length: int = HEAD) -> bytes:
    """The bytes that the first `length` characters of a base64 text stand for; empty where they are no base64."""
    text = "".join(data[:length].split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(text[: len(text) - (len(text) % 4 == 1)] + "===", validate=False)
    except (binascii.Error, ValueError):
        return b""


def type_of(data: str) -> str | None:
    """The media type that the first bytes show, or None where they show none that is known."""
    head = head_of(data)
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def is_markup(data: str) -> bool:
    """Whether the first bytes are those of a text in markup (SVG, HTML, XML), which no vision model takes."""
    return (
        head_of(data)
        .lstrip(b"\xef\xbb\xbf \t\r\n")
        .startswith((b"<svg", b"<?xml", b"<!DOCTYPE", b"<!doctype", b"<html"))
    )


def sides_of(data: str) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, WebP or JPEG, or None where the head does not tell."""
    head = head_of(data)
    try:
        if head.startswith(b"\x89PNG") and head[12:16] == b"IHDR":
            return struct.unpack(">II", head[16:24])
        if head.startswith(b"GIF8"):
            return struct.unpack("<HH", head[6:10])
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return _webp(head)
        if head.startswith(b"\xff\xd8"):
            return _jpeg(head_of(data, JPEG_HEAD))
    except struct.error:
        return None
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", head[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    """Walks from marker to marker until the frame header."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        if marker == 0xFF:
            at += 1
            continue
        at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4], "big"))
    return None
