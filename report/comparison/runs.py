"""A run as it is compared: its results, and what weakens its comparison with others."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from arena.errors import EvaluationError
from arena.taskfile.versions import Version
from evaluation.paired import apart_sentences, other_tasks
from evaluation.scale.scaled import Basis
from evaluation.statistics import counted, level_of_id, people_error, task_rates
from evaluation.suites import DEFAULT
from human_data import baselines
from report.files import note, render
from report.tables import listed
from testbed.originals import RAISED_BEAM, is_published

THEIRS = Version.V2.value
"""The version whose clock children and competition were scored with."""

CLOCKED = 9
"""The level whose pass marks are sums over several balls, and so mean something else under another clock."""


@dataclass(frozen=True, eq=False)
class Run:
    """One agent's trials. `results` has the columns of `results_frame`, and for several people under one name
    `PERSON`.

    `original` says that the tasks are the original's, `animal_ai` which version was re-enacted, None if
    unknown. `partial` is a sentence on a run that did not end, `refuted` one on tasks that were claimed to be
    the original's and are not. `suite` is the name of that of its tasks, `digests` are the tasks' SHA-256 by
    id, as far as they are known. `basis` says which references of the suite hold, if that is known.
    `claimed`: only the user says that the tasks are the original's.
    """

    agent: str
    results: pd.DataFrame
    original: bool = False
    animal_ai: str | None = None
    partial: str = ""
    refuted: str = ""
    suite: str = DEFAULT
    digests: Mapping[str, str] = field(default_factory=dict)
    basis: Basis | None = None
    claimed: bool = False

    @property
    def other_clock(self) -> bool:
        """Return whether level 9 is not comparable, as its clock may differ from the children's."""
        return self.suite == DEFAULT and self.animal_ai != THEIRS

    def rates_beside(self, source: str) -> pd.DataFrame:
        """Compute `task_rates` of tasks on which the run is comparable with groups of a source."""
        if not self.other_clock or source not in ("children", "teams"):
            return self.task_rates
        return self.task_rates.query(f"level != {CLOCKED}").reset_index(drop=True)

    def error(self, task_ids: Sequence[str]) -> float:
        """Standard error over people of the run's rate on some tasks; 0 if it is not of several people."""
        return people_error(self.results[self.results["task_id"].isin(task_ids)])

    @cached_property
    def task_rates(self) -> pd.DataFrame:
        """`evaluation.statistics.task_rates` of the run, without the agent."""
        return task_rates(self.results).drop(columns="agent")


def played_run(results: pd.DataFrame, original: bool, animal_ai: str | None = None, **known: Any) -> Run:
    """The run of one agent's results; `known` are further facts of a `Run`, by name.

    Its tasks are the original's if their digests say so. `original` is a claim of the user, which counts if
    digests are unknown and nothing refutes it.
    """
    run = Run(str(results["agent"].iloc[0]), results, animal_ai=animal_ai, **known)
    proven = run.suite == DEFAULT and has_published_tasks(run.digests, results["task_id"])
    open_ = original and run.suite == DEFAULT and not proven
    against = refuted(results, run.digests) if open_ else ""
    claimed = open_ and not against
    return replace(run, original=proven or claimed, refuted=against, claimed=claimed)


def has_published_tasks(digests: Mapping[str, str], tasks: Iterable[str]) -> bool:
    """Return whether all task files are those of a published battery, by digest."""
    return bool(digests) and all(is_published(task, digests.get(task)) for task in tasks)


def ninth_note() -> str:
    """Explain why level 9 is not compared with children and teams under another clock."""
    return note("ninth", theirs=THEIRS)


def cautions(runs: list[Run]) -> list[str]:
    """List weaknesses of a comparison with others, one or two sentences each."""

    def names(those: Iterable[Run]) -> str:
        return listed([run.agent for run in those])

    versions = dict.fromkeys(run.animal_ai for run in runs)
    clocks = {each: [run for run in runs if run.animal_ai == each] for each in versions if each != THEIRS}
    played = [f"{run.agent} {run.animal_ai or 'an unknown version'}" for run in runs]
    values: dict[str, Any] = {
        "trials": {run: counted(run.results) for run in runs},
        "apart": apart_sentences(pd.concat([run.results for run in runs]), apart(runs)),
        "arena": all(run.suite == DEFAULT for run in runs),
        "ours": names(run for run in runs if not run.original),
        "known": names(run for run in runs if run.original and not run.claimed),
        "raised": names(r for r in runs if is_published(RAISED_BEAM, r.digests.get(RAISED_BEAM), "llm-aai")),
        "claimed": names(run for run in runs if run.claimed),
        "clocks": {version: (names(those), _has_ninth(those)) for version, those in clocks.items()},
        "versions": listed(played) if len(versions) > 1 else "",
        **{"beam": RAISED_BEAM, "theirs": THEIRS, "ninth_note": ninth_note()},
        "knowing": {"arena/oracle": "knows the layout", "arena/replay": "repeats recordings"},
    }
    return [*filter(None, render("cautions.j2", runs=runs, **values).splitlines())]


