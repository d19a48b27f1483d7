"""People's trials in the format of a model's results, so that both can be compared."""

import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from evaluation.results import TrialResult, results_frame
from evaluation.suites import DEFAULT
from human_data.people.store.store import Store
from human_data.people.store.tables import SuiteEpisode, Trial
from testbed.tasks import level_of

PERSON = "person"


class Played(NamedTuple):
    """The suite of a study, and the SHA-256 of its tasks by id; empty for the arena."""

    suite: str
    digests: dict[str, str]


def played_suite(store: Store, study: str) -> Played:
    """What a study's trials are of."""
    episodes = store.episodes(study)
    people = store.participants(study, test=True)
    trials = [trial for person in people for trial in store.trials(person.id)]
    digests = {trial.task_id: trial.spec_sha256 for trial in trials if trial.id in episodes}
    return Played(next((each.suite for each in episodes.values()), DEFAULT), digests)


def people_results(
    store: Store, study: str, agent: str | None = PERSON, *, test: bool = False
) -> pd.DataFrame:
    """One row per trial without practice; columns as of `evaluation.results.results_frame`.

    All participants are one agent, and their trials of a task are numbered consecutively; if `agent` is None
    each participant is an agent named by their code. Trials by scripts belong to a separate agent,
    "... (scripts)". `test` includes those who only tried the study out.
    """
    rows = []
    counts: Counter[tuple[str, str]] = Counter()
    episodes = store.episodes(study)
    for person in store.participants(study, test=test):
        for trial in store.trials(person.id):
            if trial.position >= 0:
                name = person.code if agent is None else agent
                name += " (scripts)" if trial.mode == "scripts" else ""
                rows.append(_row(trial, name, counts[name, trial.task_id], episodes.get(trial.id)))
                counts[name, trial.task_id] += 1
    return results_frame(rows)


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
