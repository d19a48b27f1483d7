"""Differences of a run from comparison groups, by level and task, with intervals."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from evaluation.statistics import clustered_interval, family, level_of_id, wilson
from report.comparison.runs import ReferenceGroup, Run

ALL = "all"
"""All levels together in the column `scope`."""

SAME = "same tasks"
NOT_COMPARABLE = "not comparable: other clock"
"""In the column `pairing` of level 9 if the run's scoring clock is not that of children and teams."""

COLUMNS = (
    *("agent", "group", "source", "scope", "pairing", "tasks", "group_tasks"),
    *("rate", "group_rate", "difference", "low", "high", "judged_rate", "most"),
)

ENOUGH = 10
"""Tasks from which the correlation over tasks is taken as known."""

_Z = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""


class Estimate(NamedTuple):
    """A rate or a difference with its 95 % interval."""

    value: float
    low: float
    high: float


def compare_with_groups(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> pd.DataFrame:
    """The difference of every run from every group, over all shared levels and on each, one row each."""
    rows = [row for run in runs for group in groups for row in _rows(run, group)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(run: Run, group: ReferenceGroup) -> Iterator[dict[str, Any]]:
    if not run.original:
        return
    rates = run.task_rates
    theirs = group.rates.rename("group_rate").rename_axis("task_id").reset_index()
    theirs["level"] = theirs["task_id"].map(level_of_id)
    levels = sorted(set(rates["level"]) & set(theirs["level"]))
    comparable = [level for level in levels if level in set(run.rates_beside(group.source)["level"])]
    scopes = [(ALL, comparable), *((str(level), [level]) for level in levels)]
    for scope, chosen in scopes:
        here = rates[rates["level"].isin(chosen)]
        row = _paired(run, here, theirs[theirs["level"].isin(chosen)], group)
        if row:
            lost = {} if set(chosen) <= set(comparable) else _LOST
            base = {"agent": run.agent, "group": group.name, "source": group.source, "scope": scope}
            shared = here[here["task_id"].isin(group.rates.index)]
            ends = {"judged_rate": float(shared["judged"].mean()), "most": float(shared["most"].mean())}
            yield {**base, **row, **lost, **ends}


_LOST = {"pairing": NOT_COMPARABLE, **dict.fromkeys(("difference", "low", "high"), math.nan)}


def _paired(run: Run, rates: pd.DataFrame, theirs: pd.DataFrame, group: ReferenceGroup) -> dict[str, Any]:
    both = rates.merge(theirs[["task_id", "group_rate"]], on="task_id")
    if both.empty:
        return {}
    tasks = list(both["task_id"])
    of_group = both[["task_id"]].assign(rate=both["group_rate"], trials=group.members)
    own, other = with_ends(both, run.error(tasks)), with_ends(of_group, group.error(tasks))
    found = difference(own, other, _correlation(both))
    return dict(zip(COLUMNS[4:-2], (SAME, len(both), len(both), own.value, other.value, *found), strict=True))


def _correlation(both: pd.DataFrame) -> float:
    """Correlation of the two over tasks, as far as it can be relied on."""
    means = both.groupby(both["task_id"].map(family))[["rate", "group_rate"]].mean()
    if len(means) < 3 or (means.std() < 1e-9).any():
        return 0.0
    found = float(means["rate"].corr(means["group_rate"]))
    return found if len(means) >= ENOUGH else min(found, 0.0)


def with_ends(rates: pd.DataFrame, error: float = 0.0) -> Estimate:
    """A rate over tasks, each counted once, with an interval that keeps variants together.

    `rates` has the columns of `Run.task_rates`; `error` is a standard error that all tasks share.
    """
    trials = rates["trials"].astype(float)
    clusters = pd.DataFrame({"passes": rates["rate"] * trials, "trials": trials})
    sums = clusters.groupby(rates["task_id"].map(family)).sum()
    low, high = clustered_interval(sums["passes"].to_numpy(float), sums["trials"].to_numpy(float))
    rate = float(rates["rate"].mean())
    below, above = (math.hypot(max(gap, 0.0), _Z * error) for gap in (rate - low, high - rate))
    return Estimate(rate, max(rate - below, 0.0), min(rate + above, 1.0))


def difference(one: Estimate, other: Estimate, correlation: float = 0.0) -> Estimate:
    """Difference of two rates with intervals and a correlation (Zou and Donner 2008)."""
    gap = one.value - other.value
    below = _joint(one.value - one.low, other.high - other.value, correlation)
    above = _joint(one.high - one.value, other.value - other.low, correlation)
    return Estimate(gap, max(gap - below, -1.0), min(gap + above, 1.0))


def _joint(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


def joined(parts: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, by the same method."""
    mean = float(np.mean([part.value for part in parts]))
    below = math.hypot(*(part.value - part.low for part in parts)) / len(parts)
    above = math.hypot(*(part.high - part.value for part in parts)) / len(parts)
    return Estimate(mean, mean - below, mean + above)


TASK_COLUMNS = (
    *("agent", "group", "source", "task_id", "level", "pairing", "trials", "rate", "judged_rate", "most"),
    *("group_members", "group_rate", "difference", "low", "high"),
)


def compare_tasks(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> pd.DataFrame:
    """The difference of every run from every group on each task that both did, one row each."""
    rows = []
    for run, group in product((run for run in runs if run.original), groups):
        comparable = set(run.rates_beside(group.source)["task_id"])
        shared = run.task_rates[run.task_rates["task_id"].isin(group.rates.index)]
        for row in shared.to_dict("records"):
            task_id, rate, trials = row["task_id"], row["rate"], row["trials"]
            theirs, pairing = float(group.rates[task_id]), NOT_COMPARABLE
            found = Estimate(math.nan, math.nan, math.nan)
            if task_id in comparable:
                teams = group.source == "teams"
                other = Estimate(theirs, theirs, theirs) if teams else _of_trials(theirs, group.members)
                found, pairing = difference(_of_trials(rate, trials), other), SAME
            about = (run.agent, group.name, group.source, task_id, row["level"], pairing, trials, rate)
            rows.append((*about, row["judged"], row["most"], group.members, theirs, *found))
    return pd.DataFrame(rows, columns=list(TASK_COLUMNS))


def _of_trials(rate: float, trials: int) -> Estimate:
    return Estimate(rate, *wilson(rate * trials, trials))
