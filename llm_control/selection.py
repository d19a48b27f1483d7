"""Which tasks a protocol plays."""

from pathlib import Path

import numpy as np

from arena.errors import ConfigError
from arena.geometry.layout import episode_rng
from llm_control.choices import Protocol
from testbed import Task, find_tasks, parse_levels


def select(protocol: Protocol, folder: Path | None) -> tuple[Task, ...]:
    """The protocol's tasks in a folder (None for the shipped battery), in the order in which they are listed.

    Raises ConfigError where one is missing, where nothing is left, where the protocol needs the original
    battery and no folder is given, and as `find_tasks` does.
    """
    if protocol.battery == "original" and folder is None:
        raise ConfigError(
            "this protocol plays files of the original battery (battery = original); give their folder with "
            "--testbed, for example configs/competition of github.com/Kinds-of-Intelligence-CFI/animal-ai"
        )
    levels = parse_levels(protocol.levels) if protocol.levels is not None else None
    found = find_tasks(levels if protocol.tasks is None else None, folder, protocol.animal_ai)
    tasks = found if protocol.tasks is None else _named(protocol.tasks, found, levels)
    if protocol.vision == "shuffled" and len({task.sha256 for task in tasks}) < 2:
        raise ConfigError("vision = shuffled shows pictures of another arena, so it needs two tasks at least")
    return tasks


def _named(
    names: tuple[str, ...], found: tuple[Task, ...], levels: tuple[int, ...] | None
) -> tuple[Task, ...]:
    by_id = {task.id: task for task in found}
    missing = [name for name in names if name not in by_id]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ConfigError(f"no task {', '.join(missing[:3])}{more} among the {len(found)} that there are")
    if len(set(names)) < len(names):
        raise ConfigError(f"tasks: {max(names, key=names.count)} is named twice; trials play a task again")
    tasks = tuple(by_id[name] for name in names)
    chosen = tuple(task for task in tasks if levels is None or task.level in levels)
    if not chosen:
        raise ConfigError(f"none of the tasks {', '.join(names[:3])}... is of the levels asked for")
    return chosen


def conversation_order(protocol: Protocol, tasks: tuple[Task, ...], trial: int) -> tuple[Task, ...]:
    """The tasks of one conversation in the order in which they are played."""
    if protocol.order == "listed":
        return tasks
    rng: np.random.Generator = episode_rng(protocol.seed, "conversation", trial)
    return tuple(tasks[i] for i in rng.permutation(len(tasks)))
