"""Runs by the capacities that the battery's tasks demand."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from report.comparison.levels import DEMANDS
from report.comparison.whole import Comparison
from report.figures import look

CAPTION = (
    "Trials passed by capacity, most frequent first; a task counts for each capacity that it demands. Marks: "
    "rate of each run with its 95 % interval over ideas of tasks (variants kept together); right: tasks, and "
    "in brackets the ideas that they are variants of. Capacities of fewer than three ideas are in the table. "
    f"{look.MISSING}"
)

FEWEST = 3
"""Ideas below which a capacity is left to the table."""

_LEFT, _RIGHT = 1.22, 0.5


def draw_capacities(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs on the shipped battery, or None if there is none."""
    table = compared.tables["capacities"]
    table = table[table["basis"] == DEMANDS]
    if table.empty:
        return None
    every = look.run_styles([run.agent for run in compared.runs])
    styles = {agent: every[agent] for agent in table["agent"].unique()}
    row = 0.085 * len(styles) + 0.06
    names = list(_shown(table, int((look.PAGE_HEIGHT - 1.5) / row)))
    table = table[table["capacity"].isin(names)]
    key = 0.13 * len(styles) + 0.1
    with look.canvas(look.COLUMN, row * len(names) + 0.45 + key, notes) as (figure, below):
        axes = look.panel(figure, _LEFT, below + 0.4, look.COLUMN - _LEFT - _RIGHT, row * len(names))
        look.percents(axes, "x")
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks(range(len(names)), [look.shortened(name, _LEFT - 0.08, look.TICKS) for name in names])
        axes.tick_params(axis="y", length=0, pad=4)
        axes.set_xlabel("Trials passed (%)", labelpad=1)
        for place, name in enumerate(names):
            most = table[table["capacity"] == name].nlargest(1, "tasks").iloc[0]
            counts = f"{most['tasks']} ({most['ideas']})"
            axes.text(103, place, counts, size=look.TICKS, va="center", color=look.GREY)
            if place:
                axes.axhline(place - 0.5, color="#DDDDDD", lw=0.4)
        for place, (agent, style) in enumerate(styles.items()):
            own = table[table["agent"] == agent]
            offset = (place - (len(styles) - 1) / 2) * 0.72 / len(styles)
            y = np.array([names.index(capacity) for capacity in own["capacity"]]) + offset
            look.mark_rates(axes, own, y, style._replace(size=2.8))
        handles = look.run_handles(styles)
        figure.legend(handles=handles, loc="upper center", borderpad=0.1)
    return figure


def _shown(table: pd.DataFrame, most: int) -> "pd.Index[str]":
    """The capacities that are drawn, those of most tasks first: those of several ideas, if there are any."""
    enough = table[table["ideas"] >= FEWEST]
    sizes = (enough if len(enough) else table).groupby("capacity", sort=False)["tasks"].max()
    return sizes.sort_values(ascending=False, kind="stable").head(max(1, most)).index
