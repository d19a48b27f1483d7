"""Tasks one by one: whether runs fail where others fail, how difficult each is, how well it separates."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from evaluation.statistics import clustered_interval, level_of_id
from human_data.baselines import children_by_task, competition_by_task
from report.comparison.differences import SAME
from report.comparison.runs import ReferenceGroup, Run, apart

RESAMPLES = 2000
PERMUTATIONS = 9999
SEED = 20190601
FEWEST = 8
"""Shared tasks below which no correlation is given."""

COLUMNS = (
    *("agent", "group", "source", "pairing", "tasks"),
    *("spearman", "spearman_low", "spearman_high", "p", "p_within_levels"),
    *("kendall", "kendall_low", "kendall_high"),
)

_Floats = npt.NDArray[np.float64]


def correlations(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> pd.DataFrame:
    """Correlation over tasks of every run with every group that did `FEWEST` of the same tasks.

    NaN if one of them passed all tasks equally often.
    """
    rows = [row for run in runs for group in groups for row in _rows(run, group)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(run: Run, group: ReferenceGroup) -> Iterator[tuple[Any, ...]]:
    """The row of a run and a group, if they share enough tasks."""
    rates = run.rates_beside(group.source)
    both = rates.assign(theirs=rates["task_id"].map(group.rates)).dropna(subset="theirs")
    if len(both) >= FEWEST and run.original:
        own, theirs = both["rate"].to_numpy(float), both["theirs"].to_numpy(float)
        found = _statistics(own, theirs, both["task_id"].map(level_of_id).to_numpy())
        yield (run.agent, group.name, group.source, SAME, len(both), *found)


def _statistics(own: _Floats, theirs: _Floats, levels: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The columns of a row from `spearman` on."""
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(len(own), size=(RESAMPLES, len(own)))
    rho, tau = spearman(own, theirs), kendall(own, theirs)
    rho_low, rho_high = _ends(spearman(own[drawn], theirs[drawn]))
    tau_low, tau_high = _ends(kendall(own[drawn], theirs[drawn]))
    ps = (_permutation_p(own, theirs, strata, rng) for strata in (np.zeros_like(levels), levels))
    return (float(rho), rho_low, rho_high, *ps, float(tau), tau_low, tau_high)


def spearman(one: _Floats, other: _Floats) -> _Floats:
    """Spearman's rho along the last axis; NaN where one side does not vary."""
    first, second = (rankdata(side, axis=-1) for side in (one, other))
    first, second = (side - side.mean(-1, keepdims=True) for side in (first, second))
    return _quotient((first * second).sum(-1), (first**2).sum(-1) * (second**2).sum(-1))


def kendall(one: _Floats, other: _Floats) -> _Floats:
    """Kendall's tau-b along the last axis; NaN where one side does not vary."""
    left, right = np.triu_indices(one.shape[-1], 1)
    first, second = (np.sign(side[..., left] - side[..., right]).astype(np.int8) for side in (one, other))
    varied = (np.abs(side).sum(-1, dtype=np.float64) for side in (first, second))
    return _quotient((first * second).sum(-1, dtype=np.float64), math.prod(varied))


def _quotient(product: _Floats, squares: _Floats) -> _Floats:
    root = np.sqrt(squares)
    return np.divide(product, root, out=np.full_like(root, math.nan), where=root > 0)


def _ends(samples: _Floats) -> tuple[float, float]:
    if np.isnan(samples).mean() > 0.05:
        return math.nan, math.nan
    low, high = np.nanquantile(samples, (0.025, 0.975))
    return float(low), float(high)


def _permutation_p(
    own: _Floats, theirs: _Floats, strata: npt.NDArray[np.int64], rng: np.random.Generator
) -> float:
    """Compute how often rho is as far from 0 if tasks are exchanged within strata."""
    first, second = (rankdata(side) - (len(own) + 1) / 2 for side in (own, theirs))
    if not (first.any() and second.any()):
        return math.nan
    keys = rng.random((PERMUTATIONS, len(own))) + strata * 2.0
    order, places = np.argsort(keys, axis=1), np.argsort(strata, kind="stable")
    permuted = np.empty((PERMUTATIONS, len(own)))
    permuted[:, places] = second[order]
    extreme = np.abs(permuted @ first - _expected(first, second, strata))
    seen = abs(float(first @ second) - _expected(first, second, strata))
    return float((1 + (extreme >= seen - 1e-9).sum()) / (PERMUTATIONS + 1))


def _expected(first: _Floats, second: _Floats, strata: npt.NDArray[np.int64]) -> float:
    """The mean of the sum of products over all permutations within strata."""
    return sum(
        float(first[strata == each].sum() * second[strata == each].mean()) for each in np.unique(strata)
    )


FEWEST_RUNS = 8
"""Runs below which no discrimination is estimated from them."""

ITEM_COLUMNS = (
    *("task_id", "level", "runs", "trials", "pass_rate", "low", "high"),
    *("discrimination", "discrimination_low", "discrimination_high", "children_rate", "teams_rate"),
    *("teams_discrimination", "teams_discrimination_low", "teams_discrimination_high"),
)

SUMMARY_COLUMNS = (
    *("level", "tasks", "pass_rate", "easiest", "hardest", "all_pass", "none_passes"),
    *("discrimination", "teams_discrimination", "teams_weak"),
)


def item_analysis(runs: Sequence[Run]) -> pd.DataFrame:
    """Difficulty and discrimination of every task that is the same for all runs which have it, a row each.

    Discrimination is NaN for fewer than `FEWEST_RUNS`, those of children and teams off the original's files.
    """
    rates = pd.concat([run.task_rates.assign(agent=run.agent) for run in runs], ignore_index=True)
    rates = rates[~rates["task_id"].isin(list(chain(*apart(runs).values())))]
    shares = rates.pivot(index="agent", columns="task_id", values="rate")
    trials = rates.pivot(index="agent", columns="task_id", values="trials")
    own = _discrimination(shares) if len(shares) >= FEWEST_RUNS else {}
    others = _others() if all(run.original for run in runs) else pd.DataFrame(index=pd.Index([]))
    levels = rates.drop_duplicates("task_id").set_index("task_id")["level"]
    rows = []
    for task in sorted(shares.columns):
        share, count = shares[task].dropna(), trials[task].dropna()
        ends = clustered_interval((share * count).to_numpy(float), count.to_numpy(float))
        row = (task, levels[task], len(share), int(count.sum()), float(share.mean()), *ends)
        known = others.loc[task] if task in others.index else (np.nan,) * 5
        rows.append((*row, *own.get(task, (np.nan,) * 3), *known))
    return pd.DataFrame(rows, columns=list(ITEM_COLUMNS))


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
    if len(both) < FEWEST_RUNS or min(map(np.std, both.T)) < 1e-9:
        return (np.nan, np.nan, np.nan)
    r = float(np.asarray(np.corrcoef(both.T))[0, 1])
    middle, half = np.arctanh(np.clip(r, -0.999999, 0.999999)), 1.959964 / np.sqrt(len(both) - 3)
    return (r, float(np.tanh(middle - half)), float(np.tanh(middle + half)))


def items_by_level(items: pd.DataFrame) -> pd.DataFrame:
    """Summarise items by level, one row each.

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
