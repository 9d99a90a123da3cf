"""Ratios as bars, drawn as SVG without any library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLOURS = {
    "turnlint": "#0b6e4f",
    "turnlint, all cores": "#5fb49c",
    "turnsafe": "#c44536",
    "tessera-transcript": "#e09f3e",
    "tool-call-repair": "#7d8597",
}
_LEFT, _WIDTH, _BAR, _GAP, _TOP = 210, 560, 13, 12, 58
_LEAST, _MOST = 0.25, 256.0


def _x(ratio: float) -> float:
    """Where a ratio lies on the logarithmic axis."""
    share = math.log(max(_LEAST, min(_MOST, ratio)) / _LEAST) / math.log(_MOST / _LEAST)
    return _LEFT + share * _WIDTH


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def svg(rows: Mapping[str, Mapping[str, float]]) -> str:
    """A picture of `rows`: for each file the time of each side, as a multiple of that of json.loads."""
    body: list[str] = []
    y = float(_TOP)
    for name, sides in rows.items():
        body.append(_text(_LEFT - 10, y + len(sides) * _BAR / 2 + 4, name, anchor="end"))
        for side, ratio in sides.items():
            width = max(1.0, _x(ratio) - _LEFT)
            body.append(
                f'<rect x="{_LEFT}" y="{y:.1f}" width="{width:.1f}" height="{_BAR - 2}" fill="{_COLOURS[side]}"/>'
            )
            body.append(_text(_LEFT + width + 4, y + _BAR - 4, f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"))
            y += _BAR
        y += _GAP
    axis = []
    ratio = _LEAST
    while ratio <= _MOST:
        x = _x(ratio)
        stroke = "#333" if ratio == 1 else "#ddd"
        axis.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{y:.0f}" stroke="{stroke}"/>')
        axis.append(_text(x, _TOP - 12, f"{ratio:g}", anchor="middle"))
        ratio *= 4
    legend, x = [], 10.0
    for side, colour in _COLOURS.items():
        legend.append(f'<rect x="{x:.0f}" y="10" width="10" height="10" fill="{colour}"/>')
        legend.append(_text(x + 14, 19, side))
        x += 30 + 7 * len(side)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 60}" height="{y:.0f}" '
        f'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
        f"<title>Time of a check, as a multiple of json.loads over the same bytes</title>"
    )
    return "\n".join([head, *axis, *legend, *body, "</svg>"]) + "\n"
