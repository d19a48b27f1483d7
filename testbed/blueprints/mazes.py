"""Mazes with arms, for choices between two or more things that end the episode."""

import math
from collections.abc import Sequence

from testbed.blueprints.blueprint import Object
from testbed.blueprints.parts import GREY, Spot, polar, wall

THICK = 0.4
"""Thickness of walls, metres."""

GAP = 0.04
"""Metres between walls that meet, so that rounding does not let them overlap."""

HALF = 2.3
"""Half the width of a way, metres."""


def between(start: Spot, end: Spot, height: float) -> Object:
    """A wall whose middle line leads from one place to another."""
    x, z = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    yaw = math.degrees(math.atan2(end[0] - start[0], end[1] - start[1])) % 180
    # The file has yaws to a tenth of a degree and places to a centimetre.
    return wall(x, z, (THICK, height, math.dist(start, end) - 2 * GAP), yaw, GREY)


def y_maze(
    fork: float, spread: float, length: float, height: float
) -> tuple[list[Object], tuple[Spot, Spot]]:
    """A stem from the fence at z = 0 that forks into two arms, `spread` degrees to either side.

    Gives the walls and the ends of the arms. `fork` is the z where the arms' middle lines meet.
    """
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
        outer = _beside(fork, bearing, s * offset, outer_start + THICK, length)
        inner = _beside(fork, bearing, -s * offset, inner_start, length)
        walls += [between(*outer, height), between(*inner, height)]
        across = offset + THICK / 2
        close = polar(*axis_end, bearing, THICK / 2 + GAP)
        walls.append(
            between(polar(*close, bearing - 90, across), polar(*close, bearing + 90, across), height)
        )
        stem_end = fork - math.sin(angle) * offset + outer_start * math.cos(angle)
        walls.append(between((20 + s * offset, 0), (20 + s * offset, stem_end - THICK / 2), height))
    return walls, (ends[0], ends[1])


def _beside(fork: float, bearing: float, aside: float, start: float, end: float) -> tuple[Spot, Spot]:
    """A line beside an arm's middle line, `aside` to its right, from and to so many metres along it."""
    x, z = polar(20, fork, bearing + 90, aside)
    return polar(x, z, bearing, start), polar(x, z, bearing, end)


def star(count: int, turn: float, reach: float, height: float) -> tuple[list[Object], Sequence[Spot]]:
    """A radial maze about the arena's middle: walls between so many sectors, and places in the sectors."""
    step = 360 / count
    # Walls start where they leave ways of equal width between them.
    start = max(4.0, (HALF + THICK) / math.sin(math.radians(step / 2)))
    walls = [
        between(
            polar(20, 20, turn + step * (i + 0.5), start),
            polar(20, 20, turn + step * (i + 0.5), 18.5),
            height,
        )
        for i in range(count)
    ]
    return walls, [polar(20, 20, turn + step * i, reach) for i in range(count)]
