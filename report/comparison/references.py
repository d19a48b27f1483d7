"""Comparison groups: everyone on record on the tasks that children did, by share of passes on every task."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from arena.errors import EvaluationError
from evaluation.statistics import level_of_id
from human_data.baselines import (
    agents_by_task,
    children_by_level,
    children_by_task,
    children_passed_of_40,
    competition_by_task,
    language_models_by_task,
)
from report.comparison.runs import Run, marks_of

Source = Literal["children", "teams", "agents", "published", "people"]


@dataclass(frozen=True, eq=False)
class ReferenceGroup:
    """A group that runs are compared with: children, teams, an agent, a model or the people of a study.

    `rates` is the share of attempts that passed by task id; `members` how many attempts each task's share is
    of. For a sample of people, `sds` has the standard deviation over people of the share passed by level, and
    `sd_all` that over all tasks; both are empty for teams and agents, which are no sample. `marks`
    are the pass marks that the people of a study had; None stands for the original tasks.
    """

    name: str
    source: Source
    rates: "pd.Series[float]"
    members: int
    sds: Mapping[int, float] = field(default_factory=dict)
    sd_all: float | None = None
    marks: "pd.Series[float] | None" = None

    def error(self, task_ids: Sequence[str]) -> float:
        """Standard error over people of the group's rate on some tasks; 0 if the group is no sample.

        On a part of the tasks it is an upper bound: as if the same people did well on every level.
        """
        if not self.sds:
            return 0.0
        levels = pd.Series(task_ids).map(level_of_id).value_counts(normalize=True)
        spread = sum(share * self.sds[int(str(level))] for level, share in levels.items())
        if self.sd_all is not None and set(task_ids) == set(self.rates.index):
            spread = self.sd_all
        return spread / math.sqrt(self.members)


NAMES = ("children", "competition", "agents", "models")
"""Words that `--with` takes beside files of studies."""


def shipped_groups(names: Sequence[str]) -> list[ReferenceGroup]:
    """The groups of the shipped tables by the words of `NAMES`.

    Raises EvaluationError for any other word.
    """
    makers: Mapping[str, Callable[[], list[ReferenceGroup]]] = {
        "children": _children,
        "competition": _competition,
        "agents": _agents,
        "models": _models,
    }
    for name in names:
        if name not in makers:
            raise EvaluationError(f"--with: got {name!r}, expected {', '.join(NAMES)} or a study's file")
    return [group for name in dict.fromkeys(names) for group in makers[name]()]


def people(name: str, results: pd.DataFrame) -> ReferenceGroup:
    """The people of a study, `results` as `results_frame` has them, each participant being an `agent`."""
    judged = results[results["passed"].notna()].assign(passed=lambda frame: frame["passed"].astype(float))
    if judged.empty:
        raise EvaluationError(f"{name}: no trial of this study has a verdict")
    each = judged.groupby(["agent", "level"])["passed"].mean().reset_index()
    count = int(judged["agent"].nunique())
    sds = each.groupby("level")["passed"].std(ddof=1).fillna(0.0)
    return ReferenceGroup(
        f"{count} people ({name})" if count > 1 else f"1 person ({name})",
        "people",
        judged.groupby("task_id")["passed"].mean(),
        count,
        {int(str(level)): float(sd) for level, sd in sds.items()},
        float(judged.groupby("agent")["passed"].mean().std(ddof=1)) if count > 1 else 0.0,
        marks_of(results),
    )


def same_tasks(run: Run, group: ReferenceGroup) -> bool:
    """Whether tasks of one id are the same task; for a study's people, whether all pass marks agree."""
    if group.marks is None:
        return run.original
    own = marks_of(run.results)
    shared = own.index.intersection(group.marks.index)
    return len(shared) > 0 and bool(((own[shared] - group.marks[shared]).abs() < 1e-6).all())


def _children() -> list[ReferenceGroup]:
    tasks, levels, total = children_by_task(), children_by_level(), children_passed_of_40()
    count = int(tasks["children"].iloc[0])
    passed = np.repeat(total["passed"].to_numpy(float), total["children"])
    rates, sds = (
        tasks.set_index("task_id")["pass_rate"],
        dict(zip(levels["level"], levels["sd"], strict=True)),
    )
    spread = float(passed.std(ddof=1)) / len(tasks)
    return [ReferenceGroup(f"{count} children", "children", rates, count, sds, spread)]


def _competition() -> list[ReferenceGroup]:
    teams = competition_by_task()
    best = teams[teams["top_ten"]]
    parts = {f"{teams['team'].nunique()} teams 2019": teams, "top ten 2019": best}
    return [_of_tries(name, "teams", part, "team") for name, part in parts.items()]


def _agents() -> list[ReferenceGroup]:
    """One group per agent, version of the paper and length of training."""
    frame = agents_by_task()
    short = frame["agent"].str.removesuffix(" Agent").str.replace("Heuristic Agent", "Heuristic")
    steps = frame["run"].str.extract(r"(\d+M)_steps")[0]
    trained = steps.map(" {} steps".format, na_action="ignore").fillna("")
    named = frame.assign(name=short + " " + frame["paper_version"].astype(str) + trained)
    return [_of_tries(str(name), "agents", part, "run") for name, part in named.groupby("name", sort=False)]


def _of_tries(name: str, source: Source, tries: pd.DataFrame, members: str) -> ReferenceGroup:
    """A group of all who are in the column `members` of a table of tries."""
    return ReferenceGroup(name, source, tries.groupby("task_id")["passed"].mean(), tries[members].nunique())


PUBLISHED = {"experiment_1": "GPT-4o 2024", "experiment_2": "GPT-4o 2024 + demo"}
"""Three trials per task each; the two exploratory conditions had one and are only in the table."""


def _models() -> list[ReferenceGroup]:
    counts = language_models_by_task()
    return [
        ReferenceGroup(name, "published", part.set_index("task_id")["pass_rate"], int(part["trials"].iloc[0]))
        for experiment, name in PUBLISHED.items()
        for part in [counts[counts["experiment"] == experiment]]
    ]
