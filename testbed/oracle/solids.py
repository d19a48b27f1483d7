"""Obstacles as upright blocks: an arena's true state in numbers."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import TUBE_INNER, parts_of
from arena.scene import Floats, Scene, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body, Shape

LOOSE = frozenset(name for name, kind in KINDS.items() if kind.is_loose)
"""Kinds that an agent can push. They have 1 to 2 kg against its 100 kg in v3.1.3."""


class Solid(NamedTuple):
    """An upright block, metres: rectangle, flat bottom, perhaps sloping top.

    `centre` (x, z); `across` and `along` are unit vectors (x, z) of its two sides, `half` half their lengths.
    The top is at `top[0]` at the near end of `along` and at `top[1]` at its far end.
    """

    centre: tuple[float, float]
    across: tuple[float, float]
    along: tuple[float, float]
    half: tuple[float, float]
    bottom: float
    top: tuple[float, float]


def solids(scene: Scene, loose: bool = True) -> list[Solid]:
    """Return all solid things except balls; without movable ones unless `loose`."""
    found: list[Solid] = []
    for index, thing in enumerate(scene.things):
        kind = KINDS[thing.kind]
        if kind.body is Body.ZONE or kind.is_goal or not scene.visible[index]:
            continue
        if loose or thing.kind not in LOOSE:
            found += solids_of(scene, index)
    return found


def solids_of(scene: Scene, index: int) -> list[Solid]:
    """Return the blocks of one thing; a zone is one block."""
    shape, size = KINDS[scene.things[index].kind].shape, tuple(scene.sizes[index])
    position, rotation = scene.positions[index], scene.rotations[index]
    if shape is Shape.PRISM:
        slope = _upright(position, rotation, (0.0, 0.0, 0.0), size)
        return [slope._replace(top=(slope.top[0], slope.bottom))]
    if shape is Shape.TUBE:
        return _tube(position, rotation, size)
    if parts := parts_of(shape, size):
        return [_upright(position, rotation, part.centre, part.size) for part in parts]
    return [_upright(position, rotation, (0.0, 0.0, 0.0), size)]


def _upright(position: Floats, rotation: Floats, centre: Vector, size: Vector) -> Solid:
    """Return a box as an upright block on its most upright axis. A tilted one gets its full height."""
    middle = position + rotation @ np.array(centre)
    half = np.array(size) / 2
    upright = int(np.abs(rotation[1]).argmax())
    first, second = [axis for axis in (0, 1, 2) if axis != upright]
    along = rotation[[0, 2], second]
    along = along / np.hypot(*along)
    rise = float(np.abs(rotation[1]) @ half)
    if rise < half[upright] + 0.02:
        rise = float(half[upright])
    return Solid(
        (float(middle[0]), float(middle[2])),
        (float(along[1]), float(-along[0])),
        (float(along[0]), float(along[1])),
        (float(half[first]), float(half[second])),
        float(middle[1]) - rise,
        (float(middle[1]) + rise, float(middle[1]) + rise),
    )


def _tube(position: Floats, rotation: Floats, size: Vector) -> list[Solid]:
    """Return a tunnel as 24 columns, 0.1 m wide. Full height outside the opening, vault above it."""
    radius_x, radius_y, length = size[0] / 2, size[1] / 2, size[2]
    edges = np.linspace(-radius_x, radius_x, 25)
    columns = []
    for low, high in pairwise(edges):
        near = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        far = max(abs(low), abs(high))
        top = radius_y * np.sqrt(max(0.0, 1 - (near / radius_x) ** 2))
        inside = (far / (radius_x * TUBE_INNER)) ** 2
        bottom = radius_y * TUBE_INNER * np.sqrt(1 - inside) if inside < 1 else -1.0
        centre = ((low + high) / 2, float(top + bottom) / 2, 0.0)
        columns.append(_upright(position, rotation, centre, (high - low, float(top - bottom), length)))
    return columns
