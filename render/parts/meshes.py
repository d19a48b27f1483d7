"""Unit meshes, to be scaled by a part's size, and the parts of plain things, floor and fence."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.errors import RenderError
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, prism_vertices, tube_wedges
from arena.geometry.shapes import parts_of as boxes_of
from arena.scene import Thing, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape
from render.looks.look import FENCE, FLOOR, POST, RAIL, Look
from render.parts import timers, tree
from render.parts.glyphs import GLYPHS, Polygons, glyph_vertices

if TYPE_CHECKING:
    import trimesh

Vertices = npt.NDArray[np.float32]
Indices = npt.NDArray[np.uint32]
UNIT: Vector = (1.0, 1.0, 1.0)

MESH_OF_SHAPE = {Shape.BOX: "box", Shape.PRISM: "prism", Shape.BALL: "ball", Shape.TUBE: "tube"}

BALLS = ("ball 80", "ball 320", "ball", "ball 5120")
"""Balls by number of triangles; parts name "ball", which has 1280."""

BALL_ERRORS = (0.039, 0.0097, 0.0024)
"""Deviation of each ball's outline from a circle (except the last), as a share of the radius."""

PRICKLES = 220
"""Number of cones on a hedgehog's back."""

MARKS = ("rings", "arrows in", "arrows out")
"""What lies on balls."""

MESHES = (
    *("box", "prism", "tube", "rod", "prickles", *BALLS),
    *(f"symbol {glyph}" for glyph in GLYPHS),
    *("crown", "trunk", *MARKS),
)
"""The names of all unit meshes."""

_PRISM_FACES = [(0, 1, 3), (0, 3, 2), (0, 4, 5), (0, 5, 1), (2, 3, 5), (2, 5, 4), (0, 2, 4), (1, 5, 3)]
"""Triangles over `arena.geometry.shapes.prism_vertices`, counter-clockwise seen from outside."""


class Part(NamedTuple):
    """One part of a thing: its unit mesh, its centre in the thing's frame, and its size, both in metres.

    `look` is None for the thing's own.
    """

    mesh: str
    centre: Vector
    size: Vector
    look: Look | None = None


CROWN = Part("ball", (-0.1, 1.65, -0.1), (4.2, 3.6, 4.2))
"""Foliage of a tree, 5.3 m high, whose fruit grows 2.25 m around a point 4.3 m up (section 7.5)."""


class Mesh(NamedTuple):
    """Vertices (n, 6) of position and outward normal, and the triangles' indices (3 m,)."""

    vertices: Vertices
    indices: Indices


