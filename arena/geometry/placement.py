"""Exact tests whether an object's position is free.

Unity tests an oriented box (the object's bounding box, turned by its yaw) against the exact colliders of
the boundary, the agent and everything placed before (section 8.3 of the behaviour specification).
Colliders here are convex: boxes, prisms, balls, and tunnels as a ring of wedges.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from arena.geometry.placed import Placed
from arena.geometry.shapes import ARENA_SIZE, half_extents, parts_of, prism_vertices, tube_wedges
from arena.scene import Floats, Vector, yaw_rotation
from arena.taskfile.kind import Body, Shape

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_TUBE_SEGMENTS = 24
"""Number of wedges of a tunnel in the test; the error of a chord is below 1 % of the radius."""


@dataclass(frozen=True, slots=True)
class _Hull:
    """A convex collider: its vertices (n, 3), face normals and edge directions (m, 3), in metres."""

    vertices: Floats
    normals: Floats
    edges: Floats

    @property
    def low(self) -> Floats:
        low: Floats = self.vertices.min(axis=0)
        return low

    @property
    def high(self) -> Floats:
        high: Floats = self.vertices.max(axis=0)
        return high


@dataclass(frozen=True, slots=True)
class _Ball:
    centre: Floats
    radius: float


class OccupiedSpace:
    """The colliders placed so far; checked before each new object is placed."""

    def __init__(self) -> None:
        self._hulls: list[_Hull] = []
        self._balls: list[_Ball] = []
        self._centres, self._radii = np.empty((0, 3)), np.empty((0, 1))
        self._low = np.empty((0, 3))
        self._high = np.empty((0, 3))

    def is_free(self, placed: Placed) -> bool:
        """Whether the object's box is inside the boundary and overlaps nothing solid.

        Zones may overlap anything except the boundary, and do not block later objects.
        """
        box = _box(placed, np.array(half_extents(placed.kind.shape, placed.size, placed.kind.fitted)))
        if not _inside(box):
            return False
        return placed.kind.body is Body.ZONE or not (self._hits_ball(box) or self._hits_hull(box))

    def is_free_point(self, point: Vector) -> bool:
        """Whether a point is inside the boundary and inside no collider."""
        here = np.array(point)
        if not (0 <= here[0] <= ARENA_SIZE and 0 <= here[2] <= ARENA_SIZE):
            return False
        if any(np.linalg.norm(here - ball.centre) < ball.radius for ball in self._balls):
            return False
        return not any(_contains(hull, here) for hull in self._hulls)

    def add(self, placed: Placed) -> None:
        """Add an object; zones occupy no space."""
        if placed.kind.body is Body.ZONE:
            return
        if placed.kind.shape is Shape.BALL:
            self.add_ball(placed.position, placed.size[0] / 2)
        for hull in _hulls(placed):
            self._hulls.append(hull)
            self._low = np.vstack([self._low, hull.low])
            self._high = np.vstack([self._high, hull.high])

    def add_ball(self, centre: Vector, radius: float) -> None:
        """Add a ball, or the agent, at `centre` (metres)."""
        self._balls.append(_Ball(np.array(centre), radius))
        self._centres = np.vstack([self._centres, centre])
        self._radii = np.vstack([self._radii, radius])

    def _hits_ball(self, box: _Hull) -> bool:
        centre = box.vertices.mean(axis=0)
        half = np.ptp((box.vertices - centre) @ box.normals.T, axis=0) / 2
        reach = self._radii + 1e-6
        near = np.all((self._centres + reach > box.low) & (self._centres - reach < box.high), axis=1)
        for ball in (self._balls[index] for index in np.flatnonzero(near)):
            local = (ball.centre - centre) @ box.normals.T
            if np.linalg.norm(local - np.clip(local, -half, half)) < ball.radius:
                return True
        return False

    def _hits_hull(self, box: _Hull) -> bool:
        near = np.all((self._low < box.high) & (self._high > box.low), axis=1)
        return any(_overlap(box, self._hulls[index]) for index in np.flatnonzero(near))


def _box(placed: Placed, half: Floats, centre: Vector = (0.0, 0.0, 0.0)) -> _Hull:
    turn = yaw_rotation(placed.yaw)
    vertices = (_CORNERS * half + np.array(centre)) @ turn.T + np.array(placed.position)
    return _Hull(vertices, turn.T, turn.T)


def _hulls(placed: Placed) -> list[_Hull]:
    """The convex parts of the exact collider."""
    shape = placed.kind.shape
    if shape is Shape.BOX:
        return [_box(placed, np.array(placed.size) / 2)]
    if parts := parts_of(shape, placed.size, placed.kind.fitted):
        return [_box(placed, np.array(part.size) / 2, part.centre) for part in parts]
    if shape is Shape.PRISM:
        edges = np.array(
            [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, -placed.size[1], placed.size[2])]
        )
        return [_moved(placed, prism_vertices(placed.size), edges)]
    if shape is Shape.TUBE:
        return [
            _moved(placed, wedge, _wedge_edges(wedge)) for wedge in tube_wedges(placed.size, _TUBE_SEGMENTS)
        ]
    return []


def _moved(placed: Placed, vertices: Floats, edges: Floats) -> _Hull:
    turn = yaw_rotation(placed.yaw)
    normals = np.array([np.cross(a, b) for i, a in enumerate(edges) for b in edges[i + 1 :]])
    kept = normals[np.linalg.norm(normals, axis=1) > 1e-9]
    return _Hull(vertices @ turn.T + np.array(placed.position), kept @ turn.T, edges @ turn.T)


def _wedge_edges(wedge: Floats) -> Floats:
    """Directions of a wedge's edges; its vertices are four points at one end, then the same at the other."""
    a, b, c, d = wedge[:4]
    return np.array([(0.0, 0.0, 1.0), b - a, c - b, d - c, a - d])


def _inside(box: _Hull) -> bool:
    low, high = box.low, box.high
    return bool(low[0] > 0 and low[2] > 0 and high[0] < ARENA_SIZE and high[2] < ARENA_SIZE)


def _overlap(a: _Hull, b: _Hull) -> bool:
    """Separating-axis test of two convex bodies; touching does not count as overlap."""
    crosses = np.cross(a.edges[:, None], b.edges[None]).reshape(-1, 3)
    axes = np.vstack([a.normals, b.normals, crosses])
    axes = axes[np.einsum("ij,ij->i", axes, axes) > 1e-12]
    of_a, of_b = a.vertices @ axes.T, b.vertices @ axes.T
    apart = (of_a.max(axis=0) <= of_b.min(axis=0)) | (of_b.max(axis=0) <= of_a.min(axis=0))
    return not bool(apart.any())


def _contains(hull: _Hull, point: Floats) -> bool:
    along = hull.vertices @ hull.normals.T
    here = point @ hull.normals.T
    return bool(np.all((here > along.min(axis=0)) & (here < along.max(axis=0))))
