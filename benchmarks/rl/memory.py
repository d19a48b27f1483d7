"""Memory that environments use, and whether it grows from episode to episode."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from arena import EvaluationError
from benchmarks.result import Figure
from benchmarks.rl.effort import RlEffort
from benchmarks.rl.setups import CAMERA, RAYS, Playlist, Setup, held_actions, seconds_of_steps
from benchmarks.rl.steps import Advance
from testbed import Task

SAMPLES = 20
"""Number of memory samples while it may grow."""

STEPS = 5
"""Steps of each of those episodes."""

_SETTLED = 0.25
"""Share of episodes after which caches are full."""

_STATM = Path("/proc/self/statm")


def resident_mb() -> float:
    """Resident memory of this process in MB (10^6 bytes).

    Raises EvaluationError if the system does not report it.
    """
    from resource import getpagesize

    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * getpagesize() / 1e6
    except OSError:
        raise EvaluationError("memory is measured on Linux only, by /proc/self/statm") from None


def can_measure() -> bool:
    """Whether this system reports the memory of a process."""
    return _STATM.exists()


def measure_memory(
    tasks: Sequence[Task], effort: RlEffort, seed: int, advance: Advance, drawing: bool
) -> list[Figure]:
    """Memory of processes with several environments each, and its growth over many episodes."""
    figures = []
    for setup in (RAYS, CAMERA) if drawing else (RAYS,):
        taken = []
        for _ in range(effort.processes):
            taken.append(list(streamed(footprint, setup, effort.environments, tasks, seed)))
            advance("memory")
        figures += _footprints(setup, effort.environments, np.array(taken))
    for setup, episodes in ((RAYS, effort.episodes), (CAMERA, effort.drawn_episodes)):
        if setup.side and not drawing:
            continue
        samples = []
        for sample in streamed(growth, setup, episodes, tasks, seed):
            samples.append(sample)
            advance("memory over many episodes")
        figures += _growths(setup, episodes, np.array(samples))
    return figures


def _footprints(setup: Setup, counts: Sequence[int], taken: Any) -> list[Figure]:
    found = [
        Figure("memory", f"a process of {count}, {setup.name}", "MB", ("process",), taken[:, [column]])
        for column, count in enumerate(counts)
    ]
    each = (taken[:, [-1]] - taken[:, [0]]) / (counts[-1] - counts[0])
    return [*found, Figure("memory", f"each further environment, {setup.name}", "MB", ("process",), each)]


def _growths(setup: Setup, episodes: int, samples: Any) -> list[Figure]:
    """All samples, and the growth in three intervals after the caches are full."""
    settled = samples[int(_SETTLED * len(samples)) :]
    ends = np.linspace(0, len(settled) - 1, 4).astype(int)
    per_sample = np.diff(settled[ends]) / np.diff(ends)
    per_episode = per_sample * 1000 / (episodes / len(samples))
    over = f"over {episodes:,} episodes, {setup.name}"
    return [
        Figure("memory", over, "MB", ("process",), samples[:, None]),
        Figure("memory", f"growth {over}", "kB/episode", ("process",), per_episode[:, None]),
    ]


def footprint(setup: Setup, counts: Sequence[int], tasks: Sequence[Task], seed: int) -> Iterator[float]:
    """Memory (MB) of this process with growing numbers of environments, each a few steps old."""
    envs: list[Any] = []
    for count in counts:
        while len(envs) < count:
            envs.append(setup.made(Playlist(tasks)))
            envs[-1].reset(seed=seed + len(envs))
            seconds_of_steps(envs[-1], held_actions("memory", len(envs)), STEPS)
        yield resident_mb()


def growth(setup: Setup, episodes: int, tasks: Sequence[Task], seed: int) -> Iterator[float]:
    """Memory (MB) of this process, sampled `SAMPLES` times over short episodes of the tasks in turn."""
    env = setup.made(Playlist(tasks))
    env.reset(seed=seed)
    actions = held_actions("memory", seed)
    played = 0
    for sample in range(1, SAMPLES + 1):
        while played < episodes * sample // SAMPLES:
            env.reset()
            seconds_of_steps(env, islice(actions, STEPS), STEPS)
            played += 1
        yield resident_mb()


def streamed(function: Callable[..., Iterator[Any]], *arguments: Any) -> Iterator[Any]:
    """What a generator yields in a fresh process, which ends with this one.

    Raises EvaluationError if the process ends early.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_serve, args=(theirs, function, arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        while (answer := ours.recv()) is not None:
            if isinstance(answer, str):
                raise EvaluationError(f"measuring memory: {answer}")
            yield answer
    except EOFError:
        process.join()
        raise EvaluationError(
            f"measuring memory: the process ended with exit code {process.exitcode}, perhaps out of memory"
        ) from None
    finally:
        process.kill()
        process.join()
        ours.close()


def _serve(pipe: Connection, function: Callable[..., Iterator[Any]], arguments: Sequence[Any]) -> None:
    # Ctrl-C reaches every process of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for value in function(*arguments):
            pipe.send(value)
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")
    else:
        pipe.send(None)
