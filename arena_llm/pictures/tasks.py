"""Pictures of a task: its start as two frames, and a figure with axes and words."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from arena import ArenaSpec, Episode, LayoutError, Scene
from arena.action import TICKS_PER_STEP
from arena.geometry.layout import resolve
from arena.geometry.placed import Layout
from arena.geometry.shapes import ARENA_SIZE
from arena.rules import TICKS_PER_UNIT
from arena.scene import Vector
from arena.taskfile.versions import DIFFERENCES
from arena_llm.pictures.canvas import GREY, INK, Strokes, fitted, font, write
from render import Camera, Frame, Renderer, top_view
from testbed import Task

_RING_M, _TIP_M, _HEAD_M = 1.1, 2.9, 0.7
"""Radius of the ring around an agent, length of its arrow, and size of the arrow's head."""

_RING_PARTS = 24
_WHITE = (1.0, 1.0, 1.0)
_SEEDS = 8
"""Number of layouts to compare; two of them may agree by chance."""

LARGEST_SMOOTH = 512
"""Largest side in pixels that is drawn at twice its size and averaged: the renderer's limit is 1024."""


class Start(NamedTuple):
    """Start of an episode from above and from the agent, frames (size, size, 3)."""

    above: Frame
    agent: Frame
    lights_on: bool


class StartViews:
    """Pictures of starts, `size` by `size` pixels. Raises RenderError if that is impossible.

    The picture from above is averaged from a finer one; the agent's pixels are those that it is shown.
    """

    def __init__(self, size: int) -> None:
        self._factor = 2 if size <= LARGEST_SMOOTH else 1
        self._fine, self._exact = (Renderer(side, side) for side in (self._factor * size, size))

    def of(self, spec: ArenaSpec, task_id: str, seed: int = 0) -> Start:
        """Draw the start of an arena; from above, agents have a ring and an arrow.

        Raises LayoutError if the arena cannot be built.
        """
        with Episode(spec, task_id=task_id, seed=seed) as episode:
            scene = episode.scene()
            above = Image.fromarray(self._fine.frame(scene, top_view())).reduce(self._factor)
            agent = self._exact.frame(scene)
        return Start(mark_agents(np.asarray(above), top_view(), scene), agent, scene.lights_on)


def mark_agents(frame: Frame, camera: Camera, scene: Scene) -> Frame:
    """Mark agents on a copy of a frame, uint8 (H, W, 3), with a ring and an arrow along the heading."""
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
    """Compute the mark at a pose (metres, radians) as lines of points in the arena."""
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
    """Return whether the seed affects the layout, apart from the agents' skins."""
    first, *others = (_layout(spec, task_id, seed) for seed in range(_SEEDS))
    return any(layout != first for layout in others)


def _layout(spec: ArenaSpec, task_id: str, seed: int) -> Layout | None:
    try:
        layout = resolve(spec, seed, task_id)
    except LayoutError:
        return None
    return layout._replace(agents=tuple(start._replace(skin="") for start in layout.agents))


SMALLEST = 192
"""Smallest side of a picture in pixels that the text fits."""

_TICKS_M = (0, 10, 20, 30, 40)


def describe(task: Task, seed: int = 0) -> tuple[str, str]:
    """Describe a task: heading and requirements, with the seed if the layout depends on it."""
    spec = task.spec
    name = f"{task.id}   {task.level_name}" if task.level else task.id
    mark = "no pass mark" if spec.pass_mark is None else f"pass mark {spec.pass_mark:g}"
    steps = math.ceil(spec.time_limit * TICKS_PER_UNIT / TICKS_PER_STEP)
    limit = f"time limit t = {spec.time_limit} ({steps} steps)" if spec.time_limit else "no time limit"
    seeded = (f"seed {seed}",) if depends_on_seed(spec, task.id) else ()
    return name, "  ·  ".join((mark, limit, *seeded))


def task_picture(task: Task, seed: int = 0, size: int = 512) -> Image.Image:
    """Draw a task's start from above and from the agent, each `size` by `size` pixels.

    The picture from above has the arena's axes x and z in metres; north, which is +z, is up. Raises
    LayoutError if the task cannot be built, RenderError if nothing can be drawn.
    """
    start = StartViews(size).of(task.spec, task.id, seed)
    unit = size / 512
    margin, axis, gap = round(28 * unit), round(50 * unit), round(36 * unit)
    top = margin + round(92 * unit)
    left, right = margin + axis, margin + axis + size + gap
    width = right + size + margin
    image = Image.new("RGB", (width, top + size + round(44 * unit) + margin), "white")
    name, asked = describe(task, seed)
    inner = width - 2 * margin - axis
    write(image, (left, margin + 22 * unit), fitted(name, 26 * unit, inner), 26 * unit)
    write(image, (left, margin + 50 * unit), fitted(asked, 17 * unit, inner), 17 * unit, color=GREY)
    write(image, (left, top - 10 * unit), "From above", 16 * unit)
    lights = "" if start.lights_on else " (lights are out)"
    agents = " (the first agent)" if len(task_agents(task)) > 1 else ""
    write(image, (right, top - 10 * unit), f"What the agent sees{agents}{lights}", 16 * unit)
    image.paste(Image.fromarray(start.above), (left, top))
    image.paste(Image.fromarray(start.agent), (right, top))
    _axes(image, left, top, size)
    _north(image, left + size - 9 * unit, top - 8 * unit, unit)
    return image


def task_agents(task: Task) -> list[str]:
    """Name the items that are agents in the task's version; at least one."""
    named = [item.name for item in task.spec.items if item.name == "Agent"] or ["Agent"]
    return named if DIFFERENCES[task.spec.version].several_agents else named[:1]


def _axes(image: Image.Image, left: int, top: int, size: int) -> None:
    """Draw ticks and numbers of x below the picture and of z on its left."""
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
    label = Image.new("RGB", (math.ceil(right - left), math.ceil(bottom - top)), "white")
    write(label, (-left, -top), text, size, anchor="la")
    label = label.transpose(Image.Transpose.ROTATE_90)
    image.paste(label, (round(at[0] - label.width / 2), round(at[1] - label.height / 2)))


def _north(image: Image.Image, x: float, bottom: float, unit: float) -> None:
    """Draw an arrow upwards and the letter N on its left."""
    draw, top = ImageDraw.Draw(image), bottom - 20 * unit
    draw.line((x, bottom, x, top + 4 * unit), fill=INK, width=max(1, round(1.6 * unit)))
    draw.polygon([(x, top), (x - 4 * unit, top + 9 * unit), (x + 4 * unit, top + 9 * unit)], fill=INK)
    write(image, (x - 8 * unit, bottom - 2 * unit), "N", 16 * unit, anchor="rs")
