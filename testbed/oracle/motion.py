"""The agent's motion on level ground (`TrainingAgent.cs`), and useful pushes.

A push: stand exactly at a place, face a bearing, drive or nudge.
"""

import math
from itertools import product

import numpy as np

from arena import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action, Episode
from arena.action import TICK_S, TICKS_PER_STEP
from arena.kernel.motion import DRAG_FACTOR, DRIVE, QUICK_STOP
from arena.scene import Floats, wrap_deg
from arena.taskfile.kind import DEFAULT_FRICTION, GRAVITY
from testbed.oracle.terrain import Bools

TURNS = np.arange(-30, 31)
"""Candidate turns, in steps of 6 degrees; negative to the left."""

FRICTION_LOSS = DEFAULT_FRICTION * GRAVITY * TICK_S * DRAG_FACTOR
"""Loss of speed by friction in a tick, m/s."""

_BRAKE = QUICK_STOP * DRAG_FACTOR


def _slower(velocity: Floats) -> Floats:
    speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
    return np.asarray(velocity * (np.maximum(speed - FRICTION_LOSS, 0) / np.maximum(speed, 1e-9)))


def _stopping_table() -> tuple[Floats, Floats]:
    """Braking distance (metres) by speed (m/s)."""
    speeds = np.linspace(0.0, 30.0, 121)
    distance, speed = np.zeros_like(speeds), speeds.copy()
    for _ in range(60):
        speed = np.maximum(speed * _BRAKE - FRICTION_LOSS, 0)
        distance += speed * TICK_S
    return speeds, distance


_SPEEDS, _DISTANCES = _stopping_table()


def stopping(velocity: Floats) -> Floats:
    """Return displacements (..., 2) of braking agents with velocities (..., 2)."""
    speed = np.linalg.norm(velocity, axis=-1)
    distance = np.interp(speed, _SPEEDS, _DISTANCES)
    return np.asarray(velocity * (distance / np.maximum(speed, 1e-9))[..., None])


def coasting(position: Floats, velocity: Floats) -> tuple[Floats, Floats]:
    """Return positions and velocities (31, 2) of a turning agent. It turns for 0 to 30 steps."""
    at, speed = position.astype(float), velocity.astype(float)
    places, speeds = [at], [speed]
    for _ in range(30):
        for _ in range(TICKS_PER_STEP):
            speed = _slower(speed * _BRAKE)
            at = at + speed * TICK_S
        places.append(at)
        speeds.append(speed)
    return np.array(places), np.array(speeds)


def driven(points: Floats, velocity: Floats, thrust: Floats, flying: Bools) -> tuple[Floats, Floats]:
    """Return positions and velocities (m, 2) after a driven step. `thrust` is m/s per tick."""
    air = flying[:, None]
    for _ in range(TICKS_PER_STEP):
        on_ground = _slower((velocity + thrust) * DRAG_FACTOR)
        velocity = np.where(air, velocity * DRAG_FACTOR, on_ground)
        points = points + velocity * TICK_S
    return points, velocity


def uphill(slope: Floats) -> Floats:
    """Return the share of level acceleration left on a slope. 0 to 1, by rise over run."""
    square = 1 / (1 + slope**2)
    mixed = slope * square
    net = DRIVE * (square - DEFAULT_FRICTION * mixed) - GRAVITY * (mixed + DEFAULT_FRICTION * square)
    return np.clip(net / (DRIVE - DEFAULT_FRICTION * GRAVITY), 0.05, 1.0)


TURN_DEG = 6.0
"""Angle of one step of turning, degrees."""


def waiting(episode: Episode) -> Action:
    """Return the next action of waiting, alternate turns. Scripts have no idle command."""
    return TURN_RIGHT if episode.steps % 2 else TURN_LEFT


def reach(steps: int) -> float:
    """Return the distance of `steps` driving steps from rest, metres. It includes braking, on free ground."""
    at, velocity = np.zeros((1, 2)), np.zeros((1, 2))
    for _ in range(steps):
        at, velocity = driven(at, velocity, np.array([[0.0, DRIVE * TICK_S]]), np.zeros(1, bool))
    return float(at[0, 1] + stopping(velocity)[0, 1])


def correction(east: float, north: float, yaw: float) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return the two drives that end nearest to a relative place.

    It is `east` and `north` metres from the agent. Each is a bearing (degrees) and a number of steps. To save
    a step of turning, 0.004 m of additional distance are accepted.
    """
    bearings = (yaw + TURN_DEG * np.arange(round(360 / TURN_DEG))) % 360
    angles = np.radians(bearings)
    directions = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    half = len(angles) // 2
    turns = np.abs((np.arange(len(angles)) + half // 2) % half - half // 2)
    best, least = ((yaw, 0), (yaw, 0)), math.hypot(east, north)
    for one, two in product((1, 2), (0, 1, 2)):
        ends = reach(one) * directions[:, None] + reach(two) * directions[None, :]
        off = np.hypot(ends[..., 0] - east, ends[..., 1] - north)
        after = (np.arange(len(angles)) - np.arange(len(angles))[:, None]) % len(angles)
        score = off + 0.004 * (turns[:, None] + turns[after] * bool(two))
        i, j = divmod(int(score.argmin()), len(angles))
        if score[i, j] < least - 0.005:
            least = float(score[i, j])
            best = (float(bearings[i]), one), (float(bearings[j]), two)
    return best


class Driver:
    """Driver of an episode's agent until the episode is done. Afterwards it does nothing."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._parity = False

    def idle(self, steps: int) -> None:
        """Wait by turning right and left alternately."""
        for _ in range(steps):
            self._parity = not self._parity
            self.turn(1 if self._parity else -1)

    def turn(self, steps: int) -> None:
        """Turn by steps of 6 degrees, to the right if positive."""
        self._repeat(TURN_RIGHT if steps > 0 else TURN_LEFT, abs(steps))

    def face(self, bearing: float) -> None:
        """Turn to a bearing (degrees), as closely as steps of turning allow."""
        self.turn(round(wrap_deg(bearing - self.episode.yaw) / TURN_DEG))

    def drive(self, steps: int) -> None:
        """Drive forward, or backward if negative."""
        self._repeat(FORWARD if steps > 0 else BACKWARD, abs(steps))

    def _repeat(self, action: Action, count: int) -> None:
        for _ in range(count):
            if self.episode.done:
                return
            self.episode.step(action)

    def stand(self, x: float, z: float) -> None:
        """Come to rest within 0.1 m of a place. Obstructions permit at most three corrections."""
        for _ in range(3):
            self.idle(2)
            at = self.episode.position
            east, north = x - at[0], z - at[2]
            if math.hypot(east, north) < 0.1:
                return
            for bearing, steps in correction(east, north, self.episode.yaw):
                self._hop(bearing, steps)

    def nudge(self, bearing: float, count: int) -> None:
        """Push gently: `count` single steps, each with a pause. The object slows the agent."""
        for _ in range(count):
            self._hop(bearing, 1, rest=2)

    def _hop(self, bearing: float, steps: int, rest: int = 4) -> None:
        """Drive shortly, then rest for `rest` steps. It drives backward if that saves turning."""
        if not steps:
            return
        ahead = abs(wrap_deg(bearing - self.episode.yaw)) <= 90
        self.face(bearing if ahead else bearing + 180)
        self.drive(steps if ahead else -steps)
        self.idle(rest)
