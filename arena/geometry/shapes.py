"""Vertices and parts of all shapes, shared by colliders and renderers.

All shapes are centred on the origin of their own frame (x right, y up, z forward, before any yaw),
except the bars of the L, J and U blocks, whose origin is the centre of the long bar.
"""

from typing import NamedTuple

import numpy as np

from arena.scene import Floats, Vector, sin_cos
from arena.taskfile.kind import Shape

ARENA_SIZE = 40.0
"""Range of x and z, metres. The boundary's inner faces are at 0 and here."""

FLOOR_Y = -0.01
"""Height of the floor's surface, metres (`AAI3Arena.prefab`)."""

BARS = (Shape.L_BARS, Shape.J_BARS, Shape.U_BARS)
"""Shapes composed of a long bar and feet."""

TRUNK = 0.9
"""Thickness of a tree's trunk, metres. Our choice, so that fruit falls freely. The original is a mesh."""

DOORWAY = (1.15, 1.0)
"""Height and width of a dispenser's or container's doorway, metres."""

HOUSE_WALL = 0.1
"""Thickness of a house's walls, metres; our choice. The original's mesh is not documented."""

BUTTON_ASIDE = -0.204
"""Place of a button's pillar along z in version 4, metres (`SpawnerButton.prefab`)."""

PLATE_HEIGHT = 0.4
"""Height of a machine's plate, metres."""

PLATE_ROW = -0.3
"""Position of the things on a plate along its z, metres. They are spread evenly over its length."""

DIGITS = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
"""Lit segments of each digit: clockwise from the top, then the middle."""

_SEGMENTS = {
    "a": (0, 2, 0), "b": (1, 1, 1), "c": (1, -1, 1), "d": (0, -2, 0), "e": (-1, -1, 1), "f": (-1, 1, 1),
    "g": (0, 0, 0),
}  # fmt: skip
"""Middle of each segment, and whether it is upright. Units are half widths and quarters of the height."""

SEGMENTS = 3 * len(_SEGMENTS)
"""Number of segments of a meter's three digits."""

BOARD_SIZE = (3.9, 2.1, 0.1)
"""Size of the board of a meter, metres."""

DIGIT_M = (0.75, 1.5)
"""Width and height of a digit, metres, between its segments' middles. Digits are 1.2 m apart."""

TUBE_SEGMENTS = 100
TUBE_INNER = 0.3933 / 0.5
"""Inner over outer semi-axis of a tunnel (`Cylinder.blend`: radius 1.04, wall 0.222)."""


class Part(NamedTuple):
    """A box of a composed shape: centre and size, metres. Axis-aligned, in the shape's own frame."""

    centre: Vector
    size: Vector


def prism_vertices(size: Vector) -> Floats:
    """Return the six corners (6, 3) of a ramp. Its slope falls from -z to +z."""
    x, y, z = (s / 2 for s in size)
    return np.array(
        [(-x, -y, -z), (x, -y, -z), (-x, -y, z), (x, -y, z), (-x, y, -z), (x, y, -z)], dtype=np.float64
    )


def bar_parts(shape: Shape, size: Vector, fitted: bool = False) -> tuple[Part, ...]:
    """Return the bar and feet of an L, J or U block. `size` is that of the YAML.

    The prefab scales its mesh by 0.3 of the size in x and 0.1 in z, and turns it by 90 degrees: at yaw 0 the
    bar lies along x, the feet of L and U point to -z, the foot of J to +z, and the foot of L and J is at the
    -x end. Colliders are those of v3.1.3, a bar 10 long and feet of 3 by 1, or with `fitted` those of 4.x,
    where the bar extends over the feet, which protrude by 2 (`_FITTED`).
    """
    width, height, length = 0.3 * size[0], size[1], 0.1 * size[2]
    parts = (_FITTED if fitted else _BARS)[shape]

    def scaled(vector: Vector) -> Vector:
        return (vector[0] * length, vector[1] * height, vector[2] * width)

    return tuple(Part(scaled(part.centre), scaled(part.size)) for part in parts)


_BAR, _FOOT = Part((0.0, 0.0, 0.0), (10.0, 1.0, 1.0)), (1.0, 1.0, 3.0)

