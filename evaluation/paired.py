"""Paired comparison of agents: difference, uncertainty, and power."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from evaluation.results import GROUP
from evaluation.statistics import clustered_interval, counted, family, people_error, student, task_rates

PERMUTATIONS = 9999
"""Maximum number of sign changes; more possible ones are sampled at random."""

PERMUTATION_SEED = 20190601
POWER = 0.8
"""Customary chance of finding a true difference."""

_Z = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""

ALL_LEVELS = "all"
"""Value of the column `scope` for all levels together."""

_COLUMNS = (
    *("scope", "agent", "other", "tasks", "groups", "unpaired", "rate", "other_rate"),
    *("difference", "low", "high", "p", "p_holm", "detectable", "judged_difference", "least", "most"),
)


Apart = Mapping[tuple[str, str], Collection[str]]
"""Ids of different tasks by pair of agents, in results order."""


def other_tasks(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    """Find ids of different tasks in both; identities are given by id."""
    return frozenset(task for task in one.keys() & other.keys() if one[task] != other[task])


def apart_sentences(results: pd.DataFrame, apart: Apart) -> list[str]:
    """Name agents with different tasks: a sentence per pair, or a summary."""
    tasks = {str(agent): set(part["task_id"]) for agent, part in results.groupby("agent", sort=False)}
    found = []
    for one, other in combinations(tasks, 2):
        shared = (tasks[one] & tasks[other]) - set(apart.get((one, other), ()))
        if shared == tasks[one] == tasks[other]:
            continue
        how = f"share {len(shared)} of them, on which alone they are compared" if shared else "share none"
        found.append(
            f"Different tasks: {one} was played on {len(tasks[one])} and {other} on {len(tasks[other])}, and "
            f"they {how}; all other numbers are of each run's own tasks."
        )
    if len(found) <= _MOST_SENTENCES:
        return found
    return [
        f"Different tasks: {len(found)} pairs of runs were not played on the same tasks; each is compared on "
        "its shared tasks, and all other numbers are of each run's own tasks."
    ]


_MOST_SENTENCES = 3


def compare_agents(results: pd.DataFrame, apart: Apart = MappingProxyType({})) -> pd.DataFrame:
    """Compare every pair of agents, overall and by level, one row each. `results` has the columns of
    `results_frame`; ids in `apart`, which differ under one id, are not paired."""
    rates = task_rates(results)
    sides = {str(agent): part for agent, part in results.groupby("agent", sort=False)}
    pairs = list(combinations(results["agent"].unique(), 2))
    everything = [_pair(rates, sides, one, other, ALL_LEVELS, apart) for one, other in pairs]
    levels = sorted(results[GROUP].unique())
    single = [
        _pair(rates[rates[GROUP] == level], sides, one, other, str(level), apart)
        for level in levels
        for one, other in pairs
    ]
    sets = [pd.DataFrame(rows) for rows in (everything, single if len(levels) > 1 else []) if rows]
    parts = [each.assign(p_holm=holm(each["p"].tolist()))[list(_COLUMNS)] for each in sets]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(_COLUMNS))


def holm(p_values: Sequence[float]) -> list[float]:
    """Apply Holm's step-down correction (1979, Scandinavian J. Statistics 6); a NaN counts as no test."""
    tested = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * p))
        corrected[place] = highest
    return corrected


def detectable_difference(standard_error: float, groups: int, power: float = POWER) -> float:
    """Compute the smallest true difference detected at 5 % with this power.

    After Bloom 1995, Eval. Review 19. `standard_error` is that of the difference, over `groups` independent
    groups; NaN for fewer than two.
    """
    if groups < 2:
        return math.nan
    return float(stdtrit(groups - 1, [0.975, power]).sum() * standard_error)


def planned_difference(
    tasks: int, trials: float, *, rate: float = 0.5, alike: float = 0.5, shared: float = 0.5
) -> float:
    """Compute the smallest difference that a planned comparison detects with `POWER`.

    Two agents play the same unrelated `tasks`, `trials` each. `rate` is the pass rate to expect (0.5 asks
    most). `alike` is the correlation of one agent's trials on a task, `shared` that of the two agents'
    difficulties with a task, both 0 to 1: assumptions to be replaced by a pilot run's. The value 1 means that
    no difference can be found; NaN for fewer than two tasks.
    """
    if tasks < 2:
        return math.nan
    between, within = alike * (1 - shared), (1 - alike) / trials
    error = math.sqrt(2 * rate * (1 - rate) * (between + within) / tasks)
    return min(1.0, detectable_difference(error, tasks))


def _pair(
    rates: pd.DataFrame, results: Mapping[str, pd.DataFrame], agent: str, other: str, scope: str, apart: Apart
) -> dict[str, object]:
    """Compare two agents. `results` are those of each, for the sampling of people."""
    one, two = (rates[rates["agent"] == name].set_index("task_id") for name in (agent, other))
    both = one.index.union(two.index)
    shared = one.index.intersection(two.index).difference(list(apart.get((agent, other), ())))
    one, two = one.loc[shared], two.loc[shared]
    gaps = one["rate"] - two["rate"]
    sums = gaps.groupby(gaps.index.map(family)).agg(["sum", "count"]).to_numpy(float).reshape(-1, 2)
    mean = float(gaps.mean()) if len(gaps) else math.nan
    error = _standard_error(sums, mean)
    own = (results[name] for name in (agent, other))
    people = [_Z * people_error(part[part["task_id"].isin(shared)]) for part in own]
    below, above = (math.hypot(half, *people) for half in _halves(mean, error, len(sums)))
    return {
        "scope": scope,
        "agent": agent,
        "other": other,
        "tasks": len(shared),
        "groups": len(sums),
        "unpaired": len(both) - len(shared),
        "rate": one["rate"].mean(),
        "other_rate": two["rate"].mean(),
        "difference": mean,
        "low": max(mean - below, -1.0),
        "high": min(mean + above, 1.0),
        "p": _permutation_p(sums[:, 0]),
        "detectable": detectable_difference(error, len(sums)) if error > 0 else math.nan,
        "judged_difference": (one["judged"] - two["judged"]).mean(),
        "least": (one["rate"] - two["most"]).mean(),
        "most": (one["most"] - two["rate"]).mean(),
    }


