"""The tasks that are measured."""

from pathlib import Path
from typing import NamedTuple

from testbed import CHILDREN, Task, find_tasks, task_named
from testbed.tasks import LEVELS_FOLDER


class Selection(NamedTuple):
    """Tasks, and in words which ones they are."""

    tasks: tuple[Task, ...]
    words: str


def select_tasks(folder: Path | None, every: int = 1) -> Selection:
    """The 40 tasks that children did, where the folder has them all; else all tasks of the folder.

    Without a folder it is the shipped battery. Of what is found, each `every`-th is taken.
    Raises ConfigError where the folder has no tasks, or a broken one.
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