_BARS: dict[Shape, tuple[Part, ...]] = {
    Shape.L_BARS: (_BAR, Part((-5.5, 0.0, -1.0), _FOOT)),
    Shape.J_BARS: (_BAR, Part((-5.5, 0.0, 1.0), _FOOT)),
    Shape.U_BARS: (_BAR, Part((-5.5, 0.0, -1.0), _FOOT), Part((5.5, 0.0, -1.0), _FOOT)),
}
"""Colliders of v3.1.3 before scaling."""


_FITTED: dict[Shape, tuple[Part, ...]] = {
    Shape.L_BARS: (
        Part((-0.5, 0.0, 0.0174), (11.0, 1.0, 0.9652)),
        Part((-5.5224, 0.0, -1.4894), (0.9552, 1.0, 2.0212)),
    ),
    Shape.J_BARS: (
        Part((-0.5, -0.03244, -0.0165), (11.0, 1.06487, 0.9914)),
        Part((-5.5046, 0.0, 1.4891), (0.9908, 1.0, 2.0219)),
    ),
    Shape.U_BARS: (
        Part((0.0, 0.0, -0.0015), (12.0, 1.0, 1.0029)),
        Part((-5.4993, 0.0, -1.5023), (1.0014, 1.0, 1.9954)),
        Part((5.5043, 0.0, -1.5130), (0.9914, 1.0, 2.0031)),
    ),
}
"""Colliders of 4.x before scaling (`LBlock.prefab`, `JBlock.prefab`, `UBlock.prefab`). The bar of J reaches
below its mesh, which therefore does not touch the floor."""


def house_parts(size: Vector) -> tuple[Part, ...]:
    """Return floor, roof and walls of a house. Its doorway is on the -x side (`Assets/Prefabs`)."""
    x, y, z = size
    thin, (tall, wide) = HOUSE_WALL, DOORWAY
    front, back = -x / 2 + thin / 2, x / 2 - thin / 2
    post = (z - wide) / 2
    lintel = y - 2 * thin - tall
    return (
        Part((0.0, -y / 2 + thin / 2, 0.0), (x, thin, z)),
        Part((0.0, y / 2 - thin / 2, 0.0), (x, thin, z)),
        Part((back, 0.0, 0.0), (thin, y - 2 * thin, z)),
        Part((0.0, 0.0, (thin - z) / 2), (x - 2 * thin, y - 2 * thin, thin)),
        Part((0.0, 0.0, (z - thin) / 2), (x - 2 * thin, y - 2 * thin, thin)),
        Part((front, 0.0, (post - z) / 2), (thin, y - 2 * thin, post)),
        Part((front, 0.0, (z - post) / 2), (thin, y - 2 * thin, post)),
        Part((front, y / 2 - thin - lintel / 2, 0.0), (thin, lintel, wide)),
    )


def door_part(size: Vector) -> Part:
    """Return the closed door of a dispenser or container, in its frame."""
    tall, wide = DOORWAY
    middle = -size[1] / 2 + HOUSE_WALL + tall / 2
    return Part(((HOUSE_WALL - size[0]) / 2, middle, 0.0), (HOUSE_WALL, tall, wide))


def _button_parts(size: Vector, fitted: bool) -> tuple[Part, ...]:
    """Return the pillar and plate of a button. The button itself gives way and is left out; measures are
    those of pictures of 4.3. Before version 4 a button is a box in its place."""
    if not fitted:
        return (Part((0.0, 0.0, 0.0), size),)
    plate = 0.845 - size[1] / 2
    return (
        Part((0.0, 0.0, BUTTON_ASIDE), (size[0], size[1], 0.41)),
        Part((0.22, plate, BUTTON_ASIDE), (0.25, 0.49, 0.58)),
    )


def button_trigger(size: Vector) -> Part:
    """Return the box that an agent touches to press a version-4 button. It is in front of the button: its
    scale and place in `SpawnerButton.prefab`, times 39.96."""
    return Part((0.2874, 0.6853 - size[1] / 2, BUTTON_ASIDE), (0.1731, 0.7324, 0.7324))


def _machine_parts(size: Vector) -> tuple[Part, ...]:
    """Return a machine's plate and its lamp's post. It stands behind the things on the plate."""
    x, y, z = size
    return (
        Part((0.0, (PLATE_HEIGHT - y) / 2, 0.0), (x, PLATE_HEIGHT, z)),
        Part((0.0, PLATE_HEIGHT / 2, z / 2 - 0.2), (0.2, y - PLATE_HEIGHT, 0.2)),
    )


