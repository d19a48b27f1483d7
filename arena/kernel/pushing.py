"""Bodies that push each other, solved as PhysX 4.1 does by patches of their contacts.

All points of two bodies with the same normal are a patch. Friction acts at the two of them that are farthest
apart, its anchors, and each takes half of the friction of the whole patch along each of two fixed axes: it
holds against turning as well as sliding. Everything is in Bullet's frame (right-handed, z up).
"""

import math

from arena.action import TICK_S
from arena.kernel.compiled import compiled
from arena.kernel.contacts import FALL, SAME_NORMAL
from arena.kernel.motion import MAX_SPIN, SPIN_FACTOR, UP
from arena.kernel.solver import ALONG_X, BIAS, MAX_DEPENETRATION, NO_SLIP, RUB_SWEEPS, SETTLED, SWEEPS, cross
from arena.kernel.tables import Matrix3, Motion, Rows, Triple, record
from arena.scene import Floats, Vector

ANCHOR_GAP = 0.04
"""Friction acts only at points nearer than this, metres: PhysX's `frictionOffsetThreshold`."""

STALE = 1e-4
"""Bullet keeps points of earlier ticks. One whose normal misses the middle of a sphere by more, metres, is
one of them: a sphere has one point for each face that it touches."""

_SPLIT = 2.0**27 + 1


class BodyRow:
    """A body by its id in Bullet, with its centre (metres) and a sphere's radius.

    `own` is its inertia about its `axes`, 0 for what never turns; the inverse mass and inverse inertia are 0
    for what does not move now. `latest` is its last patch, and `borne` says whether something bears it.
    """

    mass: float
    friction: float
    own: Triple
    radius: float
    moves: int
    centre: Triple
    axes: Matrix3
    motion: Motion
    lightness: float
    inertia: Matrix3
    borne: int
    latest: int


class PointRow:
    """A point of contact from Bullet: two bodies, where it is on each, the normal, which points to `one`, the
    gap (negative: overlap), and the next point of its patch, or -1."""

    one: float
    other: float
    on_one: Triple
    on_other: Triple
    normal: Triple
    gap: float
    after: float


class PatchRow:
    """The points of two bodies from `start` to `end`; `before` is the patch before it of one of them.

    Rows `first` to `rubs` press, those from `rubs` to `last` rub, two for each anchor.
    """

    one: int
    other: int
    fixed: int
    start: int
    end: int
    before: int
    first: int
    rubs: int
    last: int
    friction: float


class PairRow:
    """The relative velocity of two bodies along an axis at a point, which an impulse on `one` changes, with
    its reaction on the `other`.

    `arm_one` and `arm_other` are the torques of a unit impulse, `turn_one` and `turn_other` their changes of
    spin. `response` is the change of velocity, `leave` the velocity (m/s) at which two bodies shall part.
    """

    one: int
    other: int
    axis: Triple
    arm_one: Triple
    arm_other: Triple
    turn_one: Triple
    turn_other: Triple
    response: float
    leave: float
    impulse: float


BODY, POINT, PATCH, PAIR = record(BodyRow), record(PointRow), record(PatchRow), record(PairRow)
Bodies = Rows[BodyRow]
Points = Rows[PointRow]
Patches = Rows[PatchRow]
Pairs = Rows[PairRow]


@compiled
def begin(bodies: Bodies) -> None:
    """Give what moves, agents aside, a tick's gravity and damping, and all their inverse inertia."""
    for body in bodies:
        spin, own, axes = body.motion[1], body.own, body.axes
        body.lightness = 1.0 / body.mass if body.moves else 0.0
        body.borne, body.latest, turns = 0, 0, body.moves and own[0] > 0.0
        rate = math.sqrt(_dot(spin, spin)) * SPIN_FACTOR
        limit = min(1.0, MAX_SPIN / max(rate, MAX_SPIN))
        body.motion[0, 2] -= FALL if turns else 0.0
        for k in range(3):
            spin[k] = spin[k] * SPIN_FACTOR * limit
            for n in range(3):
                x, y, z = axes[k, 0] * axes[n, 0], axes[k, 1] * axes[n, 1], axes[k, 2] * axes[n, 2]
                body.inertia[k, n] = x / own[0] + y / own[1] + z / own[2] if turns else 0.0


