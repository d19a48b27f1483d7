"""Pass rates with intervals that respect how trials came about."""

import math
from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
import pandas as pd

from llm_control.evaluate import TrialResult

_Z = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""

RESAMPLES = 2000
BOOTSTRAP_SEED = 20190601


def results_frame(rows: Iterable[TrialResult]) -> pd.DataFrame:
    """One row per planned trial, columns as the fields of `TrialResult`; `passed` is a nullable boolean."""
    frame = pd.DataFrame([asdict(row) for row in rows], columns=list(TrialResult.__dataclass_fields__))
    return frame.astype({"passed": "boolean", "level": "int64", "trial": "int64"})


def pass_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Pass rate by agent and level with 95 % intervals.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `tasks`, `trials`
    (judged ones), `passes`, `pass_rate`, `low`, `high`, `missing` (planned trials without a verdict:
    failed, not run or unmarked; they count neither as passed nor as failed).

    One trial a task: Wilson's interval. Several: trials of a task resemble each other, so tasks are
    resampled (cluster bootstrap), joined with Wilson's interval on the number of tasks, which keeps some
    width where every task agrees.
    """
    rows = [
        {"agent": agent, "level": level, **_rate(group)}
        for (agent, level), group in results.groupby(["agent", "level"], sort=True)
    ]
    columns = ["agent", "level", "tasks", "trials", "passes", "pass_rate", "low", "high", "missing"]
    return pd.DataFrame(rows, columns=columns)


def _rate(group: pd.DataFrame) -> dict[str, float]:
    judged = group[group["passed"].notna()]
    by_task = judged.assign(passed=judged["passed"].astype(float)).groupby("task_id")["passed"]
    passes, trials, tasks = int(judged["passed"].sum()), len(judged), by_task.ngroups
    rate = passes / trials if trials else math.nan
    low, high = wilson(rate * tasks, tasks)
    if trials > tasks:
        booted = _cluster_bootstrap(by_task.sum().to_numpy(float), by_task.count().to_numpy(float))
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


def wilson(passes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion; (nan, nan) without trials."""
    if not trials:
        return (math.nan, math.nan)
    rate, squared = passes / trials, _Z**2
    middle = (rate + squared / (2 * trials)) / (1 + squared / trials)
    half = _Z / (1 + squared / trials) * math.sqrt(rate * (1 - rate) / trials + squared / (4 * trials**2))
    return (max(0.0, middle - half), min(1.0, middle + half))


def _cluster_bootstrap(passes: np.ndarray, trials: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    drawn = rng.integers(0, len(passes), (RESAMPLES, len(passes)))
    rates = passes[drawn].sum(axis=1) / trials[drawn].sum(axis=1)
    low, high = np.quantile(rates, [0.025, 0.975])
    return (float(low), float(high))
