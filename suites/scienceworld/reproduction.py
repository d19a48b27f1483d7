"""Whether the simulator gives the same texts in every process, whatever else is played there."""

import hashlib
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from arena.errors import ConfigError
from suites.scienceworld.catalogue import kinds
from suites.scienceworld.simulator import World


class Step(NamedTuple):
    """A command, and a digest of everything that was shown before and after it."""

    command: str
    shown: str


def first_differences(tasks: Sequence[str], steps: int, processes: int) -> dict[str, int | None]:
    """The first step, from 1, whose texts differ between processes, by task; None if all are the same.

    Each process has a Java of its own, opens a world of each task, and plays their steps in another order.
    The first one draws each command from the valid ones; the others ask for these in every tenth step only.
    Raises ConfigError for an unknown task.
    """
    if unknown := [task for task in tasks if task not in kinds()]:
        raise ConfigError(f"no task {unknown[0]}; expected {', '.join(kinds())}")
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        first = pool.submit(_play, tasks, steps, 0, None).result()
        commands = {task: [step.command for step in played] for task, played in first.items()}
        runs = [pool.submit(_play, tasks, steps, number, commands) for number in range(1, processes)]
        others = [run.result() for run in runs]
    return {
        task: next((k + 1 for k in range(steps) if {first[task][k]} != {o[task][k] for o in others}), None)
        for task in tasks
    }


def _play(
    tasks: Sequence[str], steps: int, process: int, commands: dict[str, list[str]] | None
) -> dict[str, list[Step]]:
    """The steps of each task; without `commands` they are drawn."""
    order, played = random.Random(process), {task: list[Step]() for task in tasks}
    worlds = {task: _opened(task) for task in order.sample(tasks, len(tasks))}
    for task in order.sample([*tasks] * steps, len(tasks) * steps):
        world, step = worlds[task], len(played[task])
        valid = world.valid_actions() if commands is None or step % 10 == 0 else []
        command = commands[task][step] if commands else _drawn(valid, f"{task} {step}")
        answer = world.step(command)
        shown = (answer, world.look(), world.inventory(), world.subgoals(), world.objects())
        digest = hashlib.sha256(repr((shown, valid if step % 10 == 0 else None)).encode())
        played[task].append(Step(command, digest.hexdigest()))
    return played


def _opened(task: str) -> World:
    kind = kinds()[task]
    return World(kind.name, kind.variations("test")[0], "easy", seed=1)


def _drawn(valid: Sequence[str], seed: str) -> str:
    """One of the commands; no focus, as most of these end the task."""
    return random.Random(seed).choice([each for each in valid if not each.startswith("focus")])
