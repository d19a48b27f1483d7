"""Unit meshes, to be scaled by a part's size; our own design. They are triangles of position and normal.

Trees and marks have the measures of pictures of 4.3.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

from arena.geometry.shapes import prism_vertices, tube_wedges
from arena.scene import Floats, Vector
from render.parts.glyphs import GLYPHS, Polygons, fans

Triangles = npt.NDArray[np.float32]
UNIT: Vector = (1.0, 1.0, 1.0)

BALLS = ("ball 80", "ball 320", "ball", "ball 5120")
"""Balls by number of triangles; parts name "ball", which has 1280."""

BALL_ERRORS = (0.039, 0.0097, 0.0024)
"""Deviation of each ball's outline, except the last, from a circle. It is a share of the radius."""

PRICKLES = 220
"""Number of cones on a hedgehog's back."""

MARKS = ("rings", "arrows in", "arrows out")
"""Marks on decay and ripen balls of 4.x. Six black rings, each with four arrows that point in or out."""

_BOX_TRIANGLES = [0, 2, 1, 5, 3, 8, 4, 6, 7, 9, 10, 11]
"""Triangles of trimesh's box, ordered so that each two make a side."""

_PRISM_FACES = [(0, 1, 3), (0, 3, 2), (0, 4, 5), (0, 5, 1), (2, 3, 5), (2, 5, 4), (0, 2, 4), (1, 5, 3)]
"""Triangles over `arena.geometry.shapes.prism_vertices`, counter-clockwise seen from outside."""

_TUBE_FACES = [(0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)]
"""Outer, inner and end faces of a wedge. Faces between two wedges are left out."""

_CROWN = (
    (0.0, 2.2, 0.1), (0.5, 2.6, -1.3), (0.6, 2.7, 1.1), (-1.0, 2.7, -0.7), (-0.9, 2.8, 0.8),
    (0.7, 3.2, -2.2), (2.2, 3.3, -0.9), (2.4, 3.0, 0.7), (0.9, 3.4, 2.2), (-1.9, 3.4, -1.2), (-2.1, 3.5, 1.3),
    (0.8, 4.1, -2.9), (1.9, 4.3, -1.6), (2.5, 4.0, -0.2), (2.0, 4.0, 1.2), (0.6, 4.3, 2.4),
    (-2.6, 4.2, 0.1), (-1.6, 4.4, -2.0), (-1.7, 4.4, 2.0),
    (0.8, 5.2, -2.1), (0.9, 5.9, -0.9), (0.0, 6.0, 0.6), (0.4, 5.7, 2.1), (-1.6, 5.6, -0.6), (-1.5, 5.5, 1.0),
)  # fmt: skip
"""Corners of the crown of a tree of 4.x, metres. From the middle of its foot, x right, y up, z forward."""

_TRUNK = ((0.0, 0.43, -0.02), (0.3, 0.23, -0.08), (1.4, 0.21, -0.14), (2.5, 0.19, -0.19))
"""Height, half width and sideways bend of the trunk, bottom to top."""

_TRUNK_SIDES = 6

_MARK_RADII = (0.505, 0.51)
"""Radii of rings and arrows, outside the ball of 0.5. They are far enough outside, and apart, to show from
afar."""

_RING = (0.18, 0.425)
"""Inner and outer radius of a ring, radii of the ball."""

_INWARD, _OUTWARD = (0.1, 0.53), (0.65, 0.2)
"""Distances of an arrow's tip and tail from its ring's middle. The unit is the ball's radius."""

_SHAFT, _HEAD = 0.06, 0.18
"""Half width of an arrow's shaft. Length and half width of its head."""

_LARGEST_EDGE = 0.12
"""Longest edge of a mark's triangle: they bend with the ball."""

