"""The measured environments, as a learning agent uses them, and its actions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from arena import Episode
from arena.gym.curriculum import Config
from benchmarks.measure import random_actions
from testbed import Task

HELD = 4
"""Steps for which an action is held, a common frame skip."""

ENV_ID = "arena-llm/Arena-v0"


@dataclass(frozen=True, slots=True)
class Setup:
    """What an environment observes; `side` is that of its pictures in pixels, 0 for none."""

    name: str
    observation: str | tuple[str, ...]
    side: int = 0

    @property
    def options(self) -> dict[str, Any]:
        """Options of `arena.ArenaEnv`."""
        return {"observation": self.observation} | ({"resolution": self.side} if self.side else {})

    def made(self, config: Config) -> "gymnasium.Env[Any, Any]":
        """The environment as from `gymnasium.make`, with its wrappers."""
        return gymnasium.make(ENV_ID, config=config, **self.options)


RAYS = Setup("rays", "rays")
VECTOR = Setup("vector", "vector")
CAMERAS = tuple(Setup(f"camera {side} x {side}", "camera", side) for side in (64, 84, 128))
CAMERA = CAMERAS[1]
BOTH = Setup("rays and camera 84 x 84", ("camera", "rays"), 84)

SETUPS = (VECTOR, RAYS, *CAMERAS, BOTH)
"""All of them, in the order of the table."""


class Playlist:
    """A curriculum: tasks in turn, starting at the seed's."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tuple(tasks)
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Start again with a seed."""
        self._seed, self._played = seed, 0

    def next(self) -> Episode:
        """The next task."""
        task = self._tasks[(self._seed + self._played) % len(self._tasks)]
        self._played += 1
        return Episode(task.spec, task_id=task.id, seed=self._seed, trial=self._played - 1)


def held_actions(name: str, seed: int) -> Iterator[np.int64]:
    """Endless random actions, each held for `HELD` steps; the same for the same name and seed."""
    for action in random_actions(name, seed):
        yield from repeat(np.int64(action), HELD)


def seconds_of_steps(env: "gymnasium.Env[Any, Any]", actions: Iterator[np.int64], count: int) -> float:
    """Time of a number of steps with their observations; resets in between are not included."""
    seconds = 0.0
    for _ in range(count):
        action = next(actions)
        started = perf_counter()
        *_, terminated, truncated, _ = env.step(action)
        seconds += perf_counter() - started
        if terminated or truncated:
            env.reset()
    return seconds
