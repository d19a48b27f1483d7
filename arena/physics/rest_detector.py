"""Detects that a world is at rest, like the sleeping islands of PhysX."""

from collections.abc import Collection

from arena.physics.bullet import bullet
from arena.physics.sleeping_bodies import STILL_SPEED, STILL_TICKS


class RestDetector:
    """Counts ticks in which nothing but the agent has moved; after `STILL_TICKS` the world is at rest."""

    def __init__(self, client: int) -> None:
        self._client = client
        self._ticks = 0
        self._last_to_move = -1

    @property
    def at_rest(self) -> bool:
        """Whether Bullet need not simulate until something is touched."""
        return self._ticks >= STILL_TICKS

    def disturb(self) -> None:
        """Restart the count, because something was added, removed, resized or dropped."""
        self._ticks = 0

    def count(self, bodies: Collection[int], others_still: bool) -> bool:
        """Count a simulated tick; return whether the world is at rest after it.

        `bodies` are Bullet's ids of all light bodies; when the world comes to rest, those that still creep
        are stopped. `others_still` says whether nothing else has moved.
        """
        # A tick simulated at rest means that something was touched, which wakes the world.
        before = 0 if self.at_rest else self._ticks
        self._ticks = before + 1 if others_still and not self._any_moves(bodies) else 0
        if self.at_rest:
            for body in bodies:
                bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self._client)
        return self.at_rest

    def _any_moves(self, bodies: Collection[int]) -> bool:
        """Whether one of the bodies moves; the last one that did is checked first."""
        if self._last_to_move not in bodies or not self._moves(self._last_to_move):
            self._last_to_move = next(filter(self._moves, bodies), -1)
        return self._last_to_move >= 0

    def _moves(self, body: int) -> bool:
        linear, spin = bullet.getBaseVelocity(body, physicsClientId=self._client)
        return any(abs(part) >= STILL_SPEED for part in (*linear, *spin))
