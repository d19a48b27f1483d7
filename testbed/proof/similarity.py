"""How alike the tasks of a folder are."""

from contextlib import closing
from pathlib import Path

from arena import Episode
from arena.geometry.placed import Layout
from testbed.proof.distance import nearest
from testbed.tasks import Task, find_tasks


def layouts(tasks: tuple[Task, ...]) -> dict[str, Layout]:
    """The arena of each task as it is built with seed 0."""
    found = {}
    for task in tasks:
        with closing(Episode(task.spec, task_id=task.id)) as episode:
            found[task.id] = episode.layout
    return found


def report(folder: Path) -> str:
    """One sentence on the two most similar tasks of a folder."""
    try:
        one, other, metres = nearest(layouts(find_tasks(folder=folder)))
    except ValueError:
        return "No two have the same things."
    return f"The most alike are {one} and {other}: {metres:.2f} m per thing."
