"""Runs on every level before the spread of children and competitors."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evaluation.statistics import mean_interval, pass_rates
from human_data.baselines import children_by_level, children_passed_of_level, competition_by_level
from report.comparison.levels import level_name
from report.comparison.runs import CLOCKED
from report.comparison.whole import Comparison
from report.figures import look
from report.figures.look import width, wrap

CAPTION = (
    "Trials passed by level. Marks: rate of each run with its 95 % interval over tasks (trials and variants "
    f"of a task kept together). {look.MISSING} Blue: how many of 59 children passed 0 to 4 of the level's "
    "four tasks, with the mean (line) and its 95 % interval over children (whiskers). Grey: the same of the "
    "68 teams of 2019 on the same four tasks, with their mean (line) and the mean of the ten best (dotted); "
    "the teams are the whole population and have no interval. Hollow: a run's level 9 under another scoring "
    "clock, which cannot be compared with children and teams. Bars of one colour and level add up to all "
    "children or teams; all bars of a colour have one scale."
)

_SPREAD, _HALF, _BAR = -0.24, 0.22, 15.0
"""Middle and half width of the spreads in levels, and height of a bar in percent."""
_HIGH = 1.9


def draw_spread(compared: Comparison, notes: Sequence[str]) -> Figure:
    """Draw every level that a run has, `notes` in small print; one column wide up to four levels."""
    levels = sorted(set(compared.results["level"]))
    wide = look.PAGE_WIDTH if len(levels) > 4 else look.COLUMN
    styles = look.run_styles([run.agent for run in compared.runs])
    rows = _rows(styles, wide)
    key = 0.14 * (rows + bool(_others(compared))) + 0.08
    with look.canvas(wide, _HIGH + 0.5 + key, notes) as (figure, below):
        axes = look.panel(figure, 0.36, below + 0.46, wide - 0.42, _HIGH)
        _prepare(axes, levels, (wide - 0.42) / len(levels))
        for place, level in enumerate(levels):
            if _beside(compared, "children"):
                _children(axes, place, level)
            if _beside(compared, "teams"):
                _teams(axes, place, level)
        _runs(axes, compared, levels, styles)
        _keys(figure, compared, styles, rows)
    return figure


def _beside(compared: Comparison, source: str) -> bool:
    """Whether a group stands beside the runs, all of which have done its tasks."""
    return compared.same_layouts and compared.has(source)


def _prepare(axes: Axes, levels: Sequence[int], inches: float) -> None:
    look.percents(axes)
    axes.set_ylim(-9, 109)
    axes.set_xlim(-0.52, len(levels) - 0.48)
    lines = ["\n".join(wrap(f"{level} {level_name(level)}", inches - 0.04, look.TICKS)) for level in levels]
    axes.set_xticks(range(len(levels)), lines, linespacing=1.0)
    axes.set_ylabel("Trials passed (%)", labelpad=1)
    for edge in np.arange(0.5, len(levels) - 1):
        axes.axvline(edge, color="#CCCCCC", linewidth=0.5)


def _children(axes: Axes, place: int, level: int) -> None:
    middle = place + _SPREAD
    if not _bars(axes, middle, level, children_passed_of_level(), -1, look.CHILDREN):
        return
    row = children_by_level().query(f"level == {level}")
    low, high = mean_interval(row["pass_rate"], row["sd"], row["children"])
    line = look.Style(look.CHILDREN, "", look.CHILDREN)
    axes.plot((middle - _HALF, middle), [100 * row["pass_rate"]] * 2, color=look.CHILDREN, **_MEAN)
    look.mark_rates(axes, row.assign(low=low, high=high), [middle - _HALF / 2], line, "y")


def _teams(axes: Axes, place: int, level: int) -> None:
    counts = competition_by_level().groupby("level")["passes"].value_counts()
    passed = counts.rename("children").rename_axis(["level", "passed"]).reset_index()
    middle = place + _SPREAD
    if not _bars(axes, middle, level, passed, 1, look.TEAMS):
        return
    teams = competition_by_level().query(f"level == {level}")
    for rate, line in ((teams["pass_rate"], "-"), (teams[teams["top_ten"]]["pass_rate"], ":")):
        axes.plot((middle, middle + _HALF), [100 * rate.mean()] * 2, line, color="#444444", **_MEAN)


_MEAN: Any = {"lw": 1.2, "solid_capstyle": "butt"}


def _bars(
    axes: Axes, middle: float, level: int, passed: pd.DataFrame, side: Literal[-1, 1], color: str
) -> bool:
    """How many, in the column `children`, `passed` 0 to 4 of a level's tasks; False if nobody played it.

    The largest share of all levels has the full width, so that all bars of a colour have one scale.
    """
    shares = passed["children"] / passed.groupby("level")["children"].transform("sum")
    here = passed["level"] == level
    options: Any = {"height": _BAR, "color": (color, 0.35), "edgecolor": (color, 0.8), "linewidth": 0.4}
    widths = side * _HALF * shares[here] / shares.max()
    axes.barh(25 * passed.loc[here, "passed"], widths, left=middle, **options)
    return bool(here.any())


def _runs(axes: Axes, compared: Comparison, levels: Sequence[int], styles: dict[str, look.Style]) -> None:
    rates = pass_rates(compared.results).dropna(subset="pass_rate")
    other_clock = {run.agent for run in compared.runs if run.other_clock}
    step = 0.46 / max(len(styles), 2)
    for place, (agent, style) in enumerate(styles.items()):
        own = rates[rates["agent"] == agent]
        x = np.array([levels.index(level) for level in own["level"]]) + 0.03 + step * (place + 0.5)
        lost = (own["level"] == CLOCKED).to_numpy() & (agent in other_clock)
        look.mark_rates(axes, own[~lost], x[~lost], style, "y", zorder=4)
        if lost.any():
            look.mark_rates(axes, own[lost], x[lost], style._replace(face="white"), "y", zorder=4)


def _keys(figure: Figure, compared: Comparison, styles: dict[str, look.Style], rows: int) -> None:
    """The runs, and below them the others."""
    options: Any = {"loc": "upper center", "borderpad": 0.2}
    figure.legend(handles=look.run_handles(styles), ncols=-(-len(styles) // rows), **options)
    others = _others(compared)
    if others:
        down = 1 - (0.14 * rows) / figure.get_figheight()
        figure.legend(handles=others, ncols=len(others), bbox_to_anchor=(0.5, down), **options)


def _others(compared: Comparison) -> list[Any]:
    found: list[Any] = []
    if _beside(compared, "children"):
        children: Any = {"facecolor": (look.CHILDREN, 0.35), "edgecolor": look.CHILDREN}
        found.append(Patch(**children, lw=0.4, label="59 children"))
    if _beside(compared, "teams"):
        found.append(Patch(facecolor=(look.TEAMS, 0.35), edgecolor=look.TEAMS, lw=0.4, label="68 teams 2019"))
        found.append(Line2D([], [], color="#444444", ls=":", lw=1.2, label="ten best"))
    return found


def _rows(styles: dict[str, look.Style], inches: float) -> int:
    """Lines that the names of the runs take, side by side."""
    widest = max(width(name, look.TEXT) for name in styles) + 0.5
    return -(-len(styles) // max(1, int(inches / widest)))
