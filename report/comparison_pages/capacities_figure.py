"""Runs by the capacities that the battery's tasks demand."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.comparison.capacities import DEMANDS
from report.comparison.whole import Comparison
from report.comparison_pages.style import (
    COLUMN,
    GREY,
    TEXT,
    TICKS,
    Style,
    canvas,
    panel,
    percents,
    run_handles,
    run_styles,
    shortened,
)
from report.figure import PAGE

CAPTION = (
    "Trials passed by capacity, most frequent first; a task counts for each capacity that it demands. Marks: "
    "rate of each run with its 95 % interval over ideas of tasks (variants kept together); right: tasks, and "
    "in brackets the ideas that they are variants of. Capacities of fewer than three ideas are in the table."
)

FEWEST = 3
"""Ideas below which a capacity is left to the table."""

_LEFT, _RIGHT = 1.22, 0.5


def draw_capacities(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs on the shipped battery, or None where there is none."""
    table = compared.capacities[compared.capacities["basis"] == DEMANDS]
    if table.empty:
        return None
    agents = list(table["agent"].unique())
    every = run_styles([run.agent for run in compared.runs])
    styles = {agent: every[agent] for agent in agents}
    row = 0.085 * len(agents) + 0.06
    names = _shown(table, int((PAGE - 1.5) / row))
    table = table[table["capacity"].isin(names.index)]
    key = 0.13 * len(agents) + 0.1
    with canvas(COLUMN, row * len(names) + 0.45 + key, notes) as (figure, below):
        axes = panel(figure, _LEFT, below + 0.4, COLUMN - _LEFT - _RIGHT, row * len(names))
        percents(axes, "x")
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks(
            range(len(names)), [shortened(str(name), _LEFT - 0.08, TICKS) for name in names.index]
        )
        axes.tick_params(axis="y", length=0, pad=4)
        axes.set_xlabel("Trials passed (%)", labelpad=1)
        for place, (capacity, part) in enumerate(table.groupby("capacity", sort=False)):
            y = list(names.index).index(capacity)
            counts = part.iloc[part["tasks"].argmax()]
            axes.text(103, y, f"{counts['tasks']} ({counts['ideas']})", size=TICKS, va="center", color=GREY)
            if place:
                axes.axhline(place - 0.5, color="#DDDDDD", lw=0.4)
        for place, (agent, style) in enumerate(styles.items()):
            own = table[table["agent"] == agent]
            offset = (place - (len(styles) - 1) / 2) * 0.72 / len(styles)
            _marks(axes, own, [list(names.index).index(c) + offset for c in own["capacity"]], style)
        handles = run_handles(styles)
        figure.legend(handles=handles, loc="upper center", frameon=False, fontsize=TEXT, borderpad=0.1)
    return figure


def _shown(table: pd.DataFrame, most: int) -> "pd.Series[int]":
    """Tasks of the capacities that are drawn, most first: those of several ideas where there are such."""
    enough = table[table["ideas"] >= FEWEST]
    sizes = (enough if len(enough) else table).groupby("capacity", sort=False)["tasks"].max()
    return sizes.sort_values(ascending=False, kind="stable").head(max(1, most))


def _marks(axes: Axes, own: pd.DataFrame, y: Sequence[float], style: Style) -> None:
    rate, low, high = (100 * own[key].to_numpy() for key in ("pass_rate", "low", "high"))
    axes.errorbar(
        *(rate, y),
        xerr=(rate - low, high - rate),
        fmt=style.marker,
        color=style.color,
        markerfacecolor=style.face,
        markersize=2.8,
        elinewidth=0.7,
        capsize=1.0,
        capthick=0.7,
        clip_on=False,
    )
