"""The 40 tasks in the order in which children found them hard, and what each run did on them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from human_data.baselines import children_by_task
from report.comparison.references import ReferenceGroup
from report.comparison.runs import Run
from report.comparison.whole import Comparison
from report.figures import look
from report.formats import decimals

CAPTION = (
    "The tasks that children did, from the easiest for them to the hardest. Above: rate of 59 children with "
    "Wilson's 95 % interval over children, and of the 68 teams of 2019. Below: share of trials that each run "
    "passed, from none (white) to all (full colour); a trial without a verdict is failed, a cross is a task "
    "that the run was not given, a stroke one of level 9 that cannot be compared, because the run had "
    "another scoring clock. Right: Spearman's rank correlation with children over tasks, with its 95 % "
    "bootstrap interval (none if nearly all tasks are passed, or failed)."
)

_LEFT, _RIGHT, _HIGH, _ROW, _IDS = 1.0, 1.05, 1.25, 0.22, 0.42


def draw_items(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw every run on the children's tasks.

    None if no run did one of them, or children are not compared with.
    """
    order = children_by_task().sort_values("pass_rate", ascending=False, kind="stable", ignore_index=True)
    runs = [
        run for run in compared.runs if run.original and run.results["task_id"].isin(order["task_id"]).any()
    ]
    if not runs or not compared.has("children"):
        return None
    rows = _ROW * len(runs)
    across = look.PAGE_WIDTH - _LEFT - _RIGHT
    with look.canvas(look.PAGE_WIDTH, _HIGH + rows + _IDS + 0.2, notes) as (figure, below):
        upper = look.panel(figure, _LEFT, below + _IDS + rows + 0.06, across, _HIGH)
        _others(upper, order, compared.groups)
        lower = look.panel(figure, _LEFT, below + _IDS, across, rows)
        _runs(lower, compared, runs, order)
    return figure


def _others(axes: Axes, order: pd.DataFrame, groups: Sequence[ReferenceGroup]) -> None:
    look.percents(axes)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_xticks([])
    axes.set_ylabel("Passed (%)", labelpad=1)
    places = np.arange(len(order), dtype=float)
    children = look.Style(look.CHILDREN, "D", look.CHILDREN, 2.6)
    look.mark_rates(axes, order, places, children, "y", label="59 children")
    for group in groups:
        if group.source == "teams" and group.members > 10:
            theirs = 100 * order["task_id"].map(group.rates)
            marks: Any = {"color": look.TEAMS, "markersize": 2.4, "zorder": 1.5, "clip_on": False}
            axes.plot(places, theirs, "s", label=group.name, **marks)
    axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.0), handlelength=1.2)


def _runs(axes: Axes, compared: Comparison, runs: Sequence[Run], order: pd.DataFrame) -> None:
    styles = look.run_styles([run.agent for run in compared.runs])
    cells = np.ones((len(runs), len(order), 3))
    for row, run in enumerate(runs):
        rates = order["task_id"].map(run.task_rates().set_index("task_id")["rate"]).to_numpy(float)
        full = np.array(to_rgb(styles[run.agent].color))
        cells[row] = 1 - np.nan_to_num(rates)[:, None] * (1 - full)
        comparable = order["task_id"].isin(run.rates_beside("children")["task_id"]).to_numpy()
        marks: dict[Any, Any] = {"x": np.isnan(rates), (2, 2, -45): ~np.isnan(rates) & ~comparable}
        for mark, where in marks.items():
            at = np.flatnonzero(where)
            thin: Any = {"color": "#999999", "markersize": 3, "markeredgewidth": 0.6, "ls": ""}
            axes.plot(at, np.full(len(at), row), marker=mark, **thin)
        axes.text(
            *(len(order) - 0.2, row, _correlation(compared, run)), size=look.TICKS, va="center", ha="left"
        )
    axes.imshow(cells, aspect="auto", interpolation="nearest")
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.set_yticks(range(len(runs)), [look.shortened(run.agent, _LEFT - 0.1) for run in runs])
    axes.set_xticks(range(len(order)), order["task_id"], rotation=90, fontsize=5)
    axes.set_xticks(np.arange(-0.5, len(order)), minor=True)
    axes.set_yticks(np.arange(-0.5, len(runs)), minor=True)
    axes.grid(which="minor", color="#BBBBBB", linewidth=0.4)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


def _correlation(compared: Comparison, run: Run) -> str:
    table = compared.tables["correlations"]
    own = table[(table["agent"] == run.agent) & (table["source"] == "children")]
    if own.empty or math.isnan(own["spearman"].iloc[0]):
        return "ρ: no variation" if len(own) else "too few tasks"
    row = own.iloc[0]
    low, high = row["spearman_low"], row["spearman_high"]
    ends = "" if math.isnan(low) else f" [{decimals(low)}, {decimals(high)}]"
    return f"ρ = {decimals(row['spearman'])}{ends}"
