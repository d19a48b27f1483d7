"""The rank of a run among the 68 teams of 2019, and the share of 59 children that it outperforms."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.results import GROUP
from evaluation.statistics import counted, family, level_of_id, wilson
from human_data import baselines
from report.comparison.differences import ALL, SAME, joined, with_ends
from report.comparison.runs import CLOCKED, Run
from testbed import CHILDREN

RESAMPLES = 2000
SEED = 20190601

ON_40, ON_900 = "children's 40 tasks", "all 900 tasks"

RANK_COLUMNS = (
    *("agent", "scope", "basis", "pairing", "tasks", "passed", "rate"),
    *("teams", "better", "equal", "rank", "low", "high"),
)
SHARE_COLUMNS = (
    *("agent", "scope", "pairing", "tasks", "trials", "passed", "children"),
    *("fewer", "equal", "more", "outperformed", "low", "high"),
)

_Floats = npt.NDArray[np.float64]
_Row = tuple[Any, ...]
"""Values of `RANK_COLUMNS` or `SHARE_COLUMNS`."""


def ranks(runs: Sequence[Run]) -> pd.DataFrame:
    """The place of every run among the teams, over all levels and on each, one row each.

    Single levels of four tasks have no interval; level 9 is left out if the run had another scoring clock.
    """
    rows = [row for run in runs for row in (*_on_40(run), *_on_900(run))]
    return pd.DataFrame(rows, columns=list(RANK_COLUMNS))


def _on_40(run: Run) -> Iterator[_Row]:
    """On those of the children's tasks that the run has, if they are the same tasks."""
    rates = run.rates_beside("teams")
    rates = rates[rates["task_id"].isin(CHILDREN)].reset_index(drop=True)
    if not run.original or rates.empty:
        return
    teams = (
        baselines.competition_by_task().pivot(index="task_id", columns="team", values="passed").astype(float)
    )
    passed = teams.loc[rates["task_id"]].to_numpy()
    own = rates["rate"].to_numpy()
    yield _row(run, ALL, ON_40, len(own), own.mean(), passed.mean(0), *_bootstrapped(rates, passed))
    for level, part in rates.groupby("level"):
        here = part.index
        yield _row(run, str(level), ON_40, len(here), own[here].mean(), passed[here].mean(0))


def _bootstrapped(rates: pd.DataFrame, passed: _Floats) -> tuple[float, float]:
    """95 % interval of the rank, by drawing tasks with their variants."""
    codes, names = pd.factorize(rates["task_id"].map(family))
    member = np.eye(len(names))[codes]
    own, others = member.T @ rates["rate"].to_numpy(float), member.T @ passed
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
    places = 1 + (counts @ others > (counts @ own)[:, None] + 1e-9).sum(1)
    low, high = np.quantile(places, (0.025, 0.975), method="nearest")
    return float(low), float(high)


def _on_900(run: Run) -> Iterator[_Row]:
    """On whole levels of the original."""
    rates = run.rates_beside("teams")
    teams = baselines.competition_by_level("all 900").pivot(index="level", columns="team", values="pass_rate")
    parts = {level: part for level, part in rates.groupby("level") if level in teams.index}
    # All 90 were planned, of which level 10 has one without a pass mark.
    planned = run.results.groupby(GROUP)["task_id"].nunique()
    parts = {level: part for level, part in parts.items() if run.original and planned[level] == 90}
    ends = {level: with_ends(part) for level, part in parts.items()}
    scopes = {ALL: list(parts), **{str(level): [level] for level in parts}} if parts else {}
    for scope, levels in scopes.items():
        own = joined([ends[level] for level in levels])
        theirs = teams.loc[levels].mean().to_numpy()
        tasks = sum(len(parts[level]) for level in levels)
        # A better result has a smaller rank.
        low, high = (1 + _better(theirs, end) for end in (own.high, own.low))
        yield _row(run, scope, ON_900, tasks, own.value, theirs, low, high)


def _better(theirs: _Floats, own: float) -> int:
    return int((theirs > own + 1e-9).sum())


def _row(
    run: Run,
    scope: str,
    basis: str,
    tasks: int,
    rate: float,
    theirs: _Floats,
    low: float = np.nan,
    high: float = np.nan,
) -> _Row:
    better = _better(theirs, rate)
    equal = int((np.abs(theirs - rate) <= 1e-9).sum())
    own = (run.agent, scope, basis, SAME, tasks, rate * tasks, rate)
    return (*own, len(theirs), better, equal, better + 1, low, high)


def outperformed(runs: Sequence[Run]) -> pd.DataFrame:
    """The children that each run outperformed, on all 40 tasks and on each level's four, one row each."""
    whole, levels = baselines.children_passed_of_40(), baselines.children_passed_of_level()
    known = {ALL: (frozenset(CHILDREN), whole)} | {
        str(level): (frozenset(task for task in CHILDREN if int(task[:2]) == level), part)
        for level, part in levels.groupby("level")
    }
    rows = [
        _share_row(run, scope, tasks, counts, passes)
        for run in runs
        if run.original
        for scope, (tasks, counts) in known.items()
        if not (run.other_clock and any(level_of_id(task) == CLOCKED for task in tasks))
        for passes in [_passes(run, tasks)]
        if len(passes)
    ]
    return pd.DataFrame(rows, columns=list(SHARE_COLUMNS))


def _passes(run: Run, tasks: frozenset[str]) -> _Floats:
    """Tasks passed in each trial of all of them."""
    own = counted(run.results[run.results["task_id"].isin(tasks)])
    trials = own["passed"].groupby(own["trial"]).agg(["sum", "count"])
    return trials.loc[trials["count"] == len(tasks), "sum"].to_numpy(float)


def _share_row(run: Run, scope: str, tasks: frozenset[str], counts: pd.DataFrame, passes: _Floats) -> _Row:
    passed, children = counts["passed"].to_numpy(), counts["children"].to_numpy(float)
    total = children.sum()
    fewer, equal = (
        float((children @ compare(passed[:, None], passes)).mean() / total) for compare in (np.less, np.equal)
    )
    share = fewer + equal / 2
    low, high = wilson(share * total, total)
    own = (run.agent, scope, SAME, len(tasks), len(passes), float(passes.mean()))
    return (*own, int(total), fewer, equal, 1 - fewer - equal, share, low, high)
