"""Runs on every level before the spread of children and competitors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evaluation.statistics import mean_interval, pass_rates
from human_data.baselines import children_by_level, children_passed_of_level, competition_by_level
from report.comparison.whole import Comparison
from report.comparison_pages.style import (
    CHILDREN,
    COLUMN,
    PAGE_WIDTH,
    TEAMS,
    TEXT,
    TICKS,
    Style,
    canvas,
    panel,
    percents,
    run_handles,
    run_styles,
)
from report.lettering import width, wrap
from testbed import LEVEL_NAMES

CAPTION = (
    "Trials passed by level. Marks: rate of each run with its 95 % interval over tasks (trials and variants "
    "of a task kept together). Blue: how many of 59 children passed 0 to 4 of the level's four tasks, with "
    "the mean (line) and its 95 % interval over children (whiskers). Grey: the same of the 68 teams of 2019 "
    "on the same four tasks, with their mean (line) and the mean of the ten best (dotted); teams are all "
    "there are and have no interval. Bars of one colour and level add up to all children or teams; all bars "
    "of a colour have one scale."
)

_SPREAD, _HALF, _BAR = -0.24, 0.22, 15.0
"""Middle and half width of the spreads in levels, and height of a bar in percent."""
_HIGH = 1.9


def draw_spread(compared: Comparison, notes: Sequence[str]) -> Figure:
    """Draw every level that a run has, `notes` in small print; one column wide up to four levels."""
    levels = sorted(set(compared.results["level"]))
    wide = PAGE_WIDTH if len(levels) > 4 else COLUMN
    styles = run_styles([run.agent for run in compared.runs])
    rows = _rows(styles, wide)
    key = 0.14 * (rows + bool(_others(compared))) + 0.08
    with canvas(wide, _HIGH + 0.5 + key, notes) as (figure, below):
        axes = panel(figure, 0.36, below + 0.46, wide - 0.42, _HIGH)
        _prepare(axes, levels, (wide - 0.42) / len(levels))
        for place, level in enumerate(levels):
            if compared.has("children"):
                _children(axes, place, level)
            if compared.has("teams"):
                _teams(axes, place, level)
        _runs(axes, compared.results, levels, styles)
        _keys(figure, compared, styles, rows)
    return figure


def _prepare(axes: Axes, levels: Sequence[int], inches: float) -> None:
    percents(axes)
    axes.set_ylim(-9, 109)
    axes.set_xlim(-0.52, len(levels) - 0.48)
    names = [f"{level} {LEVEL_NAMES.get(level, 'Unlevelled')}" for level in levels]
    lines = ["\n".join(wrap(name, inches - 0.04, TICKS)) for name in names]
    axes.set_xticks(range(len(levels)), lines, linespacing=1.0)
    axes.set_ylabel("Trials passed (%)", labelpad=1)
    for edge in np.arange(0.5, len(levels) - 1):
        axes.axvline(edge, color="#CCCCCC", linewidth=0.5)


def _children(axes: Axes, place: int, level: int) -> None:
    table = children_passed_of_level().query(f"level == {level}")
    if table.empty:
        return
    shares = table["children"] / table["children"].sum()
    middle = place + _SPREAD
    bars: Any = {"height": _BAR, "color": (CHILDREN, 0.35), "edgecolor": (CHILDREN, 0.8), "linewidth": 0.4}
    axes.barh(
        25 * table["passed"],
        -_HALF * shares / _widest(children_passed_of_level(), "children"),
        left=middle,
        **bars,
    )
    row = children_by_level().query(f"level == {level}")
    low, high = mean_interval(row["pass_rate"], row["sd"], row["children"])
    rate = 100 * float(row["pass_rate"].iloc[0])
    axes.plot((middle - _HALF, middle), (rate, rate), color=CHILDREN, lw=1.2, solid_capstyle="butt")
    spread = [[rate - 100 * float(low.iloc[0])], [100 * float(high.iloc[0]) - rate]]
    axes.errorbar(middle - _HALF / 2, rate, spread, color=CHILDREN, capsize=1.4, elinewidth=0.8, capthick=0.8)


def _teams(axes: Axes, place: int, level: int) -> None:
    teams = competition_by_level().query(f"level == {level}")
    if teams.empty:
        return
    shares = teams["passes"].value_counts(normalize=True)
    middle = place + _SPREAD
    bars: Any = {"height": _BAR, "color": (TEAMS, 0.35), "edgecolor": (TEAMS, 0.8), "linewidth": 0.4}
    axes.barh(
        25 * shares.index.to_numpy(), _HALF * shares / _widest(_teams_passed(), "teams"), left=middle, **bars
    )
    for rate, line in ((teams["pass_rate"], "-"), (teams[teams["top_ten"]]["pass_rate"], ":")):
        mean = 100 * rate.mean()
        axes.plot(
            (middle, middle + _HALF), (mean, mean), line, color="#444444", lw=1.2, solid_capstyle="butt"
        )


def _teams_passed() -> pd.DataFrame:
    levels = competition_by_level().groupby("level")["passes"]
    return levels.value_counts().rename("teams").reset_index()


def _widest(table: pd.DataFrame, count: str) -> float:
    """The largest share of one number of passes, so that all bars of a colour have one scale."""
    return float((table[count] / table.groupby("level")[count].transform("sum")).max())


def _runs(axes: Axes, results: pd.DataFrame, levels: Sequence[int], styles: dict[str, Style]) -> None:
    rates = pass_rates(results).dropna(subset="pass_rate")
    step = 0.46 / max(len(styles), 2)
    for place, (agent, style) in enumerate(styles.items()):
        own = rates[rates["agent"] == agent]
        x = np.array([levels.index(level) for level in own["level"]]) + 0.03 + step * (place + 0.5)
        rate, low, high = (100 * own[key].to_numpy() for key in ("pass_rate", "low", "high"))
        axes.errorbar(
            *(x, rate, (rate - low, high - rate)),
            fmt=style.marker,
            color=style.color,
            markerfacecolor=style.face,
            markersize=3.2,
            elinewidth=0.8,
            capsize=1.2,
            capthick=0.8,
            clip_on=False,
            zorder=4,
        )


def _keys(figure: Figure, compared: Comparison, styles: dict[str, Style], rows: int) -> None:
    """The runs, and below them the others."""
    look: Any = {"loc": "upper center", "frameon": False, "fontsize": TEXT, "borderpad": 0.2}
    figure.add_artist(figure.legend(handles=run_handles(styles), ncols=-(-len(styles) // rows), **look))
    others = _others(compared)
    if others:
        down = 1 - (0.14 * rows) / figure.get_figheight()
        figure.legend(handles=others, ncols=len(others), bbox_to_anchor=(0.5, down), **look)


def _others(compared: Comparison) -> list[Any]:
    found: list[Any] = []
    if compared.has("children"):
        found.append(Patch(facecolor=(CHILDREN, 0.35), edgecolor=CHILDREN, lw=0.4, label="59 children"))
    if compared.has("teams"):
        found.append(Patch(facecolor=(TEAMS, 0.35), edgecolor=TEAMS, lw=0.4, label="68 teams 2019"))
        found.append(Line2D([], [], color="#444444", ls=":", lw=1.2, label="ten best"))
    return found


def _rows(styles: dict[str, Style], inches: float) -> int:
    """Lines that the names of the runs take, side by side."""
    widest = max(width(name, TEXT) for name in styles) + 0.5
    return -(-len(styles) // max(1, int(inches / widest)))
