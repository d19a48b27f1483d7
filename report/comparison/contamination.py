"""The contamination gap: how much better a run is on the public battery than on a hidden split of it."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from arena.errors import EvaluationError
from evaluation.paired import ALL_LEVELS, compare_agents
from evaluation.statistics import family
from report.comparison.runs import Run

COLUMNS = (
    *("agent", "scope", "pairs", "public_tasks", "hidden_tasks", "public_rate", "hidden_rate"),
    *("gap", "low", "high", "p", "p_holm"),
)

_PUBLIC, _HIDDEN = "public", "hidden"


def contamination(runs: Sequence[Run], hidden: Sequence[Run]) -> pd.DataFrame:
    """The gap of each run that has one of `hidden` under its name, over all levels and on each, a row each.

    Raises EvaluationError if a hidden run has no public one of its name, has the same tasks, was played
    under another version of Animal-AI, or has no variants of the same tasks.
    """
    public = {run.agent: run for run in runs}
    rows = [row for each in hidden for row in _rows(_public(public, each), each)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _public(public: dict[str, Run], hidden: Run) -> Run:
    run = public.get(hidden.agent)
    if run is None:
        raise EvaluationError(
            f"--hidden: got {hidden.agent!r}, expected one of {', '.join(public)}; name both alike"
        )
    if run.animal_ai != hidden.animal_ai:
        raise EvaluationError(
            f"--hidden: {run.agent} was played under Animal-AI {run.animal_ai or 'unknown'} on the public "
            f"tasks and {hidden.animal_ai or 'unknown'} on the hidden ones; play both under one version"
        )
    if run.original or set(run.results["task_id"]) & set(hidden.results["task_id"]):
        raise EvaluationError(
            f"--hidden: expected {run.agent} on the shipped battery and on a hidden split of it, got "
            f"{'another folder' if run.original else 'the same tasks twice'}; create a split with "
            "arena-llm testbed generate --hidden"
        )
    if not set(run.results["task_id"].map(family)) & set(hidden.results["task_id"].map(family)):
        raise EvaluationError(
            f"--hidden: no hidden task of {run.agent} is a variant of one of its public tasks; play the same "
            "levels"
        )
    return run


def _rows(public: Run, hidden: Run) -> Iterator[tuple[Any, ...]]:
    both = [
        run.results.assign(agent=name, idea=run.results["task_id"].map(family))
        for name, run in ((_PUBLIC, public), (_HIDDEN, hidden))
    ]
    shared = set(both[0]["idea"]) & set(both[1]["idea"])
    results = pd.concat([part[part["idea"].isin(shared)] for part in both])
    pairs = compare_agents(results.assign(task_id=results["idea"]))
    for row in pairs.to_dict("records"):
        here = (
            results if row["scope"] == ALL_LEVELS else results[results["level"].astype(str) == row["scope"]]
        )
        tasks = here.groupby("agent")["task_id"].nunique()
        counts = (row["tasks"], int(tasks[_PUBLIC]), int(tasks[_HIDDEN]))
        found = (row[key] for key in ("rate", "other_rate", "difference", "low", "high", "p", "p_holm"))
        yield (public.agent, row["scope"], *counts, *found)
