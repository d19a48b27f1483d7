"""The tasks that are measured."""

from pathlib import Path
from typing import NamedTuple

from human_data.baselines import children_by_task
from testbed import Task, find_tasks, task_named


class Selection(NamedTuple):
    """Tasks, and in words which ones they are."""

    tasks: tuple[Task, ...]
    words: str


def select_tasks(folder: Path | None, every: int = 1) -> Selection:
    """The 40 tasks that children did, where the folder has them all; else all tasks of the folder.

    Without a folder it is the shipped battery. Of what is found, each `every`-th is taken.
    Raises ConfigError where the folder has no tasks, or a broken one.
    """
    wanted = sorted(children_by_task()["task_id"])
    if folder is not None and set(wanted) <= {path.stem for path in folder.rglob("*.yaml")}:
        found, words = tuple(task_named(name, folder) for name in wanted), f"children's tasks in {folder}"
    else:
        found = find_tasks(None, folder)
        words = f"tasks in {folder}" if folder is not None else "tasks of the shipped battery"
    chosen = found[::every]
    count = f"the {len(found)}" if every == 1 else f"{len(chosen)} of the {len(found)}"
    return Selection(chosen, f"{count} {words}")
