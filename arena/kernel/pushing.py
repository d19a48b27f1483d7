"""Bodies that push each other, solved in contact patches like PhysX 4.1.

All points of two bodies with the same normal are a patch. Friction acts at the two of them that are farthest
apart, its anchors, and each takes half of the friction of the whole patch along each of two fixed axes: it
holds against turning as well as sliding.
"""

import math

import numpy as np

from arena.action import TICK_S
from arena.kernel.compiled import compiled
from arena.kernel.contacts import FALL, SAME_NORMAL, sin_cos
from arena.kernel.motion import (
    CALM_SPEED,
    MAX_SPIN,
    SPIN_FACTOR,
    STILL_TICKS,
    UP,
    rested,
    take_motion,
    turned,
)
from arena.kernel.solver import ALONG_X, BIAS, MAX_DEPENETRATION, NO_SLIP, RUB_SWEEPS, SETTLED, SWEEPS, cross
from arena.kernel.tables import Role, Rows, Table, Triple, record
from arena.kernel.touching import Bodies, BodyRow, PointRow, Points, dot, find_points
from arena.scene import Floats, Vector

ANCHOR_GAP = 0.04
"""Gap, metres, above which points have no friction: PhysX's `frictionOffsetThreshold`."""

_SPLIT = 2.0**27 + 1

_HEAVY, _LOOSE, _BALL = int(Role.HEAVY), int(Role.LOOSE), int(Role.BALL)


