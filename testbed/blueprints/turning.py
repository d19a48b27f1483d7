"""The same arena turned round and mirrored, and zones told by their corners."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from testbed.blueprints.blueprint import Object
from testbed.blueprints.parts import mirrored, zone

FENCE_GAP = 0.04
"""Metres between a zone and the fence."""


def turned(objects: Sequence[Object], quarters: int) -> tuple[Object, ...]:
    """The arena turned clockwise, seen from above, by so many right angles."""
    for _ in range(quarters % 4):
        objects = [_quarter(thing) for thing in objects]
    return tuple(objects)


def _quarter(thing: Object) -> Object:
    x, y, z = thing.place
    return replace(thing, place=(z, y, 40 - x), yaw=(thing.yaw + 90) % 360)


def anyhow(rng: np.random.Generator, objects: Sequence[Object]) -> tuple[Object, ...]:
    """The arena turned and mirrored at random: eight ways to lie."""
    if rng.random() < 0.5:
        objects = mirrored(objects)
    return turned(objects, int(rng.integers(4)))


def field(kind: str, x1: float, z1: float, x2: float, z2: float) -> Object:
    """A zone between two corners, metres; it keeps a little off the fence, which it must not touch."""
    left, low, right, high = (even(min(max(value, FENCE_GAP), 40 - FENCE_GAP)) for value in (x1, z1, x2, z2))
    return zone(kind, (left + right) / 2, (low + high) / 2, right - left, high - low)


def even(value: float) -> float:
    """To an even centimetre: where both edges of a thing are such, its middle is a whole one."""
    return 0.02 * round(value / 0.02)
