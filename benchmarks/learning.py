"""Environments as reinforcement learning uses them: steps, one and many, and resets."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice, product, repeat
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from arena import ACTIONS, Episode
from arena.geometry.shapes import ARENA_SIZE
from arena.gym.curriculum import Config, Curriculum
from arena.gym.vector_env import ArenaVectorEnv
from arena.processes import cores
from arena.taskfile.config import ArenaSpec, Item, Vector3
from benchmarks.figures import Effort, Figures
from testbed import Task
from testbed.curriculum import Generated

HELD = 4
"""Steps for which an action is held, a common frame skip."""


class Setup(NamedTuple):
    """Observation of an environment; `side` of its pictures in pixels, 0 for none."""

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


SENSORS = (RAYS, CAMERA)
"""Observations of most measurements."""

KINDS = ("Wall", "LightBlock", "Ramp", "HeavyBlock")


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


def sample(tasks: Sequence[Task], count: int) -> tuple[Task, ...]:
    """An evenly spread sample of the tasks."""
    places = np.linspace(0, len(tasks) - 1, min(count, len(tasks))).round().astype(int)
    return tuple(tasks[place] for place in places)


@dataclass
class Learning:
    """Waiting times of learning agents on some tasks; adds figures and notes to `figures`."""

    tasks: Sequence[Task]
    effort: Effort
    seed: int
    figures: Figures

    def measure(self) -> None:
        """Measure everything."""
        self.steps()
        self.many()
        self.resets()
        self.scenes()

    def steps(self) -> None:
        """Steps per second of every task and setup, in each pass."""
        envs = {setup.name: setup.made(Playlist(self.tasks)) for setup in SETUPS}
        for number in range(self.effort.passes):
            for name, env in envs.items():
                rates = {task.id: self._rate(env, task) for task in self.tasks}
                where = "environment steps over tasks", name, "one environment", "steps/s"
                self.figures.add(*where, number, rates)
        for env in envs.values():
            env.close()

    def _rate(self, env: Any, task: Task) -> float:
        _begin(env, Playlist([task]), self.seed)
        actions = random_actions(task.id, self.seed, HELD)
        seconds_of_steps(env, actions, 5)  # uncounted, to warm up
        return self.effort.steps / seconds_of_steps(env, actions, self.effort.steps)

    def many(self) -> None:
        """Steps per second of many environments together, including the resets that occur."""
        together = max(8, 2 * cores())
        section = f"steps of {together} environments together, resets included"
        for setup in SENSORS:
            with closing(ArenaVectorEnv(together, Playlist(self.tasks), **setup.options)) as envs:
                for number in range(self.effort.passes):
                    rates = {"all": self._many_rate(envs)}
                    self.figures.add(section, setup.name, "steps", "steps/s", number, rates)

    def _many_rate(self, envs: ArenaVectorEnv) -> float:
        """Every pass plays the same steps."""
        envs.reset(seed=self.seed)
        count, generator = self.effort.vector_steps, np.random.default_rng(self.seed)
        drawn = generator.integers(9, size=(count // HELD + 2, envs.num_envs))
        envs.step(drawn[-1])
        started = perf_counter()
        for number in range(count):
            envs.step(drawn[number // HELD])
        return count * envs.num_envs / (perf_counter() - started)

    def resets(self) -> None:
        """Milliseconds of a reset with its observation, for tasks and for freshly generated ones."""
        for setup in SENSORS:
            with closing(setup.made(Playlist(self.tasks))) as env:
                for what, curriculum, count in (
                    ("tasks", Playlist(self.tasks), len(self.tasks)),
                    ("generated tasks", Generated("1-10"), self.effort.generated),
                ):
                    # An uncounted reset reads files, loads machine code and imports modules.
                    _begin(env, curriculum, self.seed)
                    for number in range(self.effort.passes):
                        times = dict(self._reset_times(env, count))
                        where = "a reset with its observation", setup.name, what, "ms"
                        self.figures.add(*where, number, times)

    def _reset_times(self, env: Any, count: int) -> Iterator[tuple[str, float]]:
        """Milliseconds of a number of resets, by task; the first restarts the stream."""
        for number in range(count):
            started = perf_counter()
            env.reset(seed=None if number else self.seed)
            seconds = perf_counter() - started
            yield str(env.unwrapped.episode.task_id), 1000 * seconds

    def scenes(self) -> None:
        """Steps per second by the number of things."""
        for setup, rolling, count in product(SENSORS, (False, True), self.effort.objects):
            name, task = f"{setup.name}, {_moving(rolling)}", scene(count, rolling=rolling)
            with closing(setup.made(Playlist([task]))) as env:
                for number in range(self.effort.passes):
                    rates = {"scene": self._rate(env, task)}
                    self.figures.add("steps by number of things", name, f"{count}", "steps/s", number, rates)


def _begin(env: Any, curriculum: Curriculum, seed: int) -> None:
    env.unwrapped.set_curriculum(curriculum)
    env.reset(seed=seed)


def scene(count: int, *, rolling: bool) -> Task:
    """Things 1 m high on a grid, not touching; the agent is in the first corner."""
    columns = int(np.ceil(np.sqrt(count + 1)))
    places = (0.5 + np.arange(columns)) * ARENA_SIZE / columns
    items = []
    for index, (z, x) in enumerate(islice(product(places.round(2).tolist(), repeat=2), count + 1)):
        # A ball that rolls from the start; eating it does not end the episode.
        kind = "GoodGoalMultiBounce" if rolling and index % 4 == 1 else KINDS[index % 4]
        items.append(
            Item(
                name=kind if index else "Agent",
                positions=(Vector3(x=x, z=z),),
                rotations=(index * 37.0 % 360 if index else 45.0,),
                sizes=(Vector3(x=1.0, y=1.0, z=1.0),) if index else (),
            )
        )
    spec = ArenaSpec(time_limit=0, items=tuple(items))
    return Task(f"{count} things, {_moving(rolling)}", 0, Path("scaling"), spec, "")


def _moving(rolling: bool) -> str:
    return "a quarter of them rolling balls" if rolling else "at rest"