class PatchRow:
    """A patch: the points of two bodies from `start` to `end`. `before` is the patch before it of one of
    them. Rows `first` to `rubs` press, those from `rubs` to `last` rub, two for each anchor."""

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
    """Relative velocity of two bodies along an axis at a point.

    An impulse on `one` changes it, with its reaction on the `other`. `arm_one` and `arm_other` are the
    torques of a unit impulse, `turn_one` and `turn_other` their changes of spin. `response` is the change of
    velocity, `leave` the velocity (m/s) at which two bodies shall part.
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


PATCH, PAIR = record(PatchRow), record(PairRow)
Patches = Rows[PatchRow]
Pairs = Rows[PairRow]


@compiled
def push(
    bodies: Bodies, first: int, parts: Table, positions: Floats, rotations: Floats, points: Points
) -> tuple[int, float]:
    """Move the bodies through a tick; return number of points and pace.

    The pace (m/s and rad/s) is that of the fastest body except agents and balls. The rows of `bodies` before
    `first` are agents, whose motion is given, and the immovable world; thing k is in the row `first + k`,
    with its pose in `positions` (n, 3) and `rotations` (n, 3, 3), which change. Does nothing and returns -1
    if there is no place for all points.
    """
    _take_poses(bodies[first:], positions, rotations)
    _take_balls(bodies, first, parts)
    woke = True
    while woke:
        made, woke = find_points(bodies, first, parts, points)
        if made < 0:
            return made, 0.0
    begin(bodies)
    found = np.empty(1 + made, PATCH)
    patches = _in_order(found, group(points[:made], bodies, found))
    # A patch has a row for each point, and two for each of up to two anchors.
    solve_bodies(bodies, points, patches, np.empty(made + 4 * len(patches), PAIR))
    fastest = 0.0
    for row in range(len(bodies)):
        body = bodies[row]
        if body.moves:
            _move(body)
            if body.role == _LOOSE or body.role == _HEAVY:
                fastest = max(fastest, _rest(body))
            if row >= first:
                for k in range(3):
                    positions[row - first, k] = body.centre[k]
                    for n in range(3):
                        rotations[row - first, k, n] = body.axes[k, n]
    for part in parts:
        if part.role == _BALL and bodies[first + part.owner].moves:
            take_motion(part, bodies[first + part.owner].motion)
    return made, fastest


@compiled
def _take_poses(things: Bodies, positions: Floats, rotations: Floats) -> None:
    for number in range(len(things)):
        body = things[number]
        for k in range(3):
            body.centre[k] = positions[number, k]
            for n in range(3):
                body.axes[k, n] = rotations[number, k, n]


@compiled
def _take_balls(bodies: Bodies, first: int, parts: Table) -> None:
    """Take the velocity and spin of balls, and whether they sleep."""
    for part in parts:
        if part.role == _BALL:
            body = bodies[first + part.owner]
            body.still = part.still
            body.moves = part.still < STILL_TICKS and not body.held
            for k in range(3):
                body.motion[0, k], body.motion[1, k] = part.motion[0, k], part.motion[1, k]


@compiled
def _in_order(found: Patches, count: int) -> Patches:
    """Yield the patches from number 1 on. Those of two movable bodies come first, as in PhysX."""
    patches, made = np.empty(count, PATCH), 0
    for fixed in range(2):
        for number in range(1, count + 1):
            if found[number].fixed == fixed:
                patches[made] = found[number]
                made += 1
    return patches


@compiled
def _move(body: BodyRow) -> None:
    """Move and turn a body by its motion during a tick."""
    way, turn, axes = body.motion[2], body.motion[3], body.axes
    for k in range(3):
        body.centre[k] += way[k] * TICK_S
    rate = math.sqrt(dot(turn, turn))
    if rate > 0.0:
        x, y, z = turn[0] / rate, turn[1] / rate, turn[2] / rate
        sin, cos = sin_cos(math.degrees(rate * TICK_S))
        for k in range(3):
            axes[0, k], axes[1, k], axes[2, k] = turned(
                (axes[0, k], axes[1, k], axes[2, k]), (x, y, z), sin, cos
            )
        _straighten(axes)


@compiled
def _straighten(axes: Floats) -> None:
    """Make the columns of a rotation perpendicular unit vectors again."""
    for column in range(3):
        for before in range(column):
            along = 0.0
            for k in range(3):
                along += axes[k, column] * axes[k, before]
            for k in range(3):
                axes[k, column] -= along * axes[k, before]
        length = 0.0
        for k in range(3):
            length += axes[k, column] * axes[k, column]
        length = math.sqrt(length)
        for k in range(3):
            axes[k, column] /= length


@compiled
def _rest(body: BodyRow) -> float:
    """Let a body sleep after enough still ticks; return its pace."""
    fastest = 0.0
    for k in range(3):
        fastest = max(fastest, abs(body.motion[0, k]), abs(body.motion[1, k]))
    # Each tick counts once, however calm.
    body.still = rested(body.still, max(fastest, CALM_SPEED))
    if body.still >= STILL_TICKS:
        _sleep(body)
    return fastest


@compiled
def _sleep(body: BodyRow) -> None:
    """Stop a body until it is woken."""
    body.moves, body.still = 0, STILL_TICKS
    for k in range(3):
        body.motion[0, k] = body.motion[1, k] = 0.0


@compiled
def sleep_all(bodies: Bodies) -> None:
    """Let all bodies sleep that are not held, except agents and balls."""
    for body in bodies:
        if (body.role == _LOOSE or body.role == _HEAVY) and not body.held:
            _sleep(body)


@compiled
def wake_all(bodies: Bodies) -> None:
    """Wake all loose bodies that are not held."""
    for body in bodies:
        if body.role == _LOOSE and not body.held:
            body.moves, body.still = 1, 0


@compiled
def begin(bodies: Bodies) -> None:
    """Apply a tick's gravity and damping, except to agents. Sets all inverse inertia."""
    for body in bodies:
        spin, own, axes = body.motion[1], body.own, body.axes
        body.lightness = 1.0 / body.mass if body.moves else 0.0
        body.borne, body.latest, turns = 0, 0, body.moves and own[0] > 0.0
        rate = math.sqrt(dot(spin, spin)) * SPIN_FACTOR
        limit = min(1.0, MAX_SPIN / max(rate, MAX_SPIN))
        body.motion[0, 1] -= FALL if turns else 0.0
        for k in range(3):
            spin[k] = spin[k] * SPIN_FACTOR * limit
            for n in range(3):
                x, y, z = axes[k, 0] * axes[n, 0], axes[k, 1] * axes[n, 1], axes[k, 2] * axes[n, 2]
                body.inertia[k, n] = x / own[0] + y / own[1] + z / own[2] if turns else 0.0


