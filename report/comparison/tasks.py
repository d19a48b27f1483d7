"""A run beside others on every single task."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from evaluation.statistics import wilson
from report.comparison.differences import OTHER, SAME, Estimate, difference
from report.comparison.groups import Group, same_tasks
from report.comparison.runs import Run

TASKS_NOTE = (
    "On a single task, the interval of a difference (95 %, Newcombe's) is over the trials of the run and "
    "over the children, people or trials of the others; the teams are all there are. One trial says little: "
    "its own interval reaches from 0 to 79 % or from 21 to 100 %."
)

COLUMNS = (
    *("agent", "group", "source", "task_id", "level", "pairing", "trials", "rate"),
    *("group_members", "group_rate", "difference", "low", "high"),
)


def compare_tasks(runs: Sequence[Run], groups: Sequence[Group]) -> pd.DataFrame:
    """The difference of every run from every group on each task that both have by its id, one row each.

    Columns: `agent`; `group`, `source`; `task_id`, `level`; `pairing` (the same task, or the same id with
    another layout); `trials` and `rate` of the run; `group_members` and `group_rate`; `difference` with
    `low`, `high` (95 %). See `TASKS_NOTE`.
    """
    rows = []
    for run in runs:
        for group in groups:
            rates = run.task_rates()
            both = rates.assign(group_rate=rates["task_id"].map(group.rates))
            for row in both.dropna(subset="group_rate").to_dict("records"):
                found = _difference(float(row["rate"]), int(row["trials"]), float(row["group_rate"]), group)
                about: dict[str, Any] = {"agent": run.agent, "group": group.name, "source": group.source}
                more = {"pairing": SAME if same_tasks(run, group) else OTHER, "group_members": group.members}
                rows.append(about | {str(key): row[key] for key in row} | more | found._asdict())
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _difference(rate: float, trials: int, group_rate: float, group: Group) -> Estimate:
    own = Estimate(rate, *wilson(rate * trials, trials))
    other = Estimate(group_rate, group_rate, group_rate)
    if group.source != "teams":
        other = Estimate(group_rate, *wilson(group_rate * group.members, group.members))
    return difference(own, other)