def _has_ninth(runs: list[Run]) -> bool:
    return any((run.results["level"] == CLOCKED).any() for run in runs)


def refuted(results: pd.DataFrame, digests: Mapping[str, str] | None = None) -> str:
    """Explain why tasks cannot be the original's, despite equal ids; empty if they can."""
    agent = results["agent"].iloc[0]
    if digests:
        tasks = list(dict.fromkeys(results["task_id"]))
        others = [task for task in tasks if not is_published(task, digests.get(task))]
        return (
            f"{len(others)} of {len(tasks)} tasks of {agent} differ from the original's files by SHA-256 "
            f"(the first is {others[0]})."
        )
    known = baselines.children_by_task().set_index("task_id")["pass_mark"]
    own = marks_of(results)
    shared = own[own.index.isin(known.index)]
    wrong = shared[~((shared - known[shared.index]).abs() < 1e-6)]
    if wrong.empty:
        return ""
    return (
        f"{len(wrong)} of {len(shared)} tasks of {agent} do not have the pass mark that "
        f"children had (the first is {wrong.index[0]}): they are not the original files."
    )


def marks_of(results: pd.DataFrame) -> "pd.Series[float]":
    """Pass marks by task id."""
    return results.drop_duplicates("task_id").set_index("task_id")["pass_mark"].astype(float)


def apart(runs: Sequence[Run]) -> dict[tuple[str, str], frozenset[str]]:
    """Ids of each two runs that are of different tasks: by digests, or else by battery and pass mark."""
    return {
        (one.agent, other.agent): other_tasks(one.digests, other.digests)
        if one.digests and other.digests
        else other_tasks(_marked(one), _marked(other))
        for one, other in combinations(runs, 2)
    }


def _marked(run: Run) -> dict[str, str]:
    return {str(task): f"{run.original} {mark:g}" for task, mark in marks_of(run.results).items()}


Source = Literal["children", "teams", "agents", "published"]


@dataclass(frozen=True, eq=False)
class ReferenceGroup:
    """A group that runs are compared with, on the original tasks: children, teams, an agent or a model.

    `rates` is the share of attempts that passed by task id; `members` how many attempts each task's share is
    of. For a sample of people, `sds` has the standard deviation over people of the share passed by level, and
    `sd_all` that over all tasks; both are empty for teams and agents, which are no sample.
    """

    name: str
    source: Source
    rates: "pd.Series[float]"
    members: int
    sds: Mapping[int, float] = field(default_factory=dict)
    sd_all: float | None = None

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


def _children() -> list[ReferenceGroup]:
    tasks, levels = baselines.children_by_task(), baselines.children_by_level()
    total = baselines.children_passed_of_40()
    count = int(tasks["children"].iloc[0])
    passed = np.repeat(total["passed"].to_numpy(float), total["children"])
    rates = tasks.set_index("task_id")["pass_rate"]
    sds = dict(zip(levels["level"], levels["sd"], strict=True))
    spread = float(passed.std(ddof=1)) / len(tasks)
    return [ReferenceGroup(f"{count} children", "children", rates, count, sds, spread)]


def _competition() -> list[ReferenceGroup]:
    teams = baselines.competition_by_task()
    best = teams[teams["top_ten"]]
    parts = {f"{teams['team'].nunique()} teams 2019": teams, "top ten 2019": best}
    return [_of_tries(name, "teams", part, "team") for name, part in parts.items()]


def _agents() -> list[ReferenceGroup]:
    """One group per agent, version of the paper and length of training."""
    frame = baselines.agents_by_task()
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
    counts = baselines.language_models_by_task()
    return [
        ReferenceGroup(name, "published", part.set_index("task_id")["pass_rate"], int(part["trials"].iloc[0]))
        for experiment, name in PUBLISHED.items()
        for part in [counts[counts["experiment"] == experiment]]
    ]


_SHIPPED = {"children": _children, "competition": _competition, "agents": _agents, "models": _models}
NAMES = tuple(_SHIPPED)
"""The words of `--with`."""


def shipped_groups(names: Sequence[str]) -> list[ReferenceGroup]:
    """The groups of the shipped tables by the words of `NAMES`. Raises EvaluationError for another."""
    if wrong := [name for name in names if name not in _SHIPPED]:
        known = ", ".join(NAMES)
        raise EvaluationError(
            f"--with: got {wrong[0]!r}, expected {known}; a study's people are given as a RUN"
        )
    return [group for name in dict.fromkeys(names) for group in _SHIPPED[name]()]
