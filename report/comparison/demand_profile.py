"""A profile of what makes tasks hard for a run: pass rate by the demands of the shipped battery's tasks."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.statistics import family
from report.comparison.runs import Run

RESAMPLES = 400
SEED = 20190601
ENOUGH = 10
"""Ideas of tasks per demand from which a profile is estimated."""

DEMANDS = {
    "distance": "distance to the nearest good goal",
    "detour": "path over distance",
    "obstacles": "solid things",
    "hazards": "bad goals and zones that hurt or end the episode",
    "steps_hidden": "steps without a good goal in view",
    "steps_dark": "steps in the dark",
    "turns": "turns of the solution",
}
"""What is entered, by its name in the table."""

PROFILE_NOTE = (
    "Demand profile: how the chance of passing changes with one standard deviation more of a demand, the "
    "others held fixed, in points. Demands are those of demands.csv, as log(1 + x) over all 900 tasks; the "
    "model is a logistic regression over tasks with Firth's penalty (1993, Biometrika 80), which is defined "
    "even where a demand separates passes from failures; 95 % intervals are of a bootstrap over ideas of "
    f"tasks ({RESAMPLES} samples). It needs {ENOUGH} ideas per demand, and says what goes with failure on "
    "these tasks, not why."
)

COLUMNS = ("agent", "demand", "meaning", "tasks", "ideas", "log_odds", "effect", "low", "high")

_Floats = npt.NDArray[np.float64]


def demand_profile(runs: Sequence[Run]) -> pd.DataFrame:
    """The effect of each demand on each run's chance of passing, one row each.

    Columns: `agent`; `demand`, `meaning`; `tasks` and their `ideas` (variants kept together); `log_odds` per
    standard deviation; `effect`, the mean change of the chance per standard deviation, with `low`, `high`
    (95 %). Runs on other tasks than the shipped battery's, on too few of them, or that passed all or none are
    left out. See `PROFILE_NOTE`.
    """
    rows = [row for run in runs if not run.original for row in _rows(run)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


@cache
def _standardised() -> pd.DataFrame:
    """The demands of each task of the shipped battery, log(1 + x), in standard deviations from the mean."""
    with files("testbed").joinpath("levels/demands.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, index_col="task")
    table["hazards"] = table["bad_goals"] + table["zones"]
    chosen = pd.DataFrame(np.log1p(table[list(DEMANDS)]), table.index, list(DEMANDS))
    return (chosen - chosen.mean()) / chosen.std()


def _rows(run: Run) -> Iterator[tuple[Any, ...]]:
    both = run.task_rates().set_index("task_id")[["rate"]].join(_standardised(), how="inner")
    names = [name for name in DEMANDS if both[name].std() > 1e-9]
    ideas, codes = np.unique(both.index.map(family), return_inverse=True)
    if not names or len(ideas) < ENOUGH * len(names) or both["rate"].std() < 1e-9:
        return
    demands, rates = both[names].to_numpy(float), both["rate"].to_numpy(float)
    log_odds, effects = _effects(demands, rates)
    rng = np.random.default_rng(SEED)
    members = [np.flatnonzero(codes == code) for code in range(len(ideas))]
    drawn = [
        np.concatenate([members[k] for k in rng.integers(len(ideas), size=len(ideas))])
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile([_effects(demands[k], rates[k])[1] for k in drawn], (0.025, 0.975), axis=0)
    for place, name in enumerate(names):
        found = (log_odds[place], effects[place], low[place], high[place])
        yield (run.agent, name, DEMANDS[name], len(both), len(ideas), *map(float, found))


def _effects(demands: _Floats, rates: _Floats) -> tuple[_Floats, _Floats]:
    """Log odds and mean change of the chance, per unit of each column of `demands` (tasks, demands)."""
    coefficients, chances = firth(np.column_stack([np.ones(len(rates)), demands]), rates)
    return coefficients[1:], coefficients[1:] * float((chances * (1 - chances)).mean())


def firth(design: _Floats, shares: _Floats, tolerance: float = 1e-6) -> tuple[_Floats, _Floats]:
    """Logistic regression with Firth's penalty: coefficients, and the chance of each row of `design`.

    `shares` are of passes, from 0 to 1. Columns that do not vary independently are resolved by the shortest
    coefficients.
    """
    coefficients = np.zeros(design.shape[1])
    for _ in range(100):
        chances = 1 / (1 + np.exp(-np.clip(design @ coefficients, -30, 30)))
        weights = chances * (1 - chances)
        inverse = np.linalg.pinv((design * weights[:, None]).T @ design)
        leverages = weights * ((design @ inverse) * design).sum(1)
        step = inverse @ (design.T @ (shares - chances + leverages * (0.5 - chances)))
        coefficients = coefficients + step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < tolerance:
            break
    return coefficients, 1 / (1 + np.exp(-np.clip(design @ coefficients, -30, 30)))