def _halves(mean: float, error: float, groups: int) -> tuple[float, float]:
    """Distances from a mean difference to its 95 % interval's ends. NaN for fewer than two groups.

    Student's, but if all groups agree (`error` is 0): then a share of groups as large as could have been
    missed in 95 % of samples (Clopper and Pearson 1934, Biometrika 26) may differ, as far as is possible.
    """
    if error > 0:
        half = student(groups - 1) * error
        return half, half
    other = 1 - 0.025 ** (1 / groups) if groups > 1 else math.nan
    return other * (mean + 1), other * (1 - mean)


def _standard_error(sums: npt.NDArray[np.float64], mean: float) -> float:
    """Standard error of a mean over grouped tasks, given as (sum, count). 0 if groups agree."""
    groups = len(sums)
    if groups < 2:
        return math.nan
    residuals = sums[:, 0] - mean * sums[:, 1]
    error = math.sqrt(groups / (groups - 1) * float((residuals**2).sum())) / float(sums[:, 1].sum())
    return 0.0 if error < 1e-12 else error


def _permutation_p(sums: npt.NDArray[np.float64]) -> float:
    """Permutation p, two-sided: random exchanges of the agents within groups."""
    if len(sums) < 2:
        return math.nan
    from scipy.stats import permutation_test

    rng = np.random.default_rng(PERMUTATION_SEED)
    tested = permutation_test(
        (sums,), np.mean, permutation_type="samples", n_resamples=PERMUTATIONS, vectorized=True, rng=rng
    )
    return float(tested.pvalue)


COLUMNS = ("agent", "scope", "k", "tasks", "all_k", "all_low", "all_high", "any_k", "any_low", "any_high")


def all_of(passes: int, trials: int, k: int) -> float:
    """Estimate the chance that k trials all pass, without bias. Given `passes` in `trials` (at least k)."""
    return comb(passes, k) / comb(trials, k)


def any_of(passes: int, trials: int, k: int) -> float:
    """Estimate without bias the chance that any of k trials passes, from `passes` in at least k `trials`."""
    return 1 - comb(trials - passes, k) / comb(trials, k)


def reliability(results: pd.DataFrame) -> pd.DataFrame:
    """Estimate pass^k and pass@k of each agent for every possible k. `results` has the columns of
    `results_frame`. Empty if no task has two trials."""
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
    """Average shares of tasks, with the interval."""
    sums = pd.Series(shares, task_ids.map(family).to_numpy()).groupby(level=0).agg(["sum", "count"])
    ends = clustered_interval(sums["sum"].to_numpy(float), sums["count"].to_numpy(float))
    return (sum(shares) / len(shares), *ends)


class PlannedStudy(NamedTuple):
    """Design of two agents on the same `tasks`, with `trials` each.

    `difference` is the smallest true one, as a share from 0 to 1, that is found in `POWER` of such studies:
    NaN with fewer than two groups, 1 if none can be found. `rate`, `alike` and `shared` are assumptions, as
    for `planned_difference`.
    """

    tasks: int
    groups: int
    trials: int
    rate: float
    alike: float
    shared: float
    difference: float

    def sentences(self) -> str:
        """Describe the difference and its assumptions."""
        return (
            f"Two agents compared on {_counted(self.tasks, 'task')}, {_counted(self.trials, 'trial')} each, "
            f"by one run like this per agent: {self._finding()}. {self._assumed()}"
        )

    def _finding(self) -> str:
        if math.isnan(self.difference):
            return "no difference can be distinguished from chance, because all tasks are variants of one"
        if self.difference >= 1:
            return "no difference can be relied on to be found; play more tasks"
        return (
            f"the smallest true difference of their pass rates that {POWER:.0%} of such comparisons find "
            f"is {100 * self.difference:.0f} percentage points"
        )

    def _assumed(self) -> str:
        return (
            f"Assumed: about {self.rate:.0%} are passed; trials of one agent on one idea correlate by "
            f"{self.alike:g}, what two agents find hard by {self.shared:g}; tasks come in "
            f"{_counted(self.groups, 'group')} of variants (one per idea), which are unrelated; paired "
            "test at 5 %, two-sided, uncorrected."
        )


def planned_study(
    task_ids: Sequence[str], trials: int, *, rate: float = 0.5, alike: float = 0.5, shared: float = 0.5
) -> PlannedStudy:
    """Plan a comparison of two agents on these tasks, `trials` each. Variants of a task (ids LL-TT-VV) count
    as further trials of it, as they do in `compare_agents`."""
    groups = len({family(task_id) for task_id in task_ids})
    each = trials * len(task_ids) / groups
    difference = planned_difference(groups, each, rate=rate, alike=alike, shared=shared)
    return PlannedStudy(len(task_ids), groups, trials, rate, alike, shared, difference)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
