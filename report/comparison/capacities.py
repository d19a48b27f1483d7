"""Pass rates of runs by the capacities that tasks demand."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from evaluation.statistics import RATES, family
from report.comparison.differences import with_ends
from report.comparison.levels import level_name
from report.comparison.runs import Run

DEMANDS, LEVEL = "demands", "level"

CAPACITIES_NOTE = (
    "Capacities: those that each task of the shipped battery demands; a task counts for each of its "
    "capacities, so that rows overlap. For the original files, which name none, the level takes their place. "
    "Intervals are 95 %, over ideas of tasks (variants kept together)."
)

COLUMNS = ("agent", "basis", "capacity", "tasks", "ideas", "trials", *RATES)


def capacities(runs: Sequence[Run]) -> pd.DataFrame:
    """Pass rates by capacity, one row per run and capacity, in the order of the battery.

    Columns: `agent`; `basis` (`DEMANDS` of the shipped battery, or `LEVEL`); `capacity`; `tasks` that demand
    it, and the number of their `ideas` (variants kept together); planned `trials`; `pass_rate` with `low`,
    `high` (95 %), missing trials as failed; `judged_rate` of those with a verdict; `most`, with the missing
    ones passed.
    """
    return pd.DataFrame([row for run in runs for row in _rows(run)], columns=list(COLUMNS))


def _rows(run: Run) -> list[tuple[Any, ...]]:
    rates = run.task_rates()
    if run.original or not rates["task_id"].isin(demanded()["task_id"]).any():
        each = rates.assign(capacity=rates["level"].map(level_name))
        basis = LEVEL
    else:
        each, basis = demanded().merge(rates, on="task_id"), DEMANDS
    found = []
    for capacity, part in each.groupby("capacity", sort=False):
        ideas = part["task_id"].map(family).nunique()
        trials = int(part["trials"].sum())
        without = (float(part["judged"].mean()), float(part["most"].mean()))
        found.append((run.agent, basis, capacity, len(part), ideas, trials, *with_ends(part), *without))
    return found


@cache
def demanded() -> pd.DataFrame:
    """The capacities that each task of the shipped battery demands: `task_id`, `capacity`, one row each."""
    with files("testbed").joinpath("levels/demands.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, usecols=["task", "capacities"]).rename(columns={"task": "task_id"})
    each = table.assign(capacity=table["capacities"].str.split(r";\s*", regex=True)).explode("capacity")
    return each[["task_id", "capacity"]].reset_index(drop=True)
