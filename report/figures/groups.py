"""Forest plot of runs by group of tasks; in the arena with children, competition and models.

Every row carries its own name and numbers, so nothing needs a legend, and no label can cover another
whatever the values are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import Affine2D, ScaledTranslation, Transform, blended_transform_factory

from evaluation.results import GROUP
from report.figures import look
from report.figures.look import wrap
from report.tables import LINKED, NONE, Row, passed, percent, who

_INDENT = 0.1
_PLOT = (1.13, 2.42)
"""Left and right end of the axis from 0 to 100 %, in inches."""
_NUMBERS = {"%": 2.74, "passed": 3.17, "tasks": 3.45}
"""Right edges of the columns of numbers, in inches."""
_PITCH, _CLOSEST = 0.14, 0.11
"""Inches from row to row."""
_GAP = 0.45
"""Rows of space above a group's name."""
_TOP, _AXIS = 0.22, 0.57
"""Inches above the rows, and for axis and key below them."""
_DIGIT = 0.73
"""Height of a digit of the font, in ems."""

OTHERS = {
    "children": look.Style(look.CHILDREN, "D", look.CHILDREN, 3.4),
    "teams": look.Style(look.TEAMS, "s", look.TEAMS, 2.8),
    "published": look.Style("#222222", "o", "white"),
}
"""Styles of those who are not runs, by the column `source`."""


class _Line(NamedTuple):
    """One line of the figure: a group's name, a row of the table, or a remark."""

    y: float
    text: str
    row: Row | None = None
    heading: bool = False


class _Layout(NamedTuple):
    """Lines from the top down, and the height of all, in rows."""

    lines: list[_Line]
    height: float


def draw_groups(rates: pd.DataFrame, notes: Sequence[str] = (), alone: str = "") -> Figure:
    """Draw the table of `group_rates`, `notes` in small print below it.

    `alone` is said of a group that has only rows of runs.

    Marks are rates; lines with caps, 95 % intervals; bars behind, the middle half of children or teams (a
    lone stroke where it has no width). One column wide and as high as its rows need; two columns wide if
    they would not fit on a page.
    """
    groups = [rows for _, rows in rates.groupby(GROUP, sort=False)]
    columns = [_lay_out(groups, alone)]
    room = look.PAGE_HEIGHT - _TOP - _AXIS - look.notes_height(notes, look.COLUMN)
    if len(groups) > 1 and columns[0].height * _CLOSEST > room:
        # Cut between two groups where the higher part is lowest.
        cuts = ([groups[:cut], groups[cut:]] for cut in range(1, len(groups)))
        layouts = [[_lay_out(part, alone) for part in parts] for parts in cuts]
        columns = min(layouts, key=lambda parts: max(part.height for part in parts))
    rows = max(column.height for column in columns)
    pitch = min(_PITCH, max(_CLOSEST, room / rows))
    styles = look.run_styles(list(rates.loc[rates["source"] == "run", "who"].unique()))
    with look.canvas(len(columns) * look.COLUMN, _TOP + pitch * rows + _AXIS, notes) as (figure, below):
        for place, column in enumerate(columns):
            left, right = (place * look.COLUMN + end for end in _PLOT)
            axes = look.panel(figure, left, below + _AXIS, right - left, pitch * rows)
            _prepare(axes, rows)
            _draw_lines(axes, column.lines, styles, place * look.COLUMN)
        _key(figure, rates, (below + 0.15) / figure.get_figheight())
    return figure


def _lay_out(groups: Sequence[pd.DataFrame], alone: str) -> _Layout:
    lines: list[_Line] = []
    y = 0.0
    for rows in groups:
        first = rows.iloc[0]
        y += _GAP if lines else 0.0
        lines.append(_Line(y + 0.5, f"{first[GROUP]}  {first['level_name']}".strip(), heading=True))
        y += 1
        for row in rows.to_dict("records"):
            parts = wrap(who(row), _PLOT[0] - _INDENT - 0.05, look.TEXT, " /_-")
            high = 1 + 0.85 * (len(parts) - 1)
            lines.append(_Line(y + high / 2, "\n".join(parts), row))
            y += high
        if alone and set(rows["source"]) == {"run"}:
            lines.append(_Line(y + 0.5, alone))
            y += 1
    return _Layout(lines, y + 0.2)


