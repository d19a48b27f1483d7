"""Comparison of runs with children, competition and models, by level and by demands of tasks."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.statistics import RATES, family, mean_interval, pass_rates, wilson
from human_data import baselines
from report.comparison.differences import with_ends
from report.comparison.runs import CLOCKED, PUBLISHED, THEIRS, Run, ninth_note
from report.files import note
from report.tables import GroupRates, group_rates, run_rates
from testbed.tasks import ALL_NAMES

PUBLISHED_KINDS = {
    "arena/random-steps": "Random Action Agent",
    "arena/held": "Random Action Agent",
    "arena/braitenberg": "Heuristic Agent (Braitenberg)",
}
"""The kind under which `agents_by_level` has an agent that acts at every step."""


def level_name(level: int | str) -> str:
    """Name the skill that a level tests."""
    return ALL_NAMES.get(level, "Unlevelled") if isinstance(level, int) else "Unlevelled"


def compare_levels(
    results: pd.DataFrame, *, same_layouts: bool = False, other_clock: Collection[str] = ()
) -> pd.DataFrame:
    """Compare pass rates of runs and of all references for their levels, one row each.

    `results` has the columns of `results_frame`; with `same_layouts`, its tasks are the original files,
    and a run that did more than the children's tasks has a second row, over those alone. Agents that act at
    every step are compared with published ones of their kind. `other_clock` are the agents that were not
    scored with the clock of children and teams, and so cannot be compared with them on level 9.

    Levels ascend; within one, runs come first. Teams have no interval, published groups no missing trial.

    Raises EvaluationError if there are no results.
    """
    kinds = sorted({PUBLISHED_KINDS[agent] for agent in results["agent"] if agent in PUBLISHED_KINDS})
    others = (_children(), _teams("children 40"), _teams("all 900"), _gpt_4o(), *map(_published, kinds))
    runs = run_rates(results)
    if same_layouts:
        shared = results[results["task_id"].isin(baselines.children_by_task()["task_id"])]
        runs = _with_shared(runs, run_rates(shared).assign(task_set="children 40"))
    lost = (runs["level"] == CLOCKED) & runs["who"].isin(other_clock)
    return group_rates(results, level_name, [runs.assign(comparable=~lost), *others])


def described(rates: pd.DataFrame) -> GroupRates:
    """The table of `compare_levels`, perhaps of runs only, with the notes that explain it."""
    if set(rates["source"]) == {"run"}:
        return GroupRates(rates, (note("other_tasks"),), (note("other_tasks"), note("intervals_long")))
    others, same = note("baselines"), note("same_tasks")
    ninth = () if rates["comparable"].all() else (note("not_comparable", theirs=THEIRS),)
    return GroupRates(
        rates,
        (f"{others} {note('intervals')}", same, *ninth),
        (" ".join((others, same, *ninth)), note("intervals_long"), *(ninth_note() for _ in ninth)),
        "no comparison groups on record",
    )


def _with_shared(rates: pd.DataFrame, shared: pd.DataFrame) -> pd.DataFrame:
    """Each row over the children's tasks after the one over all; only that one if they are equal."""
    key = ["who", "level"]
    counts = rates.merge(shared[[*key, "planned"]], on=key, how="left", suffixes=("", "_shared"))
    same = counts["planned"] == counts["planned_shared"]
    agents = {agent: place for place, agent in enumerate(rates["who"].unique())}
    both = pd.concat([rates[~same.to_numpy()], shared], ignore_index=True)
    both = both.assign(place=both["who"].map(agents), all=both["task_set"] != "this run")
    return both.sort_values(["level", "place", "all"], ignore_index=True)


def _children() -> pd.DataFrame:
    frame = baselines.children_by_level()
    low, high = mean_interval(frame["pass_rate"], frame["sd"], frame["children"])
    who = frame["children"].map("{} children".format)
    tasks = frame["trials"] // frame["children"]
    return frame.assign(low=low, high=high, who=who, tasks=tasks, source="children", task_set="children 40")


def _teams(scope: Literal["all 900", "children 40"]) -> pd.DataFrame:
    frame = baselines.top_ten_by_level(scope)
    trials = frame["tasks"] * frame["teams"]
    return frame.assign(trials=trials, who="top ten 2019", source="teams", task_set=scope)


def _gpt_4o() -> pd.DataFrame:
    """Published counts, one row per trial, through the same statistics as a run."""
    counts = baselines.language_models_by_task()
    counts = counts[counts["experiment"].isin(PUBLISHED)]
    trials = counts.loc[counts.index.repeat(counts["trials"])]
    order = trials.groupby(["experiment", "task_id"]).cumcount()
    trials = trials.assign(agent=trials["experiment"].map(PUBLISHED), passed=order < trials["passes"])
    rates = pass_rates(trials).rename(columns={"agent": "who"})
    return rates.assign(source="published", task_set="children 40")