_ROLL_DEG = 48.0
_TURNED = np.array([(0.9946, -0.0436, -0.094), (-0.0409, 0.6685, -0.7426), (0.0952, 0.7424, 0.6631)])
"""Rotation of the ball's axes in the frame of the marks. By `_ROLL_DEG` around x, 2.5 degrees around z, and
-5.4 around y."""

_MARK_AXES = [np.roll(np.eye(3), turn, axis=0) * sign @ _TURNED for turn, sign in product(range(3), (1, -1))]
"""Axes of the six marks, as rows: right, up and outward."""


@cache
def unit_meshes() -> dict[str, Triangles]:
    """Return all meshes by name, each (n, 3, 6). Each fits a cube of side 1 around the origin."""
    return {name: made().astype(np.float32) for name, made in _MADE.items()}


def _faceted(triangles: Floats) -> Floats:
    """Return triangles (n, 3, 3), anticlockwise from outside, with their planes' normals."""
    import trimesh

    normals, _ = trimesh.triangles.normals(triangles)  # type: ignore[no-untyped-call]
    return np.concatenate([triangles, np.repeat(normals[:, None], 3, axis=1)], axis=2)


def _box(inside: bool = False) -> Floats:
    import trimesh

    triangles = trimesh.creation.box(UNIT).triangles[_BOX_TRIANGLES]
    return _faceted(triangles[:, ::-1] if inside else triangles)


def _ball(subdivisions: int) -> Floats:
    """Return a ball that is shaded smoothly."""
    import trimesh

    corners = trimesh.creation.icosphere(subdivisions=subdivisions, radius=0.5).triangles
    return np.concatenate([corners, 2 * corners], axis=2)


def _around(low: Floats, high: Floats) -> Floats:
    """Two triangles for each side between two rings of points (n, k)."""
    low_next, high_next = (np.roll(ring, -1, axis=0) for ring in (low, high))
    return np.stack([low, high, high_next, low, high_next, low_next], axis=1).reshape(-1, 3, low.shape[1])


def _rod() -> Floats:
    """Return a round bar along x, without ends."""
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    out = np.column_stack([np.zeros(16), np.sin(angle), np.cos(angle)])
    return _around(*(np.hstack([0.5 * out + (x, 0, 0), out]) for x in (-0.5, 0.5)))


def _tube() -> Floats:
    quads = tube_wedges(UNIT)[:, _TUBE_FACES].reshape(-1, 4, 3)
    return _faceted(quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3, 3))


def _prickles() -> Floats:
    """Return cones on a ball, from radius 0.4 to 0.5. There are none in front (+z) and below."""
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
    faces = [np.stack((feet[k], feet[(k + 1) % 3], 0.5 * out), axis=1) for k in range(3)]
    return _faceted(np.concatenate(faces))


def _glyph(name: str) -> Floats:
    """Return a symbol in the plane x = 0, facing -x. Seen from there, right is towards -z."""
    right, up = np.moveaxis(fans(GLYPHS[name]), -1, 0)
    return _faceted(np.stack([np.zeros_like(right), up, -right], axis=-1)[:, [0, 2, 1]])


def _front_glyph(name: str) -> Floats:
    """Return a symbol in the plane z = 0, facing -z. Seen from there, right is towards +x."""
    return _glyph(name)[..., [2, 1, 0, 5, 4, 3]] * (-1, 1, 1, -1, 1, 1)


def crown() -> Floats:
    """Return the foliage of a tree of 4.x (n, 3, 3), metres. It is the hull of its corners."""
    corners = np.array(_CROWN)
    # Not by trimesh, which needs SciPy for a hull: a face has all other corners on one side.
    faces = np.array(list(combinations(range(len(corners)), 3)))
    one, two, three = corners[faces].transpose(1, 0, 2)
    heights = (corners - one[:, None]) @ np.cross(two - one, three - one)[:, :, None]
    own = (faces[:, :, None] == np.arange(len(corners))).any(1)
    outwards, inwards = (((sign * heights[..., 0] < 0) | own).all(1) for sign in (1, -1))
    return np.asarray(corners[np.vstack([faces[outwards], faces[inwards][:, ::-1]])])


