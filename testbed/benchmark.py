"""A benchmark of learned policies: an environment for each level, fixed test tasks, and a normalised score.

`gymnasium.make("arena-llm/Level3-v0")` is the environment of level 3. With `split="train"` (the default) each
reset draws a fresh task; with `split="test"` the level's 90 test tasks are played in turn, three of each
paradigm, each proven solvable. A change of any of them is another version of the ids.
"""

import csv
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

from arena import ArenaEnv, ConfigError, Episode, EvaluationError, load_text
from arena.gym.curriculum import unknown_task
from arena.gym.vector_env import ArenaVectorEnv
from testbed.blueprints import text
from testbed.blueprints.blueprint import Draw
from testbed.curriculum import Generated
from testbed.tasks import ALL_NAMES

SPLITS = ("train", "test")

TRAIN_SEED, TEST_SEED = 1, 2
"""Seeds of the blueprints: no task of one split is drawn in the other, nor in the shipped battery."""

SMALL_BUDGET, LARGE_BUDGET = 300_000, 10_000_000
"""Training steps of 0.06 s per level, whatever the number of actions: minutes on two cores, or hours."""

FILE = "test_tasks.csv"
"""The test tasks, with the rewards of random actions and of the oracle; `testbed/proof/prove.py` made it."""

COLUMNS = ("level", "task", "variant", "attempt", "sha256", "random", "oracle")
"""Columns of that file; rewards are those of whole episodes."""

Act = Callable[[Any, bool], Any]
"""A policy: the action after an observation, and whether that is the first of an episode."""


class ScoredTask(NamedTuple):
    """A test task, the SHA-256 of its file, and the rewards of random actions and the oracle."""

    draw: Draw
    sha256: str
    random: float
    oracle: float

    @property
    def id(self) -> str:
        """Return the task's id, LL-TT-V."""
        return self.draw.task_id

    def text(self) -> str:
        """Return the task's file. Raises EvaluationError if the blueprints no longer draw this task."""
        made = text(self.draw)
        if sha256(made) != self.sha256:
            raise EvaluationError(
                f"{self.id}: the blueprints draw a different task from the published one; use the "
                "version of arena-llm with which the benchmark was published"
            )
        return made

    def episode(self) -> Episode:
        """Begin a new episode, the same for every policy."""
        return Episode(load_text(self.text(), self.id).arenas[0], task_id=self.id)


def sha256(text: str) -> str:
    """Return the SHA-256 of a task's file."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def scored_tasks(level: int) -> tuple[ScoredTask, ...]:
    """Read the test tasks of a level. Raises ConfigError for a level other than 1 to 14."""
    if level not in ALL_NAMES:
        raise ConfigError(f"level: got {level!r}, expected 1 to {len(ALL_NAMES)}")
    rows = csv.DictReader(files("testbed").joinpath(FILE).read_text(encoding="utf-8").splitlines())
    return tuple(_task(row) for row in rows if int(row["level"]) == level)


def _task(row: dict[str, str]) -> ScoredTask:
    level, task, variant, attempt = (int(row[name]) for name in COLUMNS[:4])
    draw = Draw(level, task, variant, TEST_SEED, attempt)
    return ScoredTask(draw, row["sha256"], float(row["random"]), float(row["oracle"]))


class ScoredTasks:
    """The test tasks of a level as a curriculum: one per reset, beginning with the first after any seed."""

    def __init__(self, level: int) -> None:
        self._tasks = scored_tasks(level)
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Restart at the first task; the seed has no effect."""
        self._played = 0

    def next(self) -> Episode:
        """Return the next task."""
        task = self._tasks[self._played % len(self._tasks)]
        self._played += 1
        return task.episode()

    def named(self, task_id: str) -> Episode:
        """Return a task by its id. Raises ConfigError for the id of another task."""
        for task in self._tasks:
            if task.id == task_id:
                return task.episode()
        raise unknown_task(task_id, [task.id for task in self._tasks])


def level_env(level: int, split: str = "train", **options: Any) -> ArenaEnv:
    """Make `arena-llm/Level<level>-v0`; `options` are those of `arena.ArenaEnv` except `config`.

    Raises ConfigError for another split or level, and as `ArenaEnv` does.
    """
    return ArenaEnv(**_options(level, split, options))


def level_vector_env(
    num_envs: int = 1, *, level: int, split: str = "train", **options: Any
) -> ArenaVectorEnv:
    """Make a level's vector environment, with the options of `ArenaVectorEnv`.

    With `split="test"` each of its environments plays all test tasks.
    """
    return ArenaVectorEnv(num_envs, **_options(level, split, options))


def _options(level: int, split: str, options: dict[str, Any]) -> dict[str, Any]:
    if "config" in options:
        raise ConfigError(
            f"config: not an option of Level{level}, whose tasks are fixed; use arena-llm/Arena-v0"
        )
    if split not in SPLITS:
        raise ConfigError(f"split: got {split!r}, expected one of {', '.join(SPLITS)}")
    tasks = Generated(str(level), seed=TRAIN_SEED) if split == "train" else ScoredTasks(level)
    return options | {"config": tasks}


class Score(NamedTuple):
    """Rewards of a policy in the test tasks of a level, in task order."""

    level: int
    rewards: tuple[float, ...]
    passes: int

    @property
    def reward(self) -> float:
        """Mean reward per task."""
        return fmean(self.rewards)

    @property
    def pass_rate(self) -> float:
        """Share of the tasks that were passed."""
        return self.passes / len(self.rewards)

    @property
    def normalised(self) -> float:
        """(reward - random) / (oracle - random): 0 for random actions; the oracle's 1 can be exceeded."""
        return self._scaled(self.reward)

    @property
    def interval_95(self) -> tuple[float, float]:
        """Interval of the normalised score for other tasks of the same kind: mean +- 1.96 standard errors of
        the differences from random actions."""
        gains = [got - task.random for got, task in zip(self.rewards, scored_tasks(self.level), strict=True)]
        half = NormalDist().inv_cdf(0.975) * stdev(gains) / len(gains) ** 0.5
        return self._scaled(self.reward - half), self._scaled(self.reward + half)

    def _scaled(self, reward: float) -> float:
        low = fmean(task.random for task in scored_tasks(self.level))
        return (reward - low) / (fmean(task.oracle for task in scored_tasks(self.level)) - low)


def score(level: int, act: Act, **options: Any) -> Score:
    """Play every test task of a level once with a policy.

    `options` are those of the environment in which it was trained, as for `level_env`. Raises as `level_env`
    does, and ConfigError for an action outside the space.
    """
    env = level_env(level, "test", **options)
    rewards, passes = [], 0
    for _ in scored_tasks(level):
        observation, _ = env.reset()
        total, over, first = 0.0, False, True
        while not over:
            observation, reward, terminated, truncated, info = env.step(act(observation, first))
            total, over, first = total + float(reward), terminated or truncated, False
        rewards.append(total)
        passes += info["is_success"]
    env.close()
    return Score(level, tuple(rewards), passes)
