"""The measured environments, and the random actions that are taken in them."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from time import perf_counter
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from arena import ACTIONS, Episode
from arena.gym.curriculum import Config
from testbed import Task

HELD = 4
"""Steps for which an action is held, a common frame skip."""


class Setup(NamedTuple):
    """What an environment observes; `side` is that of its pictures in pixels, 0 for none."""

    name: str
    observation: str | tuple[str, ...]
    side: int = 0

    @property
    def options(self) -> dict[str, Any]:
        """Options of `arena.ArenaEnv`."""
        return {"observation": self.observation} | ({"resolution": self.side} if self.side else {})

    def made(self, config: Config) -> Any:
        """The environment as from `gymnasium.make`, with its wrappers."""
        return gymnasium.make("arena-llm/Arena-v0", config=config, **self.options)


VECTOR, RAYS = Setup("vector", "vector"), Setup("rays", "rays")
CAMERAS = tuple(Setup(f"camera {side} x {side}", "camera", side) for side in (64, 84, 128))
CAMERA = CAMERAS[1]
SETUPS = (VECTOR, RAYS, *CAMERAS, Setup("rays and camera 84 x 84", ("camera", "rays"), 84))


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


def random_actions(name: str, seed: int, held: int = 1) -> Iterator[np.int64]:
    """Endless random indices into `arena.ACTIONS`, each `held` times; the same for the same name and seed."""
    generator = np.random.default_rng([seed, *name.encode()])
    while True:
        for action in generator.integers(len(ACTIONS), size=1000):
            yield from repeat(action, held)


def seconds_of_steps(env: Any, actions: Iterator[np.int64], count: int) -> float:
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
