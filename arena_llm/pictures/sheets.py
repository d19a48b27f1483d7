"""A whole battery on contact sheets: which tasks come on which page, and their pictures."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from arena import ArenaError, ConfigError
from arena_llm.pictures.contact_sheet import Tile
from arena_llm.pictures.views import StartViews
from testbed import Task
from testbed.check import task_files
from testbed.tasks import LEVEL_NAMES, LEVELS_FOLDER, level_of, parse_levels, read_tasks

PER_SHEET = 90
"""Most tasks on a sheet: a level of the original battery."""


class Entry(NamedTuple):
    """A task to be shown, or a file that holds none and why."""

    name: str
    level: int
    task: Task | None
    reason: str = ""


class Sheet(NamedTuple):
    """One page: its file, its title, and what is on it."""

    path: Path
    title: str
    entries: tuple[Entry, ...]


def find_files(folder: Path | None, levels: str | None) -> tuple[Path, ...]:
    """The task files of a folder (left out: the shipped battery), of the given levels, by level and name.

    Raises ConfigError where there are none.
    """
    root = folder or LEVELS_FOLDER
    if not root.is_dir():
        raise ConfigError(f"{root}: no such folder of task files")
    paths = sorted(task_files(root), key=lambda path: (level_of(path), path.stem, path))
    wanted = parse_levels(levels) if levels else None
    found = tuple(path for path in paths if wanted is None or level_of(path) in wanted)
    if not found:
        there = ", ".join(map(str, sorted({level_of(path) for path in paths})))
        raise ConfigError(f"{root}: no tasks of levels {levels}; there are levels {there}")
    return found


def read_entries(path: Path, animal_ai: str) -> tuple[Entry, ...]:
    """Every arena of a file, or the file with what is wrong with it."""
    try:
        tasks = read_tasks(path, animal_ai)
    except (ConfigError, OSError) as error:
        return (Entry(path.stem, level_of(path), None, _short(path, error)),)
    return tuple(Entry(task.id, task.level, task) for task in tasks)


def plan_sheets(entries: Sequence[Entry], out: Path, name: str) -> tuple[Sheet, ...]:
    """One sheet where all fits; else those of each level by themselves, as `out-<level>[-<page>]`.

    `name` is what the one sheet is called.
    """
    if len(entries) <= PER_SHEET:
        return (Sheet(out, f"{name}: {_counted(len(entries))}", tuple(entries)),)
    return tuple(
        sheet
        for level, group in groupby(entries, key=lambda entry: entry.level)
        for sheet in _of_level(level, tuple(group), out)
    )


def _of_level(level: int, entries: tuple[Entry, ...], out: Path) -> Iterator[Sheet]:
    pages = -(-len(entries) // PER_SHEET)
    known = f"Level {level}: {LEVEL_NAMES[level]}" if level in LEVEL_NAMES else "Without a level"
    for number in range(pages):
        part = entries[number * PER_SHEET : (number + 1) * PER_SHEET]
        ending = f"-{number + 1}" if pages > 1 else ""
        of = f", page {number + 1} of {pages}" if pages > 1 else ""
        path = out.with_name(f"{out.stem}-{level:02d}{ending}{out.suffix}")
        yield Sheet(path, f"{known} ({_counted(len(entries))}{of})", part)


def draw_tiles(
    entries: Sequence[Entry], views: StartViews, seed: int, broken: Callable[[Entry], None]
) -> Iterator[Tile]:
    """The entries' pictures, drawn one after another; `broken` is told of each that has none."""
    for entry in entries:
        if entry.task is not None:
            try:
                start = views.of(entry.task.spec, entry.task.id, seed)
                yield Tile(entry.name, (start.above, start.agent))
                continue
            except ArenaError as error:
                entry = entry._replace(reason=str(error).removeprefix(f"{entry.name}: "))
        broken(entry)
        yield Tile(entry.name, None, entry.reason)


def _short(path: Path, error: Exception) -> str:
    """What is wrong with a file, its first problem only, without the folder."""
    first = str(error).splitlines()[0]
    return first.replace(str(path), path.name)


def _counted(number: int) -> str:
    return "1 task" if number == 1 else f"{number} tasks"
