"""Steps per second and the cost of resets, on tasks and on growing scenes."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from arena.geometry.shapes import ARENA_SIZE
from arena.gym.curriculum import Curriculum
from arena.taskfile.config import ArenaSpec, Item, Vector3
from benchmarks.result import Figure
from benchmarks.rl.effort import RlEffort
from benchmarks.rl.setups import CAMERA, RAYS, Playlist, Setup, held_actions, seconds_of_steps
from testbed import Task
from testbed.curriculum import Generated

Advance = Callable[[str], None]

PER_SECOND = "steps/s"

RESET_SETUPS = (RAYS, CAMERA)
"""With a camera, the first picture of an episode is part of its reset."""

_KINDS = ("Wall", "LightBlock", "Ramp", "HeavyBlock")
_ROLLING = "GoodGoalMultiBounce"
"""A ball that rolls from the start; eating it does not end the episode."""


def measure_steps(
    section: str,
    setups: Sequence[Setup],
    tasks: Sequence[Task],
    effort: RlEffort,
    seed: int,
    advance: Advance,
) -> list[Figure]:
    """Steps per second of every task and setup, in each pass."""
    envs: list[Any] = [setup.made(Playlist(tasks)) for setup in setups]
    rates = np.zeros((len(setups), effort.passes, len(tasks)))
    for row in range(effort.passes):
        for number, env in enumerate(envs):
            for column, task in enumerate(tasks):
                rates[number, row, column] = _rate(env, task, effort, seed)
            advance(f"{section}: {setups[number].name}")
    for env in envs:
        env.close()
    names = tuple(task.id for task in tasks)
    return [
        Figure(section, setup.name, PER_SECOND, names, values)
        for setup, values in zip(setups, rates, strict=True)
    ]


def _rate(env: "gymnasium.Env[Any, Any]", task: Task, effort: RlEffort, seed: int) -> float:
    _play(env, Playlist([task]), seed)
    actions = held_actions(task.id, seed)
    seconds_of_steps(env, actions, effort.warm_up)
    return effort.steps / seconds_of_steps(env, actions, effort.steps)


def _play(env: "gymnasium.Env[Any, Any]", curriculum: Curriculum, seed: int) -> str:
    """Give an environment another curriculum; returns the name of its first task."""
    env.unwrapped.set_curriculum(curriculum)  # type: ignore[attr-defined]
    env.reset(seed=seed)
    return str(env.unwrapped.episode.task_id)  # type: ignore[attr-defined]


def measure_resets(
    tasks: Sequence[Task], effort: RlEffort, seed: int, advance: Advance, drawing: bool
) -> list[Figure]:
    """Milliseconds of a reset with its observation, for tasks and for freshly generated ones."""
    figures = []
    for setup in RESET_SETUPS if drawing else RESET_SETUPS[:1]:
        with closing(setup.made(Playlist(tasks))) as env:
            for what, curriculum, count in (
                ("tasks", Playlist(tasks), len(tasks)),
                ("generated tasks", Generated("1-10"), effort.generated),
            ):
                # An uncounted reset reads files, builds shaders and imports modules.
                _play(env, curriculum, seed)
                passes = []
                for _ in range(effort.passes):
                    passes.append(_reset_times(env, count, seed))
                    advance(f"reset: {what}")
                times = np.array([list(each.values()) for each in passes])
                figures.append(Figure("reset", f"{what}, {setup.name}", "ms", tuple(passes[0]), times))
    return figures


def _reset_times(env: "gymnasium.Env[Any, Any]", count: int, seed: int) -> dict[str, float]:
    """Milliseconds of a number of resets, by task; the first restarts the stream."""
    times = {}
    for number in range(count):
        started = perf_counter()
        env.reset(seed=None if number else seed)
        seconds = perf_counter() - started
        times[str(env.unwrapped.episode.task_id)] = 1000 * seconds  # type: ignore[attr-defined]
    return times


def growing_scenes(objects: Sequence[int]) -> list[Task]:
    """Scenes of these numbers of things at rest, and the same with every fourth a rolling ball."""
    return [_scene(count, rolling=rolling) for rolling in (False, True) for count in objects]


def _scene(count: int, *, rolling: bool) -> Task:
    """Things 1 m high on a grid, not touching; the agent is in the first corner."""
    columns = int(np.ceil(np.sqrt(count + 1)))
    pitch = ARENA_SIZE / columns
    items = []
    for index in range(count + 1):
        row, column = divmod(index, columns)
        kind = _ROLLING if rolling and index % 4 == 1 else _KINDS[index % 4]
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
