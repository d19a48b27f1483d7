"""The tasks that are measured."""

from pathlib import Path
from typing import NamedTuple

from testbed import CHILDREN, Task, find_tasks, task_named
from testbed.tasks import LEVELS_FOLDER


class Selection(NamedTuple):
    """Tasks with their description."""

    tasks: tuple[Task, ...]
    words: str


def select_tasks(folder: Path | None, every: int = 1) -> Selection:
    """The 40 tasks that children did, if the folder has them all, or all tasks of the folder.

    The default folder is the shipped battery. Of these tasks, every `every`-th is taken.
    Raises ConfigError if the folder has no tasks, or a broken one.
    """
    root = folder or LEVELS_FOLDER
    place = f"in {folder}" if folder else "of the shipped battery"
    if set(CHILDREN) <= {path.stem for path in root.rglob("*.yaml")}:
        found, words = tuple(task_named(name, folder) for name in CHILDREN), f"children's tasks {place}"
    else:
        found, words = find_tasks(None, folder), f"tasks {place}"
    chosen = found[::every]
    count = f"the {len(found)}" if every == 1 else f"{len(chosen)} of the {len(found)}"
    return Selection(chosen, f"{count} {words}")
