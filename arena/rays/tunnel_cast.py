"""Casts of a ball against a tunnel: a ring of a hundred prisms."""

import math
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from arena.rays.ray_shapes import PARALLEL, TOUCHING, Point, PrismShape, within
from arena.scene import Vector

_SLACK = 1e-6
"""Added to rectangles, metres: more than all rounding errors."""

_CHILDREN = 4
"""Children of a branch; the fastest number."""


class TunnelShape:
    """Prisms side by side around the z axis, as a single shape.

    `half` is half the length; `sections` are those of the prisms in their order around the axis, each with
    its outer side first; `reach` is the radius of the cast ball. The prisms are kept in a tree of rectangles,
    because a ball comes near only a few of them.
    """

    def __init__(self, sections: Sequence[Sequence[Point]], half: float, reach: float) -> None:
        self._half = half + reach
        self._prisms = [PrismShape(section, half, reach) for section in sections]
        outer = [prism.edges[0] for prism in self._prisms]
        self._faces = np.array([(*edge.normal, edge.offset + reach) for edge in outer]).T
        self._nodes = [_leaf(*leaf, reach) for leaf in zip(sections, self._prisms, strict=True)]
        first, end = 0, len(self._nodes)
        while end - first > 1:
            for start in range(first, end, _CHILDREN):
                self._nodes.append(_branch(self._nodes, range(start, min(start + _CHILDREN, end))))
            first, end = end, len(self._nodes)

    def distance(self, origin: Vector, direction: Vector, limit: float) -> float:
        """See `Shape`."""
        start, limit = within(origin[2], direction[2], self._half, (0.0, limit))
        if start > limit:
            return math.inf
        entry, face = self._entry(origin, direction)
        if entry < start:
            return self._search(origin, direction, start, limit)
        distance = self._prisms[face].distance_from(origin, direction, entry, limit)
        return distance if distance == entry else self._search(origin, direction, entry, limit)

    def _entry(self, origin: Vector, direction: Vector) -> tuple[float, int]:
        """When the ball would enter the tunnel if it were a solid cylinder, and through which of its faces.

        Nothing is touched before; if the ball meets that face, and not only its plane, it is touched then.
        """
        (x, y, _), (u, v, _) = origin, direction
        across, up, offset = self._faces
        # No matrix product, whose last bits may depend on the processor.
        speed = across * u + up * v
        times = (offset - across * x - up * y) / np.minimum(speed, -PARALLEL)
        times[speed > -PARALLEL] = -math.inf
        face = int(times.argmax())
        return float(times[face]), face

    def _search(self, origin: Vector, direction: Vector, start: float, limit: float) -> float:
        """The distance to the nearest prism, if it is known to be at least `start`."""
        (x, y, _), (u, v, _), nodes = origin, direction, self._nodes
        across, up = (1 / (speed if abs(speed) > PARALLEL else PARALLEL) for speed in (u, v))
        wide, high = abs(across), abs(up)
        nearest, ahead = math.inf, [(start, len(nodes) - 1)]
        while ahead:
            bound, number = heappop(ahead)
            if bound > limit:
                break
            *_, children, prism = nodes[number]
            if prism is not None:
                distance = prism.distance_from(origin, direction, bound, limit)
                if distance <= limit:
                    nearest = limit = distance
            for child in children:
                middle_x, middle_y, half_x, half_y, _, prism = nodes[child]
                at_x, at_y = (middle_x - x) * across, (middle_y - y) * up
                for_x, for_y = half_x * wide, half_y * high
                first = max(at_x - for_x, at_y - for_y, start)
                if first > limit or first > at_x + for_x or first > at_y + for_y:
                    continue
                if prism is not None and (first := prism.entry(origin, direction, start, limit)) > limit:
                    continue
                heappush(ahead, (first, child))
        return nearest

    def overlaps(self, origin: Vector) -> bool:
        """See `Shape`."""
        return abs(origin[2]) <= self._half + TOUCHING and self._overlaps(self._nodes[-1], origin)

    def _overlaps(self, node: "_Node", origin: Vector) -> bool:
        if (
            abs(origin[0] - node.x) > node.half_x + TOUCHING
            or abs(origin[1] - node.y) > node.half_y + TOUCHING
        ):
            return False
        if node.prism is not None:
            return node.prism.overlaps(origin)
        return any(self._overlaps(self._nodes[child], origin) for child in node.children)


class _Node(NamedTuple):
    """A rectangle of the section, enlarged by the ball: centre, half extents and contents."""

    x: float
    y: float
    half_x: float
    half_y: float
    children: Sequence[int]
    prism: PrismShape | None


def _leaf(section: Sequence[Point], prism: PrismShape, reach: float) -> _Node:
    xs, ys = zip(*section, strict=True)
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    grown = reach + _SLACK
    return _Node(x, y, max(xs) - x + grown, max(ys) - y + grown, (), prism)


def _branch(nodes: Sequence[_Node], children: Sequence[int]) -> _Node:
    inner = [nodes[child] for child in children]
    left, right = min(n.x - n.half_x for n in inner), max(n.x + n.half_x for n in inner)
    low, high = min(n.y - n.half_y for n in inner), max(n.y + n.half_y for n in inner)
    return _Node((left + right) / 2, (low + high) / 2, (right - left) / 2, (high - low) / 2, children, None)
