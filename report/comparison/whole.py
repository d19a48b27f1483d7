"""Everything that is compared, in one place."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from arena.errors import EvaluationError
from evaluation.paired import compare_agents
from report.comparison.capacities import capacities
from report.comparison.differences import compare_with_groups
from report.comparison.items import correlations
from report.comparison.levels import compare_levels
from report.comparison.ranks import outperformed, ranks
from report.comparison.references import ReferenceGroup
from report.comparison.runs import Run, cautions
from report.comparison.tasks import compare_tasks


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs beside groups. The tables are those of the functions of these names in this package.

    `levels` is that of `compare_levels`, `pairs` that of `compare_agents`; `cautions` are sentences.
    """

    runs: tuple[Run, ...]
    groups: tuple[ReferenceGroup, ...]
    results: pd.DataFrame
    levels: pd.DataFrame
    differences: pd.DataFrame
    tasks: pd.DataFrame
    ranks: pd.DataFrame
    outperformed: pd.DataFrame
    capacities: pd.DataFrame
    correlations: pd.DataFrame
    pairs: pd.DataFrame
    cautions: tuple[str, ...]

    @property
    def same_layouts(self) -> bool:
        """Whether all runs count as played on the original files."""
        return all(run.original for run in self.runs)

    def has(self, source: str) -> bool:
        """Whether a group of this source is compared with."""
        return any(group.source == source for group in self.groups)


def compare(runs: Sequence[Run], groups: Sequence[ReferenceGroup]) -> Comparison:
    """Compare runs with groups in every respect that their tasks allow.

    Raises EvaluationError if there is no run, or a run without a planned trial.
    """
    if not runs:
        raise EvaluationError("there are no results to compare: name a run, or --run an agent")
    results = pd.concat([run.results for run in runs], ignore_index=True)
    known = {"run", *(group.source for group in groups)}
    levels = compare_levels(results, same_layouts=all(run.original for run in runs))
    teams, children = "teams" in known, "children" in known
    return Comparison(
        runs=tuple(runs),
        groups=tuple(groups),
        results=results,
        levels=levels[levels["source"].isin(known)].reset_index(drop=True),
        differences=compare_with_groups(runs, groups),
        tasks=compare_tasks(runs, groups),
        ranks=ranks(runs if teams else ()),
        outperformed=outperformed(runs if children else ()),
        capacities=capacities(runs),
        correlations=correlations(runs, groups),
        pairs=compare_agents(results),
        cautions=tuple(cautions(list(runs))),
    )
