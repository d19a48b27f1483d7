"""Item analysis: how difficult each task is, and how well it separates strong players from weak ones."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.statistics import clustered_interval
from human_data.baselines import children_by_task, competition_by_task
from report.comparison.runs import Run, apart

FEWEST = 8
"""Runs below which no discrimination is estimated from them."""

ITEMS_NOTE = (
    "Difficulty of a task: the mean of the runs' shares of passes (a high share is an easy task; a trial "
    "without a verdict is failed), with a 95 % interval over runs. Discrimination: the correlation over "
    "players of their share on the task with their share on the other tasks (corrected item-total "
    "correlation: Lord and Novick 1968, Statistical Theories of Mental Test Scores), with Fisher's 95 % "
    f"interval; over runs only from {FEWEST} on, and over the 68 teams of 2019 on the original files. Below "
    "0.2 a task says little about who is better; below 0 it should be looked at. Tasks that all runs pass, "
    "or none, do not separate them. Every task is in item_analysis.csv."
)

COLUMNS = (
    *("task_id", "level", "runs", "trials", "pass_rate", "low", "high"),
    *("discrimination", "discrimination_low", "discrimination_high", "children_rate", "teams_rate"),
    *("teams_discrimination", "teams_discrimination_low", "teams_discrimination_high"),
)

SUMMARY_COLUMNS = (
    *("level", "tasks", "pass_rate", "easiest", "hardest", "all_pass", "none_passes"),
    *("discrimination", "teams_discrimination", "teams_weak"),
)

_Floats = npt.NDArray[np.float64]


def item_analysis(runs: Sequence[Run]) -> pd.DataFrame:
    """Difficulty and discrimination of every task that is the same for all runs which have it, a row each.

    Columns: `task_id`, `level`; `runs` and their `trials`; `pass_rate`, the mean over runs, with
    `low`, `high` (95 %); `discrimination` over runs with its interval (NaN for fewer than `FEWEST`);
    `children_rate`, `teams_rate` and `teams_discrimination` with its interval, if all runs count as played on
    the original files, else NaN. See `ITEMS_NOTE`.
    """
    rates = pd.concat([run.task_rates().assign(agent=run.agent) for run in runs], ignore_index=True)
    rates = rates[~rates["task_id"].isin(list(chain(*apart(runs).values())))]
    shares = rates.pivot(index="agent", columns="task_id", values="rate")
    trials = rates.pivot(index="agent", columns="task_id", values="trials")
    own = _discrimination(shares) if len(shares) >= FEWEST else {}
    others = _others() if all(run.original for run in runs) else pd.DataFrame(index=pd.Index([]))
    levels = rates.drop_duplicates("task_id").set_index("task_id")["level"]
    rows = []
    for task in sorted(shares.columns):
        share, count = shares[task].dropna(), trials[task].dropna()
        ends = clustered_interval((share * count).to_numpy(float), count.to_numpy(float))
        row = (task, levels[task], len(share), int(count.sum()), float(share.mean()), *ends)
        known = others.loc[task] if task in others.index else (np.nan,) * 5
        rows.append((*row, *own.get(task, (np.nan,) * 3), *known))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _others() -> pd.DataFrame:
    """Children's and teams' share and the teams' discrimination on each of the 40 tasks."""
    teams = competition_by_task().pivot(index="team", columns="task_id", values="passed").astype(float)
    found = pd.DataFrame(_discrimination(teams)).T
    shares = children_by_task().set_index("task_id")["pass_rate"]
    return pd.concat([shares, teams.mean().rename("teams"), found], axis=1)


def _discrimination(shares: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Corrected item-total correlation of each column over the rows, with its interval."""
    found = {}
    for task in shares.columns:
        rest = shares.drop(columns=task).mean(axis=1)
        both = pd.concat([shares[task], rest], axis=1).dropna().to_numpy(float)
        found[str(task)] = _correlation(both)
    return found


def _correlation(both: _Floats) -> tuple[float, float, float]:
    """Pearson's correlation of two columns with Fisher's 95 % interval; NaN if one of them does not vary."""
    if len(both) < FEWEST or min(map(np.std, both.T)) < 1e-9:
        return (np.nan, np.nan, np.nan)
    r = float(np.asarray(np.corrcoef(both.T))[0, 1])
    middle, half = np.arctanh(np.clip(r, -0.999999, 0.999999)), 1.959964 / np.sqrt(len(both) - 3)
    return (r, float(np.tanh(middle - half)), float(np.tanh(middle + half)))


def items_by_level(items: pd.DataFrame) -> pd.DataFrame:
    """The same by level, one row each.

    Columns: `level`; `tasks`; `pass_rate`, with that of the `easiest` and the `hardest` task; tasks that
    `all_pass` and `none_passes`; median `discrimination` over runs and `teams_discrimination`, and
    `teams_weak`, the number of tasks whose discrimination over teams is below 0.2.
    """
    rows = []
    for level, part in items.groupby("level"):
        share = part["pass_rate"]
        ends = (float(share.mean()), float(share.max()), float(share.min()))
        floor = (int((share == 1).sum()), int((share == 0).sum()))
        medians = (float(part[f"{who}discrimination"].median()) for who in ("", "teams_"))
        rows.append(
            (level, len(part), *ends, *floor, *medians, int((part["teams_discrimination"] < 0.2).sum()))
        )
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))
