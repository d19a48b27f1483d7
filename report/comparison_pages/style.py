"""How the comparison's figures look: one look for all, for one or two columns of a page."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from report.figure import SETTINGS, WIDTH, small_print
from report.lettering import width, wrap

COLUMN, PAGE_WIDTH = WIDTH, 2 * WIDTH
"""Inches: one column, and both."""

TEXT, TICKS, SMALL = 6.5, 6.0, 5.0
"""Points."""

GREY = "#555555"
CHILDREN, TEAMS, PEOPLE = "#0072B2", "#767676", "#56B4E9"
NOTE_LINE = 0.083
"""Inches of a line of small print."""


class Style(NamedTuple):
    """Colour, marker and fill of a run's marks."""

    color: str
    marker: str
    face: str


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
    return [
        Line2D(
            *([], []),
            color=style.color,
            marker=style.marker,
            markerfacecolor=style.face,
            markersize=3.2,
            lw=0.8,
            label=agent,
        )
        for agent, style in styles.items()
    ]


@contextmanager
def canvas(wide: float, high: float, notes: Sequence[str]) -> Iterator[tuple[Figure, float]]:
    """A figure of `wide` x `high` inches and below it `notes` in small print; yields it and their height."""
    lines = small_print(notes, wide)
    below = NOTE_LINE * len(lines) + 0.05
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(wide, high + below))
        FigureCanvasAgg(figure)
        for number, line in enumerate(lines):
            y = (below - 0.05 - NOTE_LINE * number) / (high + below)
            figure.text(0.04 / wide, y, line, size=SMALL, color=GREY, va="top")
        yield figure, below


def panel(figure: Figure, left: float, bottom: float, wide: float, high: float) -> Axes:
    """Axes at a place in inches, without frame but for the bottom and the left."""
    page_wide, page_high = figure.get_size_inches()
    box = (left / page_wide, bottom / page_high, wide / page_wide, high / page_high)
    axes = figure.add_axes(box)
    axes.tick_params(length=2, width=0.5, pad=1.5, labelsize=TICKS)
    axes.spines[["right", "top"]].set_visible(False)
    axes.set_axisbelow(True)
    return axes


def percents(axes: Axes, axis: Literal["x", "y"] = "y") -> None:
    """An axis from 0 to 100 % with light lines at every quarter."""
    limits, ticks = (axes.set_ylim, axes.set_yticks) if axis == "y" else (axes.set_xlim, axes.set_xticks)
    limits(0, 100)
    ticks(range(0, 101, 25))
    axes.grid(axis=axis, color="#E2E2E2", linewidth=0.5)


def shortened(text: str, inches: float, points: float = TEXT) -> str:
    """A name in at most two lines, the second cut short where it is longer."""
    lines = wrap(text, inches, points, " /_-")
    if len(lines) <= 2:
        return "\n".join(lines)
    second = lines[1]
    while second and width(second + "…", points) > inches:
        second = second[:-1]
    return f"{lines[0]}\n{second}…"
