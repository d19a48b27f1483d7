"""Casts of a ball against single shapes, in plain numbers.

The distance from a moving point to a convex shape is a convex function of time. Newton's method, started
before the first touch, therefore never passes it and converges quadratically; on a flat face its first step
is exact. A ray comes near few shapes, for which plain floats are faster than arrays.

Points, directions and sizes are in metres and in the frame of the shape, whose centre is the origin.
"""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from arena.scene import Vector

TOUCHING = 0.001
"""Bodies nearer than this overlap, metres: those at rest touch with a gap or overlap of up to 0.00001."""

_ACCURACY = 1e-10
"""A touch is found to within this distance, metres."""

PARALLEL = 1e-12
"""A direction with a smaller component across a face is parallel to it."""

Span = tuple[float, float]
"""A span of time from first to second value; empty if the first is larger."""

Point = tuple[float, float]
"""A point of a cross-section, metres."""

NEVER: Span = (math.inf, -math.inf)


class Shape(Protocol):
    """A shape that a ball can be cast against."""

    def distance(self, origin: Vector, direction: Vector, limit: float) -> float:
        """Distance that the ball travels from `origin` along a unit vector until it touches.

        Infinite for a miss; a distance above `limit` may be returned as it is or as infinite.
        """

    def overlaps(self, origin: Vector) -> bool:
        """Whether the ball at `origin` overlaps or touches the shape."""


class BallShape:
    """A ball; `reach` is the sum of both radii."""

    def __init__(self, reach: float) -> None:
        self._square = reach * reach
        self._near = (reach + TOUCHING) ** 2

    def distance(self, origin: Vector, direction: Vector, limit: float) -> float:
        """See `Shape`."""
        (x, y, z), (u, v, w) = origin, direction
        along = -(x * u + y * v + z * w)
        if along <= 0:
            return math.inf
        depth = self._square - (x * x + y * y + z * z - along * along)
        return along - math.sqrt(depth) if depth > 0 else math.inf

    def overlaps(self, origin: Vector) -> bool:
        """See `Shape`."""
        x, y, z = origin
        return x * x + y * y + z * z <= self._near


class BoxShape:
    """A box of the given half extents; `reach` is the radius of the cast ball."""

    def __init__(self, half: Vector, reach: float) -> None:
        self._half, self._reach = half, reach
        self._grown = (half[0] + reach, half[1] + reach, half[2] + reach)

    def distance(self, origin: Vector, direction: Vector, limit: float) -> float:
        """See `Shape`."""
        (x, y, z), (u, v, w), (a, b, c) = origin, direction, self._grown
        # Height is tested last: horizontal rays rarely miss a box by it alone.
        start, limit = within(x, u, a, (0.0, limit))
        if start > limit:
            return math.inf
        start, limit = within(z, w, c, (start, limit))
        if start > limit:
            return math.inf
        start, limit = within(y, v, b, (start, limit))
        return _first_touch(self._gap, origin, direction, start, limit, self._reach)

    def overlaps(self, origin: Vector) -> bool:
        """See `Shape`."""
        return math.hypot(*self._gap(*origin)) <= self._reach + TOUCHING

    def _gap(self, x: float, y: float, z: float) -> Vector:
        a, b, c = self._half
        return (
            x - a if x > a else x + a if x < -a else 0.0,
            y - b if y > b else y + b if y < -b else 0.0,
            z - c if z > c else z + c if z < -c else 0.0,
        )


class Edge:
    """A side of a convex section: its first corner, unit direction and length, and its normal outwards."""

    def __init__(self, first: Point, second: Point, turn: float) -> None:
        self.x, self.y = first
        self.length = math.hypot(second[0] - first[0], second[1] - first[1])
        self.u, self.v = (second[0] - first[0]) / self.length, (second[1] - first[1]) / self.length
        self.normal = (turn * self.v, -turn * self.u)
        self.offset = self.normal[0] * self.x + self.normal[1] * self.y