def _published(kind: str) -> pd.DataFrame:
    """Agents of arXiv 2312.11414: the run of its 2024 version, and all of 2023 with their middle half."""
    frame = baselines.agents_by_level("all 900").query("agent == @kind")
    latest, earlier = frame[frame["paper_version"] == 2024], frame[frame["paper_version"] == 2023]
    ends = [wilson(*counts) for counts in zip(latest["passes"], latest["tasks"], strict=True)]
    latest = latest.assign(trials=latest["tasks"], low=[e[0] for e in ends], high=[e[1] for e in ends])
    runs = earlier.groupby("level")
    pooled = runs.agg(tasks=("tasks", "max"), trials=("tasks", "sum"), passes=("passes", "sum")).assign(
        pass_rate=lambda sums: sums["passes"] / sums["trials"],
        quartile_1=runs["pass_rate"].quantile(0.25),
        quartile_3=runs["pass_rate"].quantile(0.75),
    )
    name = kind.partition(" Agent")[0]
    both = {f"{name} agent 2024": latest, f"{name} agent 2023": pooled.reset_index()}
    parts = [part.assign(who=who, source="published", task_set="all 900") for who, part in both.items()]
    return pd.concat(parts, ignore_index=True)


DEMANDS, LEVEL = "demands", "level"

COLUMNS = ("agent", "basis", "capacity", "tasks", "ideas", "trials", *RATES)


def capacities(runs: Sequence[Run]) -> pd.DataFrame:
    """Pass rates by capacity, one row per run and capacity, in the order of the battery."""
    return pd.DataFrame([row for run in runs for row in _rows(run)], columns=list(COLUMNS))


def _rows(run: Run) -> list[tuple[Any, ...]]:
    rates = run.task_rates
    if run.original or not rates["task_id"].isin(demanded()["task_id"]).any():
        each = rates.assign(capacity=rates["level"].map(level_name))
        basis = LEVEL
    else:
        each, basis = demanded().merge(rates, on="task_id"), DEMANDS
    found = []
    for capacity, part in each.groupby("capacity", sort=False):
        ideas = part["task_id"].map(family).nunique()
        trials = int(part["trials"].sum())
        without = (float(part["judged"].mean()), float(part["most"].mean()))
        found.append((run.agent, basis, capacity, len(part), ideas, trials, *with_ends(part), *without))
    return found


@cache
def demanded() -> pd.DataFrame:
    """The capacities that each task of the shipped battery demands: `task_id`, `capacity`, one row each."""
    with files("testbed").joinpath("levels/demands.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, usecols=["task", "capacities"]).rename(columns={"task": "task_id"})
    each = table.assign(capacity=table["capacities"].str.split(r";\s*", regex=True)).explode("capacity")
    return each[["task_id", "capacity"]].reset_index(drop=True)


RESAMPLES = 400
SEED = 20190601
ENOUGH = 10
"""Ideas of tasks per demand from which a profile is estimated."""

DEMAND_MEANINGS = {
    "distance": "distance to the nearest good goal",
    "detour": "path over distance",
    "obstacles": "solid things",
    "hazards": "bad goals and zones that hurt or end the episode",
    "steps_hidden": "steps without a good goal in view",
    "steps_dark": "steps in the dark",
    "turns": "turns of the solution",
}
"""What is entered, by its name in the table."""

PROFILE_COLUMNS = ("agent", "demand", "meaning", "tasks", "ideas", "log_odds", "effect", "low", "high")

_Floats = npt.NDArray[np.float64]


def demand_profile(runs: Sequence[Run]) -> pd.DataFrame:
    """The effect of each demand on each run's chance of passing, one row each.

    Runs on other tasks than the shipped battery's, on too few, or that passed all or none are left out.
    """
    rows = [row for run in runs if not run.original for row in _profile_rows(run)]
    return pd.DataFrame(rows, columns=list(PROFILE_COLUMNS))


def _standardised() -> pd.DataFrame:
    """The demands of each task of the shipped battery, log(1 + x), in standard deviations from the mean."""
    with files("testbed").joinpath("levels/demands.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, index_col="task")
    table["hazards"] = table["bad_goals"] + table["zones"]
    chosen = pd.DataFrame(np.log1p(table[list(DEMAND_MEANINGS)]), table.index, list(DEMAND_MEANINGS))
    return (chosen - chosen.mean()) / chosen.std()


def _profile_rows(run: Run) -> Iterator[tuple[Any, ...]]:
    both = run.task_rates.set_index("task_id")[["rate"]].join(_standardised(), how="inner")
    names = [name for name in DEMAND_MEANINGS if both[name].std() > 1e-9]
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
        yield (run.agent, name, DEMAND_MEANINGS[name], len(both), len(ideas), *map(float, found))


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
