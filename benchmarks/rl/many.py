"""Steps per second of many environments together."""

from collections.abc import Sequence
from contextlib import closing
from time import perf_counter

import numpy as np

from arena.gym.vector_env import ArenaVectorEnv
from arena.processes import cores
from benchmarks.result import Figure
from benchmarks.rl.effort import RlEffort
from benchmarks.rl.setups import CAMERA, HELD, RAYS, Playlist
from benchmarks.rl.steps import PER_SECOND, Advance
from testbed import Task

SECTION = "ArenaVectorEnv"


def worker_counts(some: bool = False) -> list[int]:
    """Numbers of workers: 0 (all in one process), then 1, 2, 4, ... up to the number of usable cores.

    With `some`, only the first and the last of these.
    """
    most = cores()
    if some:
        return [0, most]
    return [0, *(2**power for power in range(most.bit_length()) if 2**power < most), most]


def environments() -> int:
    """Number of environments, whatever the number of workers."""
    return max(8, 2 * worker_counts()[-1])


def measure_many(
    tasks: Sequence[Task], effort: RlEffort, seed: int, advance: Advance, drawing: bool
) -> list[Figure]:
    """Steps per second of all environments together, including the resets that occur."""
    figures, subjects = [], (f"{environments()} environments",)
    for setup in (RAYS, CAMERA) if drawing else (RAYS,):
        for workers in worker_counts(effort.some_workers):
            where = f"{workers} worker{'s' * (workers > 1)}" if workers else "in one process"
            with closing(
                ArenaVectorEnv(environments(), Playlist(tasks), workers=workers, **setup.options)
            ) as envs:
                rates = []
                for _ in range(effort.passes):
                    rates.append([_rate(envs, effort, seed)])
                    advance(f"{SECTION}: {workers} workers")
            name = f"{setup.name}, {where}"
            figures.append(Figure(SECTION, name, PER_SECOND, subjects, np.array(rates)))
    return figures


def _rate(envs: ArenaVectorEnv, effort: RlEffort, seed: int) -> float:
    """Every pass plays the same steps."""
    envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(9, size=(effort.vector_steps // HELD + 2, envs.num_envs))
    envs.step(drawn[-1])
    started = perf_counter()
    for number in range(effort.vector_steps):
        envs.step(drawn[number // HELD])
    return effort.vector_steps * envs.num_envs / (perf_counter() - started)
