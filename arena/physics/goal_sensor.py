"""Balls and zones of a world: what an agent's sphere touches besides what it bumps into."""

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
    """What an agent touched in one tick: indices into the world's things, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


class Touchable:
    """The balls and zones that are there now."""

    def __init__(
        self, client: int, balls: Mapping[int, tuple[Body, float]], zones: Mapping[int, Placed]
    ) -> None:
        """By index into the world's things: each ball's body and radius (metres), and each zone."""
        self._client = client
        # Per ball: its index, its body, and the square of the distance at which an agent touches it.
        self._balls = [
            (index, body.id, (AGENT_RADIUS + radius + CONTACT_OFFSET) ** 2)
            for index, (body, radius) in balls.items()
        ]
        self._zones = [_zone_box(index, zone) for index, zone in zones.items()]

    def touched(self, centre: Vector) -> Touches:
        """What an agent's sphere at a centre (metres) touches."""
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
        """Let no ball spin faster than Unity does."""
        client = self._client
        for _, body, _ in self._balls:
            linear, spin = bullet.getBaseVelocity(body, physicsClientId=client)
            x, y, z = spin
            if (rate := x * x + y * y + z * z) > _MAX_SQUARED:
                slower = [component * MAX_SPIN / math.sqrt(rate) for component in spin]
                bullet.resetBaseVelocity(body, linear, slower, physicsClientId=client)


def _zone_box(index: int, zone: Placed) -> NearBox:
    """A zone, which is turned by its yaw only and never moves, as a box that knows what overlaps it."""
    axes = yaw_rotation(zone.yaw).T
    return NearBox(index, axes, np.array(zone.position), np.array(zone.size) / 2, 0.0)
