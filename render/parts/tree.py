"""The tree of 4.x: a faceted crown on a thin, bent trunk, from corners of our own.

Corners are in metres from the middle of the foot, x right, y up, z forward; heights and widths are those of
pictures of 4.3, from one side.
"""

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Vector

Corners = npt.NDArray[np.float64]

_CROWN = (
    (0.0, 2.2, 0.1), (0.5, 2.6, -1.3), (0.6, 2.7, 1.1), (-1.0, 2.7, -0.7), (-0.9, 2.8, 0.8),
    (0.7, 3.2, -2.2), (2.2, 3.3, -0.9), (2.4, 3.0, 0.7), (0.9, 3.4, 2.2), (-1.9, 3.4, -1.2), (-2.1, 3.5, 1.3),
    (0.8, 4.1, -2.9), (1.9, 4.3, -1.6), (2.5, 4.0, -0.2), (2.0, 4.0, 1.2), (0.6, 4.3, 2.4),
    (-2.6, 4.2, 0.1), (-1.6, 4.4, -2.0), (-1.7, 4.4, 2.0),
    (0.8, 5.2, -2.1), (0.9, 5.9, -0.9), (0.0, 6.0, 0.6), (0.4, 5.7, 2.1), (-1.6, 5.6, -0.6), (-1.5, 5.5, 1.0),
)  # fmt: skip

_TRUNK = ((0.0, 0.43, -0.02), (0.3, 0.23, -0.08), (1.4, 0.21, -0.14), (2.5, 0.19, -0.19))
"""Height, half width, and how far the middle is bent to the side, from the foot up."""

_TRUNK_SIDES = 6


class Model(NamedTuple):
    """A solid in its own frame: its triangles' corners (n, 3, 3) in a cube of side 1, and its place.

    `centre` and `size` in metres give the solid at its foot.
    """

    triangles: Corners
    centre: Vector
    size: Vector


def crown() -> Model:
    """The foliage, the hull of its corners."""
    corners = np.array(_CROWN)
    # Not by trimesh, which needs SciPy for a hull: a face has all other corners on one side.
    faces = np.array(list(combinations(range(len(corners)), 3)))
    one, two, three = corners[faces].transpose(1, 0, 2)
    heights = (corners - one[:, None]) @ np.cross(two - one, three - one)[:, :, None]
    own = (faces[:, :, None] == np.arange(len(corners))).any(1)
    outwards, inwards = (((sign * heights[..., 0] < 0) | own).all(1) for sign in (1, -1))
    return _model(corners[np.vstack([faces[outwards], faces[inwards][:, ::-1]])])


def trunk() -> Model:
    """The trunk, from ring to ring; its ends are never seen."""
    angles = np.radians(30 + 360 * np.arange(_TRUNK_SIDES) / _TRUNK_SIDES)
    rings = [
        np.column_stack([half * np.cos(angles), np.full(_TRUNK_SIDES, y), middle + half * np.sin(angles)])
        for y, half, middle in _TRUNK
    ]
    sides = []
    for low, high in pairwise(rings):
        low_next, high_next = (np.roll(ring, -1, axis=0) for ring in (low, high))
        sides += [np.stack([low, high, high_next], 1), np.stack([low, high_next, low_next], 1)]
    return _model(np.concatenate(sides))


def _model(triangles: Corners) -> Model:
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    centre, size = (low + high) / 2, high - low
    x, y, z = centre.tolist()
    wide, tall, deep = size.tolist()
    return Model((triangles - centre) / size, (x, y, z), (wide, tall, deep))
