"""Pushes that are known to help: stand exactly at a place, face a bearing, drive or nudge."""

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from arena.action import TICK_S
from arena.kernel.motion import DRIVE
from arena.scene import wrap_deg
from testbed.oracle.motion import TURN_DEG, Driver, driven, stopping

GOOD_ENOUGH = 0.1
"""Distance from the place to stand at that needs no correction, metres."""

TURN_COST = 0.004
"""Additional distance that is accepted to save a step of turning, metres."""

MAX_CORRECTIONS = 3
"""Maximum number of corrections of where it stands; an obstacle may make them useless."""

HOP_REST, NUDGE_REST = 4, 2
"""Steps of waiting after a short drive, in which the agent comes to rest; what it pushes slows it down."""


class Correction(NamedTuple):
    """Two short drives, each at a bearing (degrees) and of a number of steps."""

    first: float
    first_steps: int
    second: float
    second_steps: int


def reach(steps: int) -> float:
    """Distance from rest on free ground after driving `steps` steps and then braking, metres."""
    at, velocity = np.zeros((1, 2)), np.zeros((1, 2))
    for _ in range(steps):
        at, velocity = driven(at, velocity, np.array([[0.0, DRIVE * TICK_S]]), np.zeros(1, bool))
    return float(at[0, 1] + stopping(velocity)[0, 1])


def correction(east: float, north: float, yaw: float) -> Correction:
    """The two drives that together end nearest to a place `east` and `north` metres from the agent."""
    bearings = (yaw + TURN_DEG * np.arange(round(360 / TURN_DEG))) % 360
    angles = np.radians(bearings)
    directions = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    half = len(angles) // 2
    turns = np.abs((np.arange(len(angles)) + half // 2) % half - half // 2)
    best, least = Correction(yaw, 0, yaw, 0), math.hypot(east, north)
    for one, two in product((1, 2), (0, 1, 2)):
        ends = reach(one) * directions[:, None] + reach(two) * directions[None, :]
        off = np.hypot(ends[..., 0] - east, ends[..., 1] - north)
        after = (np.arange(len(angles)) - np.arange(len(angles))[:, None]) % len(angles)
        score = off + TURN_COST * (turns[:, None] + turns[after] * bool(two))
        i, j = divmod(int(score.argmin()), len(angles))
        if score[i, j] < least - 0.005:
            least = float(score[i, j])
            best = Correction(float(bearings[i]), one, float(bearings[j]), two)
    return best


class Pusher:
    """Carries out the last part of a push, from near the place where it starts."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def stand(self, x: float, z: float) -> None:
        """Come to rest as exactly at a place as short drives allow."""
        for _ in range(MAX_CORRECTIONS):
            self._driver.idle(2)
            at = self._driver.episode.position
            east, north = x - at[0], z - at[2]
            if math.hypot(east, north) < GOOD_ENOUGH:
                return
            moves = correction(east, north, self._driver.episode.yaw)
            self._hop(moves.first, moves.first_steps)
            self._hop(moves.second, moves.second_steps)

    def nudge(self, bearing: float, count: int) -> None:
        """Push gently: drive `count` single steps, with a pause after each."""
        for _ in range(count):
            self._hop(bearing, 1, NUDGE_REST)

    def _hop(self, bearing: float, steps: int, rest: int = HOP_REST) -> None:
        """A short drive, backward if that saves turning, and a stop."""
        if not steps:
            return
        ahead = abs(wrap_deg(bearing - self._driver.episode.yaw)) <= 90
        self._driver.face(bearing if ahead else bearing + 180)
        self._driver.drive(steps if ahead else -steps)
        self._driver.idle(rest)
