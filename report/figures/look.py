"""Style of all figures: one or two columns wide, readable in grey, the same bytes every time."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import TextToPath

from arena.files import atomic_file

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


COLUMN, PAGE_WIDTH, PAGE_HEIGHT = 3.5, 7.0, 9.4
"""Inches: one column of a two-column page, both columns, and the most that a figure may be high."""

TEXT, TICKS, SMALL = 6.5, 6.0, 5.0
"""Points."""

GREY, LIGHT = "#555555", "#E2E2E2"
CHILDREN, TEAMS = "#0072B2", "#767676"
EDGE = 0.04
"""Inches between text and the figure's edge."""
NOTE_LINE = 0.083
"""Inches of a line of small print."""

SETTINGS: Any = {
    "font.family": FONT,
    "font.size": TEXT,
    "text.parse_math": False,
    "axes.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "errorbar.capsize": 1.4,
    "legend.frameon": False,
    **{
        f"{axis}tick.{name}": value
        for axis in "xy"
        for name, value in (("major.size", 2), ("major.width", 0.5), ("major.pad", 1.5), ("labelsize", TICKS))
    },
    "pdf.fonttype": 42,
    "svg.hashsalt": "arena-llm",
}
"""Matplotlib's settings for all figures."""

ENDINGS = ("png", "svg", "pdf")


class Style(NamedTuple):
    """Colour, marker, fill and size of somebody's marks."""

    color: str
    marker: str
    face: str
    size: float = 3.2

    def mark(self) -> dict[str, Any]:
        """Return the style as matplotlib's options."""
        fill = {"markerfacecolor": self.face, "markersize": self.size}
        return {"color": self.color, "marker": self.marker, **fill}


_COLORS = ("#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00")
_MARKERS = "os^vDP"


def run_styles(agents: Sequence[str]) -> dict[str, Style]:
    """A style for every run: Okabe and Ito's colours, and a marker each, so that print in grey is enough."""
    return {
        agent: Style(color, _MARKERS[place % len(_MARKERS)], "white" if place // 30 % 2 else color)
        for place, agent in enumerate(agents)
        for color in [_COLORS[place % len(_COLORS)]]
    }


def run_handles(styles: Mapping[str, Style]) -> list[Line2D]:
    """Entries of a key for runs."""
    return [Line2D([], [], lw=0.8, label=agent, **style.mark()) for agent, style in styles.items()]


@contextmanager
def canvas(wide: float, high: float, notes: Sequence[str]) -> Iterator[tuple[Figure, float]]:
    """A figure of `wide` x `high` inches and below it `notes` in small print; yields it and their height."""
    lines = small_print(notes, wide)
    below = notes_height(notes, wide)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(wide, high + below))
        FigureCanvasAgg(figure)
        for number, line in enumerate(lines):
            y = (below - 0.05 - NOTE_LINE * number) / (high + below)
            figure.text(EDGE / wide, y, line, size=SMALL, color=GREY, va="top")
        yield figure, below


def small_print(notes: Sequence[str], wide: float) -> list[str]:
    """Lines of notes in small print across a figure, `wide` in inches."""
    return [part for note in notes for part in wrap(note, wide - 2 * EDGE, SMALL)]


def notes_height(notes: Sequence[str], wide: float) -> float:
    """Inches that `canvas` gives to notes."""
    return NOTE_LINE * len(small_print(notes, wide)) + 0.05


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, SVG or PDF by the path's ending; the same figure gives the same bytes."""
    metadata: dict[str, dict[str, None]] = {
        ".svg": {"Date": None},
        ".pdf": {"CreationDate": None},
        ".png": {"Software": None},
    }
    with matplotlib.rc_context(SETTINGS), atomic_file(path) as beside:
        figure.savefig(beside, dpi=300, metadata=metadata[path.suffix])


def panel(figure: Figure, left: float, bottom: float, wide: float, high: float) -> Axes:
    """Axes at a place in inches, with a frame at the bottom and the left only."""
    page_wide, page_high = figure.get_size_inches()
    return figure.add_axes((left / page_wide, bottom / page_high, wide / page_wide, high / page_high))


def percents(axes: Axes, axis: Literal["x", "y"] = "y") -> None:
    """An axis from 0 to 100 % with light lines at every quarter."""
    limits, ticks = (axes.set_ylim, axes.set_yticks) if axis == "y" else (axes.set_xlim, axes.set_xticks)
    limits(0, 100)
    ticks(range(0, 101, 25))
    axes.grid(axis=axis, color=LIGHT, linewidth=0.5)


def mark_rates(
    axes: Axes,
    rates: pd.DataFrame,
    places: Sequence[float] | npt.NDArray[np.float64],
    style: Style,
    axis: Literal["x", "y"] = "x",
    **look: Any,
) -> None:
    """A mark at each rate, `axis` being that of percents, at `places` on the other axis, with its interval.

    `rates` has the columns `pass_rate`, `low` and `high`; where these two are NaN there is no interval. If it
    has `judged_rate` and `most`, what missing trials leave open is drawn too: see `MISSING`.
    """
    if "most" in rates:
        _mark_missing(axes, rates, places, style, axis)
    rate, low, high = (100 * rates[key].to_numpy(float) for key in ("pass_rate", "low", "high"))
    spread = None if np.isnan(low).all() else (rate - low, high - rate)
    where: Any = {"x": rate, "y": places, "xerr": spread}
    if axis == "y":
        where = {"x": places, "y": rate, "yerr": spread}
    thin: Any = {"elinewidth": 0.8, "capthick": 0.8, "clip_on": False}
    axes.errorbar(**where, **{"ls": "", **thin, **style.mark(), **look})


MISSING = (
    "Trials without a verdict count as failed; dotted: up to the rate if all of them had passed; hollow "
    "circle: rate of the trials with a verdict."
)
"""What `_mark_missing` draws, for captions and small print."""


def _mark_missing(
    axes: Axes,
    rates: pd.DataFrame,
    places: Sequence[float] | npt.NDArray[np.float64],
    style: Style,
    axis: Literal["x", "y"],
) -> None:
    """A dotted line from each rate to its upper bound, and the rate of the judged trials on it."""
    options: Any = {"color": style.color, "clip_on": False, "zorder": 2.5}
    for row, place in zip(rates.to_dict("records"), places, strict=True):
        if not row["most"] - row["pass_rate"] > 1e-9:
            continue
        along, judged = [100 * row["pass_rate"], 100 * row["most"]], [100 * row["judged_rate"]]
        marks: list[tuple[list[float], Any]] = [(along, {"ls": ":", "lw": 0.8, "gid": "missing"})]
        marks += [] if np.isnan(judged).any() else [(judged, _CIRCLE)]
        for values, look in marks:
            ends = (values, [place] * len(values))
            axes.plot(*(ends if axis == "x" else ends[::-1]), **look, **options)


_CIRCLE: Any = {
    **{"ls": "", "marker": "o", "markersize": 2.4, "markerfacecolor": "white", "markeredgewidth": 0.6},
    "gid": "judged",
}


def shortened(text: str, inches: float, points: float = TEXT, lines: int = 2) -> str:
    """A name in at most this number of `lines`, the last cut short if the name is longer."""
    parts = wrap(text, inches, points, " /_-")
    if len(parts) > lines:
        last = parts[lines - 1]
        while last and width(last + "…", points) > inches:
            last = last[:-1]
        parts = [*parts[: lines - 1], last + "…"]
    return "\n".join(parts)
