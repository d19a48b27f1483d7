"""Layouts of many walls: runs of wall, rings, arms of a radial maze, rooms and mazes."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from testbed.blueprints.blueprint import Color, Object
from testbed.blueprints.parts import GREY, Spot, pane, polar, wall

HEIGHT = 3.0
"""Metres: walls over which the agent cannot look, not even from a platform of 1 m."""

GAP = 0.03
"""Metres between walls that join: files hold two decimals, and walls that overlap are not placed."""

EDGE = 0.02
"""Metres from a wall's end to the fence."""

Interval = tuple[float, float]


def barrier(x: float, z: float, size: tuple[float, float, float], yaw: float, transparent: bool) -> Object:
    """A wall, grey or transparent."""
    return pane(x, z, size, yaw) if transparent else wall(x, z, size, yaw)


def run(points: Sequence[Spot], thickness: float = 0.5, color: Color = GREY) -> tuple[Object, ...]:
    """One wall along several points at right angles to each other; corners are filled."""
    found = []
    for number, ((ax, az), (bx, bz)) in enumerate(pairwise(points)):
        bearing = math.degrees(math.atan2(bx - ax, bz - az))
        start = thickness / 2 + GAP if number else 0.0
        end = math.dist((ax, az), (bx, bz)) + (thickness / 2 if number < len(points) - 2 else 0.0)
        x, z = polar(ax, az, bearing, (start + end) / 2)
        found.append(wall(x, z, (thickness, HEIGHT, end - start), bearing, color))
    return tuple(found)


def fan(
    x: float, z: float, bearings: Sequence[float], length: float, transparent: bool
) -> tuple[Object, ...]:
    """Barriers that go out from a point; no two of the bearings (ascending) are closer than 40 degrees."""
    thickness = 0.5
    turns = [(b - a) % 360 for a, b in zip(bearings, (*bearings[1:], bearings[0]), strict=True)]
    narrow = min(turns)
    start = thickness / 2 / math.tan(math.radians(min(narrow, 170) / 2)) + GAP
    return tuple(
        barrier(*polar(x, z, bearing, start + length / 2), (thickness, HEIGHT, length), bearing, transparent)
        for bearing in bearings
    )


def ring(radius: float, pieces: int, open_pieces: Iterable[int], transparent: bool) -> tuple[Object, ...]:
    """A ring of straight pieces about the arena's middle, some of them left out; piece 0 is at bearing 0."""
    thickness, half = 0.4, math.pi / pieces
    width = 2 * (radius - thickness / 2) * math.tan(half) - GAP
    return tuple(
        barrier(*polar(20, 20, 360 * number / pieces, radius), (width, HEIGHT, thickness),
                360 * number / pieces, transparent)
        for number in range(pieces)
        if number not in set(open_pieces)
    )  # fmt: skip


ARM_WIDTH = 3.6
ARM_END = 18.6
"""Metres: clear width of the arms of a radial maze, and how far their ends are from its middle."""


def hub(arms: int) -> float:
    """How far the arms of a radial maze begin from its middle, metres."""
    return (ARM_WIDTH / 2 + 0.3) / math.tan(math.pi / arms) + GAP


def radial(arms: int, closed: Iterable[int] = ()) -> tuple[Object, ...]:
    """A radial maze about the arena's middle, arm 0 at bearing 0; `closed` arms have a wall at the mouth."""
    found = []
    start, shut = hub(arms), set(closed)
    length = ARM_END - start
    for number in range(arms):
        bearing = 360 * number / arms
        middle = polar(20, 20, bearing, start + length / 2)
        for across in (-1, 1):
            x, z = polar(*middle, bearing + 90 * across, ARM_WIDTH / 2 + 0.15)
            found.append(wall(x, z, (0.3, HEIGHT, length), bearing))
        end = polar(20, 20, bearing, ARM_END + 0.15 + GAP)
        found.append(wall(*end, (ARM_WIDTH + 0.6, HEIGHT, 0.3), bearing))
        if number in shut:
            mouth = polar(20, 20, bearing, start + 0.15)
            found.append(wall(*mouth, (ARM_WIDTH - 2 * GAP, HEIGHT, 0.3), bearing))
    return tuple(found)


Cell = tuple[int, int]
"""Column (of x) and row (of z) of a room, from 0."""


