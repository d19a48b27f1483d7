"""What touches what, found by Bullet and arranged in patches for the solver; in Bullet's frame (z up)."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.kernel.bodies import PATCH, ROW
from arena.kernel.contacts import SAME_NORMAL
from arena.kernel.solver import ALONG_X, BIAS, MAX_DEPENETRATION, NO_SLIP
from arena.physics.bodies import Body
from arena.physics.bullet import bullet
from arena.scene import Floats, Vector

ANCHOR_GAP = 0.04
"""Friction acts only at points nearer than this, metres: PhysX's `frictionOffsetThreshold`."""

_STALE = 1e-4
"""Bullet keeps points of earlier ticks. One whose normal misses the middle of a sphere by more, metres, is
one of them: a sphere has one point for each face that it touches."""

_MOST_POINTS = 50_000
"""Points in one answer of PyBullet 3.2.7 that can be relied on; rows after some 70,800 are wrong."""

_ZERO: Vector = (0.0, 0.0, 0.0)


class Point(NamedTuple):
    """A point of contact: where it is (metres), and the distance there (negative: overlap)."""

    at: Vector
    gap: float


class Patch(NamedTuple):
    """The points at which two bodies, by their ids, touch with one `normal`, which points to `one`."""

    one: int
    other: int
    normal: Vector
    points: list[Point]


def find_patches(client: int, bodies: Mapping[int, Body]) -> list[Patch]:
    """The patches of all bodies where they are now; those of two movable bodies come first, as in PhysX."""
    bullet.performCollisionDetection(physicsClientId=client)
    patches: list[Patch] = []
    by_pair: defaultdict[tuple[int, int], list[Patch]] = defaultdict(list)
    for row in _contact_points(client, bodies):
        one, other, (on_one, on_other, normal, gap) = row[1], row[2], row[5:9]
        # Points of spheres are judged from the surface that they touch.
        if _is_stale(client, bodies[one], normal, on_other) or _is_stale(
            client, bodies[other], normal, on_one
        ):
            continue
        same = by_pair[one, other]
        for patch in reversed(same):
            if _dot(patch.normal, normal) > SAME_NORMAL:
                patch.points.append(Point(on_other, gap))
                break
        else:
            same.append(Patch(one, other, normal, [Point(on_other, gap)]))
            patches.append(same[-1])
    return sorted(patches, key=lambda patch: not (bodies[patch.one].mass and bodies[patch.other].mass))


def _contact_points(client: int, bodies: Mapping[int, Body]) -> Iterable[Any]:
    """Bullet's points of contact, asked for one body at a time where there are too many for one answer."""
    rows = bullet.getContactPoints(physicsClientId=client) or ()
    if len(rows) <= _MOST_POINTS:
        return rows
    # Asked for one body, PyBullet names it first.
    each = ((body, bullet.getContactPoints(bodyA=body, physicsClientId=client)) for body in sorted(bodies))
    return [row for body, own in each for row in own if row[2] > body]


def rows_of(
    patches: Sequence[Patch],
    bodies: Mapping[int, Body],
    numbers: Mapping[int, int],
    centres: Floats,
    velocities: Floats,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The rows and patches for the solver (`arena.kernel.bodies`).

    `numbers` are those of movable bodies among the solver's, by id; `centres` (metres) and `velocities` (m/s,
    after gravity and damping) (n, 3) are those of the solver's bodies.
    """
    rows: list[tuple[Any, ...]] = []
    arranged = []
    for patch in patches:
        one, other = numbers.get(patch.one, 0), numbers.get(patch.other, 0)
        if not (one or other):
            continue
        first = len(rows)
        for point in patch.points:
            leave = min(-point.gap * BIAS / TICK_S, MAX_DEPENETRATION)
            rows.append(_row(one, other, patch.normal, point.at, centres, leave))
        rubs = len(rows)
        axes = _axes(patch.normal, (velocities[one] - velocities[other]).tolist())
        for anchor in _anchors(patch.points):
            rows += [_row(one, other, axis, anchor.at, centres, 0.0) for axis in axes]
        # Unity takes the average of both coefficients.
        friction = (bodies[patch.one].friction + bodies[patch.other].friction) / 2
        arranged.append((first, rubs, len(rows), friction))
    return np.array(rows, ROW), np.array(arranged, PATCH)


def _row(one: int, other: int, axis: Vector, at: Vector, centres: Floats, leave: float) -> tuple[Any, ...]:
    arms = at - centres[one], at - centres[other]
    return (one, other, axis, *arms, _ZERO, _ZERO, 0.0, leave, 0.0)


def _anchors(points: Sequence[Point]) -> Sequence[Point]:
    """The two points farthest apart of those that are near enough for friction."""
    near = [point for point in points if point.gap < ANCHOR_GAP]
    if len(near) < 2:
        return near
    return max(combinations(near, 2), key=lambda pair: math.dist(pair[0].at, pair[1].at))


def _axes(normal: Vector, slip: Sequence[float]) -> tuple[Vector, Vector]:
    """The axes of friction, along and across a velocity."""
    along = _dot(slip, normal)
    x, y, z = (s - along * n for s, n in zip(slip, normal, strict=True))
    if x * x + y * y + z * z < NO_SLIP * NO_SLIP:
        # PhysX's choice, in which y is up.
        x, y, z = (0.0, -normal[2], normal[1]) if abs(normal[0]) < ALONG_X else (-normal[1], normal[0], 0.0)
    length = math.sqrt(x * x + y * y + z * z)
    first = (x / length, y / length, z / length)
    return first, _cross(normal, first)


def _is_stale(client: int, body: Body, normal: Vector, at: Vector) -> bool:
    """Whether a body is a sphere that no longer touches another surface `at` a point."""
    if not body.radius:
        return False
    centre = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)[0]
    way = [c - a for c, a in zip(centre, at, strict=True)]
    along = _dot(way, normal)
    aside = [w - along * n for w, n in zip(way, normal, strict=True)]
    return _dot(aside, aside) > _STALE**2


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
