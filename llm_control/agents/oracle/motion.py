"""The agent's motion on level ground, for many candidate moves at once (section 2.4 of the specification)."""

import math
from typing import NamedTuple

import numpy as np

from arena.agent import DRAG_FACTOR, DRIVE, GRAVITY, QUICK_STOP, TICK_S
from arena.catalog import DEFAULT_FRICTION
from arena.rules import TICKS_PER_STEP
from arena.scene import Floats

TURNS = np.arange(-30, 31)
"""Candidate turns, in steps of 6 degrees; negative to the left."""

RUB = DEFAULT_FRICTION * GRAVITY * TICK_S * DRAG_FACTOR
"""What friction takes from the speed in a tick, m/s."""

_BRAKE = QUICK_STOP * DRAG_FACTOR


class Moves(NamedTuple):
    """Candidates: turn by `TURNS[k]` steps, then drive.

    `glide` (31, 2) is where the agent is after so many steps of turning; `drive` (2, 61, steps, 2) where it is
    after each driven step, forward [0] and backward [1]; `stop` (2, 61, steps, 2) where it comes to rest when
    it brakes then; `speed` (2, 61, steps) how fast it is, m/s.
    """

    glide: Floats
    drive: Floats
    stop: Floats
    speed: Floats


def _slower(velocity: Floats) -> Floats:
    speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
    return np.asarray(velocity * (np.maximum(speed - RUB, 0) / np.maximum(speed, 1e-9)))


def _stopping_table() -> tuple[Floats, Floats]:
    """Braking distance (metres) by speed (m/s)."""
    speeds = np.linspace(0.0, 30.0, 121)
    way, speed = np.zeros_like(speeds), speeds.copy()
    for _ in range(60):
        speed = np.maximum(speed * _BRAKE - RUB, 0)
        way += speed * TICK_S
    return speeds, way


_SPEEDS, _WAYS = _stopping_table()


def stopping(velocity: Floats) -> Floats:
    """How far an agent that only brakes still moves: displacement (..., 2) for velocities (..., 2)."""
    speed = np.linalg.norm(velocity, axis=-1)
    way = np.interp(speed, _SPEEDS, _WAYS)
    return np.asarray(velocity * (way / np.maximum(speed, 1e-9))[..., None])


def candidates(position: Floats, velocity: Floats, yaw_deg: float, steps: int) -> Moves:
    """All moves from a position (2,) (x, z) with a velocity (2,), driving up to `steps` steps."""
    at, speed = position.astype(float), velocity.astype(float)
    glide, speeds = [at], [speed]
    for _ in range(30):
        for _ in range(TICKS_PER_STEP):
            speed = _slower(speed * _BRAKE)
            at = at + speed * TICK_S
        glide.append(at)
        speeds.append(speed)
    start = np.abs(TURNS)
    headings = np.radians(yaw_deg + 6.0 * TURNS)
    ahead = np.stack([np.sin(headings), np.cos(headings)], axis=-1)
    pushes = np.stack([ahead, -ahead]) * (DRIVE * TICK_S)
    points = np.broadcast_to(np.array(glide)[start], (2, len(TURNS), 2))
    moving = np.broadcast_to(np.array(speeds)[start], (2, len(TURNS), 2))
    drive, stop, fast = [], [], []
    for _ in range(steps):
        for _ in range(TICKS_PER_STEP):
            moving = _slower((moving + pushes) * DRAG_FACTOR)
            points = points + moving * TICK_S
        drive.append(points)
        stop.append(points + stopping(moving))
        fast.append(np.linalg.norm(moving, axis=-1))
    return Moves(np.array(glide), np.stack(drive, 2), np.stack(stop, 2), np.stack(fast, 2))


def heading_to(here: Floats, there: Floats) -> float:
    """The bearing in degrees, clockwise from +z, of a point (x, z) from another."""
    return math.degrees(math.atan2(there[0] - here[0], there[1] - here[1]))
