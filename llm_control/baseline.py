"""Step agents played on many tasks, in parallel processes."""

import multiprocessing
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from arena import Episode, EvaluationError
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


def play_tasks(
    agent: str, tasks: Sequence[Task], *, trials: int = 1, seed: int = 0, jobs: int = 1
) -> Generator[BaselineTrial, None, None]:
    """Play each task `trials` times and yield the results, always in the order of tasks and trials.

    The results do not depend on `jobs`, the number of processes; with one it is this process that plays.
    Raises LayoutError, with the task's id, where an arena cannot be built, and EvaluationError where a
    process was killed.
    """
    work = [(agent, task, trial, seed) for task in tasks for trial in range(trials)]
    if jobs == 1:
        yield from map(_play, work)
        return
    # Spawned, because a process that is forked beside a progress bar's thread can deadlock.
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_leave_ctrl_c_to_parent
    )
    try:
        yield from pool.map(_play, work)
    except BrokenProcessPool:
        raise EvaluationError("a playing process was ended from outside; try fewer of them") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _leave_ctrl_c_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(work: tuple[str, Task, int, int]) -> BaselineTrial:
    agent, task, trial, seed = work
    with Episode(task.spec, task_id=task.id, seed=seed, trial=trial) as episode:
        kept = play(agent, episode)
    return BaselineTrial(agent, task.id, task.level, trial, seed, kept.steps, kept.total_reward, kept.passed)
