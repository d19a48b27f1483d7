"""The figure of a run: a forest plot, level by level, beside children, competition and published models.

Every row carries its own name and numbers, so nothing needs a legend to be told apart, and no label can
cover another whatever the values are.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import Affine2D, ScaledTranslation, Transform, blended_transform_factory

from report.comparison import Row, percent, who
from report.lettering import FONT, wrap

WIDTH = 3.5
"""Inches: one column of a two-column page."""

PAGE = 9.4
"""Inches: rows are set closer, and then in two columns, where the figure would be higher than this."""

_EDGE, _INDENT = 0.04, 0.1
_PLOT = (1.13, 2.42)
"""Left and right end of the axis from 0 to 100 %, in inches."""
_NUMBERS = {"%": 2.74, "passed": 3.17, "tasks": 3.45}
"""Right edges of the columns of numbers, in inches."""
_PITCH, _CLOSEST = 0.14, 0.11
"""Inches from row to row."""
_GAP = 0.45
"""Rows of space above a level's name."""
_TOP, _AXIS, _NOTE = 0.22, 0.62, 0.083
"""Inches above the rows; for axis and key below them; and for a line of small print."""
_TEXT, _TICKS, _SMALL = 6.5, 6.0, 5.0
"""Points."""
_DIGIT = 0.73
"""Height of a digit of the font, in ems."""
_GREY = "#555555"


class _Style(NamedTuple):
    color: str
    marker: str
    face: str
    size: float = 3.8


_RUNS = tuple(
    _Style(color, marker, color)
    for color, marker in (("#D55E00", "o"), ("#009E73", "s"), ("#CC79A7", "^"), ("#000000", "v"))
)
_OTHERS = {
    "children": _Style("#0072B2", "D", "#0072B2", 3.4),
    "teams": _Style("#767676", "s", "#767676", 2.8),
    "published": _Style("#222222", "o", "white"),
}
"""Okabe and Ito's colours, which colour-blind readers can tell apart; marks differ too, for print in grey."""

SETTINGS: Any = {
    "font.family": FONT,
    "font.size": _TEXT,
    "text.parse_math": False,
    "axes.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "arena-llm",
}
"""Matplotlib's settings for all figures."""


class _Line(NamedTuple):
    """What stands at one height: a level's name, a row of the comparison, or a remark."""

    y: float
    text: str
    row: Row | None = None
    heading: bool = False


def draw_levels(comparison: pd.DataFrame, notes: Sequence[str] = ()) -> Figure:
    """Draw the table of `compare_levels`, `notes` in small print below it.

    Marks are rates; lines with caps, 95 % intervals; bars behind, the middle half of children or teams (a
    lone stroke where it has no width). One column wide and as high as its rows need; two columns wide where
    they would not fit on a page.
    """
    levels = [rows for _, rows in comparison.groupby("level", sort=False)]
    columns = [_lay_out(levels)]
    printed = small_print(notes, WIDTH)
    room = PAGE - _TOP - _AXIS - _NOTE * len(printed)
    if len(levels) > 1 and columns[0][1] * _CLOSEST > room:
        columns = [_lay_out(part) for part in _halves(levels)]
        printed = small_print(notes, 2 * WIDTH)
    rows = max(height for _, height in columns)
    below = _AXIS + _NOTE * len(printed)
    pitch = min(_PITCH, max(_CLOSEST, room / rows))
    width, height = len(columns) * WIDTH, _TOP + pitch * rows + below
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        styles = _styles(comparison)
        for place, (lines, _) in enumerate(columns):
            left, right = (place * WIDTH + end for end in _PLOT)
            box = (left / width, below / height, (right - left) / width, pitch * rows / height)
            axes = figure.add_axes(box)
            _prepare(axes, rows)
            _draw_lines(axes, lines, styles, place * WIDTH)
        _key(figure, comparison, (below - 0.42) / height)
        for number, part in enumerate(printed):
            figure.text(
                _EDGE / width, (below - _AXIS - _NOTE * number) / height, part, size=_SMALL, color=_GREY
            )
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, SVG or PDF by the path's ending; the same figure gives the same bytes."""
    metadata: dict[str, dict[str, None]] = {
        ".svg": {"Date": None},
        ".pdf": {"CreationDate": None},
        ".png": {"Software": None},
    }
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(path, dpi=300, metadata=metadata[path.suffix])


def small_print(notes: Sequence[str], width: float) -> list[str]:
    """Lines of notes in small print across a figure of so many inches."""
    return [part for note in notes for part in wrap(note, width - 2 * _EDGE, _SMALL)]


def _halves(levels: Sequence[pd.DataFrame]) -> tuple[Sequence[pd.DataFrame], Sequence[pd.DataFrame]]:
    """Cut between two levels where the higher part is lowest."""
    cuts = [(levels[:cut], levels[cut:]) for cut in range(1, len(levels))]
    return min(cuts, key=lambda parts: max(_lay_out(part)[1] for part in parts))


def _lay_out(levels: Sequence[pd.DataFrame]) -> tuple[list[_Line], float]:
    """Lines from the top down, and the height of all, in rows."""
    lines: list[_Line] = []
    y = 0.0
    for rows in levels:
        first = rows.iloc[0]
        y += _GAP if lines else 0.0
        lines.append(_Line(y + 0.5, f"{first['level']}  {first['level_name']}", heading=True))
        y += 1
        for row in rows.to_dict("records"):
            parts = wrap(who(row), _PLOT[0] - _INDENT - 0.05, _TEXT, " /_-")
            high = 1 + 0.85 * (len(parts) - 1)
            lines.append(_Line(y + high / 2, "\n".join(parts), row))
            y += high
        if set(rows["source"]) == {"run"}:
            lines.append(_Line(y + 0.5, "no others on record"))
            y += 1
    return lines, y + 0.2