class Rooms:
    """A square of rooms that fill the arena; between some of them are ways, so that each can be reached.

    `loops` is the share of the other walls that have a way too.
    """

    def __init__(self, rng: np.random.Generator, count: int, loops: float = 0.0) -> None:
        self.count, self.side = count, 40 / count
        self._ways: set[tuple[Cell, Cell]] = set()
        cells = [(i, j) for i in range(count) for j in range(count)]
        trail, seen = [cells[int(rng.integers(len(cells)))]], set[Cell]()
        while trail:
            seen.add(trail[-1])
            fresh = [cell for cell in self._beside(trail[-1]) if cell not in seen]
            if not fresh:
                trail.pop()
                continue
            cell = fresh[int(rng.integers(len(fresh)))]
            self._ways.add(_pair(trail[-1], cell))
            trail.append(cell)
        walls = {_pair(a, b) for a in cells for b in self._beside(a)} - self._ways
        self._ways |= {pair for pair in sorted(walls) if rng.random() < loops}

    def _beside(self, cell: Cell) -> list[Cell]:
        i, j = cell
        near = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        return [(a, b) for a, b in near if 0 <= a < self.count and 0 <= b < self.count]

    def middle(self, cell: Cell) -> Spot:
        """The middle of a room, metres."""
        return (cell[0] + 0.5) * self.side, (cell[1] + 0.5) * self.side

    def distances(self, start: Cell) -> dict[Cell, int]:
        """How many ways apart each room is from one of them."""
        found, rim = {start: 0}, [start]
        for cell in rim:
            for other in self._beside(cell):
                if other not in found and _pair(cell, other) in self._ways:
                    found[other] = found[cell] + 1
                    rim.append(other)
        return found

    def walls(self, rng: np.random.Generator, door: float | None = None) -> tuple[Object, ...]:
        """The walls; a way is a whole side, or a doorway so wide (metres) somewhere in it."""
        flat = [self._line(rng, k, False, door) for k in range(1, self.count)]
        steep = [self._line(rng, k, True, door) for k in range(1, self.count)]
        found = []
        for k, intervals in enumerate(flat, 1):
            found += [_piece(k * self.side, each, False) for each in intervals]
        for k, intervals in enumerate(steep, 1):
            cuts = [
                (n * self.side - _THICK / 2 - GAP, n * self.side + _THICK / 2 + GAP)
                for n, line in enumerate(flat, 1)
                if any(a <= k * self.side + _THICK and k * self.side - _THICK <= b for a, b in line)
            ]
            found += [_piece(k * self.side, each, True) for each in _without(intervals, cuts)]
        return tuple(found)

    def _line(self, rng: np.random.Generator, k: int, steep: bool, door: float | None) -> list[Interval]:
        """The closed parts of the k-th line between rooms, metres along it."""
        open_parts = []
        for n in range(self.count):
            pair = ((k - 1, n), (k, n)) if steep else ((n, k - 1), (n, k))
            if pair not in self._ways:
                continue
            wide = self.side - _THICK if door is None else door
            slack = (self.side - wide) / 2 - (0 if door is None else 0.8)
            centre = (n + 0.5) * self.side + (slack * float(rng.uniform(-1, 1)) if door is not None else 0.0)
            open_parts.append((centre - wide / 2, centre + wide / 2))
        return _without([(EDGE, 40 - EDGE)], open_parts)


_THICK = 0.5
_LEAST_PIECE = 0.6
"""Metres: thickness of walls between rooms; shorter pieces of wall are left out."""


def _pair(a: Cell, b: Cell) -> tuple[Cell, Cell]:
    return (a, b) if a < b else (b, a)


def _without(intervals: Sequence[Interval], cuts: Sequence[Interval]) -> list[Interval]:
    """What is left of intervals; crumbs are dropped."""
    for low, high in cuts:
        intervals = [
            part for a, b in intervals for part in ((a, min(b, low)), (max(a, high), b)) if part[1] > part[0]
        ]
    return [(a, b) for a, b in intervals if b - a >= _LEAST_PIECE]


def _piece(line: float, along: Interval, steep: bool) -> Object:
    middle, length = (along[0] + along[1]) / 2, along[1] - along[0]
    if steep:
        return wall(line, middle, (_THICK, HEIGHT, length))
    return wall(middle, line, (length, HEIGHT, _THICK))
