"""Balls and zones of a world: what an agent's sphere touches besides what it bumps into."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from arena.bodies import CONTACT_OFFSET, Body
from arena.bullet import bullet
from arena.placed import AGENT_RADIUS, Placed
from arena.scene import Vector

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""


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
        self._zones = zones

    def touched(self, centre: Vector) -> Touches:
        """What an agent's sphere at a centre (metres) touches."""
        zones = tuple(index for index, zone in self._zones.items() if _ball_in_box(centre, zone))
        return Touches(self._touched_balls(centre), zones)

    def _touched_balls(self, centre: Vector) -> tuple[int, ...]:
        x, y, z = centre
        touched = []
        for index, body, reach in self._balls:
            at = bullet.getBasePositionAndOrientation(body, physicsClientId=self._client)[0]
            if (at[0] - x) ** 2 + (at[1] - z) ** 2 + (at[2] - y) ** 2 < reach:
                touched.append(index)
        return tuple(touched)

    def limit_spin(self) -> None:
        """Let no ball spin faster than Unity does."""
        client = self._client
        for _, body, _ in self._balls:
            linear, spin = bullet.getBaseVelocity(body, physicsClientId=client)
            rate = spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2
            if rate > MAX_SPIN**2:
                slower = [component * MAX_SPIN / math.sqrt(rate) for component in spin]
                bullet.resetBaseVelocity(body, linear, slower, physicsClientId=client)


def _ball_in_box(centre: Vector, zone: Placed) -> bool:
    """Whether the agent's sphere overlaps a zone's box, which is turned by its yaw only."""
    yaw = math.radians(zone.yaw)
    sin, cos = math.sin(yaw), math.cos(yaw)
    dx, dy, dz = (a - b for a, b in zip(centre, zone.position, strict=True))
    local = (dx * cos - dz * sin, dy, dx * sin + dz * cos)
    gaps = (max(abs(a) - size / 2, 0.0) for a, size in zip(local, zone.size, strict=True))
    return sum(gap * gap for gap in gaps) < AGENT_RADIUS**2
