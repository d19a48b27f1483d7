"""Vertices and parts of every shape, shared by the colliders and the picture.

All shapes are centred on the origin of their own frame (x right, y up, z forward, before any yaw),
except the bars of the L, J and U blocks, whose origin is the centre of the long bar.
"""

from typing import NamedTuple

import numpy as np

from arena.catalog import Shape
from arena.scene import Floats, Vector

TUBE_SEGMENTS = 100
TUBE_INNER = 0.3933 / 0.5
"""Inner over outer semi-axis of a tunnel (`Cylinder.blend`: radius 1.04, wall 0.222)."""


class Part(NamedTuple):
    """An axis-aligned box of a composed shape: centre and size in metres, in the shape's own frame."""

    centre: Vector
    size: Vector


def prism_vertices(size: Vector) -> Floats:
    """The six corners (6, 3) of a ramp: full base, vertical face at -z, slope falling towards +z."""
    x, y, z = (s / 2 for s in size)
    return np.array(
        [(-x, -y, -z), (x, -y, -z), (-x, -y, z), (x, -y, z), (-x, y, -z), (x, y, -z)],
        dtype=np.float64,
    )


def bar_parts(shape: Shape, size: Vector) -> tuple[Part, ...]:
    """The long bar and the feet of an L, J or U block of the given YAML size.

    The prefab scales its mesh by 0.3 of the size in x and 0.1 in z, and turns it by 90 degrees: at
    yaw 0 the bar lies along x, the feet of L and U point to -z, the foot of J to +z, and the foot of L
    and J is at the -x end. Colliders are those of v3.1.3: a bar 10 long and feet of 3 by 1.
    """
    width, height, length = 0.3 * size[0], size[1], 0.1 * size[2]
    side = 1.0 if shape is Shape.J_BARS else -1.0
    foot_size = (length, height, 3 * width)
    parts = [Part((0.0, 0.0, 0.0), (10 * length, height, width))]
    parts.append(Part((-5.5 * length, 0.0, side * width), foot_size))
    if shape is Shape.U_BARS:
        parts.append(Part((5.5 * length, 0.0, side * width), foot_size))
    return tuple(parts)


def ring(radius_x: float, radius_y: float, segments: int = TUBE_SEGMENTS) -> Floats:
    """Points (segments, 2) of an ellipse around the tunnel's axis, in its x-y plane."""
    angle = np.linspace(0.0, 2 * np.pi, segments, endpoint=False)
    return np.stack([radius_x * np.cos(angle), radius_y * np.sin(angle)], axis=1)
