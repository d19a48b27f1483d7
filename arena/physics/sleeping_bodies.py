"""Walls and ramps: bodies of 1000 kg and more, movable in principle, that nearly always stand still.

Simulating all of them would take most of a tick. One that stands firmly is held still in Bullet (mass 0) and
released while the agent touches it, as the islands of PhysX sleep and wake.
"""

import math
from collections.abc import Mapping

import numpy as np

from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.physics.bodies import CONTACT_OFFSET, Body, pose
from arena.physics.bullet import bullet
from arena.physics.near_parts import NearBox
from arena.scene import Floats, Vector, yaw_rotation

WAKE_DISTANCE = AGENT_RADIUS + CONTACT_OFFSET
"""An agent whose centre is nearer than this to a body touches it, metres."""

STILL_SPEED = 0.01
"""A slower body (m/s and rad/s) counts as still."""

STILL_TICKS = 20
"""A body that was still for this long falls asleep: PhysX's wake counter of 0.4 s."""


_AWAKE = (1, -1)
_ASLEEP = (2, ~2)
"""Bullet's collision group and mask: sleeping bodies need not be tested against each other."""


class SleepingBodies:
    """The heavy bodies of a world, each asleep (held still) or awake (simulated)."""

    def __init__(self, client: int, bodies: Mapping[int, Body], things: tuple[Placed, ...]) -> None:
        """`bodies` by index into `things`; all are awake at first."""
        self._client = client
        self._bodies = dict(bodies)
        self.indices = tuple(bodies)
        placed = [things[index] for index in self.indices]
        self._centres = np.array([p.position for p in placed]).reshape(-1, 3)
        self._axes = np.array([yaw_rotation(p.yaw) for p in placed]).reshape(-1, 3, 3)
        self._halves = np.array([p.size for p in placed]).reshape(-1, 3) / 2
        self._boxes = [self._box(row) for row in range(len(placed))]
        self._row = {index: row for row, index in enumerate(self.indices)}
        self._still = dict.fromkeys(self.indices, 0)
        self._asleep: set[int] = set()
        # No sleeping body is in reach until the agent has moved by this margin since the last check.
        self._checked_at: Vector = (0.0, 0.0, 0.0)
        self._margin = 0.0
        self._moved: set[int] = set()

    def is_asleep(self, body: int) -> bool:
        """Whether the body with this id is held still now."""
        return body in self._asleep

    def sleep_all(self) -> None:
        """Put every body to sleep, also those that are touched."""
        for index in tuple(self._still):
            self.sleep(index)

    def pop_moved(self) -> list[int]:
        """Indices, in order, of the bodies that were awake at some time since the last call."""
        moved = sorted(self._moved.union(self._still))
        self._moved.clear()
        return moved

    def wake_touched(self, agent: Vector) -> None:
        """Wake the bodies that the agent's sphere touches; `agent` is its centre (metres)."""
        for index in self._still:
            if self._boxes[self._row[index]].overlaps(agent, WAKE_DISTANCE):
                self._still[index] = 0
        if math.dist(agent, self._checked_at) < self._margin:
            return
        asleep = [row for row, index in enumerate(self.indices) if index not in self._still]
        gaps = self._gaps(agent, asleep)
        for row in np.flatnonzero(gaps < 0):
            self._wake(self.indices[asleep[row]])
        self._checked_at, self._margin = agent, float(gaps[gaps >= 0].min(initial=np.inf))

    def _box(self, row: int) -> NearBox:
        """A body in its last resting pose; for a few, plain numbers are faster than arrays."""
        return NearBox(self.indices[row], self._axes[row].T, self._centres[row], self._halves[row], 0.0)

    def _gaps(self, agent: Vector, rows: list[int]) -> Floats:
        """Distances of the agent's sphere from touching the bodies of some rows, metres."""
        away = np.array(agent) - self._centres[rows]
        local = np.abs(np.einsum("nji,nj->ni", self._axes[rows], away)) - self._halves[rows]
        outside = np.maximum(local, 0.0)
        return np.asarray(np.sqrt(np.einsum("ni,ni->n", outside, outside)) - WAKE_DISTANCE)

    def sleep_still(self) -> bool:
        """Put to sleep every body that was still for long enough; return whether none moves now."""
        all_still = True
        for index in tuple(self._still):
            linear, spin = bullet.getBaseVelocity(self._bodies[index].id, physicsClientId=self._client)
            still = max(map(abs, (*linear, *spin))) < STILL_SPEED
            all_still = all_still and still
            self._still[index] = self._still[index] + 1 if still else 0
            if self._still[index] >= STILL_TICKS:
                self.sleep(index)
        return all_still

    def sleep(self, index: int) -> None:
        """Put a body to sleep where it is."""
        del self._still[index]
        self._moved.add(index)
        self._asleep.add(self._bodies[index].id)
        self._margin = 0.0
        self._set_mass(index, 0.0, _ASLEEP)
        row, body = self._row[index], self._bodies[index].id
        bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self._client)
        self._centres[row], self._axes[row] = pose(self._client, body)
        self._boxes[row] = self._box(row)

    def _wake(self, index: int) -> None:
        if index not in self._still:
            self._asleep.discard(self._bodies[index].id)
            self._set_mass(index, self._bodies[index].mass, _AWAKE)
        self._still[index] = 0

    def _set_mass(self, index: int, mass: float, group: tuple[int, int]) -> None:
        body, client = self._bodies[index].id, self._client
        bullet.changeDynamics(body, -1, mass=mass, physicsClientId=client)
        bullet.setCollisionFilterGroupMask(body, -1, *group, physicsClientId=client)