class PrismShape:
    """A prism over a convex section in x and y; `half` is half its length along z, `reach` as for a box."""

    def __init__(self, section: Sequence[Point], half: float, reach: float) -> None:
        (x0, y0), (x1, y1), (x2, y2) = section[:3]
        turn = math.copysign(1.0, (x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1))
        ahead = (*section[1:], section[0])
        self.edges = [Edge(a, b, turn) for a, b in zip(section, ahead, strict=True)]
        self._faces = [(*edge.normal, edge.offset, edge.offset + reach, edge) for edge in self.edges]
        self._half, self._reach = half, reach

    def distance(self, origin: Vector, direction: Vector, limit: float) -> float:
        """See `Shape`."""
        start, limit = within(origin[2], direction[2], self._half + self._reach, (0.0, limit))
        start = self.entry(origin, direction, start, limit)
        return self.distance_from(origin, direction, start, limit)

    def distance_from(self, origin: Vector, direction: Vector, start: float, limit: float) -> float:
        """The distance, if it is known to be at least `start`."""
        return _first_touch(self._gap, origin, direction, start, limit, self._reach)

    def entry(self, origin: Vector, direction: Vector, start: float, limit: float) -> float:
        """A lower bound of the distance, from the section alone; infinite for a miss within `limit`."""
        (x, y, _), (u, v, _) = origin, direction
        for a, b, _, offset, _ in self._faces:
            ahead, speed = offset - a * x - b * y, a * u + b * v
            if speed < -PARALLEL:
                if (first := ahead / speed) > start:
                    start = first
            elif speed > PARALLEL:
                if (last := ahead / speed) < limit:
                    limit = last
            elif ahead < 0:
                return math.inf
            if start > limit:
                return math.inf
        return start

    def overlaps(self, origin: Vector) -> bool:
        """See `Shape`."""
        return math.hypot(*self._gap(*origin)) <= self._reach + TOUCHING

    def _gap(self, x: float, y: float, z: float) -> Vector:
        half = self._half
        depth = z - half if z > half else z + half if z < -half else 0.0
        nearest, across, up = math.inf, 0.0, 0.0
        for a, b, offset, _, edge in self._faces:
            if a * x + b * y > offset:
                along = (x - edge.x) * edge.u + (y - edge.y) * edge.v
                along = 0.0 if along < 0 else edge.length if along > edge.length else along
                p, q = x - edge.x - along * edge.u, y - edge.y - along * edge.v
                if p * p + q * q < nearest:
                    nearest, across, up = p * p + q * q, p, q
        return (across, up, depth)


def within(at: float, speed: float, half: float, span: Span) -> Span:
    """The part of a time span in which a point is within `half` of 0 along one axis."""
    start, end = span
    if speed > PARALLEL:
        first, last = (-half - at) / speed, (half - at) / speed
    elif speed < -PARALLEL:
        first, last = (half - at) / speed, (-half - at) / speed
    else:
        return span if -half <= at <= half else NEVER
    return (first if first > start else start, last if last < end else end)


def _first_touch(
    gap: Callable[[float, float, float], Vector],
    origin: Vector,
    direction: Vector,
    time: float,
    limit: float,
    reach: float,
) -> float:
    """First time at which a point comes within `reach` of a shape; `time` must not be after it.

    `gap` returns the vector from the shape's nearest point to a given one. Infinite if that never happens or
    only after `limit`.
    """
    (x, y, z), (u, v, w) = origin, direction
    while time <= limit:
        p, q, r = gap(x + time * u, y + time * v, z + time * w)
        distance = math.sqrt(p * p + q * q + r * r)
        left = distance - reach
        if left <= _ACCURACY:
            return time
        # The distance times the speed at which it shrinks.
        nearing = -(p * u + q * v + r * w)
        if nearing <= 0:
            break
        time += left * distance / nearing
    return math.inf
