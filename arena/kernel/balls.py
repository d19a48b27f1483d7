"""Balls that roll and fall among what is at rest, solved like the agent's contacts, with their spin."""

import math
from typing import Any

from arena.action import TICK_S
from arena.kernel.compiled import compiled
from arena.kernel.contacts import FALL, find_contacts
from arena.kernel.solver import BALL_INERTIA, solve
from arena.kernel.tables import Role

STILL_SPEED = 0.01
"""A slower body (m/s and rad/s) counts as still."""

STILL_TICKS = 20
"""A body that was still for this long falls asleep: PhysX's wake counter of 0.4 s."""

CALM_SPEED = 0.002
CALM_TICKS = 4
"""A tick in which a body is slower than this (m/s and rad/s) counts for so many: nothing that turns back on a
slope, or falls, is so slow for long. PhysX lets bodies sleep below about 0.1 m/s."""

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""

SPIN_FACTOR = 1 - 0.05 * TICK_S
"""PhysX scales the spin by 1 - damping x dt each tick; Unity's angular damping is 0.05 per second."""

_BALL = int(Role.BALL)


@compiled
def any_rolls(parts: Any) -> bool:
    """Whether a ball is awake."""
    found = False
    for part in parts:
        found = found or (part.role == _BALL and part.still < STILL_TICKS)
    return found


@compiled
def touch_movable(parts: Any, found: Any) -> bool:
    """Whether a ball that moves touches something that it would move."""
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            at = part.centre
            if find_contacts(parts, part.owner, part.rounding, at[0], at[1], at[2], found) < 0:
                return True
    return False


@compiled
def roll(parts: Any, found: Any) -> None:
    """Move the balls that are awake through a tick; none of them touches anything that it would move."""
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            _solve(part, parts, found)
    for part in parts:
        if part.role == _BALL and part.still < STILL_TICKS:
            _move(part)


@compiled
def _solve(ball: Any, parts: Any, found: Any) -> None:
    """Set the velocities of a ball during and after a tick."""
    at, radius, velocity, spin = ball.centre, ball.rounding, ball.motion[0], ball.motion[1]
    velocity[1] -= FALL
    rate = math.sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]) * SPIN_FACTOR
    factor = SPIN_FACTOR * (MAX_SPIN / rate if rate > MAX_SPIN else 1.0)
    for k in range(3):
        spin[k] *= factor
    count = find_contacts(parts, ball.owner, radius, at[0], at[1], at[2], found)
    solve(found, count, radius, BALL_INERTIA, ball.motion)


@compiled
def _move(ball: Any) -> None:
    """Move and turn a ball through a tick, and let it sleep if it was still for long enough."""
    velocity, spin, way, turn = ball.motion[0], ball.motion[1], ball.motion[2], ball.motion[3]
    fastest = 0.0
    for k in range(3):
        ball.centre[k] += way[k] * TICK_S
        fastest = max(fastest, abs(velocity[k]), abs(spin[k]))
    rate = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    if rate > 0.0:
        x, y, z = turn[0] / rate, turn[1] / rate, turn[2] / rate
        sin, cos = math.sin(rate * TICK_S), math.cos(rate * TICK_S)
        for k in range(3):
            a, b, c = ball.axes[k, 0], ball.axes[k, 1], ball.axes[k, 2]
            along = (x * a + y * b + z * c) * (1.0 - cos)
            ball.axes[k, 0] = a * cos + (y * c - z * b) * sin + x * along
            ball.axes[k, 1] = b * cos + (z * a - x * c) * sin + y * along
            ball.axes[k, 2] = c * cos + (x * b - y * a) * sin + z * along
    if fastest >= STILL_SPEED:
        ball.still = 0
        return
    ball.still += CALM_TICKS if fastest < CALM_SPEED else 1
    if ball.still >= STILL_TICKS:
        for k in range(3):
            velocity[k] = spin[k] = 0.0
