"""Level 4, avoidance: corridors, paths and bridges between zones that end the episode."""

import numpy as np

from testbed.blueprints.blueprint import Blueprint, Object, Rng, task
from testbed.blueprints.choices import platform
from testbed.blueprints.parts import BLUE, DEATH, agent, ball, ramp, wall, zone_between
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import even, near

LOW, HIGH = 9.0, 31.0
"""The z at which fields that are crossed begin and end, metres."""

PATHS = ("avoidance", "precise movement")


def _ends(rng: Rng, spread: float = 14) -> tuple[Object, Object]:
    """An agent on one side of such a field and a goal on the other."""
    start = agent(near(rng, 20, spread), near(rng, 3.5, 1.5), near(rng, 0, 40))
    return start, ball("GoodGoal", near(rng, 20, spread), near(rng, 36, 1.5), 1)


def _row(gaps: list[tuple[float, float]], low: float, high: float) -> list[Object]:
    """Zones over the whole width except for gaps (from x, to x)."""
    starts = [0.0, *(gap[1] for gap in gaps)]
    stops = [*(gap[0] for gap in gaps), 40.0]
    return [zone_between(DEATH, a, low, b, high) for a, b in zip(starts, stops, strict=True) if b - a >= 1]


@any_orientation
def straight_path(rng: Rng, width: float) -> Blueprint:
    """A straight path between two zones (beam walking)."""
    x = near(rng, 20, 13)
    start, goal = _ends(rng)
    return task(
        "Reach the green ball along the path between the red zones.",
        PATHS,
        "Drive to the path's beginning, turn into its direction, then go straight.",
        start,
        goal,
        *_row([(x - width / 2, x + width / 2)], LOW + 1, HIGH),
    )


@any_orientation
def corridors(rng: Rng, count: int, blocked: int, width: float) -> Blueprint:
    """Corridors between zones, some of which end at a further zone (maze with dead ends)."""
    pitch = 38 / count
    middles = [1 + pitch * (number + 0.5) + near(rng, 0, 0.3) for number in range(count)]
    closed = rng.choice(count, blocked, replace=False)
    start, goal = _ends(rng)
    gaps = [(x - width / 2, x + width / 2) for x in middles]
    low, high = LOW + 2, HIGH - 2
    plugs = [zone_between(DEATH, gaps[i][0], high - near(rng, 5, 2) - 2, gaps[i][1], high) for i in closed]
    return task(
        f"Reach the green ball beyond the red zones; {blocked} of {count} corridors are dead ends.",
        ("avoidance", "search", "detour"),
        "Look down each corridor before driving into it, and take one that is free to its end.",
        start,
        goal,
        *_row(gaps, low, high),
        *plugs,
    )


@any_orientation
def winding_path(rng: Rng, bends: int, width: float) -> Blueprint:
    """A path with bends through a field that must not be touched."""
    half, first = width / 2, int(rng.integers(2))
    columns = [near(rng, 10 if (number + first) % 2 else 30, 5) for number in range(bends + 1)]
    tall = (HIGH - LOW - bends * width) / (bends + 1)
    objects: list[Object] = []
    z = LOW
    for number, x in enumerate(columns):
        objects += _row([(x - half, x + half)], z, z + tall)
        z += tall
        if number < bends:
            left, right = sorted((x, columns[number + 1]))
            objects += _row([(left - half, right + half)], z, z + width)
            z += width
    return task(
        "Reach the green ball along the winding path through the red zone.",
        (*PATHS, "detour"),
        "Follow the path: stop at each bend, turn, and go on.",
        *_ends(rng),
        *objects,
    )


@any_orientation
def bridges(rng: Rng, width: float, height: float, broken: int) -> Blueprint:
    """A zone that is crossed on a bridge with ramps; of several bridges only one reaches the other side."""
    places = (20.0,) if not broken else tuple(np.linspace(9, 31, broken + 1))
    good = int(rng.integers(len(places)))
    length = 4 + 2 * height
    low, high = 7 + length, 33 - length
    objects = [*_ends(rng, 12), zone_between(DEATH, 0, low + 0.5, 40, high - 0.5)]
    for number, middle in enumerate(places):
        x = middle + near(rng, 0, 4 if broken else 13)
        end = high if number == good else low + (high - low) * near(rng, 0.5, 0.1)
        objects.append(ramp(x, low - length / 2, (width, height, length), 180))
        objects.append(wall(x, (low + end) / 2, (width, height, end - low), 0, BLUE))
        if number == good:
            objects.append(ramp(x, high + length / 2, (width, height, length), 0))
    return task(
        "Cross the red zone on a bridge and reach the green ball.",
        ("avoidance", "precise movement", "detour"),
        "Drive up the ramp of the bridge that is whole, straight over it, and down to the ball.",
        *objects,
        time_limit=500 if broken else 250,
    )


@any_orientation
def leap(rng: Rng, depth: float) -> Blueprint:
    """From a platform over a zone: only a run-up carries the agent across (jumping a gap)."""
    x, long, height = near(rng, 20, 8), even(near(rng, 14, 1)), near(rng, 2.2, 0.2)
    return task(
        "Get from the platform over the red zone to the green ball.",
        ("avoidance", "momentum", "risk"),
        "Face the zone squarely and drive at full speed over the edge: the leap carries across.",
        agent(x + near(rng, 0, 2), near(rng, 1.5, 0.5), near(rng, 0, 30), height),
        platform(x, 10, long, height),
        zone_between(DEATH, 0, 0, x - 5, long + depth),
        zone_between(DEATH, x + 5, 0, 40, long + depth),
        zone_between(DEATH, x - 5, long + 0.05, x + 5, long + depth),
        ball("GoodGoal", x + near(rng, 0, 10), near(rng, 35.5, 2), 1),
    )


@any_orientation
def ridge(rng: Rng, height: float) -> Blueprint:
    """A ridge hides the zone behind it; the free side can be seen only from its crest."""
    z, long = even(near(rng, 12, 1)), even(near(rng, 5, 0.5))
    free = near(rng, 9, 1)
    top = wall(20, z + long + 2.5, (40, height, 5), 0, BLUE)
    return task(
        "Cross the ridge and reach the green ball; what lies behind is seen from its top.",
        ("avoidance", "caution", "search"),
        "Drive up, stop on the crest, look, and go down where no red zone lies.",
        agent(near(rng, 20, 14), near(rng, 3, 1), near(rng, 0, 25)),
        ramp(20, z + long / 2, (40, height, long), 180),
        top,
        zone_between(DEATH, 0, z + long + 5.05, 40 - free, z + long + 5 + 6),
        ball("GoodGoal", near(rng, 10, 6), near(rng, 36, 1.5), 1),
    )
