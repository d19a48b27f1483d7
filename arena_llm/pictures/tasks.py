"""Pictures of tasks: starts as two frames, figures of one task, and contact sheets of many."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from arena import ArenaError, ArenaSpec, ConfigError, Episode, LayoutError, Scene
from arena.action import TICKS_PER_STEP
from arena.geometry.layout import resolve
from arena.geometry.placed import Layout
from arena.geometry.shapes import ARENA_SIZE
from arena.rules import TICKS_PER_UNIT
from arena.scene import Vector
from arena.seeds import episode_rng
from arena.taskfile.versions import DIFFERENCES
from arena_llm.pictures.canvas import FAINT, GREY, INK, RED, fitted, font, page, paste, wrapped, write
from arena_llm.pictures.paths import Strokes
from render import Camera, Frame, Renderer, top_view
from testbed import Task
from testbed.check import task_files
from testbed.tasks import ALL_NAMES, LEVELS_FOLDER, level_of, parse_levels, read_tasks

_RING_M, _TIP_M, _HEAD_M = 1.1, 2.9, 0.7
"""Radius of the ring around an agent, length of its arrow, and size of the arrow's head."""

_RING_PARTS = 24
_WHITE = (1.0, 1.0, 1.0)
_SEEDS = 8
"""Number of layouts to compare; two of them may agree by chance."""

LARGEST_SMOOTH = 512
"""Largest side in pixels that is drawn at twice its size and averaged: the renderer's limit is 1024."""


class Start(NamedTuple):
    """The start of an episode from above and from the agent, frames (size, size, 3)."""

    above: Frame
    agent: Frame
    lights_on: bool


class StartViews:
    """Draws starts of `size` by `size` pixels; raises RenderError if that is impossible.

    With `smooth`, the agent's picture is averaged from a finer one, like the one from above; otherwise its
    pixels are those that the agent is shown.
    """

    def __init__(self, size: int, *, smooth: bool = False) -> None:
        self._size = size
        factor = 2 if size <= LARGEST_SMOOTH else 1
        self._fine = Renderer(factor * size, factor * size)
        self._exact = self._fine if smooth else Renderer(size, size)

    def of(self, spec: ArenaSpec, task_id: str, seed: int = 0) -> Start:
        """The start of an arena; from above, agents are marked with a ring and an arrow.

        Raises LayoutError if the arena cannot be built.
        """
        with Episode(spec, task_id=task_id, seed=seed) as episode:
            scene = episode.scene()
            above = _reduced(self._fine.frame(scene, top_view()), self._size)
            agent = _reduced(self._exact.frame(scene), self._size)
        return Start(mark_agents(above, top_view(), scene), agent, scene.lights_on)


def mark_agents(frame: Frame, camera: Camera, scene: Scene) -> Frame:
    """A copy of a frame, uint8 (H, W, 3), with a ring around every agent and an arrow along its heading."""
    height, width, _ = frame.shape
    strokes = Strokes(width, height, max(1.2, height / 260), max(0.8, height / 512))
    poses = [(scene.agent_position, scene.agent_yaw), *((a.position, a.yaw) for a in scene.others)]
    for position, yaw in poses:
        for line in _mark(position, math.radians(yaw)):
            places = camera.project(line, width, height)
            for start, end in pairwise(places):
                strokes.line(start, end, _WHITE)
    return strokes.over(frame)


def _mark(position: Vector, yaw: float) -> list[list[Vector]]:
    """The lines of the mark at a pose (metres, radians), each as points of the arena."""
    x, y, z = position

    def at(ahead: float, right: float) -> Vector:
        sin, cos = math.sin(yaw), math.cos(yaw)
        return (x + ahead * sin + right * cos, y, z + ahead * cos - right * sin)

    angles = [2 * math.pi * part / _RING_PARTS for part in range(_RING_PARTS + 1)]
    ring = [at(_RING_M * math.cos(angle), _RING_M * math.sin(angle)) for angle in angles]
    back = _TIP_M - _HEAD_M
    head = [at(back, -_HEAD_M), at(_TIP_M, 0.0), at(back, _HEAD_M)]
    return [ring, [at(_RING_M, 0.0), at(_TIP_M, 0.0)], head]


def depends_on_seed(spec: ArenaSpec, task_id: str) -> bool:
    """Whether the seed affects the layout, apart from the agents' skins."""
    first, *others = (_layout(spec, task_id, seed) for seed in range(_SEEDS))
    return any(layout != first for layout in others)


def _layout(spec: ArenaSpec, task_id: str, seed: int) -> Layout | None:
    try:
        layout = resolve(spec, episode_rng(seed, task_id, 0))
    except LayoutError:
        return None
    return replace(layout, agents=tuple(start._replace(skin="") for start in layout.agents))


def _reduced(frame: Frame, size: int) -> Frame:
    factor = frame.shape[0] // size
    return frame if factor == 1 else np.asarray(Image.fromarray(frame).reduce(factor))


SMALLEST = 192
"""Smallest side of a picture in pixels that the text fits."""

