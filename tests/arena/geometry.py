"""Exact distances from a ball to everything solid, worked out apart from the physics and from placement.

Every shape of the arena is a flat convex outline, or a few, drawn out along one axis.
"""

from typing import NamedTuple

import numpy as np

from arena.geometry.placed import Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, parts_of, prism_vertices, tube_wedges
from arena.scene import Floats, Scene, Vector, yaw_rotation
from arena.taskfile.kind import Body, Shape

STANDS = 0.025
"""A wall that is this near to where it was placed, metres, and as little turned, stands; all sink 0.02."""


class Solid(NamedTuple):
    """Convex outlines (n, corners, 2) in the plane of two axes, from -half to half along the third.

    `axes` are the outline's two axes and the one it is drawn out along; `centre` in metres.
    """

    axes: tuple[int, int, int]
    outlines: Floats
    half: float
    centre: Vector = (0.0, 0.0, 0.0)

    def distance(self, point: Floats) -> float:
        """From a point in the shape's own frame to the surface, metres; negative inside."""
        local = point - np.array(self.centre)
        flat = _distance_to_outlines(self.outlines, local[list(self.axes[:2])])
        along = abs(float(local[self.axes[2]])) - self.half
        if flat <= 0 and along <= 0:
            return max(flat, along)
        return float(np.hypot(max(flat, 0.0), max(along, 0.0)))


def _distance_to_outlines(outlines: Floats, point: Floats) -> float:
    """From a point to the nearest of several convex polygons (n, corners, 2); negative inside one."""
    edges = np.roll(outlines, -1, axis=1) - outlines
    to_point = point - outlines
    share = np.clip((to_point * edges).sum(axis=2) / (edges * edges).sum(axis=2), 0, 1)
    away = to_point - share[:, :, None] * edges
    nearest = np.sqrt((away * away).sum(axis=2)).min(axis=1)
    sides = edges[:, :, 0] * to_point[:, :, 1] - edges[:, :, 1] * to_point[:, :, 0]
    inside = np.all(sides > 0, axis=1) | np.all(sides < 0, axis=1)
    return float(np.where(inside, -nearest, nearest).min())


def _box(size: Vector, centre: Vector = (0.0, 0.0, 0.0)) -> Solid:
    x, y, z = (length / 2 for length in size)
    return Solid((0, 2, 1), np.array([[(-x, -z), (x, -z), (x, z), (-x, z)]]), y, centre)


def solids(placed: Placed) -> list[Solid]:
    """What a placed thing is made of; an unknown shape fails here, to be added."""
    shape, size = placed.kind.shape, placed.size
    if shape is Shape.BOX:
        return [_box(size)]
    if parts := parts_of(shape, size, placed.kind.fitted):
        return [_box(part.size, part.centre) for part in parts]
    if shape is Shape.PRISM:
        side = prism_vertices(size)[[0, 2, 4]][:, [1, 2]]
        return [Solid((1, 2, 0), side[None], size[0] / 2)]
    if shape is Shape.TUBE:
        wedges = np.array([wedge[:4, :2] for wedge in tube_wedges(size)])
        return [Solid((0, 1, 2), wedges, size[2] / 2)]
    raise NotImplementedError(f"tests/arena/geometry.py does not know {shape}")


class Walls:
    """All that cannot move in an arena, and the walls and ramps that stand where they were at the start."""

    def __init__(self, things: tuple[Placed, ...]) -> None:
        self._parts = [
            (index, placed.kind.name, np.array(placed.position), yaw_rotation(placed.yaw), solid)
            for index, placed in enumerate(things)
            if placed.kind.body is Body.STATIC or placed.kind.is_heavy
            for solid in solids(placed)
        ]

    def depth(self, centre: Vector, radius: float, scene: Scene) -> tuple[float, str]:
        """How deep a ball is in what it is deepest in, metres, and the name of that."""
        x, y, z = centre
        edges = {"floor": y - FLOOR_Y, "boundary": min(x, z, ARENA_SIZE - x, ARENA_SIZE - z)}
        depths = [(radius - gap, name) for name, gap in edges.items()]
        for index, name, position, turn, solid in self._parts:
            at, now = scene.positions[index], scene.rotations[index]
            if np.abs(at - position).max() > STANDS or np.abs(now - turn).max() > STANDS:
                continue
            gap = solid.distance((np.array(centre) - at) @ now)
            depths.append((radius - gap, name))
        return max(depths)
