"""Mazes: the Y-maze, radial mazes, and rooms joined by doorways."""

import math
from collections.abc import Iterable, Sequence

from testbed.blueprints.blueprint import Object, Rng
from testbed.blueprints.parts import across, along, wall, wall_between
from testbed.blueprints.places import EDGE, GAP, HEIGHT, JOINT, THICK, XZ, polar

HALF = 2.3
"""Half the width of lanes and of gaps between sectors, metres. Lanes are those of the Y-maze."""


def y_maze(fork: float, spread: float, length: float, height: float) -> tuple[list[Object], tuple[XZ, XZ]]:
    """Return the walls of a Y-maze, and the ends of its arms. A stem from the fence at z = 0 forks into two
    arms, `spread` degrees to either side. `fork` is the z where the arms' centre lines meet."""
    angle = math.radians(spread)
    offset = HALF + THICK / 2
    outer_start = offset * math.tan(angle / 2)
    inner_start = (offset + THICK / 2) / math.tan(angle)
    walls = []
    ends = []
    for s in (-1, 1):
        bearing = s * spread
        axis_end = polar(20, fork, bearing, length)
        ends.append(polar(20, fork, bearing, length - HALF))
        outer = _side_line(fork, bearing, s * offset, outer_start + THICK, length)
        inner = _side_line(fork, bearing, -s * offset, inner_start, length)
        walls += [wall_between(*outer, height), wall_between(*inner, height)]
        wide = offset + THICK / 2
        close = polar(*axis_end, bearing, THICK / 2 + GAP)
        walls.append(
            wall_between(polar(*close, bearing - 90, wide), polar(*close, bearing + 90, wide), height)
        )
        stem_end = fork - math.sin(angle) * offset + outer_start * math.cos(angle)
        walls.append(wall_between((20 + s * offset, 0), (20 + s * offset, stem_end - THICK / 2), height))
    return walls, (ends[0], ends[1])


def _side_line(fork: float, bearing: float, aside: float, start: float, end: float) -> tuple[XZ, XZ]:
    """Return a line `aside` to the right of an arm's centre. It is from `start` to `end` metres."""
    x, z = polar(20, fork, bearing + 90, aside)
    return polar(x, z, bearing, start), polar(x, z, bearing, end)


def radial_sectors(count: int, turn: float, reach: float, height: float) -> tuple[list[Object], Sequence[XZ]]:
    """Return a radial maze's walls between `count` sectors, and one place each."""
    step = 360 / count
    # Walls start where they leave lanes of equal width between them.
    start = max(4.0, (HALF + THICK) / math.sin(math.radians(step / 2)))
    bearings = [turn + step * (i + 0.5) for i in range(count)]
    walls = [wall_between(polar(20, 20, b, start), polar(20, 20, b, 18.5), height) for b in bearings]
    return walls, [polar(20, 20, turn + step * i, reach) for i in range(count)]


ARM_WIDTH = 3.6
ARM_END = 18.6
"""Clear width of a radial maze's arms, and their length, metres. It is from the middle."""


def arm_start(arms: int) -> float:
    """Return the distance of the arms' starts from the middle, metres. The maze is radial."""
    return (ARM_WIDTH / 2 + 0.3) / math.tan(math.pi / arms) + JOINT


def radial_arms(arms: int, closed: Iterable[int] = ()) -> tuple[Object, ...]:
    """A radial maze about the arena's middle, arm 0 at bearing 0. `closed` arms have a wall at the mouth."""
    found = []
    start, shut = arm_start(arms), set(closed)
    length = ARM_END - start
    for number in range(arms):
        bearing = 360 * number / arms
        middle = polar(20, 20, bearing, start + length / 2)
        for hand in (-1, 1):
            x, z = polar(*middle, bearing + 90 * hand, ARM_WIDTH / 2 + 0.15)
            found.append(wall(x, z, (0.3, HEIGHT, length), bearing))
        end = polar(20, 20, bearing, ARM_END + 0.15 + JOINT)
        found.append(wall(*end, (ARM_WIDTH + 0.6, HEIGHT, 0.3), bearing))
        if number in shut:
            mouth = polar(20, 20, bearing, start + 0.15)
            found.append(wall(*mouth, (ARM_WIDTH - 2 * JOINT, HEIGHT, 0.3), bearing))
    return tuple(found)