_TICKS_M = (0, 10, 20, 30, 40)


def describe(task: Task, seed: int = 0) -> tuple[str, str]:
    """A task's heading and its requirements, with the seed if the layout depends on it."""
    spec = task.spec
    name = f"{task.id}   {task.level_name}" if task.level else task.id
    mark = "no pass mark" if spec.pass_mark is None else f"pass mark {spec.pass_mark:g}"
    steps = math.ceil(spec.time_limit * TICKS_PER_UNIT / TICKS_PER_STEP)
    limit = f"time limit t = {spec.time_limit} ({steps} steps)" if spec.time_limit else "no time limit"
    seeded = (f"seed {seed}",) if depends_on_seed(spec, task.id) else ()
    return name, "  ·  ".join((mark, limit, *seeded))


def task_picture(task: Task, seed: int = 0, size: int = 512) -> Image.Image:
    """A page with a task's start from above and from the agent, each `size` by `size` pixels.

    The picture from above has the arena's axes x and z in metres; north, which is +z, is up. Raises
    LayoutError if the task cannot be built, RenderError if nothing can be drawn.
    """
    start = StartViews(size).of(task.spec, task.id, seed)
    unit = size / 512
    margin, axis, gap = round(28 * unit), round(50 * unit), round(36 * unit)
    top = margin + round(92 * unit)
    left, right = margin + axis, margin + axis + size + gap
    width = right + size + margin
    image = page(width, top + size + round(44 * unit) + margin)
    name, asked = describe(task, seed)
    inner = width - 2 * margin - axis
    write(image, (left, margin + 22 * unit), fitted(name, 26 * unit, inner), 26 * unit)
    write(image, (left, margin + 50 * unit), fitted(asked, 17 * unit, inner), 17 * unit, color=GREY)
    write(image, (left, top - 10 * unit), "From above", 16 * unit)
    lights = "" if start.lights_on else " (lights are out)"
    agents = " (the first agent)" if len(task_agents(task)) > 1 else ""
    write(image, (right, top - 10 * unit), f"What the agent sees{agents}{lights}", 16 * unit)
    paste(image, start.above, (left, top))
    paste(image, start.agent, (right, top))
    _axes(image, left, top, size)
    _north(image, left + size - 9 * unit, top - 8 * unit, unit)
    return image


def task_agents(task: Task) -> list[str]:
    """Names of the items that are agents in the task's version; at least one."""
    named = [item.name for item in task.spec.items if item.name == "Agent"] or ["Agent"]
    return named if DIFFERENCES[task.spec.version].several_agents else named[:1]


def _axes(image: Image.Image, left: int, top: int, size: int) -> None:
    """Ticks and numbers of x below the picture and of z on its left."""
    draw, unit, bottom = ImageDraw.Draw(image), size / 512, top + size
    letters, tick, line = 14 * unit, 6 * unit, max(1, round(unit))
    along = top_view().project([(at, 0.0, at) for at in _TICKS_M], size, size)
    for metres, (column, row) in zip(_TICKS_M, along, strict=True):
        x, y = left + column, top + row
        draw.line((x, bottom, x, bottom + tick), fill=INK, width=line)
        write(image, (x, bottom + tick + 3 * unit), f"{metres}", letters, anchor="ma")
        draw.line((left - tick, y, left - 1, y), fill=INK, width=line)
        write(image, (left - tick - 4 * unit, y), f"{metres}", letters, anchor="rm")
    middle = top_view().project([(ARENA_SIZE / 2, 0.0, ARENA_SIZE / 2)], size, size)[0]
    write(image, (left + middle[0], bottom + tick + 22 * unit), "x (m)", letters, anchor="ma")
    _upright(image, (left - 42 * unit, top + middle[1]), "z (m)", letters)


def _upright(image: Image.Image, at: tuple[float, float], text: str, size: float) -> None:
    """Draw text that reads upwards, centred at `at`."""
    left, top, right, bottom = font(size).getbbox(text)
    label = page(math.ceil(right - left), math.ceil(bottom - top))
    write(label, (-left, -top), text, size, anchor="la")
    label = label.transpose(Image.Transpose.ROTATE_90)
    image.paste(label, (round(at[0] - label.width / 2), round(at[1] - label.height / 2)))


def _north(image: Image.Image, x: float, bottom: float, unit: float) -> None:
    """Draw an arrow upwards and the letter N on its left."""
    draw, top = ImageDraw.Draw(image), bottom - 20 * unit
    draw.line((x, bottom, x, top + 4 * unit), fill=INK, width=max(1, round(1.6 * unit)))
    draw.polygon([(x, top), (x - 4 * unit, top + 9 * unit), (x + 4 * unit, top + 9 * unit)], fill=INK)
    write(image, (x - 8 * unit, bottom - 2 * unit), "N", 16 * unit, anchor="rs")


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
    title = f"Level {level}: {ALL_NAMES[level]}" if level in ALL_NAMES else "Without a level"
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
