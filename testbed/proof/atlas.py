"""The atlas: a page for browsing all tasks of a battery."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from arena import Episode, Recording
from arena.files import read_bytes, write_file
from arena.replay import play
from render import Renderer
from render.image import PREVIEW_PX, webp
from testbed.floor_plan import add_path, floor_plan, write_svg
from testbed.proof import solutions
from testbed.tasks import Task, without_notice

_HEADER = re.compile(r"# (\w+): (.*)")


class Entry(NamedTuple):
    """A task on the page. `header` is the text of its file's comments, by their first word."""

    task: Task
    header: Mapping[str, str]
    solution: Recording | None

    @property
    def words(self) -> str:
        """The text that is searched."""
        return f"{self.task.id} level {self.task.level} {' '.join(self.header.values())}".lower()


def write_atlas(
    tasks: Sequence[Task], folder: Path, out: Path, tracked: Callable[[Iterable[Entry]], Iterable[Entry]]
) -> Path:
    """Write the page and its pictures into a folder; return the page.

    `folder` has the tasks' solutions; a task without one is shown without a path. `tracked` passes entries
    through and shows the progress. Raises EvaluationError if the files cannot be written.
    """
    proofs = solutions.read(folder)
    entries = [_entry(task, proofs[task.id].solution if task.id in proofs else None) for task in tasks]
    page = out / "index.html"
    renderer = Renderer(2 * PREVIEW_PX, 2 * PREVIEW_PX)
    for entry in tracked(entries):
        _draw(entry, renderer, out)
    write_file(page, _page(entries))
    return page


def _entry(task: Task, solution: Recording | None) -> Entry:
    lines = without_notice(read_bytes(task.path)).decode().splitlines()
    header = {found[1]: found[2] for line in lines if (found := _HEADER.fullmatch(line))}
    return Entry(task, header, solution)


def _draw(entry: Entry, renderer: Renderer, out: Path) -> None:
    """The floor plan with the solution's path, and the first picture."""
    name = entry.task.id
    seed = entry.solution.seed if entry.solution else 0
    with closing(Episode(entry.task.spec, task_id=name, seed=seed)) as episode:
        write_file(out / "views" / f"{name}.webp", webp(renderer.frame(episode.scene())))
        drawing = floor_plan(episode.layout, name)
        if entry.solution:
            steps = play(episode, entry.solution.steps_taken())
            add_path(drawing, [episode.position, *(moment.episode.position for moment in steps)])
    write_svg(drawing, out / "plans" / f"{name}.svg")


def _page(entries: Sequence[Entry]) -> str:
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    levels = [
        {"number": level, "name": group[0].task.level_name, "entries": group}
        for level, of_level in groupby(entries, key=lambda entry: entry.task.level)
        if (group := list(of_level))
    ]
    template = environment.get_template("atlas.html.j2")
    return template.render(levels=levels, total=len(entries), version=version("arena-llm"))
