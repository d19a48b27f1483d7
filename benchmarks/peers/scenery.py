"""The scene that all contenders draw, and how it is played."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from arena import ACTIONS, Episode, Scene, load
from arena.closing import Closing
from benchmarks.environments import random_actions
from testbed import Task

SCENE_FILE = Path(__file__).parent / "scene.yaml"
"""Task file of 50 things."""

HIDDEN = -5.0
"""Height in metres to which eaten things are moved: just under the floor, as pyrender fits its shadow map to
everything."""


class Subject(Closing):
    """A task played at random, with the same actions each time; a new episode follows each that ends."""

    def __init__(self, task: Task, seed: int) -> None:
        self._task, self._seed, self._trial = task, seed, 0
        self._actions = random_actions(task.id, seed)
        self.episode = self._new()

    def step(self) -> None:
        """One random step, and a new episode if it ended the old one."""
        self.episode.step(ACTIONS[next(self._actions)])
        if self.episode.done:
            self.episode.close()
            self._trial += 1
            self.episode = self._new()

    def timed_between(self, count: int, work: Callable[[Scene], object]) -> float:
        """Seconds of work on the scene after each of `count` random steps, which are not timed."""
        seconds = 0.0
        for _ in range(count):
            self.step()
            started = perf_counter()
            work(self.episode.scene())
            seconds += perf_counter() - started
        return seconds

    def _new(self) -> Episode:
        return Episode(self._task.spec, task_id=self._task.id, seed=self._seed, trial=self._trial)

    def close(self) -> None:
        """Free the episode."""
        self.episode.close()


def scene_subject(seed: int) -> Subject:
    """The scene, played at random, with the same steps in every process."""
    return Subject(Task("bench", 0, SCENE_FILE, load(SCENE_FILE).arenas[0], ""), seed)
