"""Steps per second and the cost of resets, on tasks and on scenes that grow."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from arena import load_text
from arena.geometry.shapes import ARENA_SIZE
from arena.gym.curriculum import Curriculum
from benchmarks.rl.effort import RlEffort
from benchmarks.rl.figure import Figure
from benchmarks.rl.setups import CAMERA, RAYS, Playlist, Setup, held_actions, seconds_of_steps
from testbed import Task
from testbed.curriculum import Generated

Advance = Callable[[str], None]

PER_SECOND = "steps/s"

RESET_SETUPS = (RAYS, CAMERA)
"""With a camera the first picture of an episode belongs to its reset."""

_KINDS = ("Wall", "LightBlock", "Ramp", "HeavyBlock")
_ROLLING = "GoodGoalMultiBounce"
"""A ball that rolls from the start; to eat it does not end the episode."""


def measure_steps(
    section: str,
    setups: Sequence[Setup],
    tasks: Sequence[Task],
    effort: RlEffort,
    seed: int,
    advance: Advance,
) -> list[Figure]:
    """Steps per second of every task and setup; each pass goes over all of them."""
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
    """Let an environment begin something else; the name of its first task."""
    env.unwrapped.curriculum = curriculum  # type: ignore[attr-defined]
    return str(env.reset(seed=seed)[1]["arena"])


def measure_resets(
    tasks: Sequence[Task], effort: RlEffort, seed: int, advance: Advance, drawing: bool
) -> list[Figure]:
    """Milliseconds of a reset, its observation included: of tasks, and of freshly generated ones."""
    figures = []
    for setup in RESET_SETUPS if drawing else RESET_SETUPS[:1]:
        with closing(setup.made(Playlist(tasks))) as env:
            for what, curriculum, count in (
                ("tasks", Playlist(tasks), len(tasks)),
                ("generated tasks", Generated("1-10"), effort.generated),
            ):
                # Once for nothing, so that files are read, shaders built and modules imported.
                _play(env, curriculum, seed)
                passes = []
                for _ in range(effort.passes):
                    passes.append(_reset_times(env, count, seed))
                    advance(f"reset: {what}")
                figures.append(
                    Figure("reset", f"{what}, {setup.name}", "ms", tuple(passes[0]), _columns(passes))
                )
    return figures


def _reset_times(env: "gymnasium.Env[Any, Any]", count: int, seed: int) -> dict[str, float]:
    """Milliseconds of so many resets, by task; the first of them restarts the stream."""
    times = {}
    for number in range(count):
        started = perf_counter()
        _, info = env.reset(seed=None if number else seed)
        times[str(info["arena"])] = 1000 * (perf_counter() - started)
    return times


def _columns(passes: Sequence[dict[str, float]]) -> Any:
    return np.array([list(times.values()) for times in passes])


def growing_scenes(objects: Sequence[int]) -> list[Task]:
    """Scenes of so many things at rest, and the same with balls that roll in place of every fourth thing."""
    return [_scene(count, rolling=rolling) for rolling in (False, True) for count in objects]


def _scene(count: int, *, rolling: bool) -> Task:
    """Things 1 m high on a grid, apart from each other; the agent is in the first corner."""
    columns = int(np.ceil(np.sqrt(count + 1)))
    pitch = ARENA_SIZE / columns
    lines = ["arenas:", "  0: !Arena", "    timeLimit: 0", "    items:"]
    for index in range(count + 1):
        row, column = divmod(index, columns)
        x, z = (column + 0.5) * pitch, (row + 0.5) * pitch
        kind = _KINDS[index % 4]
        if rolling and index % 4 == 1:
            kind = _ROLLING
        lines += [
            "    - !Item",
            f"      name: {kind if index else 'Agent'}",
            f"      positions: [!Vector3 {{x: {x:.2f}, y: 0, z: {z:.2f}}}]",
            f"      rotations: [{index * 37 % 360 if index else 45}]",
        ]
        if index:
            lines.append("      sizes: [!Vector3 {x: 1, y: 1, z: 1}]")
    name = f"{count} things, {'a quarter of them rolling balls' if rolling else 'at rest'}"
    return Task(name, 0, Path("scaling"), load_text("\n".join(lines) + "\n", name).arenas[0], "")
