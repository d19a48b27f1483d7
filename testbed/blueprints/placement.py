"""Where an arrangement lies in the arena: mirrored, turned, shifted, or put there from a frame of its own.

There are three ways to turn, and they are kept apart because they round differently, and files hang on the
last digit: `turned` by right angles, which is exact; `moved` by any angle about the arena's middle; and
`Frame`, for what is laid out about an origin of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from testbed.blueprints.blueprint import Blueprint, Object, Shove
from testbed.blueprints.parts import Spot, near, polar, side

REACH = 18.7
"""Metres from the arena's middle within which an arrangement that is free of the fence is put."""

_TWINS = {"LBlock": "JBlock", "JBlock": "LBlock"}


def mirrored(objects: Sequence[Object]) -> tuple[Object, ...]:
    """The arena as in a mirror: left and right change places."""
    return tuple(_mirror(thing) for thing in objects)


def _mirror(thing: Object) -> Object:
    x, y, z = thing.place
    return replace(thing, kind=_TWINS.get(thing.kind, thing.kind), place=(40 - x, y, z), yaw=-thing.yaw % 360)


def turned(objects: Sequence[Object], quarters: int) -> tuple[Object, ...]:
    """The arena turned clockwise, seen from above, by so many right angles."""
    for _ in range(quarters % 4):
        objects = [_quarter(thing) for thing in objects]
    return tuple(objects)


def _quarter(thing: Object) -> Object:
    x, y, z = thing.place
    return replace(thing, place=(z, y, 40 - x), yaw=(thing.yaw + 90) % 360)


def any_quarter(rng: np.random.Generator, objects: Sequence[Object]) -> tuple[Object, ...]:
    """The arena turned by a drawn number of right angles."""
    return turned(objects, int(rng.integers(4)))


def any_way(rng: np.random.Generator, objects: Sequence[Object]) -> tuple[Object, ...]:
    """The arena mirrored or not, and turned by a drawn number of right angles: eight ways to lie."""
    return any_quarter(rng, mirrored(objects) if rng.random() < 0.5 else objects)


def moved(task: Blueprint, angle: float, shift: Spot = (0.0, 0.0)) -> Blueprint:
    """The task turned clockwise about the arena's middle (degrees), then shifted by x and z (metres).

    Angles are rounded to 0.1 degrees: that is what a file can hold.
    """
    angle = round(angle, 1)
    return replace(
        task,
        objects=tuple(_move(thing, angle, shift) for thing in task.objects),
        shoves=tuple(_move_shove(push, angle, shift) for push in task.shoves),
    )


def _move(thing: Object, angle: float, shift: Spot) -> Object:
    x, y, z = thing.place
    x, z = _around(x, z, angle, shift)
    return replace(thing, place=(x, y, z), yaw=(thing.yaw + angle) % 360)


def _move_shove(push: Shove, angle: float, shift: Spot) -> Shove:
    x, z = _around(push.x, push.z, angle, shift)
    return push._replace(x=x, z=z, bearing=push.bearing + angle)


def _around(x: float, z: float, angle: float, shift: Spot) -> Spot:
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    x, z = x - 20, z - 20
    return 20 + x * cosine + z * sine + shift[0], 20 - x * sine + z * cosine + shift[1]


def posed(rng: np.random.Generator, task: Blueprint, free: bool = False) -> Blueprint:
    """The task mirrored or not, and turned: by right angles, or where it is `free` of the fence by any angle.

    What is free is shifted too, as far as it stays clear of the fence.
    """
    if side(rng) < 0:
        task = replace(
            task,
            objects=mirrored(task.objects),
            shoves=tuple(push._replace(x=40 - push.x, bearing=-push.bearing) for push in task.shoves),
        )
    if not free:
        return moved(task, 90.0 * int(rng.integers(4)))
    extent = max(
        math.hypot(thing.place[0] - 20, thing.place[2] - 20) + _half(thing) for thing in task.objects
    )
    slack = max(0.0, REACH - extent)
    x, z = polar(0, 0, float(rng.uniform(0, 360)), slack * math.sqrt(rng.random()))
    return moved(task, float(rng.uniform(0, 360)), (x, z))


def _half(thing: Object) -> float:
    """Half the diagonal of a thing in plan, at least 2 m: room for the agent."""
    return 2.0 if thing.size is None else max(2.0, math.hypot(thing.size[0], thing.size[2]) / 2)


class Frame(NamedTuple):
    """A frame of reference for an arrangement: its origin in the arena (metres), where its +z points
    (degrees), and whether it is mirrored."""

    x: float
    z: float
    bearing: float
    flipped: bool

    def placed(self, task: Blueprint) -> Blueprint:
        """A task that is told in this frame, told in the arena's."""
        local = _about_origin(task.objects) if self.flipped else task.objects
        return replace(
            task,
            objects=tuple(self._object(thing) for thing in local),
            shoves=tuple(self._shove(push) for push in task.shoves),
        )

    def _at(self, x: float, z: float) -> Spot:
        return polar(self.x, self.z, self.bearing + math.degrees(math.atan2(x, z)), math.hypot(x, z))

    def _object(self, thing: Object) -> Object:
        x, z = self._at(thing.place[0], thing.place[2])
        return replace(thing, place=(x, thing.place[1], z), yaw=(thing.yaw + self.bearing) % 360)

    def _shove(self, push: Shove) -> Shove:
        sign = -1 if self.flipped else 1
        x, z = self._at(sign * push.x, push.z)
        return push._replace(x=x, z=z, bearing=(sign * push.bearing + self.bearing) % 360)


def _about_origin(local: Sequence[Object]) -> list[Object]:
    """Mirrored about x = 0, where `mirrored` does it about the arena's middle."""
    return [replace(thing, place=(thing.place[0] - 40, *thing.place[1:])) for thing in mirrored(local)]


def anywhere(rng: np.random.Generator, spread: float) -> Frame:
    """A frame about the middle, at most `spread` metres off, turned by any angle."""
    x, z = near(rng, 20, spread), near(rng, 20, spread)
    return Frame(x, z, near(rng, 180, 180), side(rng) > 0)


def upright(rng: np.random.Generator) -> Frame:
    """A frame in the middle that looks to one of the four fences: for what reaches from fence to fence."""
    return Frame(20.0, 20.0, 90.0 * int(rng.integers(4)), side(rng) > 0)
