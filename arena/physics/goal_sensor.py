"""Which balls and zones an agent's sphere touches."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.physics.bodies import CONTACT_OFFSET, Body
from arena.physics.bullet import bullet
from arena.physics.near_parts import NearBox
from arena.scene import Vector, yaw_rotation

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""

_MAX_SQUARED = MAX_SPIN * MAX_SPIN


class Touches(NamedTuple):
    """Balls and zones that an agent touched in a tick: indices into the world's things, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


class GoalSensor:
    """Detects contacts with the balls and zones of a world."""

    def __init__(
        self, client: int, balls: Mapping[int, tuple[Body, float]], zones: Mapping[int, Placed]
    ) -> None:
        """`balls` (body and radius in metres) and `zones` by index into the world's things."""
        self._client = client
        # Per ball: index, body id, and squared distance at which an agent touches it.
        self._balls = [
            (index, body.id, (AGENT_RADIUS + radius + CONTACT_OFFSET) ** 2)
            for index, (body, radius) in balls.items()
        ]
        # A zone only has a yaw and never moves.
        self._zones = [
            NearBox(index, yaw_rotation(zone.yaw).T, np.array(zone.position), np.array(zone.size) / 2, 0.0)
            for index, zone in zones.items()
        ]

    def touched(self, centre: Vector) -> Touches:
        """What an agent's sphere with the given centre (metres) touches."""
        zones = tuple(zone.owner for zone in self._zones if zone.overlaps(centre))
        return Touches(self._touched_balls(centre), zones)

    def _touched_balls(self, centre: Vector) -> tuple[int, ...]:
        x, y, z = centre
        touched = []
        for index, body, reach in self._balls:
            a, c, b = bullet.getBasePositionAndOrientation(body, physicsClientId=self._client)[0]
            if (a - x) * (a - x) + (b - y) * (b - y) + (c - z) * (c - z) < reach:
                touched.append(index)
        return tuple(touched)

    def limit_spin(self) -> None:
        """Limit the spin of balls as Unity does."""
        client = self._client
        for _, body, _ in self._balls:
            linear, spin = bullet.getBaseVelocity(body, physicsClientId=client)
            x, y, z = spin
            if (rate := x * x + y * y + z * z) > _MAX_SQUARED:
                slower = [component * MAX_SPIN / math.sqrt(rate) for component in spin]
                bullet.resetBaseVelocity(body, linear, slower, physicsClientId=client)