def trunk() -> Floats:
    """Return a tree's trunk (n, 3, 3), metres, from ring to ring. The ends are never seen."""
    angles = np.radians(30 + 360 * np.arange(_TRUNK_SIDES) / _TRUNK_SIDES)
    rings = [
        np.column_stack([half * np.cos(angles), np.full(_TRUNK_SIDES, y), middle + half * np.sin(angles)])
        for y, half, middle in _TRUNK
    ]
    return np.concatenate([_around(low, high) for low, high in pairwise(rings)])


def extent_of(triangles: Floats) -> tuple[Floats, Floats]:
    """Return the centre (3,) and size (3,) of triangles (n, 3, 3)."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    return (low + high) / 2, high - low


def _fitted(made: Callable[[], Floats]) -> Floats:
    """Facets in metres, moved and scaled into the unit cube."""
    triangles = made()
    centre, size = extent_of(triangles)
    return _faceted((triangles - centre) / size)


def _rings() -> Floats:
    inner, outer = _RING
    angles = np.radians(np.arange(0, 361, 15))
    out = np.column_stack([np.cos(angles), np.sin(angles)])
    quads = [np.array([inner * a, outer * a, outer * b, inner * b]) for a, b in pairwise(out)]
    return _on_ball(quads, _MARK_RADII[0])


def _arrows(inward: bool) -> Floats:
    tip, tail = _INWARD if inward else _OUTWARD
    neck = tip + _HEAD if inward else tip - _HEAD
    shaft = np.array([(tail, -_SHAFT), (neck, -_SHAFT), (neck, _SHAFT), (tail, _SHAFT)])
    head = np.array([(neck, -_HEAD), (tip, 0.0), (neck, _HEAD)])
    turned = []
    for angle in np.radians(_ROLL_DEG + np.array([45, 135, 225, 315])):
        axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        turned += [shaft @ axes, head @ axes]
    return _on_ball(turned, _MARK_RADII[1])


def _on_ball(flat: Polygons, radius: float) -> Floats:
    """Return convex polygons around a mark's middle as triangles on the ball. Facing outwards, for each
    side."""
    import trimesh

    triangles = fans(flat)
    points, faces = trimesh.remesh.subdivide_to_size(  # type: ignore[no-untyped-call]
        np.concatenate([triangles.reshape(-1, 2), np.zeros((triangles.size // 2, 1))], axis=1),
        np.arange(triangles.size // 2).reshape(-1, 3),
        _LARGEST_EDGE,
    )
    points[:, 2] = np.sqrt(1 - (points[:, :2] ** 2).sum(axis=1))
    corners = np.concatenate([(points @ axes)[faces] for axes in _MARK_AXES]) * radius
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside_out = (normals * corners.mean(axis=1)).sum(axis=1) < 0
    corners[inside_out] = corners[inside_out, ::-1]
    return _faceted(corners)


_MADE: dict[str, Callable[[], Floats]] = {
    "box": _box,
    "inside": partial(_box, inside=True),
    "prism": lambda: _faceted(prism_vertices(UNIT)[np.array(_PRISM_FACES)]),
    "tube": _tube,
    "rod": _rod,
    "prickles": _prickles,
    **{ball: partial(_ball, level) for level, ball in enumerate(BALLS, start=1)},
    **{f"symbol {glyph}": partial(_glyph, glyph) for glyph in GLYPHS},
    "crown": partial(_fitted, crown),
    "trunk": partial(_fitted, trunk),
    "rings": _rings,
    "arrows in": partial(_arrows, inward=True),
    "arrows out": partial(_arrows, inward=False),
    **{f"front {glyph}": partial(_front_glyph, glyph) for glyph in GLYPHS},
}

MESHES = tuple(_MADE)
"""The names of all unit meshes."""
