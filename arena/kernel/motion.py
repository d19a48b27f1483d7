"""The agent's motion in ticks in which nothing else moves: driving, braking, turning, contacts, the clock."""

import math
from typing import Any

import numpy as np

from arena.action import TICK_S, Move, Rotate
from arena.geometry.placed import AGENT_RADIUS
from arena.kernel.balls import roll, touch_movable
from arena.kernel.compiled import compiled
from arena.kernel.contacts import AGENT_MASS, FALL, find_contacts, touched
from arena.kernel.solver import solve
from arena.kernel.tables import (
    CONTACT,
    DECAY,
    GROUNDED,
    HEALTH,
    MOST_CONTACTS,
    REWARD,
    VX,
    VY,
    VZ,
    YAW,
    X,
    Y,
    Z,
)

DRIVE = 50.0
"""Forward or backward acceleration, m/s2: speed 25 x 100 x 0.02 s (`TrainingAgent.cs`)."""

DRAG_FACTOR = 1 - 1.6 * TICK_S
"""PhysX scales the velocity by 1 - drag x dt each tick; the agent's linear drag is 1.6 per second."""

QUICK_STOP = 0.9
"""Factor on a grounded agent's velocity in each tick without forward or backward input."""

TURN_DEG = 2.0
"""Heading change of one tick of turning: 100 degrees/s x 0.02 s."""

UP = 0.01
"""A contact whose normal has a larger vertical component supports the agent."""

_NO_MOVE, _FORWARD = int(Move.NONE), int(Move.FORWARD)
_NO_TURN, _RIGHT = int(Rotate.NONE), int(Rotate.RIGHT)
_FULL = np.float32(100.0)
_EMPTY = np.float32(0.0)

Driven = tuple[float, float, float, float]
"""Velocity (m/s) and yaw (degrees) after an action."""


@compiled
def braked(body: Any, move: int, turn: int) -> Driven:
    """Velocity and yaw at once after an action: braked and turned; driving acts later, as a force."""
    yaw = body[YAW]
    if turn != _NO_TURN:
        yaw = (yaw + (TURN_DEG if turn == _RIGHT else -TURN_DEG)) % 360
    x, y, z = body[VX], body[VY], body[VZ]
    if move == _NO_MOVE and body[GROUNDED]:
        x, y, z = x * QUICK_STOP, y * QUICK_STOP, z * QUICK_STOP
    return x, y, z, yaw


@compiled
def driven(body: Any, move: int, turn: int) -> Driven:
    """Velocity before contacts and yaw after an action; the force acts along the heading before the turn."""
    heading = math.radians(body[YAW])
    x, y, z, yaw = braked(body, move, turn)
    if move != _NO_MOVE and body[GROUNDED]:
        gain = (DRIVE if move == _FORWARD else -DRIVE) * TICK_S
        x, z = x + gain * math.sin(heading), z + gain * math.cos(heading)
    x, y, z = fallen(x, y, z)
    return x, y, z, yaw


@compiled
def fallen(x: float, y: float, z: float) -> tuple[float, float, float]:
    """A velocity (m/s) after a tick's gravity and drag, which PhysX applies in this order."""
    return x * DRAG_FACTOR, (y - FALL) * DRAG_FACTOR, z * DRAG_FACTOR


@compiled
def settle(body: Any, parts: Any, found: Any, x: float, y: float, z: float) -> bool:
    """Move the agent, given its velocity before contacts (m/s), and the balls among `parts` for a tick.

    Returns False and does nothing if they would move anything else. `found` are places for `MOST_CONTACTS`.
    """
    if touch_movable(parts, found):
        return False
    count = find_contacts(parts, -1, AGENT_RADIUS, body[X], body[Y], body[Z], found)
    if count < 0:
        return False
    motion = np.zeros((4, 3))
    motion[0, 0], motion[0, 1], motion[0, 2] = x, y, z
    solve(found, count, AGENT_RADIUS, 0.0, motion)
    grounded = False
    for number in range(count):
        contact = found[number]
        push = contact.impulse
        # Not `hypot`, whose last bit differs between C and Python.
        if AGENT_MASS * math.sqrt(push[0] * push[0] + push[2] * push[2]) > contact.limit:
            return False
        grounded = grounded or contact.normal[1] > UP
    body[X], body[Y], body[Z] = (
        body[X] + motion[2, 0] * TICK_S,
        body[Y] + motion[2, 1] * TICK_S,
        body[Z] + motion[2, 2] * TICK_S,
    )
    body[VX], body[VY], body[VZ] = motion[0, 0], motion[0, 1], motion[0, 2]
    body[GROUNDED] = grounded
    roll(parts, found)
    return True


@compiled
def drive_quietly(body: Any, clock: Any, parts: Any, move: int, turn: int, most: int) -> int:
    """Take up to `most` ticks with an action while nothing happens but that the clock runs and the agent
    moves; return how many.

    It stops before a tick in which a ball or zone is touched, something else moves, or no health is left.
    """
    found, owners = np.empty(MOST_CONTACTS, CONTACT), np.empty(len(parts), np.int64)
    for tick in range(most):
        health = min(max(clock[HEALTH] + _FULL * clock[DECAY], _EMPTY), _FULL)
        if health <= _EMPTY or touched(parts, body[X], body[Y], body[Z], owners):
            return tick
        x, y, z, yaw = driven(body, move, turn)
        if not settle(body, parts, found, x, y, z):
            return tick
        body[YAW] = yaw
        clock[HEALTH], clock[REWARD] = health, clock[REWARD] + clock[DECAY]
    return most
