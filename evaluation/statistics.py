"""Pass rates with intervals that account for dependent trials."""

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

PERSON = "participant"
"""Column of the participant, for results of several people under one name."""

MISSING_NOTE = (
    "A planned trial without a verdict (refused, cut off, failed or not run) is missing and counts as "
    "failed. Judged: rate of the trials with a verdict. Bounds: all missing trials failed, all passed; both "
    "are shown if any is missing. Tasks without a criterion are left out."
)

_VARIANT = re.compile(r"(\d{2}-\d{2})-(?:\d{2}|\d{4,})")
"""Pattern of battery ids: level, task, variant. Variants of a task share its idea."""


def counted(results: pd.DataFrame, of: str = "passed") -> pd.DataFrame:
    """Select the planned trials that count, with 0 for missing values.

    A trial without a verdict is failed. `results` has the columns of `results_frame`; `of` is `passed` or a
    metric, which becomes a float, and the column `missing` marks absent ones. Refusals, limits, errors and
    trials that were not run are missing: a model could otherwise raise its rate by giving up on what it would
    fail. Tasks without a criterion are left out: an agent finished them without a value and has no other
    value of them.
    """
    valued = _valued(results, of)
    return valued[valued["marked"]].drop(columns="marked")


def _valued(results: pd.DataFrame, of: str) -> pd.DataFrame:
    """Add the columns `missing` and `marked` (False without a criterion)."""
    known = results[of].notna()
    finished = results["error"].isna() if "error" in results else pd.Series(True, results.index)
    tasks = [results["agent"], results["task_id"]]
    unmarked = (finished & ~known).groupby(tasks).transform("any") & ~known.groupby(tasks).transform("any")
    values = results[of].astype("Float64").fillna(0.0).astype(float)
    return results.assign(**{of: values}, missing=~known, marked=~unmarked)


