"""The nearest point of a part, which contacts and rays both need."""

import math
from typing import Any

from arena.kernel.compiled import compiled
from arena.scene import Vector


@compiled
def local(part: Any, x: float, y: float, z: float) -> Vector:
    """A direction in the frame of a part."""
    axes = part.axes
    return (
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )


@compiled
def point_in(part: Any, x: float, y: float, z: float) -> Vector:
    """A point of the arena in the frame of a part."""
    centre = part.centre
    return local(part, x - centre[0], y - centre[1], z - centre[2])


@compiled
def beyond(value: float, half: float) -> float:
    """How far a coordinate is outside -half to half; signed, 0 inside."""
    return value - half if value > half else value + half if value < -half else 0.0


@compiled
def away(part: Any, a: float, b: float, c: float) -> Vector:
    """The vector from the nearest point of a part, without its rounding, to a point in its frame."""
    half = part.half
    if not part.is_prism:
        return beyond(a, half[0]), beyond(b, half[1]), beyond(c, half[2])
    nearest, p, q = math.inf, 0.0, 0.0
    for edge in part.edges:
        if edge.out_x * a + edge.out_y * b > edge.offset:
            x, y = a - edge.x, b - edge.y
            along = min(max(x * edge.u + y * edge.v, 0.0), edge.length)
            x, y = x - along * edge.u, y - along * edge.v
            if x * x + y * y < nearest:
                nearest, p, q = x * x + y * y, x, y
    return p, q, beyond(c, half[2])


@compiled
def way_out(part: Any, a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """From a point inside a part: the unit vector to its nearest face, and minus the distance."""
    half = part.half
    across, end = half[0] - abs(a), half[2] - abs(c)
    p, q = math.copysign(1.0, a), 0.0
    if not part.is_prism:
        if half[1] - abs(b) < across:
            across, p, q = half[1] - abs(b), 0.0, math.copysign(1.0, b)
    else:
        across = math.inf
        for edge in part.edges:
            depth = edge.offset - edge.out_x * a - edge.out_y * b
            if depth < across:
                across, p, q = depth, edge.out_x, edge.out_y
    if end < across:
        return 0.0, 0.0, math.copysign(1.0, c), -end
    return p, q, 0.0, -across
