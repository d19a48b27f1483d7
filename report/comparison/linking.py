"""Runs on the shipped short form as predicted rates on the tasks that children and teams played."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pandas as pd

from evaluation.results import GROUP
from evaluation.statistics import level_of_id
from evaluation.suites import DEFAULT
from human_data.baselines import agents_on_both_batteries, competition_by_level
from human_data.linking import Link, linkable_levels, linked
from report.comparison import levels as by_level
from report.comparison.differences import Estimate, difference, with_ends
from report.comparison.runs import ReferenceGroup, Run, shipped_groups
from report.files import note, prose
from report.tables import LINKED, GroupRates, interval, listed, percent, percents, points
from testbed import SHORT_FORM

_GROUPS = ("children", "teams")
"""Sources compared with linked runs, on the children's 40 tasks."""


def rates_beside_others(
    runs: Sequence[Run], sources: Collection[str] = ("children", "teams", "published")
) -> GroupRates:
    """Compare rates of runs by level with `sources` who played the same or linked tasks.

    Raises EvaluationError if there are no results.
    """
    original = all(run.original for run in runs)
    rates = by_level.compare_levels(
        pd.concat([run.results for run in runs], ignore_index=True),
        same_layouts=original,
        other_clock={run.agent for run in runs if run.other_clock},
    )
    rates = rates[rates["source"].isin({"run", *sources})]
    groups = set(_GROUPS) & set(sources)
    levels = _shared_levels(runs)
    if original or not groups or not levels:
        # Children, teams, published agents and models played the original's tasks.
        same = rates if original else rates[rates["source"] == "run"]
        return by_level.described(same.reset_index(drop=True))
    return _explained(_with_links(rates, runs, levels, groups), runs, groups)


def linked_levels(run: Run) -> tuple[int, ...]:
    """Levels whose whole shipped short form a finished run played, if they can be linked."""
    if run.original or run.partial or run.suite != DEFAULT:
        return ()
    levels = linkable_levels(run.digests, list(run.results["task_id"].unique()))
    return levels if predicted(run, levels) is not None else ()


def predicted(run: Run, levels: Collection[int]) -> Link | None:
    """The run's rate on the original's tasks of some linked levels; None if its version was not measured."""
    return linked(_own_rate(run, levels), levels, run.animal_ai) if levels else None


def _own_rate(run: Run, levels: Collection[int]) -> float:
    rates = run.task_rates
    own = rates[rates["task_id"].isin(SHORT_FORM) & rates["level"].isin(set(levels))]
    return float(own["rate"].mean())


def _shared_levels(runs: Sequence[Run]) -> set[int]:
    """Levels on which every run that did them is linked; none if a run played the original's files."""
    if any(run.original for run in runs):
        return set()
    levels = {level for run in runs for level in linked_levels(run)}
    return levels - {level for run in runs for level in set(run.results[GROUP]) - set(linked_levels(run))}


def _with_links(
    rates: pd.DataFrame, runs: Sequence[Run], levels: Collection[int], groups: Collection[str]
) -> pd.DataFrame:
    """The table of `compare_levels` with predicted rows after each level's runs, and then the groups."""
    others = rates["source"].isin(groups) & rates[GROUP].isin(levels) & (rates["task_set"] == "children 40")
    own = rates[rates["source"] == "run"].assign(comparable=True)
    rows = pd.DataFrame([row for run in runs for row in _rows(run, levels)])
    both = pd.concat([own, rows.reindex(columns=list(rates.columns)), rates[others]], ignore_index=True)
    return both.astype(rates.dtypes).sort_values(GROUP, kind="stable", ignore_index=True)


def _rows(run: Run, levels: Collection[int]) -> list[dict[str, object]]:
    found = [(level, predicted(run, (level,))) for level in sorted(set(linked_levels(run)) & set(levels))]
    counts = dict.fromkeys(("planned", "trials", "passes", "missing"), 0)
    base = {"who": run.agent, "source": LINKED, "task_set": "children 40", "comparable": True, **counts}
    return [
        {
            **base,
            GROUP: level,
            "level_name": by_level.level_name(level),
            "tasks": len(_tasks((level,))),
            **dict.fromkeys(("pass_rate", "judged_rate", "most"), link.rate),
            "low": link.low,
            "high": link.high,
        }
        for level, link in found
        if link is not None
    ]


def _explained(rates: pd.DataFrame, runs: Sequence[Run], groups: Collection[str]) -> GroupRates:
    programs = agents_on_both_batteries()["agent"].nunique()
    found = [each for run in runs for each in _whole(run, groups)]
    linked = prose("linked.j2", linked=found, programs=programs, listed=listed)
    others = f"{note('baselines')} {note('intervals_long')}"
    return GroupRates(rates, (linked,), (linked, others), "not linked")


def _whole(run: Run, groups: Collection[str]) -> Iterator[dict[str, Any]]:
    """Predict the pass rate and rank of all linked levels of a run together, if it is linked."""
    levels = linked_levels(run)
    found, tasks = predicted(run, levels), _tasks(levels)
    if found is None:
        return
    (children,) = shipped_groups(["children"])
    yield {
        "agent": run.agent,
        "rate": percent(_own_rate(run, levels)),
        "levels": [str(level) for level in levels],
        "stands": interval(percents, *found[:3]),
        "tasks": len(tasks),
        "children": "children" in groups and percent(float(children.rates.loc[tasks].mean())),
        "gap": interval(points, *linked_difference(found, children, tasks)),
        "ranks": linked_ranks(found, levels) if "teams" in groups else (),
    }


def linked_difference(found: Link, group: ReferenceGroup, tasks: Sequence[str]) -> Estimate:
    """A predicted rate minus that of a group on the same tasks; its interval has that of the link."""
    rates = group.rates.loc[list(tasks)].rename("rate").rename_axis("task_id").reset_index()
    theirs = with_ends(rates.assign(trials=group.members), group.error(tasks))
    return difference(Estimate(*found[:3]), theirs)


def linked_ranks(found: Link, levels: Collection[int]) -> tuple[int, int]:
    """First and last rank among the teams, on the children's tasks, that a predicted interval allows."""
    teams = competition_by_level("children 40")
    sums = teams[teams["level"].isin(set(levels))].groupby("team")[["passes", "tasks"]].sum()
    theirs = sums["passes"] / sums["tasks"]
    first, last = (1 + int((theirs > end + 1e-9).sum()) for end in (found.high, found.low))
    return first, last


def _tasks(levels: Collection[int]) -> list[str]:
    return [task for task in SHORT_FORM if level_of_id(task) in levels]
