"""Episodes of step agents, to be played in any order and process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena import Episode
from llm_control.agents.step_agents import play
from testbed import Task


@dataclass(frozen=True, slots=True)
class BaselineTrial:
    """One episode of a step agent; `passed` is None for a task without a pass mark."""

    agent: str
    task_id: str
    level: int
    trial: int
    seed: int
    steps: int
    total_reward: float
    passed: bool | None


class PlannedTrial(NamedTuple):
    """An episode that is to be played."""

    agent: str
    task: Task
    trial: int
    seed: int


def trials_of(agent: str, tasks: Sequence[Task], trials: int = 1, seed: int = 0) -> list[PlannedTrial]:
    """`trials` episodes of each task, in the order of tasks and trials."""
    return [PlannedTrial(agent, task, trial, seed) for task in tasks for trial in range(trials)]


def play_trial(planned: PlannedTrial) -> BaselineTrial:
    """Play an episode; what comes of it depends on the plan alone.

    Raises LayoutError, with the task's id, where its arena cannot be built.
    """
    agent, task, trial, seed = planned
    with Episode(task.spec, task_id=task.id, seed=seed, trial=trial) as episode:
        kept = play(agent, episode)
    return BaselineTrial(agent, task.id, task.level, trial, seed, kept.steps, kept.total_reward, kept.passed)