@compiled
def group(points: Points, bodies: Bodies, patches: Patches) -> int:
    """Group points by patches, of which the first is number 1, and find what is borne; returns the last."""
    count = 0
    for number in range(len(points)):
        point = points[number]
        one, other = bodies[int(point.one)], bodies[int(point.other)]
        # Points of spheres are judged from the surface that they touch.
        stale = _is_stale(one, point, point.on_other) or _is_stale(other, point, point.on_one)
        if stale or not (one.moves or other.moves):
            continue
        body = one if one.moves else other
        at = body.latest
        while at and not (
            patches[at].one == point.one
            and patches[at].other == point.other
            and _dot(points[patches[at].start].normal, point.normal) > SAME_NORMAL
        ):
            at = patches[at].before
        if at:
            points[patches[at].end].after = number
        else:
            count += 1
            at = count
            patch = patches[at]
            patch.one, patch.other, patch.start = int(point.one), int(point.other), number
            patch.fixed, patch.before = not (one.mass and other.mass), body.latest
            # Unity takes the average of both coefficients.
            patch.friction, body.latest = (one.friction + other.friction) / 2, at
            one.borne |= point.normal[2] > UP
            other.borne |= -point.normal[2] > UP
        patches[at].end = number
    return count


@compiled
def _is_stale(body: BodyRow, point: PointRow, at: Floats) -> bool:
    """Whether a body is a sphere that no longer touches another surface `at` a point."""
    centre = body.centre
    x, y, z = _beside((centre[0] - at[0], centre[1] - at[1], centre[2] - at[2]), point.normal)
    return body.radius > 0.0 and x * x + y * y + z * z > STALE * STALE


@compiled
def _beside(way: Vector, normal: Floats) -> Vector:
    """What of a vector is across a normal."""
    x, y, z = way
    along = x * normal[0] + y * normal[1] + z * normal[2]
    return x - along * normal[0], y - along * normal[1], z - along * normal[2]


@compiled
def _dot(a: Floats, b: Floats) -> float:
    product: float = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


@compiled
def solve_bodies(bodies: Bodies, points: Points, patches: Patches, rows: Pairs) -> None:
    """Solve a tick; `motion` of the bodies begins with gravity and damping of this tick."""
    made = 0
    for patch in patches:
        made = _arrange(patch, bodies, points, rows, made)
    _sweep_patches(bodies, rows, patches, SWEEPS - RUB_SWEEPS, False)
    _sweep_patches(bodies, rows, patches, RUB_SWEEPS, True)
    for body in bodies:
        for k in range(3):
            body.motion[2, k], body.motion[3, k] = body.motion[0, k], body.motion[1, k]
    for row in rows[:made]:
        # Overlaps count no longer; a gap may still be closed.
        row.leave = min(row.leave, 0.0)
    _sweep_patches(bodies, rows, patches, SWEEPS, True)


@compiled
def _arrange(patch: PatchRow, bodies: Bodies, points: Points, rows: Pairs, made: int) -> int:
    """Make the rows of a patch after those `made`; returns how many there are then."""
    one, other, normal = bodies[patch.one], bodies[patch.other], points[patch.start].normal
    at, patch.first = patch.start, made
    while at >= 0:
        leave = min(-points[at].gap * BIAS / TICK_S, MAX_DEPENETRATION)
        _set_row(rows[made], patch, (normal[0], normal[1], normal[2]), points[at], bodies, leave)
        at, made = int(points[at].after), made + 1
    patch.rubs = made
    u, v = one.motion[0], other.motion[0]
    x, y, z = _beside((u[0] - v[0], u[1] - v[1], u[2] - v[2]), normal)
    if x * x + y * y + z * z < NO_SLIP * NO_SLIP:
        # PhysX's choice, in which y is up.
        across_x = abs(normal[0]) < ALONG_X
        x, y, z = (0.0, -normal[2], normal[1]) if across_x else (-normal[1], normal[0], 0.0)
    length = math.sqrt(x * x + y * y + z * z)
    along = (x / length, y / length, z / length)
    for anchor in _anchors(patch, points):
        if anchor >= 0:
            _set_row(rows[made], patch, along, points[anchor], bodies, 0.0)
            _set_row(rows[made + 1], patch, cross(normal, along), points[anchor], bodies, 0.0)
            made += 2
    patch.last = made
    return made


