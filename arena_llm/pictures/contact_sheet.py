"""Contact sheets: many tasks on one page, each as a small pair of pictures with its name."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw

from arena import ArenaError, ConfigError
from arena_llm.pictures.canvas import FAINT, GREY, RED, fitted, page, paste, wrapped, write
from arena_llm.pictures.views import StartViews
from render import Frame
from testbed import Task
from testbed.check import task_files
from testbed.tasks import LEVEL_NAMES, LEVELS_FOLDER, level_of, parse_levels, read_tasks

PER_SHEET = 90
"""Maximum number of tasks on a sheet: a level of the original battery."""

COLUMNS = 6
"""Pairs in a row: a multiple of three, as the tasks of the original battery have three variants."""

_MARGIN, _GAP, _BETWEEN = 0.2, 0.14, 0.02
"""Margin of the page, gap between pairs and gap between pictures, in sides of a picture."""

_LABEL, _TITLE, _REASON = 0.1, 0.19, 0.085
"""Font sizes, in sides of a picture."""


class Entry(NamedTuple):
    """A task to be shown, or a file without tasks and the reason."""

    name: str
    level: int
    task: Task | None
    reason: str = ""


class Sheet(NamedTuple):
    """One page: its file, its title, and its entries."""

    path: Path
    title: str
    entries: tuple[Entry, ...]


class Tile(NamedTuple):
    """One cell of a sheet: a name and its pictures (side, side, 3), or the reason for their absence."""

    name: str
    pictures: tuple[Frame, Frame] | None
    reason: str = ""


def find_files(folder: Path | None, levels: str | None) -> tuple[Path, ...]:
    """The task files of a folder (default: the shipped battery) and of these levels, by level and name.

    Raises ConfigError if there are none.
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


def read_entries(path: Path, animal_ai: str, lenient: bool = False) -> tuple[Entry, ...]:
    """Every arena of a file, or the file with its first problem."""
    try:
        tasks = read_tasks(path, animal_ai, lenient=lenient)
    except (ConfigError, OSError) as error:
        reason = str(error).splitlines()[0].replace(str(path), path.name)
        return (Entry(path.stem, level_of(path), None, reason),)
    return tuple(Entry(task.id, task.level, task) for task in tasks)


def plan_sheets(entries: Sequence[Entry], out: Path, name: str) -> tuple[Sheet, ...]:
    """One sheet called `name` if all entries fit; otherwise sheets of each level, `out-<level>[-<page>]`."""
    if len(entries) <= PER_SHEET:
        return (Sheet(out, f"{name}: {_tasks(len(entries))}", tuple(entries)),)
    return tuple(
        sheet
        for level, group in groupby(entries, key=lambda entry: entry.level)
        for sheet in _of_level(level, tuple(group), out)
    )


def _of_level(level: int, entries: tuple[Entry, ...], out: Path) -> Iterator[Sheet]:
    pages = math.ceil(len(entries) / PER_SHEET)
    title = f"Level {level}: {LEVEL_NAMES[level]}" if level in LEVEL_NAMES else "Without a level"
    for number in range(pages):
        part = entries[number * PER_SHEET : (number + 1) * PER_SHEET]
        ending, of = (f"-{number + 1}", f", page {number + 1} of {pages}") if pages > 1 else ("", "")
        path = out.with_name(f"{out.stem}-{level:02d}{ending}{out.suffix}")
        yield Sheet(path, f"{title} ({_tasks(len(entries))}{of})", part)


def draw_tiles(
    entries: Sequence[Entry], views: StartViews, seed: int, broken: Callable[[Entry], None]
) -> Iterator[Tile]:
    """The entries' pictures, drawn one after another; `broken` is called with each entry without pictures."""
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


def contact_sheet(tiles: Iterable[Tile], count: int, *, side: int = 160, title: str = "") -> Image.Image:
    """A page with `count` tiles in rows, with pictures of `side` by `side` pixels.

    Tiles are taken one by one and not kept, so `tiles` may draw them on the fly. A tile without pictures is
    an empty frame with the reason.
    """
    columns, margin, gap = min(COLUMNS, max(count, 1)), round(_MARGIN * side), round(_GAP * side)
    label, between = round(1.6 * _LABEL * side), max(1, round(_BETWEEN * side))
    head = round(2 * _TITLE * side) if title else 0
    pair = 2 * side + between
    rows = math.ceil(max(count, 1) / columns)
    width = 2 * margin + columns * pair + (columns - 1) * gap
    image = page(width, 2 * margin + head + rows * (label + side) + (rows - 1) * gap)
    if title:
        letters = _TITLE * side
        write(image, (margin, margin + letters), fitted(title, letters, width - 2 * margin), letters)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        x = margin + column * (pair + gap)
        y = margin + head + row * (label + side + gap)
        _draw_tile(image, tile, (x, y), side, label, between)
    return image


def _draw_tile(
    image: Image.Image, tile: Tile, at: tuple[int, int], side: int, label: int, between: int
) -> None:
    x, y = at
    pair, letters = 2 * side + between, _LABEL * side
    write(image, (x, y + label - 0.45 * letters), fitted(tile.name, letters, pair), letters)
    y += label
    if tile.pictures:
        above, agent = tile.pictures
        paste(image, above, (x, y))
        paste(image, agent, (x + side + between, y))
        return
    ImageDraw.Draw(image).rectangle((x, y, x + pair - 1, y + side - 1), outline=FAINT, width=2)
    size, inner = _REASON * side, pair - 0.2 * side
    write(image, (x + 0.1 * side, y + 0.1 * side + size), "no picture", size, color=RED)
    for number, line in enumerate(wrapped(tile.reason, size, inner, lines=6), start=1):
        place = (x + 0.1 * side, y + 0.1 * side + size * (1 + 1.35 * number))
        write(image, place, line, size, color=GREY)


def _tasks(number: int) -> str:
    return "1 task" if number == 1 else f"{number} tasks"
