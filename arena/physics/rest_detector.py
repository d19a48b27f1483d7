"""When a world has come to rest, as the islands of PhysX fall asleep."""

from collections.abc import Sequence

from arena.physics.bullet import bullet
from arena.physics.sleeping_bodies import STILL_SPEED, STILL_TICKS


class Stillness:
    """For how many ticks nothing has moved but the agent; from `STILL_TICKS` on the world is at rest."""

    def __init__(self, client: int) -> None:
        self._client = client
        self._ticks = 0
        self._last_to_move = -1

    @property
    def at_rest(self) -> bool:
        """Whether Bullet has nothing to do until something is touched."""
        return self._ticks >= STILL_TICKS

    def disturb(self) -> None:
        """Begin to count again: something came, went, grew or was let go."""
        self._ticks = 0

    def count(self, bodies: Sequence[int], firm: bool) -> bool:
        """Count a tick of Bullet's; returns whether it brought the world to rest.

        `bodies` are Bullet's ids of all that moves easily; what of it creeps is stopped then. `firm` is
        whether nothing else has moved.
        """
        # What is simulated although it rested was touched, and stays awake for as long as anything.
        before = 0 if self.at_rest else self._ticks
        self._ticks = before + 1 if firm and not self._any_moves(bodies) else 0
        if self.at_rest:
            for body in bodies:
                bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self._client)
        return self.at_rest

    def _any_moves(self, bodies: Sequence[int]) -> bool:
        """Whether one of the bodies moves; the one that did when this was last asked is looked at first."""
        if self._last_to_move in bodies and self._moves(self._last_to_move):
            return True
        self._last_to_move = next(filter(self._moves, bodies), -1)
        return self._last_to_move >= 0

    def _moves(self, body: int) -> bool:
        linear, spin = bullet.getBaseVelocity(body, physicsClientId=self._client)
        return any(abs(part) >= STILL_SPEED for part in (*linear, *spin))
