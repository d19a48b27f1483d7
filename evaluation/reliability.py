"""What several trials of a task say beyond their mean: whether all of k pass, and whether any does."""

from collections.abc import Iterator
from math import comb
from typing import Any

import pandas as pd

from evaluation.paired import ALL_LEVELS
from evaluation.results import GROUP
from evaluation.statistics import clustered_interval, counted, family

RELIABILITY_NOTE = (
    "All of k: the chance that k trials of a task all pass (pass^k: Yao et al. 2024, arXiv 2406.12045), C(c, "
    "k) / C(n, k) with c passes in n trials. Any of k: that at least one of k passes (pass@k: Chen et al. "
    "2021, arXiv 2107.03374), 1 - C(n - c, k) / C(n, k). Both are unbiased; trials without a verdict count "
    "as failed, and tasks with fewer than k planned trials are left out. Means over tasks, with 95 % "
    "intervals over tasks (variants kept together)."
)

COLUMNS = ("agent", "scope", "k", "tasks", "all_k", "all_low", "all_high", "any_k", "any_low", "any_high")


def all_of(passes: int, trials: int, k: int) -> float:
    """The unbiased estimate that k trials all pass, after `passes` in `trials` (at least k)."""
    return comb(passes, k) / comb(trials, k)


def any_of(passes: int, trials: int, k: int) -> float:
    """The unbiased estimate that at least one of k trials passes, after `passes` in `trials` (at least k)."""
    return 1 - comb(trials - passes, k) / comb(trials, k)


def reliability(results: pd.DataFrame) -> pd.DataFrame:
    """pass^k and pass@k of each agent for every k up to its trials, over all levels and on each, a row each.

    `results` has the columns of `results_frame`. Columns: `agent`; `scope` (a level, or `ALL_LEVELS`); `k`;
    `tasks` with at least k planned trials; `all_k`, `any_k` with their intervals (95 %). Empty if no task has
    two. See `RELIABILITY_NOTE`.
    """
    trials = counted(results)
    passed = (
        trials["passed"].astype(int).groupby([trials[key] for key in ("agent", GROUP, "task_id")], sort=False)
    )
    tasks = passed.agg(passes="sum", trials="count").reset_index()
    several = tasks.groupby("agent")["trials"].transform("max") > 1
    rows = [
        row for agent, own in tasks[several].groupby("agent", sort=False) for row in _rows(str(agent), own)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(agent: str, tasks: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    levels = {str(level): part for level, part in tasks.groupby(GROUP)}
    for scope, part in {ALL_LEVELS: tasks, **(levels if len(levels) > 1 else {})}.items():
        for k in range(1, int(part["trials"].max()) + 1):
            enough = part[part["trials"] >= k]
            counts = list(zip(enough["passes"], enough["trials"], strict=True))
            found = [
                _mean(enough["task_id"], [each(c, n, k) for c, n in counts]) for each in (all_of, any_of)
            ]
            yield (agent, scope, k, len(enough), *found[0], *found[1])


def _mean(task_ids: "pd.Series[str]", shares: list[float]) -> tuple[float, float, float]:
    """The mean of shares of tasks with its interval."""
    sums = pd.Series(shares, task_ids.map(family).to_numpy()).groupby(level=0).agg(["sum", "count"])
    ends = clustered_interval(sums["sum"].to_numpy(float), sums["count"].to_numpy(float))
    return (sum(shares) / len(shares), *ends)
