"""What a terminal may be sent: text that cannot steer it, colour where it is wanted, and widths in columns."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Control characters (C0, DEL, C1), line separators, what reorders or hides text (bidirectional marks, invisible
# operators, tag characters), halves of surrogate pairs (which no encoding can write), and non-characters.
_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_STYLES = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;36m",
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "good": "\x1b[32m",
    "fix": "\x1b[36m",
    "hue 1": "\x1b[1;34m",
    "hue 2": "\x1b[1;36m",
    "hue 3": "\x1b[1;32m",
    "hue 4": "\x1b[1;35m",
    "hue 5": "\x1b[1;94m",
    "hue 6": "\x1b[1;95m",
}
HUES = ("hue 1", "hue 2", "hue 3", "hue 4", "hue 5", "hue 6")
"""Styles that tell things apart; none of them is that of an error or a warning."""
_WORDS = re.compile(r" *[^ ]+ *| +")
_RESET = "\x1b[0m"
_ADDRESS = re.compile(r"https://[\w./#?=&%~+-]{1,300}", re.ASCII)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def clean(text: str) -> str:
    """`text` on one line, with everything that could steer a terminal or mislead its reader written as an escape."""
    return text if text.isprintable() else _unsafe().sub(_escape, text)


@cache
def _unsafe() -> re.Pattern[str]:
    """All of these are characters that Python does not call printable, so that most text needs no pattern."""
    return re.compile(_UNSAFE)


def clean_lines(text: str) -> str:
    """Like `clean`, for text of several lines that is ours: its line ends stay."""
    return "\n".join(clean(line) for line in text.split("\n"))


def clean_path(path: str) -> str:
    """A file name for the start of a line.  A name that a CI log would take for a command gets ``./`` in front."""
    shown = clean(path)
    return f"./{shown}" if shown.startswith((":", "#", "-", " ")) else shown


def no_command(line: str) -> str:
    """A line that no CI log takes for a command, whatever text it begins with."""
    start = line.lstrip(" ")
    if not start.startswith(("::", "##[", "##vso")):
        return line
    return f"{line[: len(line) - len(start)]}\\x{ord(start[0]):02x}{start[1:]}"


def width(text: str) -> int:
    """The columns that clean text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    columns = 0
    for char in text:
        if unicodedata.combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
            continue
        columns += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return columns


def wrap(text: str, room: int) -> list[str]:
    """Clean text in lines of at most `room` columns, parted at spaces where there are any; at least one line."""
    if text.isascii() and len(text) <= room:
        return [text]
    lines: list[str] = []
    line, columns = "", 0
    for word in _WORDS.findall(text):
        taken = width(word)
        if columns + width(word.rstrip(" ")) <= room:
            line, columns = line + word, columns + taken
            continue
        if line:
            lines.append(line.rstrip(" "))
            line, columns = "", 0
        for piece in _pieces(word, room):
            if line:
                lines.append(line.rstrip(" "))
            line, columns = piece, width(piece)
    return [*lines, line.rstrip(" ")] if line or not lines else lines


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces of at most `room` columns."""
    start = columns = 0
    for at, char in enumerate(word):
        taken = width(char)
        if columns + taken > room and at > start:
            yield word[start:at]
            start, columns = at, 0
        columns += taken
    yield word[start:]


class Paint:
    """Puts colour around text, and makes links of it, or leaves it alone."""

    def __init__(self, *, color: bool, links: bool = False) -> None:
        self.color = color
        self.links = links

    def __call__(self, style: str, text: str) -> str:
        return f"{_STYLES[style]}{text}{_RESET}" if self.color and text else text

    def link(self, address: str, text: str) -> str:
        """Clean `text` that leads to `address` where the terminal makes links (OSC 8)."""
        if not self.links or not _ADDRESS.fullmatch(address):
            return text
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def wants_color(choice: str, environ: Mapping[str, str], *, is_tty: bool) -> bool:
    """Whether to colour: the option first, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, and the terminal last."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if environ.get(name):
            return environ[name] not in ("0", "false")
    return is_tty and environ.get("TERM") != "dumb"


_LINKING = frozenset(
    {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty", "zed", "rio", "Tabby", "WarpTerminal"}
)
_LINKING_TERMS = frozenset({"xterm-kitty", "xterm-ghostty", "alacritty", "alacritty-direct", "foot", "foot-extra"})


def wants_links(environ: Mapping[str, str], *, is_tty: bool) -> bool:
    """Whether to make links: NO_HYPERLINK first, then FORCE_HYPERLINK, and then what is known of the terminal.

    A terminal that does not know them may print rubbish, and a multiplexer may swallow them.
    """
    if environ.get("NO_HYPERLINK") or environ.get("NO_HYPERLINKS"):
        return False
    if environ.get("FORCE_HYPERLINK"):
        return environ["FORCE_HYPERLINK"] not in ("0", "false")
    if not is_tty or environ.get("TERM") == "dumb" or environ.get("CI") or "TMUX" in environ or "STY" in environ:
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in _LINKING
        or environ.get("TERM") in _LINKING_TERMS
        or any(name in environ for name in ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM"))
        or (vte.isdecimal() and int(vte) >= 5000)
    )
