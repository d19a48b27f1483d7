"""Pass rates with intervals that respect how trials came about."""

import math
import re
from collections.abc import Iterable, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.results import GROUP

_Z = NormalDist().inv_cdf(0.975)
"""Two-sided 95 % quantile of the normal distribution."""

PERSON = "person"
"""Column of results that several people share one name for: whose trial each is."""

_VARIANT = re.compile(r"(\d{2}-\d{2})-(?:\d{2}|\d{4,})")
"""The battery's ids: level, task, variant. Variants of a task share its idea."""


def pass_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Pass rate by agent and level with 95 % intervals; agents in order of appearance, levels ascending.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `tasks`, `trials`
    (judged ones), `passes`, `pass_rate`, `low`, `high`, `missing` (planned trials without a verdict:
    failed, not run or unmarked; they count neither as passed nor as failed).

    The interval says how far other tasks of the same kind could move the rate: Wilson's, and
    `clustered_interval` where trials share a task or tasks are variants of one (ids LL-TT-VV). If by the
    column `PERSON` they are of several people, it says how far other people could, in the same manner.
    """
    rows = [
        {"agent": agent, GROUP: level, **_rate(group)}
        for (agent, level), group in results.groupby(["agent", GROUP], sort=False)
    ]
    columns = ["agent", GROUP, "tasks", "trials", "passes", "pass_rate", "low", "high", "missing"]
    return pd.DataFrame(rows, columns=columns).sort_values(GROUP, kind="stable", ignore_index=True)


def _rate(group: pd.DataFrame) -> dict[str, float]:
    judged = group[group["passed"].notna()]
    passes, trials, tasks = int(judged["passed"].sum()), len(judged), judged["task_id"].nunique()
    rate = passes / trials if trials else math.nan
    low, high = wilson(passes, trials)
    people = _people(judged)
    clusters = (
        judged["passed"].astype(float).groupby(judged["task_id"].map(family) if people is None else people)
    )
    if trials > clusters.ngroups:
        low, high = clustered_interval(np.array(clusters.sum(), float), np.array(clusters.count(), float))
    return {
        "tasks": tasks,
        "trials": trials,
        "passes": passes,
        "pass_rate": rate,
        "low": low,
        "high": high,
        "missing": len(group) - trials,
    }


def _people(results: pd.DataFrame) -> "pd.Series[str] | None":
    """Whose trials these are; None if they are not those of several people under one name."""
    known = PERSON in results and bool(results[PERSON].notna().all())
    return results[PERSON] if known and results[PERSON].nunique() > 1 else None


def people_error(results: pd.DataFrame) -> float:
    """Standard error over people of their mean pass rate; 0 for results that are not of several people."""
    judged = results[results["passed"].notna()]
    if (people := _people(judged)) is None:
        return 0.0
    rates = judged["passed"].astype(float).groupby(people).mean()
    return float(np.std(rates.to_numpy(float), ddof=1)) / math.sqrt(len(rates))


def mean_scores(results: pd.DataFrame) -> pd.DataFrame:
    """Mean score by agent and group, for suites whose score says more than the verdict.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `tasks`, `score`, `low`,
    `high` (95 %, Student's over tasks with their variants kept together; NaN for fewer than two). Empty if
    all scores are 0 or 1, of which the pass rate is the mean.
    """
    scored = results.assign(score=results["score"].astype(float)).dropna(subset="score")
    rows = []
    for (agent, level), part in scored.groupby(["agent", GROUP], sort=False):
        means = part.groupby(part["task_id"].map(family))["score"].mean()
        mean, half = float(means.mean()), mean_half(means.to_numpy())
        rows.append((agent, level, part["task_id"].nunique(), mean, max(mean - half, 0), min(mean + half, 1)))
    columns = ["agent", GROUP, "tasks", "score", "low", "high"]
    frame = pd.DataFrame([] if scored["score"].isin([0, 1]).all() else rows, columns=columns)
    return frame.sort_values(GROUP, kind="stable", ignore_index=True)


def family(task_id: str) -> str:
    """What the variants of a task have in common: `01-02` of `01-02-03`; any other id is by itself."""
    match = _VARIANT.fullmatch(task_id)
    return match[1] if match else task_id


def level_of_id(task_id: str) -> int:
    """The level that an id LL-TT-VV names; 0 for any other id."""
    return int(task_id[:2]) if _VARIANT.fullmatch(task_id) else 0


def wilson(passes: float, trials: float, z: float = _Z) -> tuple[float, float]:
    """Wilson's interval of a proportion, 95 % unless another quantile is given; (nan, nan) without trials."""
    if not trials:
        return (math.nan, math.nan)
    rate, squared = passes / trials, z**2
    middle = (rate + squared / (2 * trials)) / (1 + squared / trials)
    half = z / (1 + squared / trials) * math.sqrt(rate * (1 - rate) / trials + squared / (4 * trials**2))
    # Rounding may put a limit on the wrong side of a rate of 0 or 1.
    return (min(max(0.0, middle - half), rate), max(min(1.0, middle + half), rate))


def clustered_interval(
    passes: npt.NDArray[np.float64], trials: npt.NDArray[np.float64]
) -> tuple[float, float]:
    """95 % interval of a pass rate whose trials come in clusters; `passes` and `trials` (n,) per cluster.

    Wilson's interval with the effective number of trials in the place of their number (trials / design
    effect, never more than there are) and Student's quantile with n - 1 degrees of freedom: Korn and Graubard
    1998, Survey Methodology 24; Dean and Pagano 2015, J. Survey Statistics and Methodology 3. The design
    effect is the variance between clusters, linearised, over that of independent trials. It is never wider
    than Wilson's with each cluster counted as one trial, the worst case, in which trials of a cluster agree.

    Preferred to a bootstrap over clusters, whose 95 % intervals hold the truth in only 60-90 % of runs with
    four clusters and have no width where all agree; this one holds it in 92-100 % (simulated in
    `tests/human_data/test_coverage.py`). Limits: it errs to the wide side with fewer than some ten clusters,
    clusters are taken as a sample of many alike, and should be of about one size.
    """
    clusters, total = len(passes), float(trials.sum())
    rate = float(passes.sum()) / total
    low, high = wilson(rate * clusters, clusters)
    alone = rate * (1 - rate) / total
    if clusters < 2 or not alone:
        return (low, high)
    spread = clusters / (clusters - 1) * float(((passes - rate * trials) ** 2).sum()) / total**2
    effective = total / max(1.0, spread / alone)
    estimated = wilson(rate * effective, effective, student(clusters - 1))
    return (min(max(low, estimated[0]), rate), max(min(high, estimated[1]), rate))


def student(freedom: int) -> float:
    """Two-sided 95 % quantile of Student's distribution."""
    from scipy.stats import t  # not needed by everybody who needs `wilson`

    return float(t.ppf(0.975, freedom))


def mean_half(values: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Half the 95 % interval of a mean by Student's distribution; NaN for fewer than two values."""
    count = len(values)
    return student(count - 1) * float(np.std(values, ddof=1)) / count**0.5 if count > 1 else math.nan


def mean_text(values: Sequence[float], digits: int = 2) -> str:
    """The mean of values and half its 95 % interval, such as 0.52 ± 0.10; a dash without values.

    Where all values agree there is no interval: they cannot say how far others would be.
    """
    if not values:
        return "–"
    half = mean_half(values)
    return f"{np.mean(values):.{digits}f}" + (f" ± {half:.{digits}f}" if half > 0 else "")


def trial_means(values: Iterable[tuple[str, int, float]], order: Iterable[str]) -> dict[str, list[float]]:
    """For each group, in this order: the mean over the trials of each of its worlds.

    `values`: the group, the number of the world, and the value of one trial. Groups without any are left out.
    """
    found: dict[str, dict[int, list[float]]] = {}
    for group, world, value in values:
        found.setdefault(group, {}).setdefault(world, []).append(value)
    return {
        group: [float(np.mean(trials)) for trials in found[group].values()]
        for group in order
        if group in found
    }


def mean_interval(mean: pd.Series, sd: pd.Series, count: pd.Series) -> tuple[pd.Series, pd.Series]:
    """95 % interval of a mean share of `count` people, by the normal approximation, within 0 and 1."""
    half = _Z * sd / count**0.5
    return (mean - half).clip(0, 1), (mean + half).clip(0, 1)
