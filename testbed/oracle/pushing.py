"""Pushes that are known to help: stand exactly at a place, face a bearing, drive on or nudge."""

import math
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from arena import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action, Episode
from arena.action import TICK_S
from arena.geometry.angles import wrap_deg
from arena.physics.agent import DRIVE
from testbed.oracle.motion import driven, stopping

TURN_DEG = 6.0
"""A step of turning."""

GOOD_ENOUGH = 0.1
"""So near to its place the agent need not go nearer, metres."""

TURN_COST = 0.004
"""Metres that it may stand further off, if that saves a step of turning."""

MOST_CORRECTIONS = 3
"""So often it corrects where it stands: what it leans on may be in its way."""

HOP_REST, NUDGE_REST = 4, 2
"""Steps of waiting after a short drive, in which the agent comes to rest; what it pushes slows it down."""


class Correction(NamedTuple):
    """Two short drives, each at a bearing (degrees) and of so many steps."""

    first: float
    first_steps: int
    second: float
    second_steps: int


def reach(steps: int) -> float:
    """How far the agent gets from rest on free ground, if it drives so many steps and then brakes, metres."""
    at, velocity = np.zeros((1, 2)), np.zeros((1, 2))
    for _ in range(steps):
        at, velocity = driven(at, velocity, np.array([[0.0, DRIVE * TICK_S]]), np.zeros(1, bool))
    return float(at[0, 1] + stopping(velocity)[0, 1])


def correction(east: float, north: float, yaw: float) -> Correction:
    """The two drives that together lead nearest to a place so many metres east and north of the agent."""
    bearings = (yaw + TURN_DEG * np.arange(round(360 / TURN_DEG))) % 360
    angles = np.radians(bearings)
    ways = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    half = len(angles) // 2
    turns = np.abs((np.arange(len(angles)) + half // 2) % half - half // 2)
    best, least = Correction(yaw, 0, yaw, 0), math.hypot(east, north)
    for one, two in product((1, 2), (0, 1, 2)):
        ends = reach(one) * ways[:, None] + reach(two) * ways[None, :]
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

    def __init__(self, episode: Episode, idle: Callable[[int], None]) -> None:
        """`idle` waits for some steps."""
        self._episode = episode
        self._idle = idle

    def stand(self, x: float, z: float) -> None:
        """Come to rest as exactly at a place as short drives allow."""
        for _ in range(MOST_CORRECTIONS):
            self._idle(2)
            at = self._episode.position
            east, north = x - at[0], z - at[2]
            if math.hypot(east, north) < GOOD_ENOUGH:
                return
            moves = correction(east, north, self._episode.yaw)
            self._hop(moves.first, moves.first_steps)
            self._hop(moves.second, moves.second_steps)

    def face(self, bearing: float) -> None:
        """Turn to a bearing (degrees), as nearly as steps of turning allow."""
        turns = round(wrap_deg(bearing - self._episode.yaw) / TURN_DEG)
        for _ in range(abs(turns)):
            self._act(TURN_RIGHT if turns > 0 else TURN_LEFT)

    def nudge(self, bearing: float, count: int) -> None:
        """Push gently: so many times a step of driving, with a pause after each."""
        for _ in range(count):
            self._hop(bearing, 1, NUDGE_REST)

    def _hop(self, bearing: float, steps: int, rest: int = HOP_REST) -> None:
        """A short drive, backward where that saves turning, and a stop."""
        if not steps:
            return
        ahead = abs(wrap_deg(bearing - self._episode.yaw)) <= 90
        self.face(bearing if ahead else bearing + 180)
        for _ in range(steps):
            self._act(FORWARD if ahead else BACKWARD)
        self._idle(rest)

    def _act(self, action: Action) -> None:
        if not self._episode.done:
            self._episode.step(action)
