"""A run beside comparison groups on every single task."""

import math
from collections.abc import Sequence

import pandas as pd

from evaluation.statistics import wilson
from report.comparison.differences import NOT_COMPARABLE, SAME, Estimate, difference
from report.comparison.references import ReferenceGroup, same_tasks
from report.comparison.runs import Run

TASKS_NOTE = (
    "On a single task, the interval of a difference (95 %, Newcombe's) is over the trials of the run and "
    "over the children, people or trials of the group; the teams are the whole population. One trial says "
    "little: its own interval reaches from 0 to 79 % or from 21 to 100 %."
)

COLUMNS = (
    *("agent", "group", "source", "task_id", "level", "pairing", "trials", "rate", "judged_rate", "most"),
    *("group_members", "group_rate", "difference", "low", "high"),
)


def compare_tasks(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> pd.DataFrame:
    """The difference of every run from every group on each task that both did, one row each.

    Columns: `agent`; `group`, `source`; `task_id`, `level`; `pairing` (`SAME` or
    `NOT_COMPARABLE`); `trials` and `rate` of the run, missing trials as failed, with
    `judged_rate` of the others and `most`, with the missing ones passed; `group_members` and `group_rate`;
    `difference` with `low`, `high` (95 %; NaN if not comparable). See `TASKS_NOTE`.
    """
    rows = []
    for run in runs:
        for group in groups:
            if not same_tasks(run, group):
                continue
            comparable = set(run.rates_beside(group.source)["task_id"])
            for row in run.task_rates().to_dict("records"):
                task_id, rate, trials = row["task_id"], row["rate"], row["trials"]
                if task_id not in group.rates.index:
                    continue
                theirs = float(group.rates[task_id])
                found = difference(_of_trials(rate, trials), _of_group(theirs, group))
                pairing = SAME if task_id in comparable else NOT_COMPARABLE
                if pairing == NOT_COMPARABLE:
                    found = Estimate(math.nan, math.nan, math.nan)
                about = (run.agent, group.name, group.source, task_id, row["level"], pairing, trials, rate)
                known = (row["judged"], row["most"])
                rows.append((*about, *known, group.members, theirs, *found))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_trials(rate: float, trials: int) -> Estimate:
    return Estimate(rate, *wilson(rate * trials, trials))


def _of_group(rate: float, group: ReferenceGroup) -> Estimate:
    is_sample = group.source != "teams"
    return _of_trials(rate, group.members) if is_sample else Estimate(rate, rate, rate)
