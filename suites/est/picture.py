"""Pictures of EST's panels: nine objects on a table, some of them on the machine, which is lit or not.

Meshes are centred on the origin, with round edges; lengths have one unit.
"""

import math
from collections.abc import Sequence
from functools import cache

import moderngl
import numpy as np
import numpy.typing as npt

from render import Camera, Frame, RenderError
from render.context import drawing, gl_context
from render.image import check_size
from render.looks.textures import linear
from render.opengl.painter import Reader, Stock, program, write
from render.opengl.target import FRAMEBUFFER_SRGB, new_target
from render.parts.meshes import Mesh
from suites.est.things import RGB, SHAPES, Thing
from suites.est.world import OBJECTS, Floats

Points = npt.NDArray[np.float64]

_AROUND = 40
"""Sides of what is round."""

_ARC = 3
"""Points across a rounded edge."""


def box(size: tuple[float, float, float], edge: float, turn: float = 0.0) -> Mesh:
    """A box with edges rounded by a radius, turned about the upright axis (radians, from x towards -z)."""
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
    normals = _unit(sides - core)
    around = np.array([[np.cos(turn), 0, -np.sin(turn)], [0, 1, 0], [np.sin(turn), 0, np.cos(turn)]])
    meshes = [_grid(p @ around, n @ around) for p, n in zip(core + edge * normals, normals, strict=True)]
    corners = len(meshes[0].vertices)
    indices = [mesh.indices + np.uint32(k * corners) for k, mesh in enumerate(meshes)]
    return Mesh(np.vstack([mesh.vertices for mesh in meshes]), np.concatenate(indices))


def cylinder(radius: float, height: float, edge: float) -> Mesh:
    """An upright cylinder with edges rounded by a radius."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 2 * _ARC)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    core = np.array([radius - edge, height / 2 - edge]) * np.where(angle[:, None] < 0, (1, -1), 1)
    low, high = np.array([[0, -height / 2]]), np.array([[0, height / 2]])
    return _swept(np.vstack([low, core + edge * out, high]), np.vstack([[0, -1], out, [0, 1]]))


def sphere(radius: float) -> Mesh:
    """A sphere."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, _AROUND // 2)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    return _swept(radius * out, out)


def plane(half: float) -> Mesh:
    """A level square, seen from above; `half` is half its side."""
    x, z = np.meshgrid([-half, half], [-half, half], indexing="ij")
    points = np.stack([x, np.zeros_like(x), z], axis=-1)
    return _grid(points, np.broadcast_to([0.0, 1.0, 0.0], points.shape))


def _swept(profile: Points, normals: Points) -> Mesh:
    """What a profile (n, 2) of radius and height sweeps when turned about the upright axis."""
    angle = np.linspace(0, 2 * np.pi, _AROUND + 1)[:, None]
    return _grid(*(
        np.stack([np.cos(angle) * p[:, 0], p[:, 1] + 0 * angle, np.sin(angle) * p[:, 0]], axis=-1)
        for p in (profile, normals)
    ))  # fmt: skip


def _grid(points: Points, normals: Points) -> Mesh:
    """Two triangles for each cell of a grid (rows, columns, 3) of points."""
    rows, columns = points.shape[:2]
    first = (columns * np.arange(rows - 1)[:, None] + np.arange(columns - 1)).reshape(-1, 1)
    indices = first + np.array([0, 1, columns, columns, 1, columns + 1])
    vertices = np.concatenate([points, normals], axis=-1).reshape(-1, 6)
    return Mesh(vertices.astype(np.float32), indices.ravel().astype(np.uint32))


def _unit(vectors: Points) -> Points:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


_ROWS = (0.0, 1.85, 3.7)
_ON = [(x, z) for x in (-1.5, 0.0, 1.5) for z in _ROWS]
_OFF = [(-3.15, z) for z in _ROWS] + [(x, -2.0) for x in (-1.75, 0.0, 1.75)] + [(3.15, z) for z in _ROWS]
"""Where each object stands on the machine and beside it, as x (to the right) and z (away from the camera)."""

_SIZES = np.array([(0.82, 0.82, 0.82), (1.0, 1.0, 1.0), (0.84, 0.98, 0.84)])
"""Width, height and depth of each shape."""

_TURN = math.radians(28)
"""Angle of all cubes, so that each shows two sides and the top."""

_MACHINE, _MACHINE_AT = np.array((4.5, 0.5, 5.3)), np.array((0.0, 0.25, 1.85))
"""The machine's size and middle."""

_EDGE = 0.07
"""Radius of the round edges."""

_TABLE_RGB, _MACHINE_RGB = (190.0, 184.0, 172.0), (120.0, 128.0, 142.0)
_GLOW = (1.15, 1.0, 0.62)
"""Light of the machine's top, linear."""

_EYE, _PITCH = (0.0, 14.0, -8.6), 55.0
_SHOWN = [(x, y, z) for x in (-3.8, 3.8) for y in (0.0, 1.0) for z in (-2.6, 4.3)]
"""Corners of what every picture shows, whatever its proportions."""

_KINDS = ("table", "machine", "rubber", "metal")
"""Kinds of surface, by their numbers in the shader."""

_ROW = ("3f 3f 1f 1f/i", "in_middle", "in_color", "in_kind", "in_index")


@cache
def table(width: int, height: int) -> "Table":
    """The one table of a size in this process."""
    return Table(width, height)


