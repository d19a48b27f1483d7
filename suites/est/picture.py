"""Pictures of EST's panels: a table with nine objects and the machine. Some objects are on the machine, which
is lit or not. Meshes are centred on the origin, with round edges; lengths have one unit."""

import math
from collections.abc import Sequence
from functools import cache, cached_property
from threading import Lock

import numpy as np
import numpy.typing as npt

from render import Camera, Frame, RenderError
from render.image import check_size
from render.kernel.polygons import polygons_of
from render.kernel.tables import Meshes, meshes_of, tables
from render.looks.sky import sun_of
from render.looks.textures import linear
from render.parts.meshes import Triangles
from render.parts.rows import MESH
from render.renderer import Room, in_bands
from suites.est.light import EDGE, MACHINE, SIZES, TABLE, TURN, Panel, paint
from suites.est.world import OBJECTS, RGB, SHAPES, Thing

Points = npt.NDArray[np.float64]

_AROUND = 40
"""Sides of round meshes."""

_ARC = 3
"""Points across a rounded edge."""


def box(size: tuple[float, float, float], edge: float, turn: float = 0.0) -> Triangles:
    """Make a box with rounded edges, turned about the upright axis. The angle is in radians, from x towards
    -z."""
    half = np.array(size) / 2
    flat = half - edge
    knots = np.hstack([np.linspace(-half, -flat, _ARC).T, np.linspace(flat, half, _ARC).T])
    sides = np.empty((6, 2 * _ARC, 2 * _ARC, 3))
    for side, points in enumerate(sides):
        axis = side // 2
        points[..., axis] = half[axis] * (-1) ** side
        points[..., axis - 2], points[..., axis - 1] = np.meshgrid(
            knots[axis - 2], knots[axis - 1], indexing="ij"
        )
    core = np.clip(sides, -flat, flat)
    normals = (sides - core) / np.linalg.norm(sides - core, axis=-1, keepdims=True)
    around = np.array([[np.cos(turn), 0, -np.sin(turn)], [0, 1, 0], [np.sin(turn), 0, np.cos(turn)]])
    grids = zip((core + edge * normals) @ around, normals @ around, strict=True)
    return np.concatenate([_grid(*each) for each in grids])


def cylinder(radius: float, height: float, edge: float) -> Triangles:
    """Make an upright cylinder with rounded edges."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 2 * _ARC)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    core = np.array([radius - edge, height / 2 - edge]) * np.where(angle[:, None] < 0, (1, -1), 1)
    low, high = np.array([[0, -height / 2]]), np.array([[0, height / 2]])
    return _swept(np.vstack([low, core + edge * out, high]), np.vstack([[0, -1], out, [0, 1]]))


def sphere(radius: float) -> Triangles:
    """Make a sphere."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, _AROUND // 2)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    return _swept(radius * out, out)


def plane(half: float) -> Triangles:
    """Make a level square, seen from above; `half` is half its side."""
    x, z = np.meshgrid([-half, half], [-half, half], indexing="ij")
    points = np.stack([x, np.zeros_like(x), z], axis=-1)
    return _grid(points, np.broadcast_to([0.0, 1.0, 0.0], points.shape))


def _swept(profile: Points, normals: Points) -> Triangles:
    """Sweep a profile (n, 2) of radius and height about the upright axis."""
    angle = np.linspace(0, 2 * np.pi, _AROUND + 1)[:, None]
    return _grid(*(
        np.stack([np.cos(angle) * p[:, 0], p[:, 1] + 0 * angle, np.sin(angle) * p[:, 0]], axis=-1)
        for p in (profile, normals)
    ))  # fmt: skip


def _grid(points: Points, normals: Points) -> Triangles:
    """Make two triangles for each cell of a grid (rows, columns, 3)."""
    rows, columns = points.shape[:2]
    first = (columns * np.arange(rows - 1)[:, None] + np.arange(columns - 1)).reshape(-1, 1)
    corners = first + np.array([0, 1, columns, columns, 1, columns + 1])
    vertices = np.concatenate([points, normals], axis=-1).reshape(-1, 6)
    return np.asarray(vertices[corners].reshape(-1, 3, 6), np.float32)


_ROWS = (0.0, 1.85, 3.7)
_ON = [(x, z) for x in (-1.5, 0.0, 1.5) for z in _ROWS]
_OFF = [(-3.15, z) for z in _ROWS] + [(x, -2.0) for x in (-1.75, 0.0, 1.75)] + [(3.15, z) for z in _ROWS]
"""Positions on and off the machine, as x (right) and z (away)."""

_TABLE_RGB, _MACHINE_RGB = (190.0, 184.0, 172.0), (120.0, 128.0, 142.0)

