"""Vertices and parts of every shape, shared by the colliders and the picture.

All shapes are centred on the origin of their own frame (x right, y up, z forward, before any yaw),
except the bars of the L, J and U blocks, whose origin is the centre of the long bar.
"""

from typing import NamedTuple

import numpy as np

from arena.catalog import Shape
from arena.scene import Floats, Vector

ARENA_SIZE = 40.0
"""Spawn range in x and z, metres; the boundary's inner faces stand at 0 and here."""

FLOOR_Y = -0.01
"""Height of the floor's surface, metres (`AAI3Arena.prefab`)."""

BARS = (Shape.L_BARS, Shape.J_BARS, Shape.U_BARS)
"""Shapes composed of a long bar and feet."""

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


def boundary_parts() -> tuple[Part, ...]:
    """The four walls round the arena, in its own frame: 1 thick, 400 high, 42 long (section 3.4)."""
    middle, thick, height = ARENA_SIZE / 2, 1.0, 400.0
    long = ARENA_SIZE + 2 * thick
    parts = []
    for across in (-thick / 2, ARENA_SIZE + thick / 2):
        parts.append(Part((across, 0.0, middle), (thick, height, long)))
        parts.append(Part((middle, 0.0, across), (long, height, thick)))
    return tuple(parts)


def half_extents(shape: Shape, size: Vector) -> Vector:
    """Half the box (metres) that the placement test uses: for L, J and U blocks that of the bar alone."""
    x, y, z = bar_parts(shape, size)[0].size if shape in BARS else size
    return (x / 2, y / 2, z / 2)


def ring(radius_x: float, radius_y: float, segments: int = TUBE_SEGMENTS) -> Floats:
    """Points (segments, 2) of an ellipse around the tunnel's axis, in its x-y plane."""
    angle = np.linspace(0.0, 2 * np.pi, segments, endpoint=False)
    return np.stack([radius_x * np.cos(angle), radius_y * np.sin(angle)], axis=1)


def tube_wedges(size: Vector, segments: int = TUBE_SEGMENTS) -> list[Floats]:
    """The tunnel as convex wedges, each eight corners (8, 3): four at -z, then the same four at +z.

    The axis is z; outer semi-axes are half the size in x and y, inner ones `TUBE_INNER` of those.
    """
    outer = ring(size[0] / 2, size[1] / 2, segments)
    inner = outer * TUBE_INNER
    wedges = []
    for here in range(segments):
        there = (here + 1) % segments
        section = np.array([outer[here], outer[there], inner[there], inner[here]])
        ends = [np.column_stack([section, np.full(4, z)]) for z in (-size[2] / 2, size[2] / 2)]
        wedges.append(np.vstack(ends))
    return wedges