class Table:
    """Draws panels into pictures of one size.

    `width` and `height` in pixels, 4 to 1024. Any thread may create and use it; threads take turns. Raises
    RenderError as `render.Renderer` does.
    """

    @drawing()
    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        ctx = gl_context()
        ctx.gc()
        self._target = new_target(width, height)
        self._samples = new_target(width, height, min(4, ctx.max_samples))
        self._program = program(ctx, "table", "suites.est")
        reader = Reader(self._program, ("3f 3f", "in_vertex", "in_normal"), _ROW)
        self._stocks = [Stock(ctx, mesh, [reader]) for mesh in _meshes()]
        self._set_scene()

    @drawing()
    def picture(self, things: Sequence[Thing], on: Sequence[bool], lit: bool) -> Frame:
        """The picture of a panel, uint8 (height, width, 3) RGB, row 0 on top.

        Object k stands at its own place on the machine if `on[k]`, and at its own place beside it otherwise.
        Raises RenderError for more than nine objects, or another number of entries in `on`.
        """
        if len(things) != len(on) or len(things) > OBJECTS:
            raise RenderError(
                f"panel: got {len(things)} objects and {len(on)} places, expected one place for each of "
                f"at most {OBJECTS} objects"
            )
        ctx = gl_context()
        self._samples.use()
        self._samples.clear(depth=1.0)
        ctx.enable_direct(FRAMEBUFFER_SRGB)
        ctx.enable_only(moderngl.DEPTH_TEST)
        self._set("u_glow", _GLOW if lit else (0.0, 0.0, 0.0))
        self._draw(*_rows(things, on))
        ctx.copy_framebuffer(self._target, self._samples)
        frame = np.empty((self.height, self.width, 3), np.uint8)
        self._target.read_into(frame, components=3, alignment=1)
        return frame

    def box(self, k: int, on: bool) -> tuple[int, int, int, int]:
        """Where object k is in the picture: left, top, right and bottom in pixels, the last two excluded."""
        x, z = (_ON if on else _OFF)[k]
        foot = _MACHINE[1] if on else 0.0
        corners = [(x + a, foot + y, z + b, 1) for a in (-0.5, 0.5) for y in (0, 1) for b in (-0.5, 0.5)]
        clip = np.array(corners) @ _camera(self.width / self.height).matrix(self.width / self.height).T
        pixels = (clip[:, :2] / clip[:, 3:] + 1) / 2 * (self.width, self.height)
        (left, top), (right, bottom) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
        return int(left), int(top), int(right), int(bottom)

    def _draw(self, rows: Floats, ends: Sequence[int]) -> None:
        """Draw the objects, whose rows are sorted by shape, the machine and the table."""
        middles = np.zeros((OBJECTS, 3))
        middles[: len(rows)] = rows[:, :3]
        self._set("u_things", middles)
        self._program["u_ends"] = tuple(ends)
        machine = [*_MACHINE_AT, *linear(_MACHINE_RGB), _KINDS.index("machine"), -1]
        table = [0, 0, 0, *linear(_TABLE_RGB), _KINDS.index("table"), -1]
        groups = [*np.split(rows, ends[:2]), np.array([machine]), np.array([table])]
        for stock, group in zip(self._stocks, groups, strict=True):
            stock.draw(group.astype(np.float32))

    def _set_scene(self) -> None:
        """What is the same in all pictures."""
        aspect = self.width / self.height
        write(self._program, "u_view", _camera(aspect).matrix(aspect))
        self._set("u_eye", _EYE)
        self._set("u_halves", _SIZES / 2)
        self._set("u_turn", (math.cos(_TURN), math.sin(_TURN)))
        self._set("u_machine", _MACHINE_AT)
        self._set("u_machine_half", _MACHINE / 2)
        self._set("u_table", linear(_TABLE_RGB))

    def _set(self, name: str, numbers: npt.ArrayLike) -> None:
        uniform = self._program[name]
        assert isinstance(uniform, moderngl.Uniform)
        uniform.write(np.asarray(numbers, np.float32).tobytes())


def _meshes() -> list[Mesh]:
    """Those of the shapes, the machine and the table."""
    cube, ball, rod = _SIZES.tolist()
    return [
        box(tuple(cube), _EDGE, _TURN),
        sphere(ball[0] / 2),
        cylinder(rod[0] / 2, rod[1], _EDGE),
        box(tuple(_MACHINE.tolist()), _EDGE),
        plane(60.0),
    ]


def _rows(things: Sequence[Thing], on: Sequence[bool]) -> tuple[Floats, list[int]]:
    """A row for each object, (n, 8) as in `_ROW`, sorted by shape, and where each shape's rows end."""
    shapes = np.array([SHAPES.index(thing.shape) for thing in things], int)
    rows = np.zeros((len(things), 8))
    for row, k in zip(rows, np.argsort(shapes, kind="stable"), strict=True):
        (x, z), thing = (_ON if on[k] else _OFF)[k], things[k]
        y = _SIZES[shapes[k], 1] / 2 + (_MACHINE[1] if on[k] else 0.0)
        row[:7] = x, y, z, *linear(RGB[thing.color]), _KINDS.index(thing.material)
    rows[:, 7] = np.arange(len(rows))
    return rows, np.cumsum(np.bincount(shapes, minlength=3)).tolist()


def _camera(aspect: float) -> Camera:
    """From the front and above; as near as a picture, `aspect` times as wide as high, allows."""
    right, up, forward = Camera(_EYE, 0.0, _PITCH).axes() @ (np.array(_SHOWN) - _EYE).T
    spread = np.maximum(np.abs(up), np.abs(right) / aspect) / forward
    return Camera(_EYE, 0.0, _PITCH, math.degrees(2 * math.atan(spread.max())), 1.0, 100.0)