Interval = tuple[float, float]
"""From and to, metres along a wall."""

Cell = tuple[int, int]
"""Column (of x) and row (of z) of a room, from 0."""


class Rooms:
    """A square of joined rooms that fill the arena. Passages let each be reached; `loops` is the share of the
    other walls that have a passage too."""

    def __init__(self, rng: Rng, count: int, loops: float = 0.0) -> None:
        self.count, self.side = count, 40 / count
        self._passages: set[tuple[Cell, Cell]] = set()
        cells = [(i, j) for i in range(count) for j in range(count)]
        trail, seen = [cells[int(rng.integers(len(cells)))]], set[Cell]()
        while trail:
            seen.add(trail[-1])
            fresh = [cell for cell in self._neighbours(trail[-1]) if cell not in seen]
            if not fresh:
                trail.pop()
                continue
            cell = fresh[int(rng.integers(len(fresh)))]
            self._passages.add(_pair(trail[-1], cell))
            trail.append(cell)
        walls = {_pair(a, b) for a in cells for b in self._neighbours(a)} - self._passages
        self._passages |= {pair for pair in sorted(walls) if rng.random() < loops}

    def _neighbours(self, cell: Cell) -> list[Cell]:
        i, j = cell
        near = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        return [(a, b) for a, b in near if 0 <= a < self.count and 0 <= b < self.count]

    def middle(self, cell: Cell) -> XZ:
        """Return the middle of a room, metres."""
        return (cell[0] + 0.5) * self.side, (cell[1] + 0.5) * self.side

    def distances(self, start: Cell) -> dict[Cell, int]:
        """Return the number of passages from one room to each."""
        found, rim = {start: 0}, [start]
        for cell in rim:
            for other in self._neighbours(cell):
                if other not in found and _pair(cell, other) in self._passages:
                    found[other] = found[cell] + 1
                    rim.append(other)
        return found

    def walls(self, rng: Rng, door: float | None = None) -> tuple[Object, ...]:
        """Return the walls. A passage is a whole side, or a doorway `door` metres wide somewhere in it."""
        flat = [self._line(rng, k, False, door) for k in range(1, self.count)]
        steep = [self._line(rng, k, True, door) for k in range(1, self.count)]
        found = []
        for k, intervals in enumerate(flat, 1):
            found += [across(k * self.side, *each, HEIGHT, _THICK) for each in intervals]
        for k, intervals in enumerate(steep, 1):
            cuts = [
                (n * self.side - _THICK / 2 - JOINT, n * self.side + _THICK / 2 + JOINT)
                for n, line in enumerate(flat, 1)
                if any(a <= k * self.side + _THICK and k * self.side - _THICK <= b for a, b in line)
            ]
            found += [along(k * self.side, *each, HEIGHT, _THICK) for each in _without(intervals, cuts)]
        return tuple(found)

    def _line(self, rng: Rng, k: int, steep: bool, door: float | None) -> list[Interval]:
        """The closed parts of the k-th line between rooms, metres along it."""
        open_parts = []
        for n in range(self.count):
            pair = ((k - 1, n), (k, n)) if steep else ((n, k - 1), (n, k))
            if pair not in self._passages:
                continue
            wide = self.side - _THICK if door is None else door
            slack = (self.side - wide) / 2 - (0 if door is None else 0.8)
            centre = (n + 0.5) * self.side + (slack * float(rng.uniform(-1, 1)) if door is not None else 0.0)
            open_parts.append((centre - wide / 2, centre + wide / 2))
        return _without([(EDGE, 40 - EDGE)], open_parts)


_THICK = 0.5
"""Thickness of walls between rooms, metres."""


def _pair(a: Cell, b: Cell) -> tuple[Cell, Cell]:
    return (a, b) if a < b else (b, a)


def _without(intervals: Sequence[Interval], cuts: Sequence[Interval]) -> list[Interval]:
    """Intervals minus cuts, without pieces shorter than 0.6 m."""
    for low, high in cuts:
        intervals = [
            part for a, b in intervals for part in ((a, min(b, low)), (max(a, high), b)) if part[1] > part[0]
        ]
    return [(a, b) for a, b in intervals if b - a >= 0.6]
