"""People's trials in the format of a model's results, so that both can be compared."""

from collections import Counter
from pathlib import Path

import pandas as pd

from evaluation.results import TrialResult, results_frame
from human_data.people.store.store import Store
from human_data.people.store.tables import Trial
from testbed.tasks import level_of

PERSON = "person"


def people_results(store: Store, study: str, agent: str | None = PERSON) -> pd.DataFrame:
    """One row per trial without practice; columns as of `evaluation.results.results_frame`.

    All participants are one agent, and their trials of a task are numbered consecutively; if `agent` is None
    each participant is an agent named by their code. Trials by scripts belong to a separate agent,
    "... (scripts)".
    """
    rows = []
    counts: Counter[tuple[str, str]] = Counter()
    for person in store.participants(study):
        for trial in store.trials(person.id):
            if trial.position >= 0:
                name = person.code if agent is None else agent
                name += " (scripts)" if trial.mode == "scripts" else ""
                rows.append(_row(trial, name, counts[name, trial.task_id]))
                counts[name, trial.task_id] += 1
    return results_frame(rows)


def _row(trial: Trial, agent: str, number: int) -> TrialResult:
    return TrialResult(
        agent=agent,
        task_id=trial.task_id,
        group=level_of(Path(trial.task_id)),
        trial=number,
        pass_mark=trial.pass_mark,
        total_reward=trial.total_reward,
        passed=trial.passed,
        outcome=trial.outcome,
        steps=trial.steps,
        error=None if trial.outcome else "broken off",
    )
