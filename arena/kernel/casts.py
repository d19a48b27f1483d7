"""Exact casts of a ball, or a point, against an arena's parts.

The distance from a moving point to a convex part is a convex function of time. Newton's method, started
before the first touch, therefore never passes it and converges quadratically; on a flat face its first step
is exact.
"""

import math

import numpy as np

from arena.kernel.compiled import compiled
from arena.kernel.contacts import away, local, point_in, sin_cos
from arena.kernel.tables import YAW, Bools, Ints, PartRow, Singles, Table, X, Y, Z
from arena.scene import Floats, Vector

TOUCHING = 0.001
"""Gap, metres, below which bodies overlap. Those at rest touch with a gap or overlap of up to 0.00001."""

_ACCURACY = 1e-10
"""Accuracy of a found touch, metres."""

_PARALLEL = 1e-12
"""Component across a face below which a direction is parallel to it."""

_SLACK = 1e-6
"""Margin of bounds, metres: more than all rounding errors. It is too little to admit many other parts."""


@compiled
def cast(
    parts: Table,
    at: Vector,
    radius: float,
    directions: Floats,
    limits: Floats,
    owners: Ints,
    distances: Floats,
) -> None:
    """Cast a ball from `at` along n unit vectors (n, 3).

    Within its limit (n,) in metres, the distance is written to `distances` (n,) and the index of the thing to
    `owners` (n,), -1 and infinity for a miss. Colliders that the ball overlaps or touches at the start are
    not hit. Of two things at the same distance the first is hit.
    """
    free = _free(parts, at, radius)
    for ray in range(len(directions)):
        u, v, w = directions[ray, 0], directions[ray, 1], directions[ray, 2]
        nearest, owner = limits[ray], -1
        for number in range(len(parts)):
            if not free[number]:
                continue
            part = parts[number]
            centre, reach = part.centre, part.radius + radius + _SLACK
            x, y, z = centre[0] - at[0], centre[1] - at[1], centre[2] - at[2]
            along = x * u + z * w + y * v
            if along < -reach or along - reach > nearest:
                continue
            if x * x + z * z + y * y - along * along > reach * reach:
                continue
            way = _distance(part, at, u, v, w, part.rounding + radius, nearest)
            if way < nearest or (way == nearest and owner < 0):
                nearest, owner = way, part.owner
        owners[ray] = owner
        distances[ray] = nearest if owner >= 0 else math.inf


@compiled
def seen(
    parts: Table, at: Vector, yaw: float, angles: Floats, radius: float, length: float, columns: Ints
) -> Singles:
    """Return the observation of n rays, float32 (n, w).

    A hit is 1 in the column of its thing; a miss is 1 in the last but one. The last column is the distance as
    a share of `length`, 1 for a miss. `angles` (n,) are degrees to the right of the heading `yaw`. `columns`
    are those of the things by index; -1 for none; its last entry is w.
    """
    rays, width = len(angles), columns[-1]
    limits, owners, distances = np.full(rays, length), np.empty(rays, np.int64), np.empty(rays)
    cast(parts, at, radius, horizontal(yaw, angles), limits, owners, distances)
    rows = np.zeros((rays, width), np.float32)
    for ray in range(rays):
        if owners[ray] < 0:
            rows[ray, width - 2] = rows[ray, width - 1] = 1.0
        else:
            rows[ray, width - 1] = distances[ray] / length
            if columns[owners[ray]] >= 0:
                rows[ray, columns[owners[ray]]] = 1.0
    return rows


@compiled
def see_all(
    ready: Bools,
    bodies: Floats,
    parts: Table,
    ends: Ints,
    angles: Floats,
    radius: float,
    length: float,
    columns: Ints,
    column_ends: Ints,
    rows: Singles,
) -> None:
    """Write flat `seen` into `rows` (n, w) for n `ready` arenas."""
    for number in range(len(ready)):
        if ready[number]:
            own = parts[ends[number] : ends[number + 1]]
            listed = columns[column_ends[number] : column_ends[number + 1]]
            body = bodies[number]
            found = seen(own, (body[X], body[Y], body[Z]), body[YAW], angles, radius, length, listed)
            rows[number] = found.ravel()


@compiled
def horizontal(yaw: float, angles: Floats) -> Floats:
    """Return unit vectors (n, 3) of angles (n,), degrees. Angles are to the right of a heading."""
    directions = np.zeros((len(angles), 3))
    for ray in range(len(angles)):
        directions[ray, 0], directions[ray, 2] = sin_cos(yaw + angles[ray])
    return directions


@compiled
def _free(parts: Table, at: Vector, radius: float) -> Bools:
    """Mark the parts of colliders that the ball does not touch, (n,)."""
    free, first = np.ones(len(parts), np.bool_), 0
    for number in range(len(parts)):
        part = parts[number]
        if part.collider != parts[first].collider:
            first = number
        reach = part.radius + radius + TOUCHING
        centre = part.centre
        x, y, z = at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]
        if not free[number] or x * x + y * y + z * z > reach * reach:
            continue
        a, b, c = point_in(part, at[0], at[1], at[2])
        p, q, r = away(part, a, b, c)
        if math.sqrt(p * p + q * q + r * r) <= part.rounding + radius + TOUCHING:
            other = first
            while other < len(parts) and parts[other].collider == part.collider:
                free[other] = False
                other += 1
    return free


@compiled
def _distance(part: PartRow, at: Vector, u: float, v: float, w: float, reach: float, limit: float) -> float:
    """Return the ball's distance along a vector to `reach` of a part. Infinite for a miss; a distance above
    `limit` may be returned as it is or as infinite."""
    half = part.half
    a, b, c = point_in(part, at[0], at[1], at[2])
    u, v, w = local(part, u, v, w)
    start, limit = _within(c, w, half[2] + reach, 0.0, limit)
    if part.is_prism:
        start = _entry(part, a, b, u, v, reach, start, limit)
    else:
        start, limit = _within(a, u, half[0] + reach, start, limit)
        start, limit = _within(b, v, half[1] + reach, start, limit)
    while start <= limit:
        p, q, r = away(part, a + start * u, b + start * v, c + start * w)
        distance = math.sqrt(p * p + q * q + r * r)
        left = distance - reach
        if left <= _ACCURACY:
            return start
        # The distance times the speed at which it shrinks.
        nearing = -(p * u + q * v + r * w)
        if nearing <= 0.0:
            break
        start += left * distance / nearing
    return math.inf


@compiled
def _within(at: float, speed: float, half: float, start: float, end: float) -> tuple[float, float]:
    """Return the time span of a point within `half` of 0. This is along one axis. The part is empty if it
    ends before it starts."""
    if abs(speed) > _PARALLEL:
        first, last = (-half - at) / speed, (half - at) / speed
        return max(min(first, last), start), min(max(first, last), end)
    if abs(at) > half:
        return math.inf, -math.inf
    return start, end


@compiled
def _entry(
    part: PartRow, a: float, b: float, u: float, v: float, reach: float, start: float, limit: float
) -> float:
    """Return a lower bound of the distance to a prism's section. Infinite for a miss."""
    for edge in part.edges:
        ahead = edge.offset + reach - edge.out_x * a - edge.out_y * b
        speed = edge.out_x * u + edge.out_y * v
        if speed < -_PARALLEL:
            start = max(start, ahead / speed)
        elif speed > _PARALLEL:
            limit = min(limit, ahead / speed)
        elif ahead < 0.0:
            return math.inf
    return start if start <= limit else math.inf
