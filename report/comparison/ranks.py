"""Where a run stands among the 68 teams of 2019 and among 59 children."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.statistics import family, wilson
from human_data.baselines import (
    children_passed_of_40,
    children_passed_of_level,
    competition_by_level,
    competition_by_task,
)
from report.comparison.differences import ALL, OTHER, SAME, Estimate, joined, with_ends
from report.comparison.runs import Run
from testbed import CHILDREN

RESAMPLES = 2000
SEED = 20190601

ON_40, ON_900 = "children's 40 tasks", "all 900 tasks"

RANKS_NOTE = (
    "Rank: 1 and the number of teams of 2019 that passed more, so that those who are equal share the better "
    "place; of several trials of a task the mean counts. Its 95 % interval on the 40 tasks is a bootstrap "
    f"over tasks, drawn for run and teams together ({RESAMPLES} times); on the 900 and with other layouts it "
    "is where the ends of the run's own interval would stand. Two teams with identical results both count."
)
OUTPERFORMED_NOTE = (
    "Children outperformed: children who passed fewer of the same tasks than the run, and half of those who "
    "passed as many; of several trials the mean. The 95 % interval (Wilson's) is over children, with the "
    "tasks as they are. Only a run with a verdict on all of the tasks counts."
)

RANK_COLUMNS = (
    *("agent", "scope", "basis", "pairing", "tasks", "passed", "rate"),
    *("teams", "better", "equal", "rank", "low", "high"),
)
SHARE_COLUMNS = (
    *("agent", "scope", "pairing", "tasks", "trials", "passed", "children"),
    *("fewer", "equal", "more", "outperformed", "low", "high"),
)

_Floats = npt.NDArray[np.float64]


def ranks(runs: Sequence[Run]) -> pd.DataFrame:
    """The place of every run among the teams, over all levels and on each, one row each.

    Columns: `agent`; `scope` (a level, or `ALL`); `basis` (`ON_40` or `ON_900`, which tasks of the teams
    count); `pairing` (`SAME` or `OTHER`); `tasks`, `passed` (of them, not whole where trials differ), `rate`
    of the run; `teams`, of which `better` and `equal`; `rank` with `low`, `high` (95 %, NaN on single levels
    of four tasks). See `RANKS_NOTE`.
    """
    rows = [row for run in runs for row in (*_on_40(run), *_on_900(run))]
    return pd.DataFrame(rows, columns=list(RANK_COLUMNS))


def _on_40(run: Run) -> Iterator[dict[str, Any]]:
    """On those of the children's tasks that the run has, where they are the same."""
    rates = run.task_rates()
    rates = rates[rates["task_id"].isin(CHILDREN)].reset_index(drop=True)
    if not run.original or rates.empty:
        return
    teams = competition_by_task().pivot(index="task_id", columns="team", values="passed").astype(float)
    passed = teams.loc[rates["task_id"]].to_numpy()
    own = rates["rate"].to_numpy()
    yield _rank_row(run, ALL, ON_40, own, passed.sum(0), *_bootstrapped(rates, passed))
    for level, part in rates.groupby("level"):
        yield _rank_row(run, str(level), ON_40, own[part.index], passed[part.index].sum(0), np.nan, np.nan)


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


def _on_900(run: Run) -> Iterator[dict[str, Any]]:
    """On whole levels of the original, or as near as another battery comes to that."""
    rates = run.task_rates()
    teams = competition_by_level("all 900").pivot(index="level", columns="team", values="pass_rate")
    parts = {level: part for level, part in rates.groupby("level") if level in teams.index}
    if run.original:
        parts = {level: part for level, part in parts.items() if len(part) == 90}
    ends = {level: with_ends(part) for level, part in parts.items()}
    scopes = {ALL: list(parts), **{str(level): [level] for level in parts}} if parts else {}
    for scope, levels in scopes.items():
        own = joined([ends[level] for level in levels])
        theirs = teams.loc[levels].mean().to_numpy()
        count = sum(len(parts[level]) for level in levels)
        # A better result has a smaller rank.
        low, high = (1 + _counted(theirs, end).better for end in (own.high, own.low))
        yield _placed(run, scope, ON_900, count, own, theirs, low, high)


class _Counted(NamedTuple):
    better: int
    equal: int


def _counted(theirs: _Floats, own: float) -> _Counted:
    return _Counted(int((theirs > own + 1e-9).sum()), int((np.abs(theirs - own) <= 1e-9).sum()))


def _rank_row(
    run: Run, scope: str, basis: str, own: _Floats, theirs: _Floats, low: float, high: float
) -> dict[str, Any]:
    rate = float(own.mean())
    return _placed(run, scope, basis, len(own), Estimate(rate, rate, rate), theirs / len(own), low, high)


def _placed(
    run: Run, scope: str, basis: str, tasks: int, own: Estimate, theirs: _Floats, low: float, high: float
) -> dict[str, Any]:
    counted = _counted(theirs, own.difference)
    return {
        "agent": run.agent,
        "scope": scope,
        "basis": basis,
        "pairing": SAME if run.original else OTHER,
        "tasks": tasks,
        "passed": own.difference * tasks,
        "rate": own.difference,
        "teams": len(theirs),
        "better": counted.better,
        "equal": counted.equal,
        "rank": counted.better + 1,
        "low": low,
        "high": high,
    }


def outperformed(runs: Sequence[Run]) -> pd.DataFrame:
    """How many of the children each run outdid, on all 40 tasks and on each level's four, one row each.

    Columns: `agent`; `scope`; `pairing`; `tasks`; `trials` with a verdict on all of them; `passed`, their
    mean; `children`, of which shares passed `fewer`, `equal`ly many and `more`; `outperformed` (fewer and
    half of equal) with `low`, `high`. See `OUTPERFORMED_NOTE`.
    """
    whole, levels = children_passed_of_40(), children_passed_of_level()
    known = {ALL: (frozenset(CHILDREN), whole)} | {
        str(level): (frozenset(task for task in CHILDREN if int(task[:2]) == level), part)
        for level, part in levels.groupby("level")
    }
    rows = [
        _share_row(run, scope, tasks, counts, passes)
        for run in runs
        for scope, (tasks, counts) in known.items()
        for passes in [_passes(run, tasks)]
        if len(passes)
    ]
    return pd.DataFrame(rows, columns=list(SHARE_COLUMNS))


def _passes(run: Run, tasks: frozenset[str]) -> _Floats:
    """Tasks passed by each trial that has a verdict on all of them."""
    own = run.results[run.results["task_id"].isin(tasks) & run.results["passed"].notna()]
    trials = own["passed"].astype(float).groupby(own["trial"]).agg(["sum", "count"])
    return trials.loc[trials["count"] == len(tasks), "sum"].to_numpy(float)


def _share_row(
    run: Run, scope: str, tasks: frozenset[str], counts: pd.DataFrame, passes: _Floats
) -> dict[str, Any]:
    passed, children = counts["passed"].to_numpy(), counts["children"].to_numpy(float)
    total = children.sum()
    fewer, equal = (
        float(
            np.mean([children[chosen].sum() for chosen in (compare(passed, own) for own in passes)]) / total
        )
        for compare in (np.less, np.equal)
    )
    share = fewer + equal / 2
    low, high = wilson(share * total, total)
    return {
        "agent": run.agent,
        "scope": scope,
        "pairing": SAME if run.original else OTHER,
        "tasks": len(tasks),
        "trials": len(passes),
        "passed": float(passes.mean()),
        "children": int(total),
        **{"fewer": fewer, "equal": equal, "more": 1 - fewer - equal},
        **{"outperformed": share, "low": low, "high": high},
    }
