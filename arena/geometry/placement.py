"""Exact tests whether an object's position is free.

Unity tests an oriented box (the object's bounding box, turned by its yaw) against the exact colliders of
the boundary, the agent and everything placed before (section 8.3 of the behaviour specification). Everything
stands upright, so it is enough to compare areas seen from above: that of the box with that of each collider
between the heights of the box's bottom and top. For ramps and tunnels too, these are rectangles.
"""

from collections.abc import Callable
from functools import partial
from math import cos, hypot, radians, sin
from typing import NamedTuple

import numpy as np

from arena.geometry.placed import Placed
from arena.geometry.shapes import ARENA_SIZE, TUBE_INNER, Part, box_size, parts_of, ring
from arena.scene import Vector
from arena.taskfile.kind import Body, Shape

_ORIGIN: Vector = (0.0, 0.0, 0.0)

_ACROSS, _UP = ring(1.0, 1.0, 24)[:7].T
"""A quarter of a tunnel of radius 1; with 24 sides the error of a chord is below 1 % of the radius."""

_Bounds = tuple[float, float, float, float]
"""Lowest and highest x, lowest and highest z."""


class _Box(NamedTuple):
    """An upright box: its middle, half its lengths along its own x and z, the heights of its bottom and top,
    and cosine and sine of its yaw."""

    x: float
    z: float
    half_x: float
    half_z: float
    low: float
    high: float
    cos: float
    sin: float

    @property
    def bounds(self) -> _Bounds:
        """Its bounds along the arena's axes."""
        cos, sin = abs(self.cos), abs(self.sin)
        x, z = cos * self.half_x + sin * self.half_z, sin * self.half_x + cos * self.half_z
        return self.x - x, self.x + x, self.z - z, self.z + z

    def along(self, x: float, z: float) -> tuple[float, float]:
        """The components of a vector along its own x and z."""
        return x * self.cos - z * self.sin, x * self.sin + z * self.cos

    def moved(self, x: float, z: float, half_x: float, half_z: float) -> "_Box":
        """Another box in the frame of this one."""
        x, z = x * self.cos + z * self.sin, z * self.cos - x * self.sin
        return _Box(self.x + x, self.z + z, half_x, half_z, *self[4:])

    def overlaps(self, other: "_Box") -> bool:
        """Separating-axis test; touching does not count as overlap."""
        if self.high <= other.low or other.high <= self.low:
            return False
        return not (self._separates(other) or other._separates(self))

    def _separates(self, other: "_Box") -> bool:
        """Whether its x or z separates it from another box."""
        turned = abs(self.cos * other.cos + self.sin * other.sin)
        askew = abs(self.sin * other.cos - self.cos * other.sin)
        half_x = turned * other.half_x + askew * other.half_z
        half_z = askew * other.half_x + turned * other.half_z
        (x, z), (other_x, other_z) = self.along(self.x, self.z), self.along(other.x, other.z)
        return (
            x + self.half_x <= other_x - half_x
            or other_x + half_x <= x - self.half_x
            or z + self.half_z <= other_z - half_z
            or other_z + half_z <= z - self.half_z
        )


class OccupiedSpace:
    """The colliders placed so far; checked before each new object is placed."""

    def __init__(self) -> None:
        self._solids: list[tuple[_Bounds, Callable[[_Box], bool]]] = []

    def is_free(self, placed: Placed) -> bool:
        """Whether the object's box is inside the boundary and overlaps nothing solid.

        Zones may overlap anything except the boundary, and do not block later objects.
        """
        kind = placed.kind
        box = _box(placed, Part(_ORIGIN, box_size(kind.shape, placed.size, kind.fitted)))
        left, right, back, front = box.bounds
        if not (left > 0 and right < ARENA_SIZE and back > 0 and front < ARENA_SIZE):
            return False
        return kind.body is Body.ZONE or not self._hits(box)

    def is_free_point(self, point: Vector) -> bool:
        """Whether a point is inside the boundary and inside no collider."""
        x, y, z = point
        inside = 0 <= x <= ARENA_SIZE and 0 <= z <= ARENA_SIZE
        return inside and not self._hits(_Box(x, z, 0.0, 0.0, y, y, 1.0, 0.0))

    def add(self, placed: Placed) -> None:
        """Add an object; zones occupy no space."""
        kind, size = placed.kind, placed.size
        if kind.shape is Shape.BALL:
            self.add_ball(placed.position, size[0] / 2)
        elif kind.body is not Body.ZONE:
            test = {Shape.PRISM: _hits_ramp, Shape.TUBE: _hits_tunnel}.get(kind.shape, _Box.overlaps)
            for part in parts_of(kind.shape, size, kind.fitted) or (Part(_ORIGIN, size),):
                box = _box(placed, part)
                self._solids.append((box.bounds, partial(test, box)))

    def add_ball(self, centre: Vector, radius: float) -> None:
        """Add a ball, or the agent, at `centre` (metres)."""
        x, _, z = centre
        bounds = (x - radius, x + radius, z - radius, z + radius)
        self._solids.append((bounds, partial(_hits_ball, centre, radius)))

    def _hits(self, box: _Box) -> bool:
        left, right, back, front = box.bounds
        return any(
            low_x < right and left < high_x and low_z < front and back < high_z and test(box)
            for (low_x, high_x, low_z, high_z), test in self._solids
        )


def _box(placed: Placed, part: Part) -> _Box:
    yaw = radians(placed.yaw)
    (x, y, z), (x_size, y_size, z_size) = placed.position, part.size
    middle = y + part.centre[1]
    at = _Box(x, z, 0.0, 0.0, middle - y_size / 2, middle + y_size / 2, cos(yaw), sin(yaw))
    return at.moved(part.centre[0], part.centre[2], x_size / 2, z_size / 2)


def _hits_ball(centre: Vector, radius: float, box: _Box) -> bool:
    x, z = box.along(centre[0] - box.x, centre[2] - box.z)
    above = max(box.low - centre[1], centre[1] - box.high, 0.0)
    return hypot(max(abs(x) - box.half_x, 0.0), above, max(abs(z) - box.half_z, 0.0)) < radius


def _hits_ramp(ramp: _Box, box: _Box) -> bool:
    """A ramp falls towards its +z, so what is above the bottom of the box is shorter than its base."""
    share = min((ramp.high - box.low) / (ramp.high - ramp.low), 1.0)
    return ramp.moved(0.0, (share - 1) * ramp.half_z, ramp.half_x, share * ramp.half_z).overlaps(box)


def _hits_tunnel(tunnel: _Box, box: _Box) -> bool:
    """The two sides of a tunnel between the heights of the box; above and below its hole they meet."""
    middle, radius = (tunnel.low + tunnel.high) / 2, (tunnel.high - tunnel.low) / 2
    nearest = max(box.low - middle, middle - box.high, 0.0)
    farthest = max(box.high - middle, middle - box.low)
    outer = tunnel.half_x * float(np.interp(nearest / radius, _UP, _ACROSS))
    inner = TUBE_INNER * tunnel.half_x * float(np.interp(farthest / radius / TUBE_INNER, _UP, _ACROSS))
    return any(
        tunnel.moved(side * (outer + inner) / 2, 0.0, (outer - inner) / 2, tunnel.half_z).overlaps(box)
        for side in (-1, 1)
    )
