"""The parts of a world's things where they are now, for the kernel."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.action import TICK_S
from arena.geometry.placed import Placed
from arena.geometry.shapes import FLOOR_Y
from arena.kernel.balls import CALM_SPEED, CALM_TICKS, STILL_SPEED, STILL_TICKS, any_rolls
from arena.kernel.contacts import GRAVITY, reached, touched
from arena.kernel.parts import Parts, arena_parts, place, shape_parts
from arena.kernel.tables import Role
from arena.physics.bodies import agent_friction
from arena.scene import Floats, Vector
from arena.taskfile.kind import Shape

HOLD = 0.9
"""A wall or ramp counts as static below this share of the impulse that would make it slide or tip."""

_ON_FLOOR = 0.02
"""A body whose bottom is at most this far (metres) from the floor stands on it."""

_UPRIGHT = 0.9999
"""Cosine of the largest tilt of an upright body."""


class Touches(NamedTuple):
    """Balls and zones that an agent touched in a tick: indices into the world's things, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


NOTHING = Touches((), ())


class LiveParts:
    """The parts of some of a world's things and, last, of the boundary; must be made again when a thing is
    added, removed or resized."""

    def __init__(
        self, placed: Sequence[Placed], there: Sequence[int], sizes: Floats, before: "LiveParts | None"
    ) -> None:
        """`there` are the indices of the things in the arena, `sizes` (n, 3) the current sizes of all; balls
        that were there `before` move on."""
        self._things = [(index, placed[index]) for index in there]
        self._sizes = sizes
        shapes = [
            shape_parts(thing.kind.shape, tuple(sizes[index].tolist()), thing.kind.fitted)
            for index, thing in self._things
        ]
        self._own = arena_parts(shapes, there, len(placed))
        counts = [len(each) for each in shapes]
        for name, values in (
            ("role", [_role(thing) for _, thing in self._things]),
            ("friction", [agent_friction(thing.kind) for _, thing in self._things]),
            ("mass", [thing.kind.mass for _, thing in self._things]),
            ("slide", [thing.kind.friction for _, thing in self._things]),
        ):
            self._own[name][: sum(counts)] = np.repeat(values, counts)
        self.placed: Parts = self._own.copy()
        self._balls = np.flatnonzero(self._own["role"] == Role.BALL)
        self.balls: list[int] = self._own["owner"][self._balls].tolist()
        if before:
            for ball in set(self.balls) & set(before.balls):
                old = before.placed[before._balls[before.balls.index(ball)]]
                now = self.placed[self._balls[self.balls.index(ball)]]
                now["motion"], now["still"] = old["motion"], old["still"]
        self._owners = np.empty(len(self._own), np.int64)

    def move(self, positions: Floats, rotations: Floats) -> None:
        """Update for the poses of all things, (n, 3) and (n, 3, 3); nothing counts as standing."""
        place(self._own, positions, rotations, self.placed)
        self.placed["hold"] = 0.0

    def stand(self, positions: Floats, rotations: Floats) -> None:
        """Mark the walls and ramps that stand upright on the floor, when nothing moves."""
        for index, thing in self._things:
            kind, size = thing.kind, self._sizes[index]
            bottom = positions[index, 1] - size[1] / 2
            if kind.is_heavy and abs(bottom - FLOOR_Y) <= _ON_FLOOR and rotations[index, 1, 1] >= _UPRIGHT:
                rows = self.placed["owner"] == index
                self.placed["hold"][rows] = HOLD * kind.mass * GRAVITY * TICK_S
                self.placed["bottom"][rows] = bottom
                # A ramp's centre of mass is a third of its length from its tall end.
                self.placed["arm"][rows] = min(size[0], size[2]) / (3 if kind.shape is Shape.PRISM else 2)

    @property
    def any_rolls(self) -> bool:
        """Whether a ball is awake."""
        return any_rolls(self.placed)

    def read_balls(self, positions: Floats, rotations: Floats) -> None:
        """Write where the balls are now among the poses of all things."""
        positions[self.balls] = self.placed["centre"][self._balls]
        rotations[self.balls] = self.placed["axes"][self._balls].transpose(0, 2, 1)

    def motions(self) -> Floats:
        """Velocity (m/s) and spin (rad/s, by the right-hand formulas) of all balls (n, 2, 3)."""
        found: Floats = self.placed["motion"][self._balls, :2]
        return found

    def push(self, ball: int, velocity: Vector) -> None:
        """Add to the velocity (m/s) of a ball."""
        row = self._balls[self.balls.index(ball)]
        self.placed["motion"][row, 0] += velocity
        self.placed["still"][row] = 0

    def set_motions(self, motions: Floats) -> None:
        """Set what `motions` gives, a tick after those before."""
        fastest = abs(motions).max(axis=(1, 2), initial=0.0)
        gain = np.where(fastest < CALM_SPEED, CALM_TICKS, 1)
        still = np.where(fastest < STILL_SPEED, self.placed["still"][self._balls] + gain, 0)
        self.placed["motion"][self._balls, :2] = np.where(still[:, None, None] < STILL_TICKS, motions, 0.0)
        self.placed["still"][self._balls] = still

    def touched(self, centre: Vector) -> Touches:
        """What an agent's sphere with the given centre (metres) touches."""
        count = touched(self.placed, *centre, self._owners)
        if not count:
            return NOTHING
        found = self._owners[:count].tolist()
        return Touches(
            tuple(index for index in found if index >= 0), tuple(-1 - index for index in found if index < 0)
        )

    def overlapping(self, centre: Vector, radius: float, first: Role, last: Role) -> list[int]:
        """Indices of the things in the roles `first` to `last` that a sphere (metres) overlaps."""
        count = reached(self.placed, *centre, radius, int(first), int(last), self._owners)
        return [int(owner) for owner in self._owners[:count]]


def _role(thing: Placed) -> Role:
    kind = thing.kind
    if not kind.is_solid:
        return Role.ZONE
    if kind.is_goal:
        return Role.BALL
    return Role.HEAVY if kind.is_heavy else Role.LOOSE if kind.mass else Role.FIXED
