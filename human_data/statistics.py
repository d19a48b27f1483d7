"""Pass rates with intervals that respect how trials came about."""

import math
import re
from statistics import NormalDist

import numpy as np
import pandas as pd

_Z = NormalDist().inv_cdf(0.975)
"""Two-sided 95 % quantile of the normal distribution."""

RESAMPLES = 2000
BOOTSTRAP_SEED = 20190601

_VARIANT = re.compile(r"(\d{2}-\d{2})-\d{2}")
"""The battery's ids: level, task, variant. Variants of a task share its idea."""


def pass_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Pass rate by agent and level with 95 % intervals; agents in order of appearance, levels ascending.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `tasks`, `trials`
    (judged ones), `passes`, `pass_rate`, `low`, `high`, `missing` (planned trials without a verdict:
    failed, not run or unmarked; they count neither as passed nor as failed).

    The interval says how far other tasks of the same kind could move the rate. It is Wilson's on the
    number of tasks. Where trials share a task, or tasks are variants of one (ids LL-TT-VV), they resemble
    each other; then such groups are resampled (cluster bootstrap) and the two intervals are joined:
    the bootstrap alone has no width where every group agrees.
    """
    rows = [
        {"agent": agent, "level": level, **_rate(group)}
        for (agent, level), group in results.groupby(["agent", "level"], sort=False)
    ]
    columns = ["agent", "level", "tasks", "trials", "passes", "pass_rate", "low", "high", "missing"]
    return pd.DataFrame(rows, columns=columns).sort_values("level", kind="stable", ignore_index=True)


def _rate(group: pd.DataFrame) -> dict[str, float]:
    judged = group[group["passed"].notna()]
    passes, trials, tasks = int(judged["passed"].sum()), len(judged), judged["task_id"].nunique()
    rate = passes / trials if trials else math.nan
    low, high = wilson(rate * tasks, tasks)
    families = judged["passed"].astype(float).groupby(judged["task_id"].map(family))
    if trials > families.ngroups:
        booted = _cluster_bootstrap(families.sum().to_numpy(float), families.count().to_numpy(float))
        low, high = min(low, booted[0]), max(high, booted[1])
    return {
        "tasks": tasks,
        "trials": trials,
        "passes": passes,
        "pass_rate": rate,
        "low": low,
        "high": high,
        "missing": len(group) - trials,
    }


def family(task_id: str) -> str:
    """What the variants of a task have in common: `01-02` of `01-02-03`; any other id is by itself."""
    match = _VARIANT.fullmatch(task_id)
    return match[1] if match else task_id


def wilson(passes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion; (nan, nan) without trials."""
    if not trials:
        return (math.nan, math.nan)
    rate, squared = passes / trials, _Z**2
    middle = (rate + squared / (2 * trials)) / (1 + squared / trials)
    half = _Z / (1 + squared / trials) * math.sqrt(rate * (1 - rate) / trials + squared / (4 * trials**2))
    return (max(0.0, middle - half), min(1.0, middle + half))


def mean_interval(mean: pd.Series, sd: pd.Series, count: pd.Series) -> tuple[pd.Series, pd.Series]:
    """95 % interval of a mean share of `count` people, by the normal approximation, within 0 and 1."""
    half = _Z * sd / count**0.5
    return (mean - half).clip(0, 1), (mean + half).clip(0, 1)


def _cluster_bootstrap(passes: np.ndarray, trials: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    drawn = rng.integers(0, len(passes), (RESAMPLES, len(passes)))
    rates = passes[drawn].sum(axis=1) / trials[drawn].sum(axis=1)
    low, high = np.quantile(rates, [0.025, 0.975])
    return (float(low), float(high))