_EYE, _PITCH = (0.0, 14.0, -8.6), 55.0
_SHOWN = [(x, y, z) for x in (-3.8, 3.8) for y in (0.0, 1.0) for z in (-2.6, 4.3)]
"""Corners of the region in every picture, whatever its proportions."""


@cache
def table(width: int, height: int) -> "Table":
    """Return this process's table of a size."""
    return Table(width, height)


class Table:
    """Draws panels into pictures of one size. `width` and `height` in pixels, 4 to 1024. Any thread may
    create and use it; threads take turns. Raises RenderError for other sizes."""

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        self._turn = Lock()
        self._lens, self._rays = _camera(width / height).lens(width / height)

    def picture(self, things: Sequence[Thing], on: Sequence[bool], lit: bool) -> Frame:
        """Draw a panel, uint8 (height, width, 3) RGB, row 0 on top.

        Object k is at its own place on the machine if `on[k]`, otherwise at its own place next to it. Raises
        RenderError for more than nine objects, or another number of entries in `on`.
        """
        if len(things) != len(on) or len(things) > OBJECTS:
            raise RenderError(
                f"panel: got {len(things)} objects and {len(on)} places, expected one place for each of "
                f"at most {OBJECTS} objects"
            )
        panel = _panel(things, on, lit)
        frame = np.empty((self.height, self.width, 3), np.uint8)
        with self._turn:
            room = self._room
            count = len(panel.shapes)
            room.make_way(count)
            room.found[:count] = 0
            room.found[:count, :3], room.found[:count, [3, 7, 11, 12, 13, 14]] = panel.middles.T, 1
            room.found[:count, MESH] = panel.shapes
            # Version 4 has no sun: the table has a lamp of its own.
            looks, size = tables()[1], (2 * self.width, 2 * self.height)
            count, _ = room.fill(
                lambda polygons: polygons_of(
                    room.found, count, count, _meshes(), looks.plain, self._lens, size, sun_of("4"), polygons
                )
            )
            room.show(count, self._lens)
            _, planes, _, facts = room.polygons
            seen = room.screen.shown, planes, facts
            in_bands(
                lambda band: paint(*seen, panel, _EYE, self._rays, looks.encode, frame, *band), self.height
            )
        return frame

    @cached_property
    def _room(self) -> Room:
        """Allocate four samples per pixel."""
        return Room(2 * self.width, 2 * self.height)

    def box(self, k: int, on: bool) -> tuple[int, int, int, int]:
        """Bound object k in the picture: left, top, right, bottom in pixels. The last two are excluded."""
        x, z = (_ON if on else _OFF)[k]
        foot = SIZES[MACHINE][1] if on else 0.0
        corners = [(x + a, foot + y, z + b) for a in (-0.5, 0.5) for y in (0, 1) for b in (-0.5, 0.5)]
        pixels = _camera(self.width / self.height).project(corners, self.width, self.height)
        (left, top), (right, bottom) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
        return int(left), int(top), int(right), int(bottom)


@cache
def _meshes() -> Meshes:
    """Make the meshes of shapes, machine and table."""
    cube, ball, rod, machine = SIZES
    return meshes_of([
        box(cube, EDGE, TURN),
        sphere(ball[0] / 2),
        cylinder(rod[0] / 2, rod[1], EDGE),
        box(machine, EDGE),
        plane(60.0),
    ])  # fmt: skip


def _panel(things: Sequence[Thing], on: Sequence[bool], lit: bool) -> Panel:
    shapes = [SHAPES.index(thing.shape) for thing in things]
    middles = []
    for k, shape in enumerate(shapes):
        x, z = (_ON if on[k] else _OFF)[k]
        middles.append((x, SIZES[shape][1] / 2 + (SIZES[MACHINE][1] if on[k] else 0.0), z))
    colors = [linear(RGB[thing.color]) for thing in things]
    return Panel(
        np.array([*shapes, MACHINE, TABLE]),
        np.array([*(thing.material == "metal" for thing in things), False, False]),
        np.array([*colors, linear(_MACHINE_RGB), linear(_TABLE_RGB)]).T.copy(),
        np.array([*middles, (0.0, 0.25, 1.85), (0.0, 0.0, 0.0)]).T.copy(),
        # Light of the machine's top, linear.
        (1.15, 1.0, 0.62) if lit else (0.0, 0.0, 0.0),
        len(things),
    )


def _camera(aspect: float) -> Camera:
    """Place the camera in front and above, as near as `aspect` allows. A picture is `aspect` times as wide as
    high."""
    right, up, forward = Camera(_EYE, 0.0, _PITCH).axes() @ (np.array(_SHOWN) - _EYE).T
    spread = np.maximum(np.abs(up), np.abs(right) / aspect) / forward
    return Camera(_EYE, 0.0, _PITCH, math.degrees(2 * math.atan(spread.max())), 1.0, 100.0)
