"""Bodies that push each other, solved as PhysX 4.1 does: projected Gauss-Seidel with friction by patches.

All points of two bodies with the same normal are a patch. Friction acts at the two of them that are farthest
apart, its anchors, and each takes half of the friction of the whole patch along each of two fixed axes: it
holds against turning as well as sliding. The numbers are those of `arena.kernel.solver`, for a sphere.
"""

from typing import Any

import numpy as np

from arena.kernel.compiled import compiled
from arena.kernel.solver import BIAS, FRICTION_SWEEPS, SETTLED, SWEEPS

MOVER = np.dtype((np.record, [("motion", "f8", (4, 3)), ("lightness", "f8"), ("inertia", "f8", (3, 3))]))
"""A body: its velocity (m/s) and spin (rad/s), then both during the tick, and its inverse mass and inverse
inertia, 0 for what cannot move or turn. The first of all bodies is everything immovable."""

ROW = np.dtype(
    (
        np.record,
        [
            ("one", "i8"),
            ("other", "i8"),
            ("axis", "f8", 3),
            ("arm_one", "f8", 3),
            ("arm_other", "f8", 3),
            ("turn_one", "f8", 3),
            ("turn_other", "f8", 3),
            ("response", "f8"),
            ("leave", "f8"),
            ("impulse", "f8"),
        ],
    )
)
"""The relative velocity of two bodies along an axis at a point, which an impulse on `one` changes, with its
reaction on the `other`.

`arm_one` and `arm_other` run from the bodies' centres to the point when given; the solver makes them the
torques of a unit impulse, and `turn_one` and `turn_other` their changes of spin. `response` is the change of
velocity, `leave` the velocity (m/s) at which two bodies shall part."""

PATCH = np.dtype((np.record, [("first", "i8"), ("rubs", "i8"), ("last", "i8"), ("friction", "f8")]))
"""Rows `first` to `rubs` press, those from `rubs` to `last` rub, two for each anchor."""


@compiled
def solve_bodies(movers: Any, rows: Any, patches: Any) -> None:
    """Solve a tick; `motion` of the bodies begins with gravity and damping of this tick."""
    for row in rows:
        _prepare(row, movers)
    _sweep(movers, rows, patches, SWEEPS - FRICTION_SWEEPS, False)
    _sweep(movers, rows, patches, FRICTION_SWEEPS, True)
    for mover in movers:
        for k in range(3):
            mover.motion[2, k], mover.motion[3, k] = mover.motion[0, k], mover.motion[1, k]
    for row in rows:
        # Overlaps count no longer; a gap may still be closed.
        row.leave = min(row.leave, 0.0)
    _sweep(movers, rows, patches, SWEEPS, True)


@compiled
def _prepare(row: Any, movers: Any) -> None:
    """Replace the arms of a row by torques, and find its response."""
    one, other = movers[row.one], movers[row.other]
    _turn(row.arm_one, row.axis, one.inertia, row.turn_one)
    _turn(row.arm_other, row.axis, other.inertia, row.turn_other)
    response = one.lightness + other.lightness
    for k in range(3):
        response += row.arm_one[k] * row.turn_one[k] + row.arm_other[k] * row.turn_other[k]
    row.response, row.impulse = response, 0.0


@compiled
def _turn(arm: Any, axis: Any, inertia: Any, turn: Any) -> None:
    """Make an arm the torque of a unit impulse along an axis, and set the change of spin that it causes."""
    x = arm[1] * axis[2] - arm[2] * axis[1]
    y = arm[2] * axis[0] - arm[0] * axis[2]
    z = arm[0] * axis[1] - arm[1] * axis[0]
    arm[0], arm[1], arm[2] = x, y, z
    for k in range(3):
        turn[k] = inertia[k, 0] * x + inertia[k, 1] * y + inertia[k, 2] * z


@compiled
def _sweep(movers: Any, rows: Any, patches: Any, times: int, rub: bool) -> None:
    """Solve every patch in turn, at most `times` times."""
    for _ in range(times):
        changed = 0.0
        for patch in patches:
            pressed = 0.0
            for number in range(patch.first, patch.rubs):
                row = rows[number]
                gain = (row.leave - _speed(row, movers)) / row.response
                changed += _push(row, movers, max(row.impulse + gain, 0.0))
                pressed += row.impulse
            anchors = (patch.last - patch.rubs) // 2
            for number in range(patch.rubs, patch.last if rub else patch.rubs):
                row, limit = rows[number], patch.friction * pressed / anchors
                wanted = row.impulse - BIAS * _speed(row, movers) / row.response
                changed += _push(row, movers, min(max(wanted, -limit), limit))
        if changed < SETTLED:
            break


@compiled
def _speed(row: Any, movers: Any) -> float:
    """The relative velocity along a row's axis."""
    one, other = movers[row.one].motion, movers[row.other].motion
    speed = 0.0
    for k in range(3):
        speed += row.axis[k] * (one[0, k] - other[0, k])
        speed += row.arm_one[k] * one[1, k] - row.arm_other[k] * other[1, k]
    return speed


@compiled
def _push(row: Any, movers: Any, impulse: float) -> float:
    """Give a row another impulse, and both bodies the difference; return its size as a velocity."""
    change = impulse - row.impulse
    one, other = movers[row.one], movers[row.other]
    for k in range(3):
        one.motion[0, k] += row.axis[k] * change * one.lightness
        one.motion[1, k] += row.turn_one[k] * change
        other.motion[0, k] -= row.axis[k] * change * other.lightness
        other.motion[1, k] -= row.turn_other[k] * change
    row.impulse = impulse
    size: float = abs(change) * row.response
    return size
