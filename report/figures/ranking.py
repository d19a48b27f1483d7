"""Children and teams by how many of the 40 tasks they passed, and where the runs stand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from human_data.baselines import children_passed_of_40, competition
from report.comparison.differences import ALL, Estimate, with_ends
from report.comparison.runs import Run
from report.comparison.whole import Comparison
from report.figures import look
from report.figures.look import width
from report.formats import percent
from testbed import CHILDREN as TASKS

CAPTION = (
    "Above: share of the 59 children and of the 68 teams of 2019 who passed at most that number of the 40 "
    "tasks that children did. Below: each run's rate on these tasks with its 95 % interval over tasks, its "
    "rank beside the teams (1 plus those that passed more; in brackets its 95 % interval over tasks) and the "
    "share of children that it outperformed (those with equally many count half). Runs with another scoring "
    "clock than theirs are not shown, as level 9 cannot be compared."
)

_HIGH, _ROW = 1.35, 0.27


def draw_ranking(compared: Comparison, notes: Sequence[str]) -> Figure | None:
    """Draw the runs that did the 40 tasks, or None if there is none."""
    runs = [(run, rate) for run in compared.runs if (rate := on_40(run)) is not None]
    if not runs or not (compared.has("children") or compared.has("teams")):
        return None
    styles = look.run_styles([run.agent for run in compared.runs])
    rows = _ROW * len(runs) + 0.06
    with look.canvas(look.COLUMN, 0.42 + rows + _HIGH + 0.12, notes) as (figure, below):
        lower = look.panel(figure, 0.42, below + 0.36, look.COLUMN - 0.56, rows)
        _runs(lower, compared, runs, styles)
        upper = look.panel(figure, 0.42, below + 0.42 + rows, look.COLUMN - 0.56, _HIGH)
        _shares(upper, compared)
    return figure


def on_40(run: Run) -> Estimate | None:
    """The run's rate on the children's tasks, None if it has not all of them."""
    if not run.original:
        return None
    rates = run.rates_beside("children")
    rates = rates[rates["task_id"].isin(TASKS)]
    return with_ends(rates) if len(rates) == len(TASKS) else None


def _shares(axes: Axes, compared: Comparison) -> None:
    look.percents(axes)
    look.percents(axes, "x")
    axes.set_xticklabels([])
    axes.set_ylabel("Passed at most (%)", labelpad=1)
    table, teams = children_passed_of_40(), competition()
    if compared.has("teams"):
        _steps(axes, teams["passes_40"].to_numpy(), look.TEAMS, "--")
        axes.text(47, 95, "68 teams 2019", color=look.GREY, ha="left", va="top")
    if compared.has("children"):
        _steps(axes, np.repeat(table["passed"].to_numpy(), table["children"]), look.CHILDREN, "-")
        axes.text(66, 45, "59 children", color=look.CHILDREN, ha="left", va="top")


def _steps(axes: Axes, passed: npt.NDArray[np.int64], color: str, line: str) -> None:
    share = [100 * float((passed <= number).mean()) for number in range(41)]
    axes.step(np.arange(41) * 2.5, share, line, where="post", color=color, lw=1.2, clip_on=False)


def _runs(
    axes: Axes, compared: Comparison, runs: Sequence[tuple[Run, Estimate]], styles: dict[str, look.Style]
) -> None:
    look.percents(axes, "x")
    axes.set_ylim(len(runs), 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Tasks passed of the 40 (%)", labelpad=1)
    for place, (run, rate) in enumerate(runs):
        row = pd.DataFrame([tuple(rate)], columns=["pass_rate", "low", "high"])
        look.mark_rates(axes, row, [place + 0.72], styles[run.agent])
        standing = _standing(compared, run)
        # Bold letters are about a tenth wider.
        room = (look.COLUMN - 0.56 - width(standing, look.TICKS) - 0.1) / 1.12
        name = look.shortened(run.agent, room, look.TICKS, lines=1)
        axes.text(0, place + 0.24, name, size=look.TICKS, weight="bold", va="center")
        axes.text(100, place + 0.24, standing, size=look.TICKS, ha="right", va="center", color=look.GREY)


def _standing(compared: Comparison, run: Run) -> str:
    """The run's rank and the share of children it outperformed, in words."""
    place, share = (
        table[(table["agent"] == run.agent) & (table["scope"] == ALL)].to_dict("records")
        for table in (compared.tables["ranks"], compared.tables["outperformed"])
    )
    parts = [
        f"rank {r['rank']} [{r['low']:.0f}–{r['high']:.0f}] beside {r['teams']} teams" for r in place[:1]
    ]
    parts += [f"above {percent(r['outperformed'])} % of children" for r in share[:1]]
    return ", ".join(parts)
