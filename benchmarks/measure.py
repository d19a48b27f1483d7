"""Measures one task: only the work in question is timed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from arena import ACTIONS, Episode
from arena.closing import Closing
from benchmarks.bare import BareWorld
from benchmarks.result import Timing
from testbed import Task


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: passes over all tasks, and the number of each thing per pass and task.

    Each count is preceded by `warm_up` untimed ones. Of the tasks, every `every`-th is taken. `large_peer` is
    the number of the peer's large pictures, which are slow.
    """

    passes: int = 5
    steps: int = 300
    builds: int = 3
    frames: int = 20
    large_frames: int = 8
    large_peer: int = 2
    observations: int = 100
    warm_up: int = 3
    every: int = 1


FULL = Effort()
QUICK = Effort(
    passes=2, steps=100, builds=1, frames=5, large_frames=3, large_peer=1, observations=20, warm_up=2, every=7
)


class Subject(Closing):
    """A task played at random, with the same actions each time; a new episode follows each that ends."""

    def __init__(self, task: Task, seed: int) -> None:
        self._task = task
        self._seed = seed
        self._trial = 0
        self._actions = random_actions(task.id, seed)
        self.episode = self._new()

    def step(self) -> None:
        """One random step, and a new episode if it ended the old one."""
        self.episode.step(ACTIONS[next(self._actions)])
        self.renew()

    def renew(self) -> None:
        """Start another episode if this one has ended."""
        if self.episode.done:
            self.episode.close()
            self._trial += 1
            self.episode = self._new()

    def timed_steps(self, count: int) -> Timing:
        """Random steps in a row; building new episodes is not timed."""
        seconds = 0.0
        started = perf_counter()
        for _ in range(count):
            self.episode.step(ACTIONS[next(self._actions)])
            if self.episode.done:
                seconds += perf_counter() - started
                self.renew()
                started = perf_counter()
        return Timing(count, seconds + perf_counter() - started)

    def timed_between(self, count: int, work: Callable[[Episode], object]) -> Timing:
        """Work on the episode after each of `count` random steps, which are not timed."""
        seconds = 0.0
        for _ in range(count):
            self.step()
            started = perf_counter()
            work(self.episode)
            seconds += perf_counter() - started
        return Timing(count, seconds)

    def bare(self) -> BareWorld:
        """A bare world with as many boxes as the arena has things, and as many movable ones."""
        things = self.episode.scene().things
        return BareWorld(len(things), sum(thing.moves for thing in things))

    def _new(self) -> Episode:
        return Episode(self._task.spec, task_id=self._task.id, seed=self._seed, trial=self._trial)

    def close(self) -> None:
        """Free the episode."""
        self.episode.close()


def random_actions(task_id: str, seed: int) -> Iterator[int]:
    """An endless stream of indices into `arena.ACTIONS`, the same for the same task and seed."""
    generator = np.random.default_rng([seed, *task_id.encode()])
    while True:
        yield from generator.integers(len(ACTIONS), size=1000).tolist()


def timed(count: int, work: Callable[[], object]) -> Timing:
    """The same work `count` times."""
    started = perf_counter()
    for _ in range(count):
        work()
    return Timing(count, perf_counter() - started)