def lamp_centre(size: Vector, lamp: Vector) -> Vector:
    """Return the centre of a lamp on its post, in machine coordinates."""
    return (0.0, (size[1] + lamp[1]) / 2, size[2] / 2 - 0.2)


def segment_parts() -> tuple[Part, ...]:
    """Return the segments of three digits around their board's middle. They begin at the left and face -z."""
    (wide, tall), sizes = DIGIT_M, ((0.57, 0.18, 0.05), (0.18, 0.57, 0.05))
    return tuple(
        Part((x + wide / 2 * right, tall / 4 * up, 0.0), sizes[upright])
        for x in (-1.2, 0.0, 1.2)
        for right, up, upright in _SEGMENTS.values()
    )


def lit_segments(number: int) -> frozenset[int]:
    """Return the lit segments of a number from -99 to 999. They are places in `segment_parts`."""
    lit = (DIGITS[int(each)] if each.isdigit() else "g" if each == "-" else "" for each in f"{number:3d}")
    names = "".join(_SEGMENTS)
    return frozenset(7 * place + names.index(each) for place, found in enumerate(lit) for each in found)


def plate_place(size: Vector, number: int, height: float) -> Vector:
    """Return the centre of thing `number`, 0 to 5, on a plate. It is relative to the machine's foot."""
    return (size[0] * ((number + 0.5) / 6 - 0.5), PLATE_HEIGHT + height / 2, PLATE_ROW)


def parts_of(shape: Shape, size: Vector, fitted: bool = False) -> tuple[Part, ...]:
    """Return the boxes of a composed shape; empty for others."""
    if shape in BARS:
        return bar_parts(shape, size, fitted)
    if shape is Shape.BUTTON:
        return _button_parts(size, fitted)
    if shape is Shape.MACHINE:
        return _machine_parts(size)
    if shape is Shape.TREE:
        return (Part((0.0, 0.0, 0.0), (TRUNK, size[1], TRUNK)),)
    return house_parts(size) if shape is Shape.HOUSE else ()


def boundary_parts() -> tuple[Part, ...]:
    """Return the four walls around the arena. 1 thick, 400 high, 42 long (`AAI3Arena.prefab`)."""
    middle, thick, height = ARENA_SIZE / 2, 1.0, 400.0
    long = ARENA_SIZE + 2 * thick
    parts = []
    for across in (-thick / 2, ARENA_SIZE + thick / 2):
        parts.append(Part((across, 0.0, middle), (thick, height, long)))
        parts.append(Part((middle, 0.0, across), (long, height, thick)))
    return tuple(parts)


def box_size(shape: Shape, size: Vector, fitted: bool = False) -> Vector:
    """Return the size (metres) of the box for the placement test.

    It is around the object's origin. For L, J and U blocks it is that of their first collider in 4.x, the
    bar, and before of all together (`UnityEngineExtensions.cs`).
    """
    if shape not in BARS:
        return size
    bar, *feet = bar_parts(shape, size, fitted)
    if fitted:
        return bar.size
    parts = np.array([bar, *feet])
    low, high = (parts[:, 0] + side * parts[:, 1] / 2 for side in (-1, 1))
    x, y, z = (high.max(axis=0) - low.min(axis=0)).tolist()
    return (x, y, z)


def ring(radius_x: float, radius_y: float, segments: int = TUBE_SEGMENTS) -> Floats:
    """Return points (segments, 2) of an ellipse around the tunnel's axis. They are in its x-y plane."""
    sines = [sin_cos(360 * segment / segments) for segment in range(segments)]
    return np.array([(radius_x * cos, radius_y * sin) for sin, cos in sines])


def tube_wedges(size: Vector) -> Floats:
    """Return the tunnel as convex wedges (n, 8, 3). A wedge has four corners at -z, then the same four at +z.
    The axis is z; outer semi-axes are half the size in x and y, inner ones `TUBE_INNER` of those."""
    outer = ring(size[0] / 2, size[1] / 2)
    inner = outer * TUBE_INNER
    sections = np.stack([outer, np.roll(outer, -1, axis=0), np.roll(inner, -1, axis=0), inner], axis=1)
    return np.concatenate([np.insert(sections, 2, z, axis=2) for z in (-size[2] / 2, size[2] / 2)], axis=1)
