"""Whether a run fails on the tasks on which others fail."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from evaluation.statistics import level_of_id
from report.comparison.differences import SAME
from report.comparison.references import ReferenceGroup, same_tasks
from report.comparison.runs import Run

RESAMPLES = 2000
PERMUTATIONS = 9999
SEED = 20190601
FEWEST = 8
"""Shared tasks below which no correlation is given."""

CORRELATIONS_NOTE = (
    "Correlation over tasks of the run's and the others' share of passes: Spearman's rho and Kendall's "
    f"tau-b, both of which know ties. 95 % intervals are of a bootstrap over tasks ({RESAMPLES} samples, "
    f"percentiles; none where many samples have no variation); p is of {PERMUTATIONS} random permutations "
    "of the tasks, two-sided, for rho; p (levels) permutes within levels only, and so asks whether they "
    "agree beyond some levels being harder. Few trials per task pull correlations towards 0."
)

COLUMNS = (
    *("agent", "group", "source", "pairing", "tasks"),
    *("spearman", "spearman_low", "spearman_high", "p", "p_within_levels"),
    *("kendall", "kendall_low", "kendall_high"),
)

_Floats = npt.NDArray[np.float64]


def correlations(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> pd.DataFrame:
    """Correlation over tasks of every run with every group that did `FEWEST` of the same tasks.

    Columns: `agent`; `group`, `source`; `pairing`; `tasks`; `spearman` with `spearman_low`, `spearman_high`
    (95 %), `p`, `p_within_levels`; `kendall` with its interval. NaN if one of them passed all tasks
    equally often. See `CORRELATIONS_NOTE`.
    """
    rows = [row for run in runs for group in groups for row in _rows(run, group)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(run: Run, group: ReferenceGroup) -> Iterator[tuple[Any, ...]]:
    """The row of a run and a group, if they share enough tasks."""
    rates = run.rates_beside(group.source)
    both = rates.assign(theirs=rates["task_id"].map(group.rates)).dropna(subset="theirs")
    if len(both) >= FEWEST and same_tasks(run, group):
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
    found: _Floats = np.divide(product, root, out=np.full_like(root, math.nan), where=root > 0)
    return found


def _ends(samples: _Floats) -> tuple[float, float]:
    if np.isnan(samples).mean() > 0.05:
        return math.nan, math.nan
    low, high = np.nanquantile(samples, (0.025, 0.975))
    return float(low), float(high)


def _permutation_p(
    own: _Floats, theirs: _Floats, strata: npt.NDArray[np.int64], rng: np.random.Generator
) -> float:
    """How often rho is as far from 0 when tasks are exchanged within strata."""
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