def parts_of(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """The parts of a thing of a size (metres); composed shapes have several.

    Raises RenderError for a shape without a mesh.
    """
    shape = KINDS[thing.kind].shape
    if shape is Shape.TREE:
        return (*(Part("box", part.centre, part.size) for part in boxes_of(shape, size)), CROWN)
    if boxes := boxes_of(shape, size):
        return tuple(Part("box", part.centre, part.size) for part in boxes)
    if shape not in MESH_OF_SHAPE:
        raise RenderError(f"{thing.kind}: got shape {shape.value!r}, expected one that has a mesh")
    return (Part(MESH_OF_SHAPE[shape], (0.0, 0.0, 0.0), size),)


@cache
def unit_meshes() -> dict[str, Mesh]:
    """All meshes by name; each fits a cube of side 1 around the origin."""
    import trimesh

    return {
        "box": _flat(trimesh.creation.box(UNIT)),
        "prism": _flat(trimesh.Trimesh(prism_vertices(UNIT), _PRISM_FACES, process=False)),
        **{ball: _ball(level) for level, ball in enumerate(BALLS, start=1)},
        "tube": _tube(),
        "rod": _rod(),
        "prickles": _prickles(),
        **{f"symbol {name}": _glyph(polygons) for name, polygons in GLYPHS.items()},
        "crown": _faceted(tree.crown().triangles),
        "trunk": _faceted(tree.trunk().triangles),
        "rings": _faceted(timers.rings()),
        "arrows in": _faceted(timers.arrows(inward=True)),
        "arrows out": _faceted(timers.arrows(inward=False)),
    }


def _glyph(polygons: Polygons) -> Mesh:
    vertices = glyph_vertices(polygons)
    return Mesh(vertices, np.arange(len(vertices), dtype=np.uint32))


def _flat(mesh: "trimesh.Trimesh") -> Mesh:
    """Triangles share corners only within a face, so that edges are sharp."""
    normals = np.repeat(mesh.face_normals, 3, axis=0)
    return _shared(np.hstack([mesh.triangles.reshape(-1, 3), normals]))


def _shared(corners: npt.NDArray[np.float64]) -> Mesh:
    """Triangles (3 m, 6) of position and normal; equal corners are shared, and so computed once."""
    vertices, place = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
    return Mesh(vertices, place.ravel().astype(np.uint32))


def _ball(subdivisions: int) -> Mesh:
    """A ball whose triangles share corners, so that it is shaded smoothly."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=subdivisions, radius=0.5)
    vertices = np.hstack([mesh.vertices, 2 * mesh.vertices]).astype(np.float32)
    return Mesh(vertices, mesh.faces.ravel().astype(np.uint32))


def _rod() -> Mesh:
    """A round bar along x, without ends."""
    sides = 16
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    out = np.column_stack([np.zeros(sides), np.sin(angle), np.cos(angle)])
    rings = [np.hstack([0.5 * out + (x, 0, 0), out]) for x in (-0.5, 0.5)]
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    quads = np.column_stack([here, here + sides, there + sides, here, there + sides, there])
    return Mesh(np.vstack(rings).astype(np.float32), quads.ravel().astype(np.uint32))


def _tube() -> Mesh:
    """The wedges' outer, inner and end faces, without those between two wedges."""
    rows = []
    for wedge in tube_wedges(UNIT):
        for corners in ((0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)):
            a, b, c, d = wedge[list(corners)]
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal)
            rows += [np.concatenate([corner, normal]) for corner in (a, b, c, d)]
    quads = 4 * np.arange(len(rows) // 4)[:, None] + (0, 1, 2, 0, 2, 3)
    return _shared(np.array(rows)[quads.ravel()])


def _faceted(triangles: npt.NDArray[np.float64]) -> Mesh:
    """A mesh of triangles (m, 3, 3)."""
    import trimesh

    soup = triangles.reshape(-1, 3)
    return _flat(trimesh.Trimesh(soup, np.arange(len(soup)).reshape(-1, 3), process=False))


def _prickles() -> Mesh:
    """Cones on a ball, from radius 0.4 to 0.5, except in front (+z) and below."""
    index = np.arange(2 * PRICKLES) + 0.5
    height = 1 - index / PRICKLES
    angle = np.pi * (1 + 5**0.5) * index
    ring = np.sqrt(1 - height**2)
    out = np.column_stack([ring * np.cos(angle), height, ring * np.sin(angle)])
    out = out[(out[:, 2] < 0.45) & (out[:, 1] > -0.6)]
    side = np.cross(out, (0.3, 0.5, 0.8))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    across = np.cross(out, side)
    feet = [0.4 * out + 0.05 * (np.cos(a) * side + np.sin(a) * across) for a in np.radians((0, 120, 240))]
    tip = 0.5 * out
    faces = [np.stack((feet[k], feet[(k + 1) % 3], tip), axis=1) for k in range(3)]
    return _faceted(np.concatenate(faces))


def surroundings() -> list[tuple[Part, Look, float]]:
    """Floor and visible fence with their yaw in degrees (`AAI3Arena.prefab`, section 3.4).

    The floor is 42 x 42 m. The fence is a plank wall 0.25 thick, centred 0.5 outside the inner face, from
    y -0.1 to 5.96; posts 1.0 x 1.2 up to 7.1 at both ends of three 14 m panels a side; and two round rails,
    along their own x, whose thickness and height fit the recorded frames best: 0.35 m, while the original's
    model has 0.3.
    """
    middle = ARENA_SIZE / 2
    parts = [(Part("box", (middle, FLOOR_Y - 0.5, middle), (42.0, 1.0, 42.0)), FLOOR, 0.0)]
    posts = [middle + sign * offset for sign in (-1, 1) for offset in (6.4, 7.4, 20.4)]
    for across in (-1, 1):
        for along_x in (True, False):
            parts.append((_fence_box(along_x, across, (42.0, 6.06, 0.25), middle), FENCE, 0.0))
            parts += [(_fence_box(along_x, across, (1.2, 7.2, 1.0), post), POST, 0.0) for post in posts]
    low, high = -0.3, ARENA_SIZE + 0.3
    places = [((middle, low), 0.0), ((middle, high), 0.0), ((low, middle), 90.0), ((high, middle), 90.0)]
    for (x, z), yaw in places:
        parts += [(Part("rod", (x, y, z), (42.0, 0.35, 0.35)), RAIL, yaw) for y in (1.11, 4.71)]
    return parts


def _fence_box(along_x: bool, across: int, size: Vector, along: float) -> Part:
    """A box of the fence from y -0.1 up, 0.5 m outside the inner face, size along, up, across."""
    place = ARENA_SIZE / 2 + across * (ARENA_SIZE / 2 + 0.5)
    y = size[1] / 2 - 0.1
    if along_x:
        return Part("box", (along, y, place), size)
    return Part("box", (place, y, along), (size[2], size[1], size[0]))
