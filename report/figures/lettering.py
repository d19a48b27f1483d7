"""Text that must fit a width: broken into lines by the letters' real widths."""

import re
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

FONT = "DejaVu Sans"
"""Comes with matplotlib, so that every machine sets the same lines."""


def wrap(text: str, inches: float, points: float, breaks: str = " ") -> list[str]:
    """Lines of `text`, none wider than `inches` when set at `points`.

    Lines end after one of the letters in `breaks`; a piece that is too long for a line is cut.
    """
    stops = re.escape(breaks)
    lines = [""]
    for piece in re.findall(f"[^{stops}]*[{stops}]|[^{stops}]+", text):
        if width((lines[-1] + piece).rstrip(), points) > inches and lines[-1]:
            lines.append("")
        for letter in piece:
            if width((lines[-1] + letter).rstrip(), points) > inches and lines[-1]:
                lines.append("")
            lines[-1] += letter
    return [line.strip() for line in lines]


def width(text: str, points: float) -> float:
    """Inches that a line of text takes when set at `points`."""
    return sum(map(_advance, text)) * points / 72


@cache
def _advance(letter: str) -> float:
    """Of one letter, in ems. Kerning, which only narrows, is left out."""
    font = FontProperties(family=FONT, size=100)
    wide, _, _ = TextToPath().get_text_width_height_descent(f"|{letter}|", font, ismath=False)
    bars, _, _ = TextToPath().get_text_width_height_descent("||", font, ismath=False)
    return float(wide - bars) / 100
