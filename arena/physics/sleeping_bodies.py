"""Walls and ramps: bodies of 1000 kg and more, movable in principle, that nearly always stand still.

Simulating all of them would take most of a tick. One that stands firmly is held still in Bullet (mass 0) and
released while the agent touches it, as the islands of PhysX sleep and wake.
"""

from collections.abc import Collection, Iterable, Mapping

from arena.kernel.balls import STILL_SPEED, STILL_TICKS
from arena.physics.bodies import Body
from arena.physics.bullet import bullet

_AWAKE = (1, -1)
_ASLEEP = (2, ~2)
"""Bullet's collision group and mask: sleeping bodies need not be tested against each other."""


def pace(client: int, body: int) -> float:
    """The largest component of a body's velocity (m/s) and spin (rad/s)."""
    linear, spin = bullet.getBaseVelocity(body, physicsClientId=client)
    fastest: float = max(map(abs, (*linear, *spin)))
    return fastest


class SleepingBodies:
    """The heavy bodies of a world, each asleep (held still) or awake (simulated)."""

    def __init__(self, client: int, bodies: Mapping[int, Body], asleep: Collection[int]) -> None:
        """`bodies` by index into the world's things; those at rest are `asleep`."""
        self._client, self._bodies = client, bodies
        self._still = dict.fromkeys(bodies, 0)
        self._asleep: set[int] = set()
        for index in bodies:
            if index in asleep:
                self.sleep(index)

    def is_asleep(self, body: int) -> bool:
        """Whether the body with this id is held still now."""
        return body in self._asleep

    def sleep_all(self) -> None:
        """Put every body to sleep, also those that are touched."""
        for index in tuple(self._still):
            self.sleep(index)

    @property
    def awake(self) -> tuple[int, ...]:
        """Indices, in order, of the bodies that are simulated."""
        return tuple(sorted(self._still))

    def wake(self, indices: Iterable[int]) -> None:
        """Wake some bodies, or keep them awake."""
        for index in indices:
            if index not in self._still:
                self._asleep.discard(self._bodies[index].id)
                self._set_mass(index, self._bodies[index].mass, _AWAKE)
            self._still[index] = 0

    def sleep_still(self) -> float:
        """Put to sleep every body that was still for long enough; return the largest pace now."""
        fastest = 0.0
        for index in tuple(self._still):
            now = pace(self._client, self._bodies[index].id)
            fastest = max(fastest, now)
            self._still[index] = self._still[index] + 1 if now < STILL_SPEED else 0
            if self._still[index] >= STILL_TICKS:
                self.sleep(index)
        return fastest

    def sleep(self, index: int) -> None:
        """Put a body to sleep where it is."""
        del self._still[index]
        self._asleep.add(self._bodies[index].id)
        self._set_mass(index, 0.0, _ASLEEP)
        body = self._bodies[index].id
        bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self._client)

    def _set_mass(self, index: int, mass: float, group: tuple[int, int]) -> None:
        body, client = self._bodies[index].id, self._client
        bullet.changeDynamics(body, -1, mass=mass, physicsClientId=client)
        bullet.setCollisionFilterGroupMask(body, -1, *group, physicsClientId=client)
