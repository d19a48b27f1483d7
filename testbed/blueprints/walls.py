"""Walls: barriers, runs, fans and rings of them, and the gaps kept between them."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from testbed.blueprints.blueprint import Object
from testbed.blueprints.parts import pane, wall
from testbed.blueprints.places import XZ, bearing_to, polar

HEIGHT = 3.0
"""Metres: walls over which the agent cannot look, not even from a platform of 1 m."""

THICK = 0.4
"""Thickness of walls, metres."""

GAP = 0.04
"""Metres between things that stand side by side, so that rounding does not let them overlap."""

JOINT = 0.03
"""Metres between walls that join: files hold two decimals, and walls that overlap are not placed."""

EDGE = 0.02
"""Metres from a wall's end to the fence."""


def barrier(x: float, z: float, size: tuple[float, float, float], yaw: float, transparent: bool) -> Object:
    """A wall, grey or transparent."""
    return pane(x, z, size, yaw) if transparent else wall(x, z, size, yaw)


def along(x: float, low: float, high: float, height: float, thick: float = THICK, y: float = 0) -> Object:
    """A wall along z at some x, from z = `low` to `high`."""
    return wall(x, (low + high) / 2, (thick, height, high - low), y=y)


def across(z: float, left: float, right: float, height: float, thick: float = THICK) -> Object:
    """A wall along x at some z, from x = `left` to `right`."""
    return wall((left + right) / 2, z, (right - left, height, thick))


def wall_between(start: XZ, end: XZ, height: float) -> Object:
    """A wall whose middle line leads from one place to another."""
    x, z = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    yaw = bearing_to(start, end) % 180
    # The file has yaws to a tenth of a degree and places to a centimetre.
    return wall(x, z, (THICK, height, math.dist(start, end) - 2 * GAP), yaw)


def run(points: Sequence[XZ]) -> tuple[Object, ...]:
    """One wall along several points at right angles to each other; corners are filled."""
    found, thickness = [], 0.5
    for number, ((ax, az), (bx, bz)) in enumerate(pairwise(points)):
        bearing = bearing_to((ax, az), (bx, bz))
        start = thickness / 2 + JOINT if number else 0.0
        end = math.dist((ax, az), (bx, bz)) + (thickness / 2 if number < len(points) - 2 else 0.0)
        x, z = polar(ax, az, bearing, (start + end) / 2)
        found.append(wall(x, z, (thickness, HEIGHT, end - start), bearing))
    return tuple(found)


def fan(
    x: float, z: float, bearings: Sequence[float], length: float, transparent: bool
) -> tuple[Object, ...]:
    """Barriers that go out from a point; no two of the bearings (ascending) are closer than 40 degrees."""
    thickness = 0.5
    turns = [(b - a) % 360 for a, b in zip(bearings, (*bearings[1:], bearings[0]), strict=True)]
    narrow = min(turns)
    start = thickness / 2 / math.tan(math.radians(min(narrow, 170) / 2)) + JOINT
    return tuple(
        barrier(*polar(x, z, bearing, start + length / 2), (thickness, HEIGHT, length), bearing, transparent)
        for bearing in bearings
    )


def ring(radius: float, pieces: int, open_pieces: Iterable[int], transparent: bool) -> tuple[Object, ...]:
    """A ring of straight pieces about the arena's middle, some of them left out; piece 0 is at bearing 0."""
    thickness, half = 0.4, math.pi / pieces
    width = 2 * (radius - thickness / 2) * math.tan(half) - JOINT
    return tuple(
        barrier(*polar(20, 20, 360 * number / pieces, radius), (width, HEIGHT, thickness),
                360 * number / pieces, transparent)
        for number in range(pieces)
        if number not in set(open_pieces)
    )  # fmt: skip
