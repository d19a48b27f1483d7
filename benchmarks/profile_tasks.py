"""Where the time of a step goes on the battery's tasks, and how often Bullet is needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console

from arena import Rays
from benchmarks.peers.rounds import FULL_ROUNDS, Rounds
from benchmarks.profile import NAMES, STAGES, StageTimes, Stopwatch, stages_table, watched_stages
from benchmarks.rl.effort import FULL_RL, QUICK_RL
from benchmarks.rl.measure import RlPlan
from benchmarks.rl.setups import CAMERA, RAYS, VECTOR, Playlist, held_actions
from testbed import Task

STEPS = 100
"""Steps of each task in a round; in the first few things settle by Bullet."""

_MOST_ROUNDS = 3

_BULLET = STAGES[0][2]

RAYS_STAGE, WRAPPERS = "rays", "gymnasium.make: its wrappers"

TASK_STAGES = (*STAGES, (Rays, "observe", RAYS_STAGE))
TASK_NAMES = (*NAMES[:4], RAYS_STAGE, *NAMES[4:], WRAPPERS)
"""Stages in the order of the table."""


@dataclass
class TaskProfile(StageTimes):
    """Microseconds per step of each stage over all tasks, with the ticks of each task.

    `ticks` are all of a task's, `bullet_ticks` those in which Bullet simulated.
    """

    ticks: dict[str, int] = field(default_factory=dict)
    bullet_ticks: dict[str, int] = field(default_factory=dict)

    @property
    def without_bullet(self) -> float:
        """The share of all ticks that needed no Bullet."""
        return 1 - sum(self.bullet_ticks.values()) / sum(self.ticks.values())


def profile_tasks(
    tasks: Sequence[Task], rounds: Rounds, seed: int, advance: Callable[[str], None] = lambda doing: None
) -> list[TaskProfile]:
    """Play a sample of the tasks with held random actions and each kind of sensor."""
    effort = FULL_RL if rounds is FULL_ROUNDS else QUICK_RL
    sample = RlPlan.of(tasks, effort, rounds, seed, drawing=True).tasks
    setups = (VECTOR, RAYS, CAMERA)
    found = [TaskProfile(setup.name, {name: [] for name in TASK_NAMES}) for setup in setups]
    envs: list[Any] = [setup.made(Playlist(sample)) for setup in setups]
    for number in range(task_rounds(rounds) + 1):
        for profile, env in zip(found, envs, strict=True):
            watch = Stopwatch(TASK_NAMES)
            steps = sum(_play(env, task, seed, watch, profile) for task in sample)
            # The first round warms up.
            for name, seconds in watch.seconds.items() if number else ():
                profile.times[name].append(1e6 * seconds / steps)
        if number:
            advance("profile of tasks")
    for env in envs:
        env.close()
    return found


def task_rounds(rounds: Rounds) -> int:
    """Number of counted rounds; each is over all tasks, which takes longer than one scene."""
    return min(_MOST_ROUNDS, rounds.count)


def _play(env: Any, task: Task, seed: int, watch: Stopwatch, profile: TaskProfile) -> int:
    """Play a task's first steps, or until it ends, and count its ticks; returns the number of steps."""
    env.unwrapped.set_curriculum(Playlist([task]))
    env.reset(seed=seed)
    before, episode = watch.calls[_BULLET], env.unwrapped.episode
    actions = held_actions(task.id, seed)
    step, played, over = watch.watch(env.step, WRAPPERS), 0, False
    with watched_stages(watch, TASK_STAGES):
        while played < STEPS and not over:
            *_, terminated, truncated, _ = step(next(actions))
            played, over = played + 1, terminated or truncated
    # Every round plays the same steps.
    profile.ticks[task.id] = episode.ticks
    profile.bullet_ticks[task.id] = watch.calls[_BULLET] - before
    return played


def print_task_profiles(console: Console, profiles: Sequence[TaskProfile]) -> None:
    """Microseconds of a step's stages, and how many ticks needed no Bullet."""
    ticks, bullet = profiles[0].ticks, profiles[0].bullet_ticks
    title = (
        f"where a step's time goes on {len(ticks)} tasks through gymnasium.make, their first {STEPS} steps:\n"
        "microseconds per step, median and lowest-highest round, share"
    )
    console.print(stages_table(title, profiles, 1))
    middle, low, high = np.percentile([1 - bullet[task] / ticks[task] for task in ticks], (50, 10, 90))
    console.print(
        f"Of all ticks {profiles[0].without_bullet:.0%} were done without Bullet; task by task {middle:.0%}"
        f" (10 % of tasks below {low:.0%}, 10 % above {high:.0%}). A stage's clock adds about 1 microsecond"
        " to it.",
        highlight=False,
    )


def task_profile_dicts(profiles: Sequence[TaskProfile]) -> list[dict[str, Any]]:
    """Every measured time of a stage, and all ticks."""
    return [
        {
            "setup": profile.name,
            "microseconds_per_step": profile.times,
            "median": profile.medians,
            "ticks": profile.ticks,
            "bullet_ticks": profile.bullet_ticks,
            "share_without_bullet": profile.without_bullet,
        }
        for profile in profiles
    ]