@compiled
def _anchors(patch: PatchRow, points: Points) -> tuple[int, int]:
    """The two points farthest apart of those near enough for friction; -1 for one that lacks."""
    one, other, farthest, start = -1, -1, -1.0, patch.start
    while start >= 0:
        end = start if points[start].gap < ANCHOR_GAP else -1
        one = end if one < 0 else one
        while end >= 0:
            end = int(points[end].after)
            if end >= 0 and points[end].gap < ANCHOR_GAP:
                apart = _distance(points[start].on_other, points[end].on_other)
                if apart > farthest:
                    one, other, farthest = start, end, apart
        start = int(points[start].after)
    return one, other


@compiled
def _distance(a: Floats, b: Floats) -> float:
    """The distance of two points, rounded correctly: diagonals as long as each other tie."""
    high = low = 0.0
    for k in range(3):
        square, rest = _square(a[k] - b[k])
        total = high + square
        part = total - high
        low += (high - (total - part)) + (square - part) + rest
        high = total
    root = math.sqrt(high + low)
    square, rest = _square(root)
    return root + ((high - square) - rest + low) / (2.0 * root) if root else 0.0


@compiled
def _square(x: float) -> tuple[float, float]:
    """The square of a number, and what rounding took from it."""
    split = x * _SPLIT
    high = split - (split - x)
    low, square = x - high, x * x
    return square, ((high * high - square) + 2.0 * high * low) + low * low


@compiled
def _set_row(row: PairRow, patch: PatchRow, axis: Vector, at: PointRow, bodies: Bodies, leave: float) -> None:
    """Set the torques of a row, and find its response."""
    one, other = bodies[patch.one], bodies[patch.other]
    row.one, row.other, row.leave, row.impulse = patch.one, patch.other, leave, 0.0
    for k in range(3):
        row.axis[k] = axis[k]
    _turn(at.on_other, one, row.axis, row.arm_one, row.turn_one)
    _turn(at.on_other, other, row.axis, row.arm_other, row.turn_other)
    response = one.lightness + other.lightness
    for k in range(3):
        response += row.arm_one[k] * row.turn_one[k] + row.arm_other[k] * row.turn_other[k]
    row.response = response


@compiled
def _turn(at: Floats, body: BodyRow, axis: Floats, torque: Floats, turn: Floats) -> None:
    """Set the torque of a unit impulse along an axis at a point, and the change of spin that it causes."""
    centre, inertia = body.centre, body.inertia
    x, y, z = cross((at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]), axis)
    torque[0], torque[1], torque[2] = x, y, z
    for k in range(3):
        turn[k] = inertia[k, 0] * x + inertia[k, 1] * y + inertia[k, 2] * z


@compiled
def _sweep_patches(bodies: Bodies, rows: Pairs, patches: Patches, times: int, rub: bool) -> None:
    """Solve every patch in turn, at most `times` times."""
    for _ in range(times):
        changed = 0.0
        for patch in patches:
            pressed = 0.0
            for number in range(patch.first, patch.rubs):
                row = rows[number]
                gain = (row.leave - _speed(row, bodies)) / row.response
                changed += _push_pair(row, bodies, max(row.impulse + gain, 0.0))
                pressed += row.impulse
            anchors = (patch.last - patch.rubs) // 2
            for number in range(patch.rubs, patch.last if rub else patch.rubs):
                row, limit = rows[number], patch.friction * pressed / anchors
                wanted = row.impulse - BIAS * _speed(row, bodies) / row.response
                changed += _push_pair(row, bodies, min(max(wanted, -limit), limit))
        if changed < SETTLED:
            break


@compiled
def _speed(row: PairRow, bodies: Bodies) -> float:
    """The relative velocity along a row's axis."""
    one, other = bodies[row.one].motion, bodies[row.other].motion
    speed = 0.0
    for k in range(3):
        speed += row.axis[k] * (one[0, k] - other[0, k])
        speed += row.arm_one[k] * one[1, k] - row.arm_other[k] * other[1, k]
    return speed


@compiled
def _push_pair(row: PairRow, bodies: Bodies, impulse: float) -> float:
    """Give a row another impulse, and both bodies the difference; return its size as a velocity."""
    change = impulse - row.impulse
    one, other = bodies[row.one], bodies[row.other]
    for k in range(3):
        one.motion[0, k] += row.axis[k] * change * one.lightness
        one.motion[1, k] += row.turn_one[k] * change
        other.motion[0, k] -= row.axis[k] * change * other.lightness
        other.motion[1, k] -= row.turn_other[k] * change
    row.impulse = impulse
    size: float = abs(change) * row.response
    return size
