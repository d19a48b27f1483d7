"""Arrangements that are laid out in a frame of their own, then put somewhere in the arena and turned."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from testbed.blueprints.blueprint import Object, Shove
from testbed.blueprints.parts import Spot, mirrored, near, polar, side

CENTRE: Spot = (20.0, 20.0)


class Stage(NamedTuple):
    """Where an arrangement goes: its origin (metres), where its +z points (degrees), if it is mirrored."""

    x: float
    z: float
    bearing: float
    flipped: bool

    def objects(self, local: Sequence[Object]) -> tuple[Object, ...]:
        """Objects of the frame as objects of the arena."""
        return tuple(self._object(thing) for thing in (_flipped(local) if self.flipped else local))

    def shoves(self, local: Sequence[Shove]) -> tuple[Shove, ...]:
        """The same for pushes."""
        return tuple(self._shove(push) for push in local)

    def _at(self, x: float, z: float) -> Spot:
        return polar(self.x, self.z, self.bearing + math.degrees(math.atan2(x, z)), math.hypot(x, z))

    def _object(self, thing: Object) -> Object:
        x, z = self._at(thing.place[0], thing.place[2])
        yaw = (thing.yaw + self.bearing) % 360
        return Object(thing.kind, (x, thing.place[1], z), thing.size, yaw, thing.color)

    def _shove(self, push: Shove) -> Shove:
        sign = -1 if self.flipped else 1
        x, z = self._at(sign * push.x, push.z)
        return push._replace(x=x, z=z, bearing=(sign * push.bearing + self.bearing) % 360)


def _flipped(local: Sequence[Object]) -> tuple[Object, ...]:
    """Mirrored about x = 0, where `mirrored` does it about the arena's middle."""
    about = mirrored(local)
    return tuple(
        Object(thing.kind, (thing.place[0] - 40, *thing.place[1:]), thing.size, thing.yaw, thing.color)
        for thing in about
    )


def anywhere(rng: np.random.Generator, spread: float) -> Stage:
    """A stage about the middle, at most `spread` metres off, turned by any angle."""
    x, z = near(rng, 20, spread), near(rng, 20, spread)
    return Stage(x, z, near(rng, 180, 180), side(rng) > 0)


def upright(rng: np.random.Generator, flips: bool = True) -> Stage:
    """A stage in the middle that looks to one of the four fences: for what reaches from fence to fence."""
    return Stage(*CENTRE, 90.0 * int(rng.integers(4)), flips and side(rng) > 0)