def pass_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Compute pass rates by agent and level with 95 % intervals.

    Agents in order of appearance, levels ascending. `results` has the columns of `results_frame`. Columns
    returned: `agent`, `level`; `tasks`, `planned` trials of them (see `counted`), `trials` with a verdict,
    `passes`, `missing` (planned without a verdict); `pass_rate` of the planned trials, the missing ones
    failed, with `low`, `high`; `judged_rate`, that of the trials with a verdict; `most`, with the missing
    ones passed. The true rate of an agent that had replied to everything lies between `pass_rate` and `most`,
    apart from chance. NaN without such trials.

    The interval covers other tasks of the same kind: Wilson's, and `clustered_interval` for trials that share
    a task or tasks that are variants of one (ids LL-TT-VV). If by the column `PERSON` they are of several
    people, it covers other people, in the same manner.
    """
    rows = [
        {"agent": agent, GROUP: level, **_rate(group[group["marked"]])}
        for (agent, level), group in _valued(results, "passed").groupby(["agent", GROUP], sort=False)
    ]
    columns = ["agent", GROUP, "tasks", "planned", "trials", "passes", "missing", *RATES]
    return pd.DataFrame(rows, columns=columns).sort_values(GROUP, kind="stable", ignore_index=True)


RATES = ("pass_rate", "low", "high", "judged_rate", "most")
"""Columns of `pass_rates` that are shares from 0 to 1. NaN without trials."""


def _rate(group: pd.DataFrame) -> dict[str, float]:
    planned, passes, missing = len(group), int(group["passed"].sum()), int(group["missing"].sum())
    low, high = wilson(passes, planned)
    people = _people(group)
    clusters = group["passed"].groupby(group["task_id"].map(family) if people is None else people)
    if planned > clusters.ngroups:
        low, high = clustered_interval(np.array(clusters.sum(), float), np.array(clusters.count(), float))
    return {
        "tasks": group["task_id"].nunique(),
        "planned": planned,
        "trials": planned - missing,
        "passes": passes,
        "missing": missing,
        "pass_rate": _share(passes, planned),
        "low": low,
        "high": high,
        "judged_rate": _share(passes, planned - missing),
        "most": _share(passes + missing, planned),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _people(results: pd.DataFrame) -> "pd.Series[str] | None":
    """Participants of the trials; None unless several share one name."""
    known = PERSON in results and bool(results[PERSON].notna().all())
    return results[PERSON] if known and results[PERSON].nunique() > 1 else None


def task_rates(results: pd.DataFrame) -> pd.DataFrame:
    """Compute pass rates by agent, level and task, one row each.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `task_id`; `trials`, the
    planned ones; `rate`, in which missing ones are failed; `judged`, that of the trials with a verdict (NaN
    without any); `most`, with the missing ones passed.
    """
    trials = counted(results)
    most, judged = trials["passed"] + trials["missing"], trials["passed"].mask(trials["missing"])
    tasks = trials.assign(judged=judged, most=most).groupby(["agent", GROUP, "task_id"])
    shares = {name: (name, "mean") for name in ("judged", "most")}
    return tasks.agg(trials=("passed", "count"), rate=("passed", "mean"), **shares).reset_index()


def people_error(results: pd.DataFrame) -> float:
    """Standard error of the mean pass rate over people; 0 without several."""
    if PERSON not in results or (people := _people(trials := counted(results))) is None:
        return 0.0
    rates = trials["passed"].groupby(people).mean()
    return float(np.std(rates.to_numpy(float), ddof=1)) / math.sqrt(len(rates))


def mean_scores(results: pd.DataFrame) -> pd.DataFrame:
    """Compute `metric_means` of the score. Empty if all scores are 0 or 1. The pass rate is the mean of such
    scores."""
    means = metric_means(results, "score")
    return means[:0] if counted(results, "score")["score"].isin([0, 1]).all() else means


def metric_means(results: pd.DataFrame, of: str) -> pd.DataFrame:
    """Average the metric `of` (0 to 1) by agent and group.

    `results` has the columns of `results_frame`. Columns returned: `agent`, `level`, `tasks`; `planned`
    trials and the `missing` ones of them; `score`, the mean, in which a missing trial has 0, with `low`,
    `high` (95 %, Student's over tasks with their variants kept together; NaN for fewer than two);
    `judged_score` of the trials that have one; `most`, with 1 for the missing ones.
    """
    trials = counted(results.assign(score=results[of]), "score")
    rows = []
    for (agent, level), part in trials.groupby(["agent", GROUP], sort=False):
        means, judged = _family_means(part), _family_means(part[~part["missing"]])
        most = _family_means(part.assign(score=part["score"] + part["missing"]))
        mean, half = float(means.mean()), mean_half(list(means))
        counts = (part["task_id"].nunique(), len(part), int(part["missing"].sum()))
        ends = (max(mean - half, 0), min(mean + half, 1))
        rows.append((agent, level, *counts, mean, *ends, float(judged.mean()), float(most.mean())))
    columns = ["agent", GROUP, "tasks", "planned", "missing", "score", "low", "high", "judged_score", "most"]
    return pd.DataFrame(rows, columns=columns).sort_values(GROUP, kind="stable", ignore_index=True)


def _family_means(trials: pd.DataFrame) -> "pd.Series[float]":
    """Average scores within groups of task variants."""
    return trials["score"].groupby(trials["task_id"].map(family)).mean()


def family(task_id: str) -> str:
    """Return the common id of task variants: `01-02` of `01-02-03`. Other ids stay."""
    match = _VARIANT.fullmatch(task_id)
    return match[1] if match else task_id


def level_of_id(task_id: str) -> int:
    """Read the level of an id LL-TT-VV; 0 for any other id."""
    return int(task_id[:2]) if _VARIANT.fullmatch(task_id) else 0


def wilson(passes: float, trials: float, z: float = _Z) -> tuple[float, float]:
    """Compute Wilson's interval of a proportion, 95 % by default. (nan, nan) without trials."""
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
    """Compute the 95 % interval of a pass rate of clustered trials.

    `passes` and `trials` (n,) per cluster.

    Wilson's interval with the effective number of trials in the place of their number (trials / design
    effect, never more than there are) and Student's quantile with n - 1 degrees of freedom: Korn and Graubard
    1998, Survey Methodology 24; Dean and Pagano 2015, J. Survey Statistics and Methodology 3. The design
    effect is the variance between clusters, linearised, over that of independent trials. It is never wider
    than Wilson's with each cluster counted as one trial, the worst case, in which trials of a cluster agree.

    Preferred to a bootstrap over clusters, whose 95 % intervals hold the truth in only 60-90 % of runs with
    four clusters and have no width where all agree; this one holds it in 92-100 % (simulated in
    `tests/evaluation/test_coverage.py`). Limits: it errs to the wide side with fewer than some ten clusters,
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
    from scipy.special import stdtrit  # not needed by all users of `wilson`

    return float(stdtrit(freedom, 0.975))


def mean_half(values: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Half the 95 % interval of a mean by Student's distribution. NaN for fewer than two values."""
    count = len(values)
    return student(count - 1) * float(np.std(values, ddof=1)) / count**0.5 if count > 1 else math.nan


def bootstrap_interval(values: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """Bootstrap the 95 % interval of a mean, with a seed.

    The values, at least two, are from -1 to 1. If all agree the bootstrap has no width, so the interval is at
    least as wide as if the largest share that 95 % of samples could miss were -1 or 1.
    """
    from scipy.stats import bootstrap

    rng, mean, missed = np.random.default_rng(seed), float(values.mean()), 1 - 0.025 ** (1 / len(values))
    low, high = bootstrap((values,), np.mean, method="percentile", batch=1000, rng=rng).confidence_interval
    return min(float(low), mean - missed * (1 + mean)), max(float(high), mean + missed * (1 - mean))


def interquartile_mean(scores: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Interquartile mean of scores (runs, tasks), with its 95 % bootstrap interval stratified by task. As of
    arXiv 2108.13264: in each of 10,000 seeded resamples every task draws its runs with replacement."""
    from scipy.stats import trim_mean

    drawn = np.random.default_rng(0).integers(len(scores), size=(10_000, *scores.shape))
    resampled = np.take_along_axis(scores[None], drawn, axis=1).reshape(len(drawn), -1)
    low, high = np.percentile(trim_mean(resampled, 0.25, axis=1), [2.5, 97.5])
    return float(trim_mean(scores, 0.25, axis=None)), float(low), float(high)


def mean_text(values: Sequence[float], digits: int = 2) -> str:
    """Format a mean and half its 95 % interval: 0.52 ± 0.10. A dash without values. If all values agree there
    is no interval: they do not show how far others would be."""
    if not values:
        return "–"
    half = mean_half(values)
    return f"{np.mean(values):.{digits}f}" + (f" ± {half:.{digits}f}" if half > 0 else "")


def trial_means(values: Iterable[tuple[str, int, float]], order: Iterable[str]) -> dict[str, list[float]]:
    """Average trials of each world, by group in this order.

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
    """Compute normal 95 % intervals of mean shares of `count` people. Within 0 and 1."""
    half = _Z * sd / count**0.5
    return (mean - half).clip(0, 1), (mean + half).clip(0, 1)
