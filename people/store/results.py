"""People's trials in the format of a model's results, so that both can be compared."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd

from evaluation.results import OF_PEOPLE, TrialResult, results_frame
from evaluation.suites import DEFAULT
from people.groups import SCRIPTS
from people.store.participation import participations
from people.store.store import Store
from people.store.tables import SuiteEpisode, Trial
from testbed.tasks import level_of


def suite_of(store: Store, study: str) -> str:
    """The suite of a study's tasks."""
    return next((each.suite for each in store.episodes(study).values()), DEFAULT)


def people_results(store: Store, study: str, *, test: bool = False) -> pd.DataFrame:
    """One row per trial without practice; columns as of `evaluation.results.results_frame`, and `OF_PEOPLE`.

    Each participant is an agent named by their code; their trials by scripts belong to another one,
    "... (scripts)". `test` includes those who only tried the study out.
    """
    rows: list[TrialResult] = []
    known: list[tuple[str, ...]] = []
    counts: Counter[tuple[str, str]] = Counter()
    episodes, parts = store.episodes(study), participations(store, study, test=test)
    for person in store.participants(study, test=test):
        for trial in store.trials(person.id):
            if trial.position >= 0:
                name = person.code + (SCRIPTS if trial.mode == "scripts" else "")
                rows.append(_row(trial, name, counts[name, trial.task_id], episodes.get(trial.id)))
                counts[name, trial.task_id] += 1
                part = (parts[person.id].condition, trial.block, trial.animal_ai, trial.task_sha256)
                known.append(tuple(text or "" for text in part))
    return results_frame(rows).assign(**pd.DataFrame(known, columns=list(OF_PEOPLE), dtype="str"))


def _row(trial: Trial, agent: str, number: int, episode: SuiteEpisode | None) -> TrialResult:
    return TrialResult(
        agent=agent,
        task_id=trial.task_id,
        group=json.loads(episode.played)["task"]["group"] if episode else level_of(Path(trial.task_id)),
        trial=number,
        pass_mark=trial.pass_mark,
        total_reward=trial.total_reward,
        passed=trial.passed,
        outcome=trial.outcome,
        steps=trial.steps,
        turns=episode.turns if episode else None,
        score=episode.score if episode else None,
        error=None if trial.outcome else "broken off",
    )
