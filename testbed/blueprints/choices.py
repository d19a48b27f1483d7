"""Apparatus for choices that cannot be undone, made by a drop.

The options are seen from above. Compartments with screens, behind which something vanishes, are those of
level 8.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from testbed.blueprints.blueprint import BLUE, Object, Point, Rng
from testbed.blueprints.parts import agent, along, ball, pane, ramp, wall
from testbed.blueprints.places import EDGE, GAP, JOINT, THICK, Area, near, scattered

FIRM = 1.0
"""Thickness of high panes, metres. The agent, coming from above at full speed, tips thin ones over."""

PLATFORM = 1.0
"""Height of platforms, metres. The agent's eye is 1.5 m high on one, and it cannot get back up."""


class Apparatus(NamedTuple):
    """The agent, the structure, and the options' floor areas, in random order."""

    objects: tuple[Object, ...]
    areas: tuple[Area, ...]


def _apparatus(rng: Rng, objects: Sequence[Object], areas: Sequence[Area]) -> Apparatus:
    return Apparatus(tuple(objects), tuple(areas[int(i)] for i in rng.permutation(len(areas))))


def fill(
    rng: Rng, area: Area, sizes: Sequence[float], kind: str = "GoodGoalMulti", y: float = 0
) -> list[Object]:
    """Scatter balls of these diameters over an area at height y, 1.2 m apart to be gathered alone."""
    if not sizes:
        return []
    largest = max(sizes)
    margin = largest / 2 + 0.2
    within = (area[0] + margin, area[1] + margin, area[2] - margin, area[3] - margin)
    places = scattered(rng, len(sizes), largest + 1.2, within=within)
    return [ball(kind, x, z, size, y) for (x, z), size in zip(places, sizes, strict=True)]


def platform(x: float, width: float, depth: float, height: float = PLATFORM) -> Object:
    """Return a platform that begins at the fence of low z."""
    return wall(x, depth / 2, (width, height, depth), color=BLUE)


def perch(rng: Rng, far: float, high: float = 5) -> tuple[Object, tuple[Object, ...]]:
    """Return the agent on its perch, and a wall dividing the arena.

    The perch is at the low end of z, the wall at x = 20. The wall reaches to z = `far` and is `high`, metres.
    An agent that leaves the perch cannot change sides.
    """
    deep, floor, broad = near(rng, 5, 0.6), 0.6, near(rng, 5, 0.8)
    end = min(far, 40 - EDGE)
    start = deep + EDGE + JOINT
    stand = (wall(20, deep / 2 + EDGE, (broad, floor, deep), color=BLUE), along(20, start, end, high, 0.6))
    return agent(20, near(rng, 1.8, 0.6), near(rng, 0, 6), y=floor), stand


def ledge(rng: Rng) -> Apparatus:
    """Return a ledge along the whole arena, too high to climb again. The options are its two sides."""
    x, width, height = near(rng, 20, 2.5), near(rng, 2, 0.4), near(rng, 1.4, 0.3)
    start = agent(x, near(rng, 4, 2), near(rng, 0, 25), y=height)
    left, right = (0, 7, x - width / 2 - 1.8, 40), (x + width / 2 + 1.8, 7, 40, 40)
    return _apparatus(rng, (start, wall(x, 20, (width, height, 40), color=BLUE)), (left, right))


def _divider(x: float, z: float, size: Point, glass: bool) -> Object:
    """Return a pane above the platform's height, or a lower wall. `size` is 0 along the thickness."""
    wide, height, long = size
    if glass:
        return pane(x, z, (wide or FIRM, height + 1.5, long or FIRM))
    return wall(x, z, (wide or THICK, height - 1.2, long or THICK))


