"""Everything that is compared, in one place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from arena.errors import ConfigError, EvaluationError
from evaluation.paired import compare_agents, reliability
from evaluation.scale.scaled import NO_SCALE, Scaled, scaled_scores
from evaluation.suite import Suite
from evaluation.suites import DEFAULT, get_suite
from report.comparison.contamination import contamination
from report.comparison.differences import compare_tasks, compare_with_groups
from report.comparison.items import correlations, item_analysis
from report.comparison.levels import capacities, demand_profile
from report.comparison.linking import rates_beside_others
from report.comparison.ranks import outperformed, ranks
from report.comparison.runs import ReferenceGroup, Run, apart, cautions
from report.tables import GroupRates, group_rates, headlines
from testbed.tasks import LABORATORY_NAMES, find_tasks, motion_of

LABORATORY = "laboratory"
"""The suite whose tasks levels 11 to 14 of the arena ask with a body."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of runs of one suite with groups, which only the arena has.

    `rates` are those by group of tasks; `tables` are all others by their names, those of the functions in
    this package; `cautions` are sentences, `scaled` the scores between floor and best.
    """

    runs: tuple[Run, ...]
    groups: tuple[ReferenceGroup, ...]
    results: pd.DataFrame
    rates: GroupRates
    cautions: tuple[str, ...]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    scaled: Scaled = NO_SCALE

    @property
    def suite(self) -> str:
        """The name of the suite."""
        return self.runs[0].suite

    @property
    def group(self) -> str:
        """Return the suite's word for a group of tasks."""
        suite = _installed(self.suite)
        return "group" if suite is None else suite.group_name

    @property
    def same_layouts(self) -> bool:
        """Return whether all runs count as played on the original files."""
        return all(run.original for run in self.runs)

    def has(self, source: str) -> bool:
        """Return whether groups of this source are compared."""
        return any(group.source == source for group in self.groups)


def _installed(name: str) -> Suite | None:
    """The suite of a name; None if it is not installed here."""
    try:
        return get_suite(name)
    except ConfigError:
        return None


def _of_one_laboratory(runs: Sequence[Run]) -> Sequence[Run]:
    """The runs; those of the shipped levels 11 to 14 count as the laboratory's if others are of that suite.

    A run with a body is one of each motion that it has. Hidden states and doors of the tasks are the same;
    that their files differ is what is compared.
    """
    if {run.suite for run in runs} != {DEFAULT, LABORATORY}:
        return runs
    files = {task.id: task.sha256 for task in find_tasks(tuple(LABORATORY_NAMES))}
    arena = [run for run in runs if run.suite == DEFAULT]
    if not all(run.digests and run.digests.items() <= files.items() for run in arena):
        return runs
    named = next(run.digests for run in runs if run.suite == LABORATORY)
    return [part for run in runs for part in (_by_motion(run, named) if run in arena else [run])]


def _by_motion(run: Run, named: Mapping[str, str]) -> Iterator[Run]:
    """The run's trials of each motion, with the ids of the same tasks in words."""
    motions = run.results["task_id"].map(motion_of)
    for motion, rows in run.results.groupby(motions, sort=False):
        agent = f"{run.agent}, {motion}" if motions.nunique() > 1 else run.agent
        renamed = rows.assign(agent=agent, task_id=rows["task_id"].str[:6] + "01")
        yield replace(run, agent=agent, results=renamed, suite=LABORATORY, digests=named, basis=None)


def compare(
    runs: Sequence[Run],
    groups: Sequence[ReferenceGroup],
    hidden: Sequence[Run] = (),
    studies: pd.DataFrame | None = None,
) -> Comparison:
    """Compare runs with each other and, in the arena, with groups in every respect that their tasks allow.

    `hidden` are the same agents' runs on a hidden split; `studies` are the `overviews` of the studies that
    runs are of. Raises EvaluationError if there is no run, a run
    without a planned trial, runs of several suites, or a hidden run without its public one.
    """
    if not runs:
        raise EvaluationError("there are no results to compare: name a run, or --run an agent")
    runs = _of_one_laboratory(runs)
    suites = {run.suite: run.agent for run in (*runs, *hidden)}
    if len(suites) > 1:
        named = ", ".join(f"{agent} ({suite})" for suite, agent in suites.items())
        raise EvaluationError(f"runs of several suites have no tasks in common: {named}")
    results = pd.concat([run.results for run in runs], ignore_index=True)
    own, sentences, suite = tuple(runs), tuple(cautions(list(runs))), _installed(runs[0].suite)
    pairs = {
        "headlines": headlines(results, (suite or Suite).headline),
        "comparisons": compare_agents(results, apart(own)),
        "reliability": reliability(results),
        "contamination": contamination(runs, hidden),
        **({"studies": studies} if studies is not None and len(studies) else {}),
    }
    bases = {run.agent: run.basis for run in runs}
    scaled = NO_SCALE if suite is None else scaled_scores(results, suite, bases)
    if DEFAULT not in suites:
        return Comparison(own, (), results, GroupRates(group_rates(results)), sentences, pairs, scaled)
    known = {group.source for group in groups}
    tables = {
        "differences": compare_with_groups(runs, groups),
        "tasks": compare_tasks(runs, groups),
        "ranks": ranks(runs if "teams" in known else ()),
        "outperformed": outperformed(runs if "children" in known else ()),
        "capacities": capacities(runs),
        "correlations": correlations(runs, groups),
        "item_analysis": item_analysis(runs),
        "demand_profile": demand_profile(runs),
        **pairs,
    }
    return Comparison(
        own, tuple(groups), results, rates_beside_others(runs, known), sentences, tables, scaled
    )
