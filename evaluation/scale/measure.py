"""Measure the scores of a suite's reference agents."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import ArenaError
from evaluation.capabilities import prompts_of
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.scale.references import RUNNERS, Reference, Scale
from evaluation.scale.scaled import headline_scores
from evaluation.statistics import mean_half
from evaluation.suite import EpisodeSetup, Record, Suite, TaskSpec
from evaluation.suites import chosen_tasks
from evaluation.transcript import transcript


def roles(scale: Scale) -> tuple[str, ...]:
    """The reference agents of a suite: the runner's, then its own."""
    return (*RUNNERS, *scale.agents)


def measure(
    suite: Suite, scale: Scale, agents: Sequence[str], groups: Sequence[str] = ()
) -> Iterator[Reference]:
    """The scores of agents on all tasks of each setting, group by group.

    With `groups` only those; a group that an agent cannot play is left out.
    """
    for setting in scale.settings:
        choices = suite.choices(**setting)
        found: dict[str, list[TaskSpec]] = {}
        for task in chosen_tasks(suite, choices, None):
            found.setdefault(scale.group(task.id, task.group), []).append(task)
        about = (scale.conditions(choices.model_dump()), suite.task_version(), scale.scoring)
        for agent in agents:
            for group, tasks in found.items():
                if (groups and group not in groups) or not _can_play(suite, agent, tasks, choices):
                    continue
                yield Reference(*about, group, agent, *mean_score(suite, agent, tasks, choices))


def _can_play(suite: Suite, agent: str, tasks: Sequence[TaskSpec], choices: Any) -> bool:
    try:
        suite.check(f"{suite.name}/{agent}", tasks, choices)
    except ArenaError:
        return False
    return True


def mean_score(suite: Suite, agent: str, tasks: Sequence[TaskSpec], choices: Any) -> tuple[int, float, float]:
    """Number of episodes, mean of the headline metric, and half its 95 % interval over tasks."""
    rows = []
    for task in tasks:
        record = play(suite, agent, task, choices)
        result = TrialResult(agent, task.id, task.group, 0, None, passed=record.passed)
        rows.append(replace(result, outcome=record.outcome, score=record.score))
    results = results_frame(rows)
    # Each task as a group of its own, so that only its value is left.
    means = headline_scores(results.assign(**{GROUP: results["task_id"]}), suite)["score"]
    half = mean_half(means.to_numpy(float)) if means.nunique() > 1 else 0.0
    return len(rows), float(means.mean()), half


def play(suite: Suite, agent: str, task: TaskSpec, choices: Any, trial: int = 0) -> Record:
    """The episode of an offline agent that looks at no pictures, by the same replies as in a log.

    Raises EvaluationError for an unknown agent, or as the suite does.
    """
    setup = EpisodeSetup(suite, task, trial, choices, prompts_of(suite, choices), draws=False)
    return transcript(setup, agent).record