def pens(rng: Rng, count: int, glass: bool) -> Apparatus:
    """Return a platform in front of `count` separate pens. High panes, or walls lower than the platform,
    separate them."""
    depth, height = near(rng, 7, 1.5), near(rng, 2.5, 0.3)
    width = 40 / count
    bounds = [0.0, *(near(rng, width * i, 1.2) for i in range(1, count)), 40.0]
    length = 40 - depth - 2 * GAP
    middle = (40 + depth) / 2
    objects = (
        agent(near(rng, 20, 5), depth - near(rng, 2.2, 0.6), near(rng, 0, 15), y=height),
        wall(20, depth / 2, (40, height, depth - 2 * GAP), color=BLUE),
        *(_divider(x, middle, (0, height, length), glass) for x in bounds[1:-1]),
    )
    return _apparatus(
        rng, objects, [(low + FIRM, depth + 3.5, high - FIRM, 40.0) for low, high in pairwise(bounds)]
    )


def hub(rng: Rng, count: int, glass: bool) -> Apparatus:
    """Return a central platform with walls that enclose three or four fields. The walls lead to the fence."""
    x, z, half, height = near(rng, 20, 3), near(rng, 20, 3), near(rng, 2, 0.5), near(rng, 2.3, 0.2)
    objects = [
        agent(x, z, near(rng, 180, 180), y=height),
        wall(x, z, (2 * half, height, 2 * half), color=BLUE),
    ]
    ends = [(x, z + half, x, 40.0), (x + half, z, 40.0, z), (x, 0.0, x, z - half), (0.0, z, x - half, z)]
    for x0, z0, x1, z1 in ends[: 4 if count == 4 else 3]:
        size = (max(x1 - x0 - 2 * GAP, 0), height, max(z1 - z0 - 2 * GAP, 0))
        objects.append(_divider((x0 + x1) / 2, (z0 + z1) / 2, size, glass))
    gap = half + 1.8
    west, east, low, high = x - gap, x + gap, z - FIRM, z + FIRM
    areas = [(east, high, 40.0, 40.0), (east, 0.0, 40.0, low)]
    areas += [(0.0, 0.0, west, low), (0.0, high, west, 40.0)] if count == 4 else [(0.0, 0.0, west, 40.0)]
    return _apparatus(rng, objects, areas)


def boxes(rng: Rng, count: int) -> Apparatus:
    """Glass boxes that are entered over a ramp and cannot be left."""
    width, depth, high, slope = 40 / count - 3, near(rng, 13, 1.5), near(rng, 1.8, 0.2), near(rng, 6, 0.6)
    front = near(rng, 19.5, 1.5)
    objects = [agent(near(rng, 20, 5), near(rng, 4, 1.5), near(rng, 0, 15))]
    areas = []
    for i in range(count):
        x = 40 / count * (i + 0.5) + near(rng, 0, 0.8)
        objects += _box(x, front, width, depth, high)
        objects.append(
            ramp(x + near(rng, 0, width / 5), front - THICK / 2 - GAP - slope / 2, (2.5, high, slope), 180)
        )
        areas.append((x - width / 2 + THICK, front + 3, x + width / 2 - THICK, front + depth - THICK))
    return _apparatus(rng, objects, areas)


def _box(x: float, front: float, width: float, depth: float, high: float) -> list[Object]:
    """Four panes. `front` is the z of the one nearest to the agent."""
    long, across = (THICK, high, depth - THICK - 2 * GAP), (width + THICK, high, THICK)
    return [
        pane(x, front, across),
        pane(x, front + depth, across),
        *(pane(x + s * width / 2, front + depth / 2, long) for s in (-1, 1)),
    ]


def mark(best: float, second: float) -> float:
    """Return the pass mark of a choice between `best` and `second`.

    Without a second option the clock takes 1 in the end. The mark is more than the second best can bring, and
    requires all of the best, with up to 1 for the time that gathering takes: touching a ball restores health,
    so the clock costs 1 after the last ball. If there is no second option, the last ball ends the episode and
    the clock takes nothing more.
    """
    return best - 1 if second == 0 else round(max(second - 1, best - 2), 2)
