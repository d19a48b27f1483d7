"""How far a run is from others, level by level, and how sure that is."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

from human_data.comparison.groups import Group
from human_data.comparison.runs import Run
from human_data.statistics import clustered_interval, family, level_of_id

ALL = "all"
"""Stands for all levels together in the column `scope`."""

SAME, OTHER = "same tasks", "other layouts"

COLUMNS = (
    *("agent", "group", "source", "scope", "pairing", "tasks", "group_tasks"),
    *("rate", "group_rate", "difference", "low", "high"),
)

DIFFERENCES_NOTE = (
    "Difference: pass rate of the run less that of the others, each task counted once. On the same tasks it is "
    "taken task by task; its 95 % interval is Student's over tasks (a task's trials and its variants kept "
    "together, Welch-Satterthwaite degrees of freedom), to which the standard error over children or people is "
    "added. With other layouts nothing is paired: both rates have intervals over their tasks, joined by the "
    "method of Zou and Donner (2008, Statistics in Medicine 27), and levels weigh alike in the sum. Teams and "
    "published agents are all there are, and add no error of their own on the same tasks. Intervals are not "
    "corrected for their number: of twenty, one is expected to miss by chance."
)


class Estimate(NamedTuple):
    """A difference with its 95 % interval."""

    difference: float
    low: float
    high: float


def compare_with_groups(runs: Sequence[Run], groups: Sequence[Group]) -> pd.DataFrame:
    """The difference of every run from every group, over all shared levels and on each, one row each.

    Columns: `agent`; `group`, `source`; `scope` (a level, or `ALL`); `pairing` (`SAME` or `OTHER`); `tasks`
    of the run and `group_tasks`; `rate`, `group_rate` over them; `difference` with `low`, `high` (95 %, NaN
    where nothing can be said). See `DIFFERENCES_NOTE`.
    """
    rows = [row for run in runs for group in groups for row in _rows(run, group)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(run: Run, group: Group) -> Iterator[dict[str, Any]]:
    compare = _paired if run.original else _unpaired
    rates = run.task_rates()
    theirs = group.rates.rename("group_rate").rename_axis("task_id").reset_index()
    theirs["level"] = theirs["task_id"].map(level_of_id)
    levels = sorted(set(rates["level"]) & set(theirs["level"]))
    scopes = [(ALL, levels), *((str(level), [level]) for level in levels)]
    for scope, chosen in scopes:
        row = compare(rates[rates["level"].isin(chosen)], theirs[theirs["level"].isin(chosen)], group)
        if row:
            base = {"agent": run.agent, "group": group.name, "source": group.source, "scope": scope}
            yield {**base, **row}


def _paired(rates: pd.DataFrame, theirs: pd.DataFrame, group: Group) -> dict[str, Any]:
    both = rates.merge(theirs[["task_id", "group_rate"]], on="task_id")
    if both.empty:
        return {}
    gaps = both["rate"] - both["group_rate"]
    found = _paired_interval(gaps, both["task_id"], group.error(list(both["task_id"])))
    return {
        "pairing": SAME,
        "tasks": len(both),
        "group_tasks": len(both),
        "rate": both["rate"].mean(),
        "group_rate": both["group_rate"].mean(),
        **found._asdict(),
    }


def _paired_interval(gaps: "pd.Series[float]", task_ids: "pd.Series[str]", error: float) -> Estimate:
    """Of a mean over tasks, `error` being the standard error that all tasks share."""
    mean = float(gaps.mean())
    sums = gaps.groupby(task_ids.map(family)).agg(["sum", "count"]).to_numpy(float)
    count = len(sums)
    if count < 2:
        return Estimate(mean, math.nan, math.nan)
    residuals = sums[:, 0] - mean * sums[:, 1]
    over_tasks = count / (count - 1) * float((residuals**2).sum()) / len(gaps) ** 2
    variance = over_tasks + error**2
    if variance < 1e-12:
        return Estimate(mean, math.nan, math.nan)
    # The error over people rests on many of them, and counts as known.
    freedom = (count - 1) * (variance / over_tasks) ** 2 if over_tasks else math.inf
    half = float(student.ppf(0.975, freedom)) * math.sqrt(variance)
    return Estimate(mean, max(mean - half, -1.0), min(mean + half, 1.0))


def _unpaired(rates: pd.DataFrame, theirs: pd.DataFrame, group: Group) -> dict[str, Any]:
    levels = sorted(set(rates["level"]))
    parts = [
        (_with_ends(rates[rates["level"] == level]), _with_ends(_as_rates(theirs, level, group)))
        for level in levels
    ]
    if not parts:
        return {}
    found = joined([difference(one, other) for one, other in parts])
    return {
        "pairing": OTHER,
        "tasks": len(rates),
        "group_tasks": len(theirs),
        "rate": float(np.mean([one.difference for one, _ in parts])),
        "group_rate": float(np.mean([other.difference for _, other in parts])),
        **found._asdict(),
    }


def _as_rates(theirs: pd.DataFrame, level: int, group: Group) -> pd.DataFrame:
    part = theirs[theirs["level"] == level]
    return part.rename(columns={"group_rate": "rate"}).assign(trials=group.members)


def _with_ends(rates: pd.DataFrame) -> Estimate:
    """A rate over tasks, each counted once, with the interval that keeps variants together."""
    trials = rates["trials"].astype(float)
    clusters = pd.DataFrame({"passes": rates["rate"] * trials, "trials": trials})
    sums = clusters.groupby(rates["task_id"].map(family)).sum()
    low, high = clustered_interval(sums["passes"].to_numpy(float), sums["trials"].to_numpy(float))
    rate = float(rates["rate"].mean())
    return Estimate(rate, min(low, rate), max(high, rate))


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Of two independent rates with intervals (Zou and Donner 2008)."""
    gap = one.difference - other.difference
    below = math.hypot(one.difference - one.low, other.high - other.difference)
    above = math.hypot(one.high - one.difference, other.difference - other.low)
    return Estimate(gap, max(gap - below, -1.0), min(gap + above, 1.0))


def joined(parts: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, by the same method."""
    mean = float(np.mean([part.difference for part in parts]))
    below = math.hypot(*(part.difference - part.low for part in parts)) / len(parts)
    above = math.hypot(*(part.high - part.difference for part in parts)) / len(parts)
    return Estimate(mean, mean - below, mean + above)
