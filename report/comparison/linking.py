"""Runs on the shipped short form as predicted rates on the tasks that children and teams played."""

from collections.abc import Collection, Sequence

import pandas as pd

from evaluation.results import GROUP
from evaluation.statistics import level_of_id
from evaluation.suites import DEFAULT
from human_data.baselines import agents_on_both_batteries, competition_by_level
from human_data.linking import Link, linkable_levels, linked
from report.comparison import levels as by_level
from report.comparison.differences import Estimate, difference, with_ends
from report.comparison.runs import ReferenceGroup, Run, shipped_groups
from report.tables import LINKED, GroupRates, interval, listed, percent, points
from testbed import SHORT_FORM

_GROUPS = ("children", "teams")
"""Sources that stand beside linked runs, on the children's 40 tasks."""


def rates_beside_others(
    runs: Sequence[Run], sources: Collection[str] = ("children", "teams", "published")
) -> GroupRates:
    """Rates of runs by level, beside those of `sources` who played the same tasks or are linked to them.

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
        return by_level.described(by_level.comparable_rates(rates, original).reset_index(drop=True))
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
    unlinked = {level for run in runs for level in set(run.results[GROUP]) - set(linked_levels(run))}
    return levels - unlinked


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
    whole = [sentence for run in runs for sentence in _sentences(run, groups)]
    agents = agents_on_both_batteries()["agent"].nunique()
    note = (
        f"Linked: the runs played other arenas than children and teams. {' '.join(whole)} This is predicted "
        f"by a regression over {agents} programs that played both; the 95 % intervals are those of one more "
        "program and contain the error of linking. The shift from one battery to the other may differ for "
        "models and people. Only rows marked as linked compare with others."
    )
    return GroupRates(
        rates, (note,), (note, f"{by_level.BASELINES_NOTE} {by_level.INTERVALS_NOTE}"), "not linked"
    )


def _sentences(run: Run, groups: Collection[str]) -> list[str]:
    """What all linked levels of a run together predict, and where that stands."""
    levels = linked_levels(run)
    found = predicted(run, levels)
    if found is None:
        return []
    tasks = _tasks(levels)
    parts = [
        f"{run.agent} passed {percent(_own_rate(run, levels))} % of our short form of level"
        f"{'s' * (len(levels) > 1)} {listed([str(level) for level in levels])}, which stands for "
        f"{interval(_rate, *found[:3])} of the original's {len(tasks)} tasks."
    ]
    if "children" in groups:
        parts.append(_beside_children(found, tasks))
    if "teams" in groups:
        first, last = linked_ranks(found, levels)
        parts.append(f"Its rank among the 68 teams of 2019 lies between {first} and {last}.")
    return [" ".join(parts)]


def _beside_children(found: Link, tasks: Sequence[str]) -> str:
    (children,) = shipped_groups(["children"])
    rate = float(children.rates.loc[list(tasks)].mean())
    gap = linked_difference(found, children, tasks)
    return f"Children passed {_rate(rate)} of these: a difference of {interval(points, *gap)} points."


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


def _rate(share: float) -> str:
    return f"{percent(share)} %"