@compiled
def group(points: Points, bodies: Bodies, patches: Patches) -> int:
    """Group points into patches, from number 1, and find supported bodies. Returns the last number."""
    count = 0
    for number in range(len(points)):
        point = points[number]
        one, other = bodies[point.one], bodies[point.other]
        body = one if one.moves else other
        at = body.latest
        while at and not (
            patches[at].one == point.one
            and patches[at].other == point.other
            and dot(points[patches[at].start].normal, point.normal) > SAME_NORMAL
        ):
            at = patches[at].before
        if at:
            points[patches[at].end].after = number
        else:
            count += 1
            at = count
            patch = patches[at]
            patch.one, patch.other, patch.start = point.one, point.other, number
            patch.fixed, patch.before = not (one.mass and other.mass), body.latest
            # Unity takes the average of both coefficients.
            patch.friction, body.latest = (one.friction + other.friction) / 2, at
            one.borne |= point.normal[1] > UP
            other.borne |= -point.normal[1] > UP
        patches[at].end = number
    return count


@compiled
def _across(way: Vector, normal: Floats) -> Vector:
    """Return a vector's component across a normal."""
    x, y, z = way
    along = x * normal[0] + y * normal[1] + z * normal[2]
    return x - along * normal[0], y - along * normal[1], z - along * normal[2]


@compiled
def solve_bodies(bodies: Bodies, points: Points, patches: Patches, rows: Pairs) -> None:
    """Solve a tick. `motion` of the bodies begins with gravity and damping of this tick."""
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
    """Make a patch's rows after those `made`; return the new number."""
    one, other, normal = bodies[patch.one], bodies[patch.other], points[patch.start].normal
    at, patch.first = patch.start, made
    while at >= 0:
        leave = min(-points[at].gap * BIAS / TICK_S, MAX_DEPENETRATION)
        _set_row(rows[made], patch, (normal[0], normal[1], normal[2]), points[at], bodies, leave)
        at, made = points[at].after, made + 1
    patch.rubs = made
    u, v = one.motion[0], other.motion[0]
    x, y, z = _across((u[0] - v[0], u[1] - v[1], u[2] - v[2]), normal)
    if x * x + y * y + z * z < NO_SLIP * NO_SLIP:
        across_x = abs(normal[0]) < ALONG_X
        x, y, z = (0.0, normal[2], -normal[1]) if across_x else (-normal[2], 0.0, normal[0])
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
    """Return the two points farthest apart that are near enough for friction. -1 stands for a missing one."""
    one, other, farthest, start = -1, -1, -1.0, patch.start
    while start >= 0:
        end = start if points[start].gap < ANCHOR_GAP else -1
        one = end if one < 0 else one
        while end >= 0:
            end = points[end].after
            if end >= 0 and points[end].gap < ANCHOR_GAP:
                apart = _distance(points[start].on_other, points[end].on_other)
                if apart > farthest:
                    one, other, farthest = start, end, apart
        start = points[start].after
    return one, other


@compiled
def _distance(a: Floats, b: Floats) -> float:
    """Return the correctly rounded distance of two points. Diagonals as long as each other tie."""
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
    """Return the square of a number, and its rounding error."""
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
    """Set a unit impulse's torque, and the change of spin it causes. It acts along an axis at a point."""
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
    """Return the relative velocity along a row's axis."""
    one, other = bodies[row.one].motion, bodies[row.other].motion
    speed = 0.0
    for k in range(3):
        speed += row.axis[k] * (one[0, k] - other[0, k])
        speed += row.arm_one[k] * one[1, k] - row.arm_other[k] * other[1, k]
    return speed


@compiled
def _push_pair(row: PairRow, bodies: Bodies, impulse: float) -> float:
    """Give a row another impulse; return the change as a velocity. Both bodies get the difference."""
    change = impulse - row.impulse
    one, other = bodies[row.one], bodies[row.other]
    for k in range(3):
        one.motion[0, k] += row.axis[k] * change * one.lightness
        one.motion[1, k] += row.turn_one[k] * change
        other.motion[0, k] -= row.axis[k] * change * other.lightness
        other.motion[1, k] -= row.turn_other[k] * change
    row.impulse = impulse
    return abs(change) * row.response