def _styles(comparison: pd.DataFrame) -> dict[str, _Style]:
    runs = comparison.loc[comparison["source"] == "run", "who"].unique()
    return {run: _RUNS[place % len(_RUNS)] for place, run in enumerate(runs)}


def _prepare(axes: Axes, rows: float) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(rows, 0)
    axes.set_yticks([])
    axes.set_xticks(range(0, 101, 25))
    axes.tick_params(axis="x", length=2, width=0.5, pad=1.5, top=True, labeltop=True, labelsize=_TICKS)
    axes.set_xlabel("Trials passed (%)", labelpad=2)
    axes.grid(axis="x", color="#E2E2E2", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _draw_lines(axes: Axes, lines: Sequence[_Line], styles: dict[str, _Style], start: float) -> None:
    """All lines of one column, whose left edge is `start` inches from the figure's."""
    inches = Affine2D().translate(start, 0) + axes.figure.dpi_scale_trans
    across = blended_transform_factory(inches, axes.transData)
    above = across + ScaledTranslation(0, 3.5 / 72, axes.figure.dpi_scale_trans)
    for name, edge in _NUMBERS.items():
        axes.text(edge, 0, name, transform=above, ha="right", va="baseline", size=_TICKS, color=_GREY)
    for line in lines:
        if line.heading:
            _write_heading(axes, line, across)
        elif line.row is None:
            _write(axes, _INDENT, line.y, line.text, across, style="italic", color=_GREY)
        else:
            row = line.row
            style = styles[row["who"]] if row["source"] == "run" else _OTHERS[row["source"]]
            _draw_row(axes, line.y, row, style)
            _write(axes, _INDENT, line.y, line.text, across)
            _write_numbers(axes, line.y, row, across)


def _write(
    axes: Axes, x: float, y: float, text: str, across: Transform, size: float = _TEXT, **options: Any
) -> None:
    """Text whose middle is at y; one line stands by the middle of its digits, level with marks."""
    if "\n" in text:
        axes.text(x, y, text, transform=across, va="center", size=size, linespacing=1.0, **options)
        return
    lowered = across + ScaledTranslation(0, -_DIGIT / 2 * size / 72, axes.figure.dpi_scale_trans)
    axes.text(x, y, text, transform=lowered, va="baseline", size=size, **options)


def _write_heading(axes: Axes, line: _Line, across: Transform) -> None:
    top = line.y - 0.5
    ends = (_EDGE, _NUMBERS["tasks"])
    axes.plot(ends, (top, top), color="#999999", lw=0.5, transform=across, clip_on=False, zorder=4)
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    _write(axes, _EDGE, line.y, line.text, across, weight="bold", bbox=white)


def _write_numbers(axes: Axes, y: float, row: Row, across: Transform) -> None:
    texts = {
        "%": "–" if pd.isna(row["pass_rate"]) else percent(row["pass_rate"]),
        "passed": f"{row['passes']}/{row['trials']}" + ("*" if row["missing"] else ""),
        "tasks": str(row["tasks"]),
    }
    for column, text in texts.items():
        weight = "bold" if column == "%" and row["source"] == "run" else "normal"
        _write(axes, _NUMBERS[column], y, text, across, ha="right", weight=weight)


def _draw_row(axes: Axes, y: float, row: Row, style: _Style) -> None:
    if pd.isna(row["pass_rate"]):
        _write(
            axes, 50, y, "no verdict", axes.transData, ha="center", style="italic", color=_GREY, size=_TICKS
        )
        return
    keys = ("pass_rate", "low", "high", "quartile_1", "quartile_3")
    rate, low, high, first, third = (100 * row[key] for key in keys)
    if pd.notna(first):
        fill, edge = (style.color, 0.25), (style.color, 0.75)
        axes.barh(
            y, third - first, 0.66, first, color=fill, edgecolor=edge, linewidth=0.8, clip_on=False, zorder=2
        )
    if pd.notna(low):
        spread = [[rate - low], [high - rate]]
        axes.errorbar(
            rate, y, xerr=spread, color=style.color, capsize=1.6, elinewidth=0.9, capthick=0.9, clip_on=False
        )
    mark: Any = {"markersize": style.size, "markerfacecolor": style.face, "markeredgewidth": 0.8}
    axes.plot(rate, y, style.marker, color=style.color, zorder=3, clip_on=False, **mark)


def _key(figure: Figure, comparison: pd.DataFrame, height: float) -> None:
    """What line and bar mean, centred at a height given as a share of the figure's."""
    handles: list[Any] = [
        Line2D([], [], color=_GREY, marker="|", markersize=4, lw=0.9, label="95 % interval")
    ]
    if comparison["quartile_1"].notna().any():
        label = "middle half of children or teams"
        handles.append(Patch(facecolor=(_GREY, 0.25), edgecolor=(_GREY, 0.75), lw=0.7, label=label))
    figure.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(0.5, height),
        ncols=2,
        frameon=False,
        fontsize=_TICKS,
        handlelength=1.8,
        borderpad=0,
    )
