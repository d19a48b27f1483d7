"""Children and teams by how many of the 40 tasks they passed, and where the runs stand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from human_data.baselines import children_passed_of_40, competition
from report.comparison.differences import ALL, Estimate, with_ends
from report.comparison.levels import percent
from report.comparison.runs import Run
from report.comparison.whole import Comparison
from report.comparison_pages.style import (
    CHILDREN,
    COLUMN,
    GREY,
    TEAMS,
    TEXT,
    TICKS,
    Style,
    canvas,
    panel,
    percents,
    run_styles,
)
from report.lettering import width
from testbed import CHILDREN as TASKS

CAPTION = (
    "Above: share of the 59 children and of the 68 teams of 2019 who passed at most so many of the 40 tasks "
    "that children did. Below: each run's rate on these tasks with its 95 % interval over tasks, its rank "
    "among the teams (1 is best; in brackets its 95 % interval over tasks) and the share of children that it "
    "outperformed (those with equally many count half)."
)

_HIGH, _ROW = 1.35, 0.27


def draw_ranking(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs that did the 40 tasks, or None where there is none."""
    runs = [(run, rate) for run in compared.runs if (rate := on_40(run)) is not None]
    if not runs or not (compared.has("children") or compared.has("teams")):
        return None
    styles = run_styles([run.agent for run in compared.runs])
    rows = _ROW * len(runs) + 0.06
    with canvas(COLUMN, 0.42 + rows + _HIGH + 0.12, notes) as (figure, below):
        lower = panel(figure, 0.42, below + 0.36, COLUMN - 0.56, rows)
        _runs(lower, compared, runs, styles)
        upper = panel(figure, 0.42, below + 0.42 + rows, COLUMN - 0.56, _HIGH)
        _shares(upper, compared)
    return figure


def on_40(run: Run) -> Estimate | None:
    """The run's rate on the children's tasks, None where it lacks one of their ids."""
    rates = run.task_rates()
    rates = rates[rates["task_id"].isin(TASKS)]
    return with_ends(rates) if len(rates) == len(TASKS) else None


def _shares(axes: Axes, compared: Comparison) -> None:
    percents(axes)
    percents(axes, "x")
    axes.set_xticklabels([])
    axes.set_ylabel("Passed at most so many (%)", labelpad=1)
    table, teams = children_passed_of_40(), competition()
    if compared.has("teams"):
        _steps(axes, teams["passes_40"].to_numpy(), TEAMS, "--")
        axes.text(47, 95, "68 teams 2019", color=GREY, size=TEXT, ha="left", va="top")
    if compared.has("children"):
        _steps(axes, np.repeat(table["passed"].to_numpy(), table["children"]), CHILDREN, "-")
        axes.text(66, 45, "59 children", color=CHILDREN, size=TEXT, ha="left", va="top")


def _steps(axes: Axes, passed: npt.NDArray[np.int64], color: str, line: str) -> None:
    share = [100 * float((passed <= count).mean()) for count in range(41)]
    axes.step(np.arange(41) * 2.5, share, line, where="post", color=color, lw=1.2, clip_on=False)


def _runs(
    axes: Axes, compared: Comparison, runs: Sequence[tuple[Run, Estimate]], styles: dict[str, Style]
) -> None:
    percents(axes, "x")
    axes.set_ylim(len(runs), 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Tasks passed of the 40 (%)", labelpad=1)
    for place, (run, rate) in enumerate(runs):
        style, y = styles[run.agent], place + 0.72
        mean, low, high = (100 * value for value in rate)
        axes.errorbar(
            *(mean, y),
            xerr=[[mean - low], [high - mean]],
            fmt=style.marker,
            color=style.color,
            markerfacecolor=style.face,
            markersize=3.4,
            elinewidth=0.9,
            capsize=1.6,
            clip_on=False,
        )
        standing = _standing(compared, run)
        room = COLUMN - 0.56 - width(standing, TICKS) - 0.1
        axes.text(0, place + 0.24, _cut(run.agent, room), size=TICKS, weight="bold", va="center")
        axes.text(100, place + 0.24, standing, size=TICKS, ha="right", va="center", color=GREY)


def _cut(name: str, inches: float) -> str:
    # Bold letters are about a tenth wider.
    if 1.12 * width(name, TICKS) <= inches:
        return name
    while name and 1.12 * width(name + "…", TICKS) > inches:
        name = name[:-1]
    return name + "…"


def _standing(compared: Comparison, run: Run) -> str:
    """The run's rank and the share of children it outperformed, in words."""
    parts = []
    ranks, shares = compared.ranks, compared.outperformed
    place = ranks[(ranks["agent"] == run.agent) & (ranks["scope"] == ALL)]
    if len(place):
        row = place.iloc[0]
        parts.append(f"rank {row['rank']} [{row['low']:.0f}–{row['high']:.0f}] of {row['teams'] + 1}")
    share = shares[(shares["agent"] == run.agent) & (shares["scope"] == ALL)]
    if len(share):
        parts.append(f"above {percent(share['outperformed'].iloc[0])} % of children")
    return ", ".join(parts)
