"""The tasks that a study names, loaded."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.errors import ConfigError
from human_data.people.study.config import Block, Study, Test
from testbed import CHILDREN, Task, find_tasks, task_named

Where = Callable[..., str]
"""The file and line of a path of keys, such as "study.yaml:12"."""


def block_tasks(study: Study, block: Block, name: str, folder: Path, where: Where) -> tuple[Task, ...]:
    """The tasks of a block; files are looked for from `folder` on.

    Raises ConfigError, with file and line, where one does not exist, is broken, or is named twice.
    """
    if isinstance(block, Test) and block.levels:
        return _drawn(study, block, where)
    names = CHILDREN if isinstance(block.tasks, str) else block.tasks
    tasks = []
    for number, task in enumerate(names):
        line = where("test" if isinstance(block, Test) else name, "tasks", number)
        try:
            tasks.append(_single(task_named(_path(task, folder), None, study.animal_ai)))
        except ConfigError as error:
            raise ConfigError(f"{line}: {name}.tasks: {error}") from None
    _refuse_twins(tasks, where(name, "tasks"), name)
    return tuple(tasks)


def _drawn(study: Study, test: Test, where: Where) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for level, count in sorted(test.levels.items()):
        there = find_tasks((level,), None, study.animal_ai)
        if count > len(there):
            line = where("test", "levels", str(level))
            raise ConfigError(f"{line}: test.levels.{level}: got {count} tasks, there are {len(there)}")
        drawn = random.Random(f"{study.seed} level {level}").sample(there, count)
        tasks += sorted(drawn, key=lambda task: task.id)
    return tuple(tasks)


def _path(name: str, folder: Path) -> str:
    return str(folder / name) if name.endswith((".yaml", ".yml")) else name


def _single(task: Task) -> Task:
    if sum(item.name == "Agent" for item in task.spec.items) > 1:
        raise ConfigError(f"{task.id}: the arena has several agents, expected one; a person drives one")
    return task


def _refuse_twins(tasks: Sequence[Task], line: str, name: str) -> None:
    ids = [task.id for task in tasks]
    if twice := sorted({task for task in ids if ids.count(task) > 1}):
        raise ConfigError(f"{line}: {name}.tasks: {twice[0]} is named twice; name each task once")