def _prepare(axes: Axes, rows: float) -> None:
    look.percents(axes, "x")
    axes.set_ylim(rows, 0)
    axes.set_yticks([])
    axes.tick_params(axis="x", top=True, labeltop=True)
    axes.set_xlabel("Trials passed (%)", labelpad=2)
    axes.spines["left"].set_visible(False)


def _draw_lines(axes: Axes, lines: Sequence[_Line], styles: dict[str, look.Style], start: float) -> None:
    """All lines of one column, whose left edge is `start` inches from the figure's."""
    inches = Affine2D().translate(start, 0) + axes.figure.dpi_scale_trans
    across = blended_transform_factory(inches, axes.transData)
    above = across + ScaledTranslation(0, 3.5 / 72, axes.figure.dpi_scale_trans)
    for name, edge in _NUMBERS.items():
        axes.text(edge, 0, name, transform=above, ha="right", va="baseline", size=look.TICKS, color=look.GREY)
    for line in lines:
        if line.heading:
            _write_heading(axes, line, across)
        elif line.row is None:
            _write(axes, _INDENT, line.y, line.text, across, style="italic", color=look.GREY)
        else:
            row = line.row
            style = styles[row["who"]] if row["source"] in ("run", LINKED) else OTHERS[row["source"]]
            hollow = row["source"] == LINKED or not row["comparable"]
            _draw_row(axes, line.y, row, style._replace(face="white") if hollow else style)
            _write(axes, _INDENT, line.y, line.text, across)
            _write_numbers(axes, line.y, row, across)


def _write(
    axes: Axes, x: float, y: float, text: str, across: Transform, size: float = look.TEXT, **options: Any
) -> None:
    """Text whose middle is at y; one line stands by the middle of its digits, level with marks."""
    if "\n" in text:
        axes.text(x, y, text, transform=across, va="center", size=size, linespacing=1.0, **options)
        return
    lowered = across + ScaledTranslation(0, -_DIGIT / 2 * size / 72, axes.figure.dpi_scale_trans)
    axes.text(x, y, text, transform=lowered, va="baseline", size=size, **options)


def _write_heading(axes: Axes, line: _Line, across: Transform) -> None:
    top = line.y - 0.5
    ends = (look.EDGE, _NUMBERS["tasks"])
    axes.plot(ends, (top, top), color="#999999", lw=0.5, transform=across, clip_on=False, zorder=4)
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    _write(axes, look.EDGE, line.y, line.text, across, weight="bold", bbox=white)


def _write_numbers(axes: Axes, y: float, row: Row, across: Transform) -> None:
    texts = {
        "%": NONE if pd.isna(row["pass_rate"]) else percent(row["pass_rate"]),
        "passed": passed(row) + ("*" if row["missing"] else ""),
        "tasks": str(row["tasks"]),
    }
    for column, text in texts.items():
        weight = "bold" if column == "%" and row["source"] == "run" else "normal"
        _write(axes, _NUMBERS[column], y, text, across, ha="right", weight=weight)


def _draw_row(axes: Axes, y: float, row: Row, style: look.Style) -> None:
    if pd.isna(row["pass_rate"]):
        faint: Any = {"ha": "center", "style": "italic", "color": look.GREY, "size": look.TICKS}
        _write(axes, 50, y, "no criterion", axes.transData, **faint)
        return
    if pd.notna(row["quartile_1"]):
        first, third = 100 * row["quartile_1"], 100 * row["quartile_3"]
        fill: Any = {"color": (style.color, 0.25), "edgecolor": (style.color, 0.75), "linewidth": 0.8}
        axes.barh(y, third - first, 0.66, first, clip_on=False, zorder=2, **fill)
    look.mark_rates(axes, pd.DataFrame([row]), [y], style, markeredgewidth=0.8, zorder=3)


def _key(figure: Figure, rates: pd.DataFrame, height: float) -> None:
    """Draw the key of line and bar, centred at a height given as a share of the figure's."""
    line: Any = {"color": look.GREY, "marker": "|", "markersize": 4, "lw": 0.9}
    handles: list[Any] = [Line2D([], [], label="95 % interval", **line)]
    if rates["quartile_1"].notna().any():
        label = "middle half of children, teams or runs"
        handles.append(Patch(facecolor=(look.GREY, 0.25), edgecolor=(look.GREY, 0.75), lw=0.7, label=label))
    options: Any = {"fontsize": look.TICKS, "handlelength": 1.8, "borderpad": 0}
    figure.legend(handles=handles, loc="center", bbox_to_anchor=(0.5, height), ncols=2, **options)
