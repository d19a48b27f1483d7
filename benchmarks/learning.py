"""Environments as reinforcement learning uses them: steps, one and many, resets, and memory."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from arena.geometry.shapes import ARENA_SIZE
from arena.gym.curriculum import Curriculum
from arena.gym.vector_env import ArenaVectorEnv
from arena.processes import cores
from arena.taskfile.config import ArenaSpec, Item, Vector3
from benchmarks.environments import (
    CAMERA,
    HELD,
    RAYS,
    SETUPS,
    Playlist,
    Setup,
    footprint,
    growth,
    random_actions,
    seconds_of_steps,
)
from benchmarks.figures import Absent, Apart, Effort, Figures
from testbed import CHILDREN, Task, find_tasks, task_named
from testbed.curriculum import Generated
from testbed.tasks import LEVELS_FOLDER

WARM_UP = 5
"""Uncounted steps before those of a rate."""

SETTLED = 0.25
"""Share of episodes after which caches are full."""

KINDS = ("Wall", "LightBlock", "Ramp", "HeavyBlock")
ROLLING = "GoodGoalMultiBounce"
"""A ball that rolls from the start; eating it does not end the episode."""

NOTES = (
    f"Environments come from gymnasium.make, their observation included, with each random action held for"
    f" {HELD} steps; resets are not included, but for many environments.",
    "Animal-AI itself: no published figure of its speed is known to us.",
)


class Selection(NamedTuple):
    """Tasks with their description."""

    tasks: tuple[Task, ...]
    words: str


def select_tasks(folder: Path | None) -> Selection:
    """The 40 tasks that children did, if the folder has them all, or all tasks of the folder.

    The default folder is the shipped battery. Raises ConfigError if the folder has no tasks, or a broken one.
    """
    place = f"in {folder}" if folder else "of the shipped battery"
    if set(CHILDREN) <= {path.stem for path in (folder or LEVELS_FOLDER).rglob("*.yaml")}:
        found, words = tuple(task_named(name, folder) for name in CHILDREN), f"children's tasks {place}"
    else:
        found, words = find_tasks(None, folder), f"tasks {place}"
    return Selection(found, f"the {len(found)} {words}")


def sample(tasks: Sequence[Task], count: int) -> tuple[Task, ...]:
    """An evenly spread sample of the tasks."""
    places = np.linspace(0, len(tasks) - 1, min(count, len(tasks))).round().astype(int)
    return tuple(tasks[place] for place in places)


def measure_learning(tasks: Sequence[Task], effort: Effort, seed: int, figures: Figures) -> None:
    """Measure everything on a sample of the tasks."""
    figures.notes += NOTES
    some = sample(tasks, effort.tasks)
    both = (RAYS, CAMERA)
    measure_steps(SETUPS, some, effort, seed, figures)
    measure_many(both, some, effort, seed, figures)
    measure_resets(both, some, effort, seed, figures)
    measure_scenes(both, effort, seed, figures)
    measure_memory(both, some, effort, seed, figures)


def measure_steps(
    setups: Iterable[Setup], tasks: Sequence[Task], effort: Effort, seed: int, figures: Figures
) -> None:
    """Steps per second of every task and setup, in each pass."""
    envs = {setup.name: setup.made(Playlist(tasks)) for setup in setups}
    for number in range(effort.passes):
        for name, env in envs.items():
            rates = {task.id: rate(env, task, effort, seed) for task in tasks}
            figures.add("environment steps over tasks", name, "one environment", "steps/s", number, rates)
    for env in envs.values():
        env.close()


def rate(env: Any, task: Task, effort: Effort, seed: int) -> float:
    """Steps per second on a task."""
    _begin(env, Playlist([task]), seed)
    actions = random_actions(task.id, seed, HELD)
    seconds_of_steps(env, actions, WARM_UP)
    return effort.steps / seconds_of_steps(env, actions, effort.steps)


def _begin(env: Any, curriculum: Curriculum, seed: int) -> None:
    env.unwrapped.set_curriculum(curriculum)
    env.reset(seed=seed)


def worker_counts() -> list[int]:
    """Numbers of workers: 0 (all in one process), then 1, 2, 4, ... up to the number of usable cores."""
    return [0, *(2**power for power in range(cores().bit_length()) if 2**power < cores()), cores()]


def measure_many(
    setups: Iterable[Setup], tasks: Sequence[Task], effort: Effort, seed: int, figures: Figures
) -> None:
    """Steps per second of many environments together, including the resets that occur."""
    together = max(8, 2 * cores())
    section = f"steps of {together} environments together, resets included"
    for setup in setups:
        for workers in worker_counts():
            where = f"{workers} worker{'s' * (workers > 1)}" if workers else "one process"
            with closing(ArenaVectorEnv(together, Playlist(tasks), workers=workers, **setup.options)) as envs:
                for number in range(effort.passes):
                    rates = {"all": _many_rate(envs, effort, seed)}
                    figures.add(section, setup.name, where, "steps/s", number, rates)


def _many_rate(envs: ArenaVectorEnv, effort: Effort, seed: int) -> float:
    """Every pass plays the same steps."""
    envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(9, size=(effort.vector_steps // HELD + 2, envs.num_envs))
    envs.step(drawn[-1])
    started = perf_counter()
    for number in range(effort.vector_steps):
        envs.step(drawn[number // HELD])
    return effort.vector_steps * envs.num_envs / (perf_counter() - started)


def measure_resets(
    setups: Iterable[Setup], tasks: Sequence[Task], effort: Effort, seed: int, figures: Figures
) -> None:
    """Milliseconds of a reset with its observation, for tasks and for freshly generated ones."""
    for setup in setups:
        with closing(setup.made(Playlist(tasks))) as env:
            for what, curriculum, count in (
                ("tasks", Playlist(tasks), len(tasks)),
                ("generated tasks", Generated("1-10"), effort.generated),
            ):
                # An uncounted reset reads files, builds shaders and imports modules.
                _begin(env, curriculum, seed)
                for number in range(effort.passes):
                    times = _reset_times(env, count, seed)
                    figures.add("a reset with its observation", setup.name, what, "ms", number, times)


def _reset_times(env: Any, count: int, seed: int) -> dict[str, float]:
    """Milliseconds of a number of resets, by task; the first restarts the stream."""
    times = {}
    for number in range(count):
        started = perf_counter()
        env.reset(seed=None if number else seed)
        seconds = perf_counter() - started
        times[str(env.unwrapped.episode.task_id)] = 1000 * seconds
    return times


def measure_scenes(setups: Iterable[Setup], effort: Effort, seed: int, figures: Figures) -> None:
    """Steps per second by the number of things."""
    for setup in setups:
        for rolling in (False, True):
            name = f"{setup.name}, {'a quarter of them rolling balls' if rolling else 'at rest'}"
            for count in effort.objects:
                task = scene(count, rolling=rolling)
                with closing(setup.made(Playlist([task]))) as env:
                    for number in range(effort.passes):
                        rates = {"scene": rate(env, task, effort, seed)}
                        figures.add("steps by number of things", name, f"{count}", "steps/s", number, rates)


def scene(count: int, *, rolling: bool) -> Task:
    """Things 1 m high on a grid, not touching; the agent is in the first corner."""
    columns = int(np.ceil(np.sqrt(count + 1)))
    pitch = ARENA_SIZE / columns
    items = []
    for index in range(count + 1):
        row, column = divmod(index, columns)
        kind = ROLLING if rolling and index % 4 == 1 else KINDS[index % 4]
        items.append(
            Item(
                name=kind if index else "Agent",
                positions=(Vector3(x=round((column + 0.5) * pitch, 2), z=round((row + 0.5) * pitch, 2)),),
                rotations=(index * 37.0 % 360 if index else 45.0,),
                sizes=(Vector3(x=1.0, y=1.0, z=1.0),) if index else (),
            )
        )
    name = f"{count} things, {'a quarter of them rolling balls' if rolling else 'at rest'}"
    return Task(name, 0, Path("scaling"), ArenaSpec(time_limit=0, items=tuple(items)), "")


def measure_memory(
    setups: Iterable[Setup], tasks: Sequence[Task], effort: Effort, seed: int, figures: Figures
) -> None:
    """Memory of a process with several environments, and its growth over many episodes."""
    for setup in setups:
        counts, episodes = effort.environments, effort.drawn_episodes if setup.side else effort.episodes
        try:
            with Apart() as process:
                taken = process.call(footprint, setup, counts, tasks, seed)
            with Apart() as process:
                samples = process.call(growth, setup, episodes, tasks, seed)
        except Absent as reason:
            figures.notes.append(f"Memory with {setup.name}: {reason}")
            continue
        for count, size in zip(counts, taken, strict=True):
            figures.add("memory in use", setup.name, f"{count} environments", "MB", 0, {"process": size})
        each = (taken[-1] - taken[0]) / (counts[-1] - counts[0])
        figures.add("memory in use", setup.name, "each further", "MB", 0, {"process": each})
        settled = np.array(samples[int(SETTLED * len(samples)) :])
        ends = np.linspace(0, len(settled) - 1, 4).astype(int)
        for number, grown in enumerate(np.diff(settled[ends]) / np.diff(ends) * len(samples) / episodes):
            figures.add("memory in use", setup.name, "kB an episode", "kB", number, {"process": 1000 * grown})
