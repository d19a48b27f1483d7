"""Loading the tasks that a study names."""

import random
from collections.abc import Callable
from pathlib import Path

from arena.errors import ConfigError
from human_data.people.study.config import Block, Study, Test
from human_data.people.study.items import duplicates
from testbed import CHILDREN, Task, find_tasks, task_named

Where = Callable[..., str]
"""The file and line of a path of keys, such as "study.yaml:12"."""


def block_tasks(study: Study, block: Block, name: str, folder: Path, where: Where) -> tuple[Task, ...]:
    """The tasks of a block; paths of files are relative to `folder`.

    Raises ConfigError, with file and line, if a task does not exist, is broken, or is listed twice.
    """
    if isinstance(block, Test) and block.levels:
        return _drawn(study, block, where)
    names = CHILDREN if isinstance(block.tasks, str) else block.tasks
    tasks = []
    for number, task in enumerate(names):
        path = str(folder / task) if task.endswith((".yaml", ".yml")) else task
        try:
            tasks.append(_single_agent(task_named(path, None, study.animal_ai)))
        except ConfigError as error:
            raise ConfigError(f"{where(name, 'tasks', number)}: {name}.tasks: {error}") from None
    if twice := duplicates(task.id for task in tasks):
        raise ConfigError(f"{where(name, 'tasks')}: {name}.tasks: {twice[0]} is listed twice; list it once")
    return tuple(tasks)


def _single_agent(task: Task) -> Task:
    """The task; raises ConfigError if its arena has several agents."""
    if sum(item.name == "Agent" for item in task.spec.items) > 1:
        raise ConfigError(f"{task.id}: the arena has several agents, but a person can drive only one")
    return task


def _drawn(study: Study, test: Test, where: Where) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for level, count in sorted(test.levels.items()):
        available = find_tasks((level,), None, study.animal_ai)
        if count > len(available):
            line = where("test", "levels", str(level))
            raise ConfigError(
                f"{line}: test.levels.{level}: got {count} tasks, but the level has {len(available)}"
            )
        drawn = random.Random(f"{study.seed} level {level}").sample(available, count)
        tasks += sorted(drawn, key=lambda task: task.id)
    return tuple(tasks)
