"""The parts of a world's things where they are now, for the kernel."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.action import TICK_S
from arena.geometry.placed import Placed
from arena.geometry.shapes import FLOOR_Y
from arena.kernel.casts import cast
from arena.kernel.contacts import GRAVITY, reached, touched
from arena.kernel.parts import Parts, joined, place, shape_parts
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


_DOWN = np.array([[0.0, -1.0, 0.0]])


class Touches(NamedTuple):
    """Balls and zones that an agent touched in a tick: indices into the world's things, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


NOTHING = Touches((), ())


class LiveParts:
    """The parts of some of a world's things; must be made again when one is added, removed or resized."""

    def __init__(self, placed: Sequence[Placed], there: Sequence[int], sizes: Floats) -> None:
        """`there` are the indices of the things in the arena, `sizes` (n, 3) the current sizes of all."""
        self._things = [(index, placed[index]) for index in there]
        self._sizes = sizes
        shapes = [
            shape_parts(thing.kind.shape, tuple(sizes[index].tolist()), thing.kind.fitted)
            for index, thing in self._things
        ]
        self._own = joined(shapes, there)
        counts = [len(each) for each in shapes]
        for name, values in (
            ("role", [_role(thing) for _, thing in self._things]),
            ("friction", [agent_friction(thing.kind) for _, thing in self._things]),
            ("mass", [thing.kind.mass for _, thing in self._things]),
            ("slide", [thing.kind.friction for _, thing in self._things]),
        ):
            self._own[name] = np.repeat(values, counts)
        self.placed: Parts = self._own.copy()
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

    def lower(self, index: int, way: float) -> None:
        """Move a thing down by `way` metres."""
        self.placed["centre"][self.placed["owner"] == index, 1] -= way

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

    def below(self, centre: Vector, radius: float) -> tuple[int, float]:
        """What a ball hits first that falls straight down: the index of a solid thing, -1 for the floor, and
        how far it falls (metres)."""
        solid = self.placed[self.placed["role"] != Role.ZONE]
        owners, distances = np.empty(1, np.int64), np.empty(1)
        to_floor = centre[1] - radius - FLOOR_Y
        cast(solid, centre, radius, _DOWN, np.full(1, to_floor), owners, distances)
        return int(owners[0]), min(float(distances[0]), to_floor)


def _role(thing: Placed) -> Role:
    kind = thing.kind
    if not kind.is_solid:
        return Role.ZONE
    if kind.is_goal:
        return Role.BALL
    return Role.HEAVY if kind.is_heavy else Role.LOOSE if kind.mass else Role.FIXED
